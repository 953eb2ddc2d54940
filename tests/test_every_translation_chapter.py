"""What every translation chapter must do: its programs, called as a user calls them, on a few invented pairs."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.image import imread

from book.explorer.shelf import TRANSLATION, kind_of
from common.evaluation.metrics import bleu
from common.programs.chapters import NAMES, load_run
from common.search.length_prior import LengthPrior
from common.search.searches import Decoding, translate
from common.search.translation import target_log_probs
from common.text.pairs import Pair, load_pairs
from tests.pairs import write_pairs
from tests.programs import (
    Call,
    Refused,
    call_and_kill,
    check_damaged_run,
    check_help,
    check_run,
    comparable,
    contents,
    edit_settings,
    make_call,
    metrics_of,
    write_corpus,
    write_lines,
)

SMALL = ["--hidden-size", "8", "--epochs", "2", "--batch-size", "8", "--learning-rate", "0.02"]
TRANSLATING = [name for name in NAMES if kind_of(name) == TRANSLATION]
COMMANDS = {
    "bidirectional": "07_encoder_decoder --encoder bidirectional --cell gru --layers 2 --dropout-kind variational",
    "forward": "07_encoder_decoder --encoder forward --layers 2",
    **{f"cnn {way}": f"07_encoder_decoder --encoder cnn --pooling {way}" for way in ("average", "max", "kmax")},
    "bilinear": "08_attention --score bilinear --cell gru --layers 2",
    "dot": "08_attention --score dot --cell gru --layers 2",
    "hard": "08_attention --attention hard --markov",
    "local": "08_attention --attention local --window 2 --fertility 0.1",
    "priors": "08_attention --position-bias --markov --window 1 --supervised 0.5",
    "luong": "08_attention --preset luong --layers 2",
    "local-m": "08_attention --readout attentional --feed nothing --attention local-m --window 1 --cell gru",
    "neural": "08_attention --coverage-model neural --encoder forward",
    "rnnsearch": "09_word_attention --variant rnnsearch --query state",
    "word": "09_word_attention --variant word --cell gru --layers 2",
    "printed": "09_word_attention --preset printed",
    "scaled": "09_word_attention --output-contexts plain --gate-scale 2 --gate-bias -1 --layers 2",
    **{system: f"09_word_attention --system {system}" for system in ("abs", "ras-elman", "ras-lstm")},
    "rotary": "11_transformer_pairs --positions rotary --norm post --heads 2 --layers 1",
    "rare words": "10_beyond --lexicon bias --copying --likelihood-epochs 1 --share 0.3",
}
SYSTEMS = {chapter: [chapter] for chapter in TRANSLATING} | {name: line.split() for name, line in COMMANDS.items()}
"""The chapters' models, and what some flags make of them: chapter and flags."""
each_system = pytest.mark.parametrize("system", SYSTEMS)
FILES = "config.json log.txt metrics.json model.npz source_vocab.txt vocab.txt test.hypotheses.txt dev.hypotheses.txt"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("chapters") / "farm")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


Trained = Callable[..., Path]


@pytest.fixture(scope="module")
def trained(runs: Path, corpus: Path) -> Trained:
    """A function that gives the finished run of a system with a seed, trained when it is first asked for."""

    def run_of(system: str, seed: int = 1) -> Path:
        (chapter, *flags), folder = SYSTEMS[system], runs / system / f"{seed:03}"
        if not (folder / "metrics.json").exists():
            with pytest.MonkeyPatch.context() as monkeypatch:
                call = make_call(monkeypatch, chapter, curve=True)
                call("train", *SMALL, *flags, "--corpus", corpus, "--run-dir", folder, "--seed", seed)
        return folder

    return run_of


@pytest.fixture(params=TRANSLATING)
def chapter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def call(chapter: str, monkeypatch: pytest.MonkeyPatch, runs: Path) -> Call:
    """Runs a program of the chapter; runs are looked for where `trained` puts them."""
    monkeypatch.setenv("COURSE_RUNS", str(runs))
    return make_call(monkeypatch, chapter)


Lines = Callable[..., list[str]]


@pytest.fixture
def printed(call: Call, capsys: pytest.CaptureFixture) -> Lines:
    """Runs a program and returns the lines that it printed."""

    def run(program: str, *arguments: object) -> list[str]:
        capsys.readouterr()
        call(program, *arguments)
        return capsys.readouterr().out.splitlines()

    return run


def nbest_of(lines: list[str]) -> list[tuple[int, list[str], float]]:
    """`number ||| words ||| log-probability`, line by line."""
    parts = [line.split("|||") for line in lines]
    return [(int(number), words.split(), float(log_prob)) for number, words, log_prob in parts]


