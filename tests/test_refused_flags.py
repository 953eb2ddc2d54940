"""Flags of train.py that do not fit each other or the chapter: one line each, and no run begins."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.pairs import write_pairs
from tests.programs import make_call, make_refused, write_corpus

REFUSED = {
    "01_ngram_lm": {
        "--order 0": "--order 0: must be at least 1",
        "--smoothing all --prune 0,0,1": "--prune: not with --smoothing all; choose from witten-bell",
        "--smoothing absolute --prune 0,2,1": "--prune 0,2,1: no order can have a lower number",
    },
    "02_loglinear_lm": {
        "--features word1,stem": "there are no features 'stem'",
    },
    "04_feedforward_lm": {
        "--softmax class --tied": "--tied: --softmax class has no row of weights per word",
    },
    "05_rnn_lm": {
        "--pointer --state kept": "--pointer points within a sentence; leave --state kept out",
        "--pointer --softmax nce": "leave --softmax nce out",
        **{
            f"--first-state learnt {flag}": "--first-state learnt: not with --pointer, --state kept or a softmax of"
            for flag in ("--pointer", "--state kept", "--softmax nce")
        },
        "--learning-rate 20 --weight-decay 0.1": "--weight-decay 0.1: its product with --learning-rate 20 must be",
    },
    "06_attentive_lm": {
        "--device abacus": "abacus",
        "--dropout 1": "--dropout 1: must be at most 0.95",
        "--learning-rate 0": "--learning-rate 0: must be at least",
        "--clip inf": "--clip inf: must be a finite number",
        "--seed 5000000000": "--seed 5000000000: must be at most 4294967295",
        "--dropout-kind locked": "invalid choice: 'locked'",
        "--score none --memory-states 9": "--score none attends to nothing; leave --memory-states, ",
        "--softmax sampled --merge-layer product": "--softmax sampled is only for the chapter's plain model",
        "--parts key-value-predict --hidden-size 2": "--hidden-size 2: --parts key-value-predict needs at least",
    },
    "11_transformer": {
        "--heads 3": "--heads 3: must divide --hidden-size 128",
        "--norm both": "invalid choice: 'both'",
        "--positions rotary --hidden-size 6 --heads 2": "--positions rotary: each head needs an even share",
    },
    "11_transformer_pairs": {
        "--heads 3": "--heads 3: must divide --hidden-size 128",
        "--alignment-head 9": "--alignment-head 9: the decoder has 8 heads",
    },
    "07_encoder_decoder": {
        "--pooling average": "--pooling average: only for --encoder cnn",
        "--encoder treelstm --width 2": "--width 2: only for --encoder cnn",
        "--encoder cnn --kept 2": "--kmax 2: only for --pooling kmax",
        "--encoder treelstm --subwords 50": "--subwords: the corpus's trees are over words",
        "--encoder cnn --trees balanced": "--trees balanced: only for --encoder recursive or treelstm",
    },
    "08_attention": {
        "--hidden-size 7": "--hidden-size 7: must be even",
        "--attention local --position-bias": "leave --position-bias and --markov out",
        "--attention local --supervised 1.0": "leave --attention local out",
        "--attention hard --supervised 1.0": "leave --attention hard out",
        "--subwords 100 --symmetry 1.0": "leave --subwords out",
        "--subwords 100 --supervised 1.0": "leave --subwords out",
        "--feed attentional": "add --readout attentional",
        "--attention local-m --supervised 1.0": "leave --attention local-m out",
        "--coverage-model neural --score dot": "--coverage-model neural: only for the mlp score",
        "--coverage-model linguistic --score bilinear": "--coverage-model linguistic: only for the mlp score",
        "--window 4 --readout attentional": "--window 4",
    },
    "09_word_attention": {
        "--hidden-size 5": "--hidden-size 5: must be even",
        "--system abs --query state": "--query state: only for --system word-attention; leave it out",
        "--context 3": "--context 3: only for --system abs; leave it out",
        "--width 3": "--width 3: only for --system ras-elman or ras-lstm; leave it out",
        "--preset ras-lstm --cell gru": "--cell gru: only for --system word-attention; leave it out",
        "--residual": "--residual: only for --layers 2 or more; nothing is added to what the first layer shows",
        "--preset ras-elman --layers 2": "--layers 2: only for --system word-attention or abs; leave it out",
        "--system ras-elman --width 4": "--width 4: must be odd",
        "--system abs --positions 9": "--positions 9: only for",
    },
    "10_beyond": {
        "--objective reinforce --samples 1": "--samples 1: there are no others",
        "--objective likelihood --alpha 2": "--alpha 2: only for --objective risk; leave it out",
        "--objective scheduled --samples 3": "--samples 3: only for --objective risk or reinforce or raml",
        "--objective raml --temperature 0": "--temperature 0: must be at least 1e-06",
        "--objective risk --temperature 1": "--temperature 1: only for --objective raml; leave it out",
        "--objective raml --risk rouge": "--risk rouge: only for --objective risk or reinforce; leave it out",
        "--own-words 0.9": "--own-words 0.9: only for --objective scheduled",
        "--hidden-size 7": "must be even",
        "--lexicon bias --model encoder-decoder": "--lexicon bias: reads the weights of --model attention",
        "--copying --model word-attention": "--copying: reads the weights of --model attention",
        "--copying --subwords 50": "--copying: is about whole words; leave --subwords out",
        "--lexicon-epsilon 0.5": "--lexicon-epsilon 0.5: only for --lexicon bias; leave it out",
        "--start-from somewhere --copying": "--copying: the model of --start-from somewhere has its own",
    },
}
"""The flags, and what the line says of them, by chapter."""


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Invented sentences (False), and pairs of them (True)."""
    folder = tmp_path_factory.mktemp("refused")
    return {False: write_corpus(folder / "text"), True: write_pairs(folder / "pairs")}


@pytest.mark.parametrize(
    "chapter, flags, message", [(chapter, *row) for chapter, rows in REFUSED.items() for row in rows.items()]
)
def test_flags_that_do_not_fit(
    chapter: str,
    flags: str,
    message: str,
    corpora: dict,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
    tmp_path: Path,
) -> None:
    refused, run = make_refused(make_call(monkeypatch, chapter), capsys), tmp_path / "run"
    pairs = "07" < chapter < "11" or chapter.endswith("_pairs")
    line = refused("train", "--corpus", corpora[pairs], *shlex.split(flags), "--run-dir", run)
    assert message in line and not run.exists()
