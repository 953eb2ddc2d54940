"""Exams of chapter 7."""

import math
from zlib import crc32

import dynet as dy
import numpy as np

from common.search.decoding import Hypothesis
from common.text.batching import make_batch, pad
from common.text.vocab import Vocabulary
from solutions.grading.exam import ask, call, exam, fresh, graph, leaf, parameters, step, trained

SIZES = ((2, 4, 1), (3, 3, 4), (2, 6, 5), (1, 1, 1))
"""Numbers of a word, words, sentences."""


@exam("7.1", 1e-6)
def warm_up(work, draw):
    for name in ("found_by_greedy_search", "most_probable", "normalised_score"):
        yield name, call(getattr(work, name))
    for _ in range(4):
        for words, longest in ((draw.integer(2, 9), draw.integer(0, 6)), (1, draw.integer(0, 6))):
            yield f"sentences, {words} words, at most {longest}", call(work.sentences_to_compare, words, longest)
    for steps in (2, draw.integer(3, 9), 1):
        size = draw.integer(1, 8)
        result = call(work.probabilities_in_a_beam, size + draw.integer(1, 20), steps, size)
        yield f"continuations of a beam of {size} in {steps} steps", result


@exam("7.2", 1e-4)
def reading(work, draw):
    for H, time, batch in SIZES:
        for lengths in (draw.integers(1, time, batch), np.full(batch, time), np.ones(batch, dtype=int)):
            states, case = draw.array(H, time, batch), f"T = {time}, lengths {lengths.tolist()}"
            for name in ("reverse", "last_states"):
                given_lengths = lengths.copy()
                yield f"{name}, {case}", ask(lambda states: getattr(work, name)(states, given_lengths), draw, [states])
                yield "the lengths stay", (given_lengths == lengths).all()


def model(work, draw, F, V, L, H):
    """Weights, the collection, which must be kept, and all parameters."""
    shapes = ((F, L), (H, L), (H, H), (H,), (V, L), (H, L), (H, H), (H,), (V, H), (V,))
    collection, params = parameters(*(draw.array(*shape) for shape in shapes))
    return work.Weights(*params), collection, params


@exam("7.3", 1e-3)
def encoder(work, draw):
    for sizes in ((7, 5, 3, 2), (5, 6, 2, 4), (2, 2, 1, 1)):
        weights, collection, params = model(work, draw, *sizes)
        for lengths in draw.lengths(1, 5):
            source, mask = pad(draw.ids(lengths, sizes[0]))
            source = np.where(mask > 0, source, draw.integer(0, sizes[0] - 1))
            for backward in (False, True):
                fresh(draw)
                before, copy = graph(), source.copy()
                result = call(lambda: step(work.encode(weights, source, mask, backward), *params[:4]))
                yield f"(F, V, L, H) = {sizes}, lengths {lengths}, backward: {backward}", result
                yield "the graph goes on, and the source stays", [graph() == before, bool((source == copy).all())]


@exam("7.4", 1e-3)
def decoder(work, draw):
    for sizes in ((3, 5, 3, 2), (3, 7, 2, 4), (2, 2, 1, 1)):
        weights, collection, params = model(work, draw, *sizes)
        for lengths in draw.lengths(0, 4):
            target = make_batch(draw.ids(lengths, sizes[1]), range(len(lengths)))
            _, (encoded,) = inputs = parameters(draw.array(sizes[3], len(lengths)))
            case = f"(F, V, L, H) = {sizes}, lengths {lengths}"
            fresh(draw)
            result = trained(lambda: work.loss(weights, leaf(encoded), target), *params[4:], *inputs[1])
            yield f"the loss and its gradients, {case}", result
            fresh(draw)
            h = leaf(encoded)
            for words in target.inputs[:3]:
                result = call(lambda: work.advance(weights, h, words.tolist()))
                yield f"a step of search, {case}", result
                if isinstance(result, list):
                    h = dy.tanh(h)
        params[-1].set_value(draw.array(sizes[1], scale=400))
        fresh(draw)
        result = call(lambda: work.advance(weights, leaf(encoded), [0] * len(lengths)))
        yield f"words of hardly any probability, (F, V, L, H) = {sizes}", result


