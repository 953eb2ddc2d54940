"""What reads a file, and how it is called: training runs, their models, and everything that reads corpora."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from .agreement import agree
from .field import Training


@dataclass(frozen=True)
class Reader:
    """Something that reads files.

    needs: the files and folders of the field that it is given. damaged: which of them may be damaged, as patterns.
    command: a module, whose `main` is called, and its arguments; or `function` is called instead. check: what is called
    in another process, which has read nothing, once that has come to its end.
    """

    name: str
    needs: str
    damaged: str
    command: str = ""
    function: Callable[[], object] | None = None
    check: Callable[[], object] | None = None


KEPT = "*.npz config.json *vocab.txt unigram.txt classes.txt *.spm model.json */corpus/*".split()
"""Files of a run that are read again, but for its results."""


def kept(name: str) -> str:
    """The patterns of the files of a run of the field that are read again."""
    return " ".join(f"runs/{name}/{file}" for file in KEPT)


def readers_of_run(name: str, training: Training) -> list[Reader]:
    """Resuming a run, and using its model."""
    run, chapter = f"runs/{name}", f"chapters.{training.chapter[3:]}"
    flags = " ".join((*training.flags, *training.corpus))
    resume = f"{chapter}.train {flags} --resume --run-dir {run}"
    readers = [Reader(f"resume {name}", f"{run} {training.needs}", kept(name), resume)]
    if training.chapter.startswith("03"):
        return readers
    if int(training.chapter[:2]) < 7:
        use = f"{chapter}.generate --run {run} --score sources.txt --unk uniform"
        return [*readers, Reader(f"use {name}", f"{run} {training.needs} sources.txt", kept(name), use)]
    use = f"{chapter}.translate sources.txt --run {run} --beam 2"
    if name in ("attention", "gates"):
        use += " --replace-unknown dictionary"
    if name == "tongues":
        use += " --to bremish"
    if name in ("attention", "gates", "lexicon", "copying"):
        show = f"{chapter}.visualize --split test --pictures 0 --number 2 --run {run}"
        readers.append(Reader(f"show {name}", f"{run} {training.needs}", kept(name), show))
    return [*readers, Reader(f"use {name}", f"{run} {training.needs} sources.txt", kept(name), use)]


NEW = "--epochs 1 --hidden-size 4 --batch-size 30 --run-dir new"
TEN = f"chapters.beyond.train {NEW} --preset likelihood"
MODEL = "--run runs/attention"
ONE = "--corpus texts --epochs 1"


def corpus(folder: str, name: str, command: str) -> Reader:
    """A reader of a corpus of the field."""
    return Reader(name, folder, f"{folder}/*", command)


def model(name: str, run: str, command: str, more: str = "", damaged: str = "") -> Reader:
    """A reader of a run's model. more: what it needs besides; damaged: what of that may be damaged."""
    return Reader(name, f"runs/{run} {more}", f"{kept(run)} {damaged}", f"{command} runs/{run}")


def judged(name: str, chapter: str, flags: str) -> Reader:
    """Training a language model, whose figures must be what its generate.py finds."""
    train = f"chapters.{chapter}.train --run-dir new --corpus texts {flags}"
    return Reader(f"agree: {name}", "texts", "texts/*", train, check=partial(agree, chapter))


