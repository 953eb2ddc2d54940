"""What chapter 7's lesson computes and records, beside the course's own model and search."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from book.figures import ch07, ch07_record, ch07_search
from book.figures.__main__ import figures_of
from book.figures.recorded import record
from book.figures.style import styled
from book.lessons import ROOT
from book.lessons.cells import namespace
from chapters.encoder_decoder.model import EncoderDecoder
from common.plots.plotting import plt
from common.runtime import seed_dynet
from common.search.searches import Decoding, translate
from common.search.translation import Conditional
from common.text.pairs import Pair
from common.text.vocab import Vocabulary

LESSON = namespace("07")


def tiny_models(number: int, init_scale: float = 0.5) -> list:
    """Encoder-decoders of random numbers that know some words of the embedded pairs."""
    source_vocab, vocab = (
        Vocabulary.from_sentences([side for pair in LESSON["pairs"].dev[:50] for side in [pair[place]]])
        for place in (0, 1)
    )
    sizes = {"hidden_size": 3, "dropout": 0.0, "init_scale": init_scale}
    return [EncoderDecoder(source_vocab, vocab, **sizes) for _ in range(number)]


def test_references_that_are_more_probable_are_counted() -> None:
    """Word by word: the log-probability of references against that of what greedy search and a beam of 4 find."""
    seed_dynet(3)  # with which greedy search misses something
    model, sources = tiny_models(1, init_scale=2.0)[0], [list(pair.source) for pair in LESSON["pairs"].dev[:30]]
    model.b_s.set_value([2.0] + [0.0] * (len(model.vocab) - 1))
    greedily, widely = ([some[0] for some in translate(model, sources, Decoding(beam=size))] for size in (1, 4))
    pairs = [Pair(source, translation.words) for source, translation in zip(sources, widely, strict=True)]
    pairs[-1] = LESSON["pairs"].dev[29]  # some words at least
    expected = np.zeros(2)
    for (source, target), first, second in zip(pairs, greedily, widely, strict=True):
        state, before, total = Conditional(model, [source]).start(1), 0, 0.0
        for word in [*model.vocab.encode(target), 0]:
            state, log_probs = model.advance(state, [before])
            before, total = word, total + float(log_probs[0, word])
        expected += [total > first.log_prob + 1e-3, total > second.log_prob + 1e-3]
    better = ch07_record.scores(model, pairs, beams=(1, 2, 4))["better"]
    assert better == pytest.approx((expected / len(pairs)).tolist())
    assert better[0] > better[1] == 0


def keys(value, depth: int = 3):
    """The keys of nested dictionaries, without those below `depth`; lists count as their first element."""
    value = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return {key: keys(entry, depth - 1) for key, entry in value.items()} if isinstance(value, dict) and depth else None


def test_what_is_recorded_is_what_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At tiny size: random models, a few sentences. All figures of it can be drawn."""
    by_length = sorted(LESSON["pairs"].test, key=lambda pair: len(pair.source))
    found = ch07_record.numbers(tiny_models(3), by_length[::99][:-1] + by_length[-1:], beams=(1, 2), wide=3)
    path = record(ch07_record.CHAPTER, ch07_record.COMMAND, {"seeds": [1]}, found, tmp_path)
    made = json.loads(path.read_text("utf-8"))
    committed = json.loads((ROOT / "chapters" / ch07_record.CHAPTER / "figures" / "recorded.json").read_text("utf-8"))
    beams = [name for name in committed["scores"][0] if name.startswith(("5 ", "10 "))]
    expected = keys(committed)
    expected["scores"] = {name: score for name, score in expected["scores"].items() if name not in beams}
    expected["settings"] = {"seeds": None}
    assert keys(made) == expected
    for module in (ch07, ch07_search):
        monkeypatch.setattr(module, "recorded", lambda chapter: made)
    with styled():
        for draw in (*figures_of(ch07), *figures_of(ch07_search)):
            if draw not in (ch07_search.beam_tree, ch07_search.scores_by_length, ch07_search.bleu_matches):
                plt.close(draw())