# --- training


@pytest.mark.slow
def test_the_run_explains_itself(chapter: str, trained: Trained, corpus: Path) -> None:
    run, pairs = trained(chapter), load_pairs(str(corpus))
    references = {split: [pair.target for pair in getattr(pairs, split)] for split in ("dev", "test")}
    metrics, model = check_run(run, chapter, references, 100), load_run(run)[0]
    for split, sentences in references.items():
        total = sum(row.sum() for row in target_log_probs(model, getattr(pairs, split), "uniform"))
        assert total == pytest.approx(metrics[split]["log_prob"], abs=1e-6 * metrics[split]["predictions"])
        hypotheses = [line.split() for line in (run / f"{split}.hypotheses.txt").read_text("utf-8").splitlines()]
        figures, score = metrics[split], bleu(hypotheses, sentences)
        assert (figures["bleu"], figures["signature"]) == (pytest.approx(score.value), score.signature)
        assert 0 <= figures["chrf"] <= 100 and "version:" in figures["chrf_signature"]
    assert set(FILES.split()) <= {file.name for file in run.iterdir()}
    assert [imread(picture) for picture in run.glob("*.png")], "a picture where people would rather look"
    log = (run / "log.txt").read_text("utf-8")
    assert f"{metrics['test']['bleu']:.2f}" in log
    assert log.count("  found ") == 3


