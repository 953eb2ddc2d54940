"""The page's models and grammar, run in a browser, beside the course's own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import pytest

from book.explorer.next_words import distributions
from book.live.scripts import MODELS, script_data, unpacked
from chapters.attentive_lm.model import AttentiveLM
from chapters.ngram_lm.counts import count_text
from chapters.ngram_lm.methods import METHODS
from chapters.ngram_lm.smoothing import order_zero
from chapters.rnn_lm.model import RecurrentLM
from chapters.transformer.model import TransformerLM
from common.evaluation.perplexity import LanguageModel
from common.nn.parameters import DynetParameters
from common.text.vocab import Vocabulary
from data import oracle
from data.generate import village_sentences
from tests.browser import Browser
from tests.live_site import BUILT, LiveSite, open_site

pytestmark = [*BUILT, pytest.mark.needs("loopback")]
CHAPTERS = ("01", "05", "06", "11")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with open_site(tmp_path_factory.mktemp("live"), [("next-words", chapter) for chapter in CHAPTERS]) as opened:
        yield opened


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    """100 sentences of the grammar, and 100 of random words, some of them unknown."""
    rng = random.Random(46)
    vocab = [*script_data((MODELS / "05.js").read_text("utf-8"))["words"][2:], "wombat"]
    sequences = [rng.choices(vocab, k=rng.randint(1, 12)) for _ in range(100)]
    return [*islice(village_sentences(46), 100), *sequences]


def course_model(chapter: str) -> LanguageModel:
    """The model of the course with the numbers that the page has."""
    data = script_data((MODELS / f"{chapter}.js").read_text("utf-8"))
    vocab = Vocabulary(data["words"][2:])
    if chapter == "01":
        text = unpacked(data["text"], "<u2").astype(np.int64)
        levels = count_text(text[:-1], text[1:], data["order"], len(vocab))
        return METHODS["kneser-ney"](vocab, levels, order_zero(len(vocab), data["spellsUnknown"]), [])
    kind = {"05": RecurrentLM, "06": AttentiveLM, "11": TransformerLM}[chapter]
    heads = {"heads": data["heads"]} if chapter == "11" else {}
    model = kind(vocab, hidden_size=data["hidden_size"], layers=data["layers"], **heads)
    parameters = DynetParameters(model)
    stored = [data["parameters"][name] for name in parameters.names()]
    parameters.set_arrays([unpacked(array["numbers"], "<f2").reshape(array["shape"]) for array in stored])
    return model


def last_distributions(page: Browser, chapter: str, sentences: Sequence[Sequence[str]]) -> list[list[list[float]]]:
    """log P of each next word after the last two words of each sentence, as the page computes them."""
    page.evaluate(f"window.model = new MODELS['{chapter}'](live.data['model {chapter}'])")
    return [
        page.evaluate(f"readWords(model, {json.dumps(words)}).slice(-2).map(step => [...step.logProbs])")
        for words in sentences
    ]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_distributions_are_those_of_the_course(chapter: str, site: LiveSite, sentences: list[list[str]]) -> None:
    page = site.show("next-words", chapter)
    model = course_model(chapter)
    for words, computed in zip(sentences, last_distributions(page, chapter, sentences), strict=True):
        np.testing.assert_allclose(computed, distributions(model, words)[-2:], atol=1e-3, rtol=0, err_msg=str(words))


@pytest.mark.parametrize(
    ("chapter", "weights"),
    [("06", "[[...step.weights, 0]]"), ("11", "Object.values(step.heads).map(weights => [...weights])")],
)
def test_attention_is_that_of_the_course(
    chapter: str, weights: str, site: LiveSite, sentences: list[list[str]]
) -> None:
    """Of each head; in chapter 6 nothing is attended to in the word read last."""
    page, model = site.show("next-words", chapter), course_model(chapter)
    page.evaluate(f"window.model = new MODELS['{chapter}'](live.data['model {chapter}'])")
    for words in sentences:
        computed = page.evaluate(f"(step => {weights})(readWords(model, {json.dumps(words)}).at(-1))")
        inputs = np.array([Vocabulary.boundary, *model.vocab.encode(words)])[:, None]
        expected = model.attention(inputs)[..., -1, 0].reshape(-1, len(inputs))
        np.testing.assert_allclose(computed, expected, atol=1e-3)


def test_the_truth_is_that_of_the_oracle(site: LiveSite) -> None:
    """The next word's true distribution after 200 prefixes, some of which the grammar cannot produce."""
    page, rng = site.show("next-words", "01"), random.Random(47)
    prefixes = [words[: rng.randint(0, len(words))] for words in islice(village_sentences(47), 190)]
    prefixes += [[*words[:3], rng.choice(["the", "wombat", "mira", "."])] for words in islice(village_sentences(48), 9)]
    prefixes += ["the aunt loves a".split()]  # the most states that 200 sentences of dev lead to
    page.evaluate("window.grammar = new Grammar(live.data.village)")
    for prefix in prefixes:
        computed = dict(page.evaluate(f"[...grammar.after({json.dumps(prefix)}).probs]"))
        truth = oracle.next_word_probs(prefix)
        assert computed.keys() == truth.keys(), prefix
        assert max((abs(computed[word] - truth[word]) for word in truth), default=0) < 1e-9, prefix


def test_what_is_typed_becomes_words(site: LiveSite) -> None:
    page = site.show("next-words", "01")
    typed = '  The Goat waits, Mira!  "Josil\'s" <unk>'
    expected = ["the", "goat", "waits", ",", "mira", "!", '"', "josil's", '"', "<unk>"]
    assert page.evaluate(f"tokenise({json.dumps(typed)})") == expected
    assert page.evaluate("tokenise('')") == []


def test_half_precision(site: LiveSite) -> None:
    """Every float16 that is a number, the smallest ones included."""
    page = site.show("next-words", "05")
    bits = np.arange(2**16, dtype=np.uint16)
    bits = bits[np.isfinite(bits.view(np.float16))]
    computed = page.evaluate(f"{json.dumps(bits[::7].tolist())}.map(float16)")
    np.testing.assert_array_equal(computed, bits[::7].view(np.float16).astype(float))
