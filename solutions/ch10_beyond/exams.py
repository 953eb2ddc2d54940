"""Exams of chapter 10."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.grading.exam import call, exam, fresh, gradients, graph, leaf, parameters, plain, weighted


@exam("10.1", 1e-4)
def warm_up(work, draw):
    yield "the risk of three candidates", call(work.risk_of_three)
    for n in (2, draw.integer(3, 40), 1, 0):
        error, lost = draw.number(0.01, 0.3), draw.number(0.02, 0.9)
        yield f"all right, error {error:.3f}, {n} words", call(work.all_right, error, n)
        yield f"wrong words, error {error:.3f}, lost {lost:.3f}, {n} words", call(work.expected_errors, error, lost, n)
    yield "wrong words where the first is wrong for sure", call(work.expected_errors, 1.0, draw.number(0.1, 0.9), 5)


@exam("10.2", 1e-6)
def bleu(work, draw):
    for length in (3, draw.integer(4, 12), 2, 1, 0):
        words = draw.words(length, "ab")
        for n in (1, 2, 3, 4):
            yield f"runs of {n} in {length} words", call(work.ngrams, words, n)
    yield "runs in a tuple of ids", call(work.ngrams, tuple(draw.ids([6], 4)[0]), 2)
    for letters in ("ab", "abc", "abcdefg"):
        for right, wrong in ((6, 6), (9, 7), (5, 12), (30, 30), (4, 1), (1, 5), (1, 1), (1, 0)):
            reference, hypothesis = draw.words(right, letters), draw.words(wrong, letters)
            yield f"BLEU of {wrong} words, with a reference of {right}", call(work.sentence_bleu, hypothesis, reference)
    ids = draw.ids([8], 5)[0]
    changed = [*ids[:3], 9, *ids[4:]]
    yield "one id of 8 is wrong", call(work.sentence_bleu, changed, ids)
    yield "ids in tuples", call(work.sentence_bleu, tuple(changed), tuple(ids))
    yield "BLEU of no words, with an empty reference", call(work.sentence_bleu, [], [])
    yield "BLEU of 3 words, with an empty reference", call(work.sentence_bleu, draw.words(3), [])
    yield "the same words backward", call(work.sentence_bleu, ids[::-1], ids)


def noise_of(draw, *shape):
    return -np.log(-np.log(draw.numpy.random(shape)))


@exam("10.3", 1e-6)
def drawing(work, draw):
    for shape in ((5,), (1, 1), (2, 3), (3, 1, 4)):
        yield f"noise of the shape {shape}", call(work.gumbel_noise, draw.numpy.random(shape))
    yield "noise of u near 0 and 1", call(work.gumbel_noise, np.array([1e-12, 1e-3, 0.999, 1 - 1e-9]))
    for V, R in ((5, 2), (3, 3), (2, 7), (9, 400), (2, 1), (1, 3), (1, 1)):
        log_probs, g = np.log(draw.distribution(R, V).T), noise_of(draw, V, R)
        yield f"{R} rows, V = {V}", call(work.draw_words, log_probs, g)
        yield f"{R} rows, V = {V}, improbable words", call(work.draw_words, 30 * log_probs - 500, g)
    for V in (2, 3, 6):
        table, sentences_read = np.log(draw.distribution(3 * V, V)), []

        def next_words(words):
            sentences_read.append(list(words))
            return table[sum((place + 1) * word for place, word in enumerate(words)) % (3 * V)]

        for T in (8, 2, 1):
            result = [call(work.draw_sentence, next_words, noise_of(draw, T, V)) for _ in range(4)]
            yield f"sentences of at most {T} predictions, V = {V}", [result, plain(sentences_read)]
            sentences_read.clear()


@exam("10.4", 1e-3)
def risk(work, draw):
    for number in (9, 2, 1):
        for skip in (1, 0, 3):
            sentences = draw.ids([draw.integer(0, 2) for _ in range(number)], 3)
            yield f"{number} candidates, skip {skip}", call(work.firsts, sentences, skip)
    yield "the same words in another order", call(work.firsts, [[1, 2, 0], [2, 1, 0], [1, 2, 0]], 0)
    for n, B in ((4, 1), (3, 3), (5, 2), (1, 3), (1, 1)):
        costs, counted = draw.numpy.random((B, n)), draw.numpy.random((B, n)) < 0.7
        places = draw.integers(0, n - 1, B)
        counted[np.arange(B), places - 1] = False
        counted[np.arange(B), places] = True
        collection, params = parameters(draw.array(n, B, scale=3) - np.where(counted.T, 14, 4))
        for alpha in (0.1, 1.0, draw.number(0.2, 1.5)):
            for base in (0.0, -800.0):
                fresh(draw)
                before = graph()

                def ask():
                    copies = costs.copy(), counted.copy()
                    result = work.expected_cost(leaf(params[0]) + base, costs, counted, alpha)
                    same = bool((copies[0] == costs).all() and (copies[1] == counted).all())
                    return [plain(result), gradients(weighted(result), *params), same]

                case = f"{n} candidates of {B} sentences, alpha = {alpha:.2f}, log P from {base}"
                yield case, [call(ask), graph() - before]
                log_probs = params[0].as_array().reshape(n, B)[:, 0].astype(float) + base
                yield f"the gradient, {case}", call(work.risk_gradient, log_probs, costs[0], counted[0], alpha)


@exam("10.5", 1e-4)
def policy(work, draw):
    for B, k in ((1, 2), (2, 2), (3, 5), (4, 3), (3, 1), (1, 1)):
        costs = draw.numpy.random((B, k))
        yield f"advantages of {k} samples of {B} sentences", call(work.against_others, costs)
        yield f"the same with large costs, {k} and {B}", call(work.against_others, 1000 * costs + 5)
        collection, params = parameters(draw.array(k, B, scale=2) - 5)
        advantages = draw.array(B, k)
        fresh(draw)
        before = graph()

        def ask():
            result = work.policy_loss(leaf(params[0]), advantages)
            return [plain(result), gradients(weighted(result), *params)]

        yield f"the loss of {k} samples of {B} sentences", [call(ask), graph() - before]
    fresh(draw)
    log_probs = draw.array(3, 2) - 4
    yield "advantages of zero", call(work.policy_loss, input_batch(log_probs), np.zeros((2, 3)))


@exam("10.6", 1e-6)
def scheduled(work, draw):
    for schedule in ("linear", "exponential"):
        for share in (draw.number(0.1, 0.9), 0.95, 0.0):
            for progress in (draw.number(0.05, 0.95), 1.0, 0.0):
                case = f"{schedule}, share {share:.3f}, progress {progress:.3f}"
                yield case, call(getattr(work, schedule), share, progress)
    for T, B, V in ((3, 3, 4), (7, 4, 3), (5, 6, 30), (2, 1, 9), (1, 2, 5), (1, 1, 5)):
        inputs = draw.integers(1, V - 1, (T, B))
        inputs[0] = 0

        def next_words(read):
            read = np.asarray(read)
            if not len(read):
                raise ValueError("before <s> nothing is read, and nothing predicted")
            return (np.arange(len(read), 0, -1)[:, None] * read + len(read)).sum(axis=0) % V

        for share in (0.5, 1.0, 0.0):
            own = draw.numpy.random((T, B)) < share
            case = f"{T} steps of {B} sentences, V = {V}, {share:.0%} own words"
            yield case, call(work.mixed_inputs, inputs, own, next_words)