@pytest.mark.slow
@pytest.mark.parametrize("system", [*TRANSLATING, "abs", "ras-lstm", "rare words"])
def test_an_interrupted_training_ends_with_the_same_figures(
    system: str, trained: Trained, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (chapter, *flags), whole, killed = SYSTEMS[system], trained(system), tmp_path / "killed"
    call = make_call(monkeypatch, chapter)
    call_and_kill(call, monkeypatch, *SMALL, *flags, "--corpus", corpus, "--run-dir", killed)
    assert not (killed / "metrics.json").exists()
    call("train", "--resume", "--run-dir", killed)
    assert comparable(killed) == comparable(whole)
    assert len(metrics_of(killed)["epochs"]) == 2
    for split in ("dev", "test"):
        assert (killed / f"{split}.hypotheses.txt").read_bytes() == (whole / f"{split}.hypotheses.txt").read_bytes()


def test_help_explains_every_flag(chapter: str, call: Call, capsys: pytest.CaptureFixture) -> None:
    check_help(call, chapter, capsys)


# --- translating


@pytest.mark.slow
@each_system
def test_a_file_is_translated_as_training_did(
    system: str, trained: Trained, corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """By greedy search, whatever the size of the batches; and a beam, samples and replaced words are as many."""
    run, text = trained(system), corpus / "test.source"
    call = make_call(monkeypatch, SYSTEMS[system][0])
    expected = (run / "test.hypotheses.txt").read_text("utf-8")
    for size in (1, 5, 64):
        capsys.readouterr()
        call("translate", text, "--run", run, "--batch-size", size)
        assert capsys.readouterr().out == expected
    for flags, copies in ((["--beam", 3, "--nbest", 2], 2), (["--sample", 2], 2)):
        call("translate", text, "--run", run, *flags)
        assert len(capsys.readouterr().out.splitlines()) == copies * len(expected.splitlines())


def test_standard_input_is_translated_by_the_latest_run(
    chapter: str, printed: Lines, trained: Trained, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = (trained(chapter) / "test.hypotheses.txt").read_text("utf-8").splitlines()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((corpus / "test.source").read_bytes())))
    (trained(chapter) / "log.txt").touch()
    assert printed("translate") == expected


def test_the_best_come_first_with_their_log_probabilities(
    chapter: str, printed: Lines, trained: Trained, corpus: Path
) -> None:
    run, sources = trained(chapter), [pair.source for pair in load_pairs(str(corpus)).test]
    actual = nbest_of(printed("translate", corpus / "test.source", "--run", run, "--beam", 4, "--nbest", 3))
    assert [number for number, _, _ in actual] == [number for number in range(len(sources)) for _ in range(3)]
    for first in range(0, len(actual), 3):
        best = [log_prob for _, _, log_prob in actual[first : first + 3]]
        assert best == sorted(best, reverse=True)
        assert len({tuple(words) for _, words, _ in actual[first : first + 3]}) == 3
    model, limits = load_run(run)[0], [2 * len(source) + 10 for source in sources]
    ended = [(sources[number], words, log_prob) for number, words, log_prob in actual if len(words) < limits[number]]
    forced = target_log_probs(model, [Pair(source, words) for source, words, _ in ended])
    assert [log_prob for _, _, log_prob in ended] == pytest.approx([row.sum() for row in forced], abs=1e-4)
    single = printed("translate", corpus / "test.source", "--run", run, "--beam", 4)
    assert single == [" ".join(words) for _, words, _ in actual[::3]]


def test_samples_follow_the_seed(chapter: str, printed: Lines, trained: Trained, corpus: Path) -> None:
    flags = ["translate", corpus / "dev.source", "--run", trained(chapter), "--sample", 3]
    outputs = [printed(*flags, "--seed", seed) for seed in (1, 1, 2)]
    assert outputs[0] == outputs[1] != outputs[2]
    assert len(outputs[0]) == 3 * len(load_pairs(str(corpus)).dev)


def test_sentences_of_one_word_of_unknown_words_and_of_a_thousand(
    chapter: str, printed: Lines, trained: Trained, tmp_path: Path
) -> None:
    """Each gets a translation, which the others do not change."""
    lines = ["hen", "wombat", "wombat emu wombat", "the hen feeds a wombat", "hen " * 1000]
    flags = ["--run", trained(chapter), "--max-length-ratio", 0.01]  # a thousand words are enough work as they are
    joint = printed("translate", write_lines(tmp_path / "text", lines), *flags)
    assert len(joint) == len(lines)
    for number, line in enumerate(lines):
        assert printed("translate", write_lines(tmp_path / f"{number}", [line]), *flags) == [joint[number]]


@pytest.mark.parametrize("length", ["normalise", "prior"])
def test_length_acts_in_the_beam_or_reranks(
    chapter: str, printed: Lines, trained: Trained, corpus: Path, length: str
) -> None:
    """What is printed is what `translate` finds so. Reranking finds the words of a beam by probability, in another
    order; the default, the beam, finds others."""
    (model, _), pairs = load_run(trained(chapter)), load_pairs(str(corpus))
    sources, prior = [pair.source for pair in pairs.test], LengthPrior.from_pairs(pairs.train)
    flags = ["translate", corpus / "test.source", "--run", trained(chapter), "--beam", 5, "--nbest", 5]
    plain, lists = nbest_of(printed(*flags)), []
    for place, more in (("search", []), ("reranking", ["--length-in", "reranking"])):
        expected = translate(model, sources, Decoding(beam=5, length=length, length_in=place), prior=prior)
        lists.append([words for _, words, _ in nbest_of(printed(*flags, "--length", length, *more))])
        assert lists[-1] == [hypothesis.words for beam in expected for hypothesis in beam]
    assert sorted(lists[1]) == sorted(words for _, words, _ in plain)
    assert lists[0] != lists[1]


@pytest.mark.slow
def test_an_ensemble_averages_runs(chapter: str, printed: Lines, trained: Trained, corpus: Path) -> None:
    """Of two seeds it is another model; of one run twice it is that run's."""
    first, second = trained(chapter), trained(chapter, 2)
    flags = ["translate", corpus / "test.source", "--run", first, "--beam", 2, "--nbest", 1]
    alone, doubled, both = (
        nbest_of(printed(*flags, *more)) for more in ([], ["--ensemble", first], ["--ensemble", second])
    )
    assert [words for _, words, _ in alone] == [words for _, words, _ in doubled]
    assert [log_prob for *_, log_prob in alone] == pytest.approx([log_prob for *_, log_prob in doubled], abs=1e-4)
    assert [log_prob for *_, log_prob in alone] != pytest.approx([log_prob for *_, log_prob in both], abs=1e-4)


# --- bad input: one line each, and nothing half-made


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--corpus", "nowhere"], "no corpus 'nowhere'"),
        (["--corpus", "village"], "train.source"),
        (["--unk", "closed"], "'wombat'"),
        (["--hidden-size", "0"], "--hidden-size 0: must be at least"),
        (["--layers", "0"], "--layers 0: must be at least 1"),
        (["--dropout", "1"], "--dropout 1: must be at most 0.95"),
        (["--learning-rate", "nan"], "--learning-rate nan: must be a finite number"),
    ],
)
def test_bad_flags(chapter: str, corpus: Path, tmp_path: Path, refused: Refused, flags: list, complaint: str) -> None:
    folder = tmp_path / "run"
    assert complaint in refused("train", *SMALL, "--corpus", corpus, *flags, "--run-dir", folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    "name, content, complaint",
    [
        ("dev.target", b"la zul\n", "dev.source and dev.target must have one line for each pair, not 15 and 1"),
        ("test.source", b"hen " * 10_000 + b"\n", "test.source, line 1: 10000 words"),
        ("train.source", b"\xff\n", "train.source, line 1: not UTF-8"),
        ("train.target", b"", "train.target: the file is empty"),
        ("dev.source", b"the hen\n \t\n", "dev.source, line 2: an empty line"),
        ("test.target", b"la </s> zul\n", "test.target, line 1: <s> and </s> mark where sentences begin and end"),
    ],
)
def test_bad_pairs(chapter: str, tmp_path: Path, refused: Refused, name: str, content: bytes, complaint: str) -> None:
    broken = write_pairs(tmp_path / "broken")
    (broken / name).write_bytes(content)
    assert complaint in refused("train", *SMALL, "--corpus", broken, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--beam", "0"], "--beam"),
        (["--nbest", "3"], "a beam of 1 finds fewer"),
        (["--length", "normalise"], "--length normalise chooses among the results of a beam"),
        (["--sample", "2", "--beam", "3"], "leave --beam and --nbest out"),
        (["--length", "long"], "--length"),
        (["--batch-size", "0"], "--batch-size"),
        (["--beam", f"1{'0' * 20}"], "--beam: 100000000000000000000 is too large a number"),
        (["--sample", f"1{'0' * 20}"], "--sample: 100000000000000000000 is too large a number"),
        (["--longest", "inf"], "--max-length-ratio inf: must be a finite number"),
        (["--max-length-ratio", "1e9"], "--max-length-ratio 1e+09: must be at most 1000"),
        (["--run", "nowhere"], "no run here"),
        (["--ensemble", "nowhere"], "no run here"),
    ],
)
def test_bad_flags_of_translate(
    chapter: str, corpus: Path, trained: Trained, refused: Refused, flags: list, complaint: str
) -> None:
    run = [] if "--run" in flags else ["--run", trained(chapter)]
    assert complaint in refused("translate", corpus / "test.source", *run, *flags)