class Chance:
    """A model whose next word depends on all that was read.

    asked: how many rows were read on with, for every state and words that it was asked about, each of them once.
    """

    def __init__(self, draw, size, end=0.0, dead=0.0):
        """end: how much likelier </s> is; dead: the share of words that are impossible."""
        self.vocab = Vocabulary("abcdefgh"[: size - 2])
        self.seed, self.size, self.end, self.dead = draw.integer(0, 10**6), size, end, dead
        self.asked = {}

    def start(self, number):
        return [(row,) for row in range(number)]  # sentences differ

    def advance(self, state, words):
        self.asked[tuple(state), tuple(map(int, words))] = len(state)
        state = [(*before, int(word)) for before, word in zip(state, words, strict=True)]
        return state, np.array([self.log_probs(before) for before in state])

    def select(self, state, rows):
        return [state[row] for row in rows]

    def log_probs(self, before):
        rng = np.random.default_rng([self.seed, crc32(bytes(before))])
        scores = rng.normal(0, 1.5, self.size)
        scores[0] += self.end * (len(before) - 1)
        log_p = scores - np.log(np.exp(scores).sum())
        return np.where(rng.random(self.size) < self.dead, -math.inf, log_p)


@exam("7.5", 1e-6)
def greedy(work, draw):
    for size, number in ((3, 1), (5, 1), (6, 4), (8, 7)):
        for limit in (5, 1, [1, *(draw.integer(1, 7) for _ in range(number - 2)), 8][-number:], 30):
            model = Chance(draw, size, end=0.5)
            yield f"{number} sentences, V = {size}, at most {limit} words", call(work.greedy, model, number, limit)
            yield "how often the model was called", len(model.asked)
    for _ in range(8):  # one is cut in some of these when the other ends
        model = Chance(draw, 5, end=0.7)
        yield "2 sentences, at most 2 and 30 words", call(work.greedy, model, 2, [2, 30])
        yield "how often the model was called", len(model.asked)


@exam("7.6", 1e-6)
def beam(work, draw):
    for size in (3, 5, 8):
        for beam_size in (2, 4, 1, 9):
            for dead, most in ((0.0, 6), (0.4, 6), (0.0, 1), (0.0, 3)):
                model = Chance(draw, size, end=0.4, dead=dead)
                result = call(work.beam_search, model, beam_size, most)
                yield f"V = {size}, a beam of {beam_size}, at most {most} words, {dead:.0%} impossible", result
                yield "how many hypotheses the model was given, step by step", list(model.asked.values())
    yield "a long sentence", call(work.beam_search, Chance(draw, 8, end=-40.0), 2, 300)


def hypotheses(draw, number):
    return [
        Hypothesis(draw.words(draw.integer(0, 5)), draw.number(-20, -1), draw.random.random() < 0.6)
        for _ in range(number)
    ]


@exam("7.7", 1e-6)
def lengths(work, draw):
    for source in (1, 2, 3):
        pairs = [(draw.integer(1, 3), draw.integer(0, 3)) for _ in range(30)]
        for target in range(4):
            yield f"how usual {target} words are", call(work.length_log_prob, pairs, source, target)
    for number in (6, 2, 1, 12):
        some = hypotheses(draw, number)
        pairs = [(draw.integer(1, 3), draw.integer(0, 4)) for _ in range(20)]
        for h in some:
            source = draw.integer(0, 4)
            yield "normalised", call(work.normalised, h)
            yield "how usual a length is", call(work.length_log_prob, pairs, source, len(h.words))
            yield "with a prior", call(work.with_prior, h, pairs, source)
        yield f"{number} hypotheses, the normalised first", call(work.best_first, some, lambda h: h.log_prob / 7)
        yield f"{number} hypotheses of one score", call(work.best_first, some, lambda h: -math.inf)
        yield f"{number} hypotheses of few scores", call(work.best_first, tuple(some), lambda h: len(h.words) % 2)
    yield "lengths, none known", call(work.length_log_prob, [], 2, 3)
