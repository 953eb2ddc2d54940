"""What holds for every model that is searched: rows, batches, greedy search, beams, samples, attention, ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from common.search.attending import force
from common.search.beams import beam_search
from common.search.decoding import greedy
from common.search.sampling import sample
from common.search.searches import Decoding, translate
from common.search.translation import Conditional, target_log_probs
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests.law_cases import RareWords
from tests.model_laws import MODELS, each_model, is_neural, translates


@each_model(translates)
def test_rows_can_be_chosen_copied_and_put_in_another_order(name: str) -> None:
    """Before the first step and after two: each row goes on as its own sentence does."""
    case = MODELS[name]
    model, rows = case.make(), [4, 0, 2, 4]
    state = case.start(model)
    for words in ([0] * 6, [2, 3, 4, 1, 2, 3], [3, 2, 4, 2, 3, 4]):
        settings, of_chosen = model.advance(model.select(state, rows), [words[row] for row in rows])
        state, log_probs = model.advance(state, words)
        np.testing.assert_allclose(of_chosen, log_probs[rows], atol=1e-5)
        for part in ("attention", "word_attention", "gates"):
            if getattr(state, part, None) is not None:
                np.testing.assert_allclose(getattr(settings, part), getattr(state, part)[rows], atol=1e-5)


@pytest.mark.equation("neubig2017", 1)
@each_model(translates)
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=4, length="normalise")], ids=["greedy", "beam"])
def test_a_translation_is_a_function_of_its_source_alone(name: str, decoding: Decoding) -> None:
    """Its words, what was attended to, and its log-probability, which is that of teacher forcing."""
    case = MODELS[name]
    model = case.make()
    for source, hypotheses in zip(case.sentences, translate(model, case.sentences, decoding), strict=True):
        (alone,) = translate(model, [source], decoding)
        assert [item.words for item in hypotheses] == [item.words for item in alone]
        log_probs = [item.log_prob for item in hypotheses]
        np.testing.assert_allclose(log_probs, [item.log_prob for item in alone], atol=1e-4)
        for hypothesis, same in zip(hypotheses, alone, strict=True):
            if hypothesis.attention is not None:
                assert hypothesis.attention.shape == (len(hypothesis.words) + hypothesis.finished, len(source))
                np.testing.assert_allclose(hypothesis.attention, same.attention, atol=1e-4)
        ended = [hypothesis for hypothesis in hypotheses if hypothesis.finished]
        forced = target_log_probs(model, [Pair(source, hypothesis.words) for hypothesis in ended]) if ended else []
        np.testing.assert_allclose([item.log_prob for item in ended], [row.sum() for row in forced], atol=1e-4)


@each_model(translates)
def test_greedy_search_is_a_beam_of_one(name: str) -> None:
    """Words and attention."""
    case = MODELS[name]
    model, size = case.make(), len(case.sentences)
    by_beam = [best for (best, *_) in beam_search(Conditional(model, case.sentences), size, 1, 12)]
    by_greed = greedy(Conditional(model, case.sentences), size, 12)
    for hypothesis, same in zip(by_beam, by_greed, strict=True):
        assert hypothesis.words == same.words
        if same.attention is not None:
            np.testing.assert_allclose(hypothesis.attention, same.attention, atol=1e-5)


class WithoutNextWords:
    """A model that gives search all next words as an array, and not the best ones from DyNet."""

    def __init__(self, model: Any):
        self.model = model

    def __getattr__(self, name: str) -> Any:
        if name == "next_words":
            raise AttributeError(name)
        return getattr(self.model, name)


@each_model(is_neural)
def test_search_finds_the_same_from_the_best_words_or_from_all(name: str) -> None:
    """Samples from the same random numbers, too."""
    case = MODELS[name]
    model = case.make()
    fast, number = (Conditional(model, case.sentences), len(case.sentences)) if case.translates else (model, 20)
    found = []
    for searched in (fast, WithoutNextWords(fast)):
        hypotheses = [*greedy(searched, number, 9), *sample(searched, number, np.random.default_rng(7), 9)]
        if case.translates:
            hypotheses += [best for size in (2, 7) for beam in beam_search(searched, number, size, 9) for best in beam]
        found.append(hypotheses)
    for ours, theirs in zip(*found, strict=True):
        assert (ours.words, ours.finished) == (theirs.words, theirs.finished)
        assert ours.log_prob == pytest.approx(theirs.log_prob, abs=1e-4)


@each_model(lambda case: case.translates and case.attends)
def test_what_is_shown_of_a_translation_is_what_the_equations_say(name: str) -> None:
    """Both attentions and the gates, of given words and of what a beam finds, whatever they are batched with."""
    case = MODELS[name]
    model = case.make()
    twin, targets = case.reference(model), [["ba", "do"], [], ["ku", "ku", "ba"], ["emu"], ["do"]]

    def steps_of(source: list[str], target: list[str]) -> list:
        return twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])

    for source, target, views in zip(case.sentences, targets, force(model, case.sentences, targets), strict=True):
        steps = steps_of(source, target)
        np.testing.assert_allclose(views.attention, [step.weights for step in steps], atol=2e-5)
        for weights, key in ((views.word_attention, "beta"), (views.gates, "gate")):
            expected = [getattr(step, key, None) for step in steps]
            assert (weights is None) == (expected[0] is None)
            if weights is not None:
                by_hand = expected if key == "beta" else [np.mean(1 - gate) for gate in expected]
                np.testing.assert_allclose(weights, by_hand, atol=2e-5)
    for length in ("none", "normalise"):
        found = translate(model, case.sentences, Decoding(beam=3, length=length))
        for source, (best, *_) in zip(case.sentences, found, strict=True):
            weights = [step.weights for step in steps_of(source, best.words)][: len(best.attention)]
            np.testing.assert_allclose(best.attention, weights, atol=1e-4)


@pytest.mark.equation("neubig2017", 71)
def test_models_of_any_kinds_are_averaged() -> None:
    """Their probabilities; attention is the mean of those that have some."""
    cases = [case for case in MODELS.values() if case.translates and not case.slow and not isinstance(case, RareWords)]
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    for first in range(8):  # every eighth: kinds that have little in common
        group = cases[first::8]
        members = [case.make() for case in group]
        each, ensemble = [target_log_probs(member, pairs) for member in members], TranslationEnsemble(members)
        for number, log_probs in enumerate(target_log_probs(ensemble, pairs)):
            expected = np.mean([np.exp(of_member[number]) for of_member in each], axis=0)
            np.testing.assert_allclose(np.exp(log_probs), expected, atol=1e-5)
        sources = [pair.source for pair in pairs]
        attending = [member for member, case in zip(members, group, strict=True) if case.attends]
        for source, (best, *_) in zip(sources, translate(ensemble, sources, Decoding(beam=2)), strict=True):
            views = [force(member, [source], [best.words])[0].attention for member in attending]
            np.testing.assert_allclose(best.attention, np.mean(views, axis=0)[: len(best.attention)], atol=1e-4)
            (forced,) = target_log_probs(ensemble, [Pair(source, best.words)])
            assert best.log_prob == pytest.approx(forced[: len(best.attention)].sum(), abs=1e-4)