@pytest.mark.parametrize(
    "content, complaint",
    [(None, "no such file"), (b"", "is empty"), (b"hen\n\nox\n", "line 2"), (b"hen " * 10_000, "10000 words")],
)
def test_bad_text_to_translate(
    chapter: str, trained: Trained, refused: Refused, tmp_path: Path, content: bytes | None, complaint: str
) -> None:
    path = tmp_path / "text"
    if content is not None:
        path.write_bytes(content)
    assert complaint in refused("translate", path, "--run", trained(chapter))


def test_a_broken_run(chapter: str, trained: Trained, refused: Refused, tmp_path: Path, corpus: Path) -> None:
    text = corpus / "test.source"
    copy = check_damaged_run(trained(chapter), tmp_path, refused, "translate", text)
    assert "model.npz" in refused("translate", text, "--run", trained(chapter), "--ensemble", copy)


def test_a_run_that_cannot_go_on(
    chapter: str, call: Call, refused: Refused, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other flags, of another chapter, of another model, cut short; what was there stays there."""
    run = tmp_path / "run"
    call_and_kill(call, monkeypatch, *SMALL, "--corpus", corpus, "--run-dir", run)
    before = contents(run)
    config, checkpoint = run / "config.json", run / "checkpoint.npz"
    resume = ("train", "--resume", "--run-dir", run)
    assert "this run began with 8" in refused(*resume, "--hidden-size", 12)
    changed = json.loads(config.read_text("utf-8"))
    write_lines(config, [json.dumps({**changed, "chapter": "06_attentive_lm"})])
    assert "a run of chapter 06_attentive_lm" in refused(*resume)
    config.write_bytes(before["config.json"])
    edit_settings(run, hidden_size=4)
    assert "checkpoint.npz" in refused(*resume)
    config.write_bytes(before["config.json"])
    checkpoint.write_bytes(before["checkpoint.npz"][:-100])
    assert "checkpoint.npz" in refused(*resume)
    checkpoint.write_bytes(before["checkpoint.npz"])
    after = contents(run)
    assert {name for name in before if after[name] != before[name]} <= {"log.txt"}
    assert not (run / "metrics.json").exists()


def test_a_model_that_does_not_translate_cannot_be_averaged(
    chapter: str, trained: Trained, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, texts = write_lines(tmp_path / "text", ["the hen sees a goat"]), write_corpus(tmp_path / "text only")
    make_call(monkeypatch, "05_rnn_lm")("train", *SMALL, "--corpus", texts, "--run-dir", tmp_path / "lm")
    assert "does not translate" in refused("translate", text, "--run", trained(chapter), "--ensemble", tmp_path / "lm")


def test_a_folder_that_holds_a_run(chapter: str, corpus: Path, trained: Trained, refused: Refused) -> None:
    before = contents(trained(chapter))
    assert "already contains a run" in refused("train", *SMALL, "--corpus", corpus, "--run-dir", trained(chapter))
    assert contents(trained(chapter)) == before