JUDGED = (
    judged("n-grams", "01_ngram_lm", "--order 3"),
    judged("three discounts", "01_ngram_lm", "--order 2 --smoothing modified-kneser-ney --min-count 1"),
    judged("letters", "01_ngram_lm", "--order 2 --smoothing katz --unk characters --cache"),
    judged("features", "02_loglinear_lm", "--features word1,suffix1 --epochs 1 --unk token"),
    judged("feed-forward", "04_feedforward_lm", "--epochs 1 --hidden-size 4"),
    judged("recurrent", "05_rnn_lm", "--epochs 1 --hidden-size 4 --unk token"),
    judged("attentive", "06_attentive_lm", "--epochs 1 --hidden-size 4 --min-count 1"),
)
"""Language models of all kinds on texts of all kinds."""
TEXTS = (
    *JUDGED,
    corpus("texts", "count a corpus", "chapters.ngram_lm.train --run-dir new --corpus texts"),
    corpus("texts", "train on a corpus", f"chapters.attentive_lm.train {NEW} --corpus texts"),
    corpus(
        "texts", "remember a corpus", f"chapters.attentive_lm.train {NEW} --corpus texts --memory-states 4 --bptt 5"
    ),
    corpus("texts", "losses", f"chapters.loglinear_lm.compare_losses {ONE} --seeds 1"),
    corpus("texts", "optimisers", f"chapters.loglinear_lm.compare_optimisers {ONE}"),
    corpus("texts", "skip-grams", f"chapters.feedforward_lm.skipgram {ONE} --embedding-size 4"),
    corpus(
        "texts",
        "automatic batches",
        "chapters.rnn_lm.autobatch --corpus texts --way hand --batches 1 --hidden-size 4",
    ),
    corpus("texts", "sizes of batches", "chapters.rnn_lm.compare_batching --corpus texts --seconds 0.1 --sizes 8"),
    corpus("texts", "show a corpus", "data.__main__ show texts"),
    corpus("pairs", "train on trees", f"chapters.encoder_decoder.train {NEW} --corpus pairs --encoder recursive"),
    corpus("pairs", "train on links", f"chapters.attention.train {NEW} --corpus pairs --supervised 1 --symmetry 0.1"),
    corpus("pairs", "cut a corpus", f"chapters.attention.train {NEW} --corpus pairs --subwords 24"),
    corpus("pairs", "learn a lexicon", f"{TEN} --corpus pairs --lexicon linear"),
    corpus("pairs", "show pairs", "data.__main__ show pairs"),
    corpus("pairs", "swap pairs", "data.__main__ swap pairs --out swapped"),
    corpus("pairs", "align", "tools.align pairs --iterations 2"),
    corpus("tongues", "train on languages", f"{TEN} --corpus tongues"),
    corpus("tongues", "show languages", "data.__main__ show tongues"),
    Reader(
        "train with exercises",
        "texts solved",
        "solved/*/*.py",
        "chapters.ngram_lm.train --run-dir new --corpus texts --from solved",
    ),
    Reader(
        "a model's text",
        "model.arpa sources.txt",
        "model.arpa",
        "chapters.ngram_lm.generate --arpa model.arpa --score sources.txt --unk uniform",
    ),
    Reader(
        "score a text",
        "runs/attentive sources.txt",
        "sources.txt",
        "chapters.attentive_lm.generate --run runs/attentive --score sources.txt --unk uniform",
    ),
    Reader(
        "translate a text",
        "runs/attention sources.txt",
        "sources.txt",
        f"chapters.attention.translate sources.txt {MODEL}",
    ),
    Reader(
        "show a text",
        "runs/attention sources.txt targets.txt links.txt",
        "*.txt",
        f"chapters.attention.visualize sources.txt {MODEL} --references targets.txt --links links.txt --pictures 0",
    ),
)
"""Readers of texts, pairs, trees, alignments, and of a model that is a text."""
GET = "--to installed --unverified --from"
ARCHIVES = (
    Reader("get a text", "ptb.zip", "ptb.zip", f"data.__main__ get ptb {GET} ptb.zip"),
    Reader("get paragraphs", "wiki.zip", "wiki.zip", f"data.__main__ get wikitext2 {GET} wiki.zip"),
    Reader("get pairs", "pairs.zip", "pairs.zip", f"data.__main__ get tanaka {GET} pairs.zip"),
    Reader("get what is there", "installed", "installed/ptb/*", f"data.__main__ get ptb {GET} x"),
)
