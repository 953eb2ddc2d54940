"""Lexicons, copying, and words that the network does not know (their laws: test_model_laws.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.search.beams import beam_search
from common.search.searches import Decoding, translate
from common.search.translation import Conditional
from common.search.translation_ensemble import TranslationEnsemble
from common.text.ibm_model1 import Lexicon
from common.text.pairs import Pair
from common.text.vocab import Vocabulary
from tests.learning import learn
from tests.rare_word_models import TAUGHT, WORDS, batch_of, make_model, of_chapter
from tests.small_models import parameters_of

# --- what a lexicon does not know


def test_what_the_network_cannot_write_is_unknown() -> None:
    """The lexicon knows gnu, whose translation is no word of the network, and no yak at all."""
    shares_of_word = of_chapter("word_tables").by_lexicon(Lexicon.learn(TAUGHT), Vocabulary(WORDS))
    shares = shares_of_word("gnu")
    assert 0.9 < shares[Vocabulary.unknown] < 1 == pytest.approx(sum(shares.values()))
    assert shares_of_word("yak") == {Vocabulary.unknown: 1.0}


# --- batches and search


@pytest.mark.trains
@pytest.mark.parametrize("copying", [True, False])
def test_names_that_training_never_showed_are_copied(tmp_path: Path, copying: bool) -> None:
    """Trained to repeat names, it repeats others; without copying nobody could."""
    names = [f"name{number}" for number in range(12)]
    pairs = [Pair([name, "sees", other], [other, "ba", name]) for name in names[:6] for other in names[:6]]
    model = make_model(tmp_path, "copying" if copying else "bias", hidden_size=12)
    for parameter in parameters_of(model).values():
        parameter.set_value(parameter.as_array() * 0.2)
    batch = batch_of(model, *zip(*pairs, strict=True))
    expected = [names[9], "ba", names[7]] if copying else ["<unk>", "ba", "<unk>"]

    def reached() -> bool:
        actual = translate(model, [[names[7], "sees", names[9]], ["sees", names[6]]], Decoding())
        return actual[0][0].words == expected

    learn(model, lambda: model.loss(batch), reached, budget=400)


def test_no_word_is_copied_that_the_source_does_not_have(tmp_path: Path) -> None:
    """A beam wider than there are sentences, beside a longer source: every word is known, or the source's own."""
    model, sources = make_model(tmp_path, "copying"), [["yak"], ["emu", "newt", "emu", "hen"]]
    for source, actual in zip(sources, beam_search(Conditional(model, sources), 2, 600, 2), strict=True):
        (alone,) = beam_search(Conditional(model, [source]), 1, 600, 2)
        assert {word for hypothesis in actual for word in hypothesis.words} == {"<unk>", *WORDS, *source}
        assert [hypothesis.words for hypothesis in actual] == [hypothesis.words for hypothesis in alone]


def test_a_number_is_that_of_a_place_in_the_sentence() -> None:
    module = of_chapter("open_vocabulary")
    source = module.OpenVocabulary(Vocabulary(["hen", "ox"]), ["ox", "ku", "gnu"])
    assert source.encode(["yak", "hen", "emu", "gnu", "yak", "<unk>", "ku"]) == [6, 2, 8, 5, 6, 1, 4]
    assert len(source) == 4 and "ox" in source and "ku" not in source and "yak" not in source
    assert source.closed(np.array([6, 2, 1, 5, 0])).tolist() == [1, 2, 1, 1, 0]
    target = module.CopyingVocabulary(Vocabulary(["ba", "ku"]))
    own = target.for_source(["yak", "ku", "emu", "yak"])
    assert own.encode(["emu", "ku", "yak", "zo", "<unk>"]) == [6, 3, 4, 1, 1]
    assert own.decode([7, 6, 4, 3, 1, 0]) == ["yak", "emu", "yak", "ku", "<unk>"]
    assert "yak" not in target and target.encode(["yak", "ku"]) == [1, 3] and len(target) == 4


def test_models_with_other_parts_cannot_be_averaged(tmp_path: Path) -> None:
    model = make_model(tmp_path, "copying")
    with pytest.raises(UserError, match="model 2 has a lexicon or copies words"):
        TranslationEnsemble([model.network, model])


# --- ROUGE as a risk


def test_rouge_of_a_sentence_is_that_of_the_library() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    rng = np.random.default_rng(7)
    scorer, rouge = RougeScorer(["rougeL"]), of_chapter("rewards").sentence_rouge
    for _ in range(200):
        first, other = (rng.integers(1, 6, rng.integers(1, 9)).tolist() for _ in range(2))
        expected = scorer.score(" ".join(map(str, other)), " ".join(map(str, first)))["rougeL"].fmeasure
        assert rouge(first, other) == pytest.approx(expected, abs=1e-12)
    assert rouge([], [1]) == rouge([2], [1]) == 0 and rouge([1, 2], [1, 2]) == 1


def test_the_risk_is_that_of_the_score_that_was_chosen() -> None:
    """A candidate without its second word: BLEU and ROUGE-L find it differently bad."""
    objectives = of_chapter("objectives")
    costs = {name: objectives.cost_of([2, 4, 0], [2, 3, 4, 0], score) for name, score in objectives.RISKS.items()}
    assert costs["rouge"] == pytest.approx(1 - 2 * 2 / 5)
    assert costs["bleu"] == pytest.approx(1 - (1 * 1 / 2 * 1 * 1) ** 0.25 * np.exp(1 - 3 / 2))
