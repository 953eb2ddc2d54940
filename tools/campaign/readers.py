"""What reads a file, and how it is called: training runs, their models, and everything that reads corpora."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from common import program_of

from .field import Training


@dataclass(frozen=True)
class Reader:
    """Something that reads files.

    needs: the files and folders of the field that it is given. damaged: which of them may be damaged, as patterns.
    command: a module, whose `main` is called, and its arguments; or `function` is called instead.
    """

    name: str
    needs: str
    damaged: str
    command: str = ""
    function: Callable[[], object] | None = None


def read_table(table: str, **words: str) -> tuple[Reader, ...]:
    """The readers of a table: name | needs | damaged | command. words: what is filled in for {...}."""
    rows = (map(str.strip, line.split("|")) for line in table.format(**words).strip().splitlines())
    return tuple(Reader(*row) for row in rows)


READ_AGAIN = "*.npz config.json *vocab.txt unigram.txt classes.txt *.spm model.json */corpus/*".split()
"""Files of a run that are read again, but for its results."""


def files_of(run: str) -> str:
    """The patterns of the files of a run of the field that are read again."""
    return " ".join(f"runs/{run}/{file}" for file in READ_AGAIN)


def readers_of_run(name: str, training: Training) -> list[Reader]:
    """Resuming a run, and using its model."""
    run = f"runs/{name}"

    def module(program: str) -> str:
        """The module of a program of its chapter."""
        _, folder, file = program_of(training.chapter, program).removesuffix(".py").split("/")
        return f"chapters.{folder[3:]}.{file}"

    needs, damaged = f"{run} {training.needs}", files_of(name)
    flags = " ".join((*training.flags, *training.corpus))
    readers = [Reader(f"resume {name}", needs, damaged, f"{module('train')} {flags} --resume --run-dir {run}")]
    if training.chapter.startswith("03"):
        return readers
    use = f"{module('generate')} --run {run} --score sources.txt --unk uniform"
    if training.translates:
        use = f"{module('translate')} sources.txt --run {run} --beam 2"
        use += " --replace-unknown dictionary" if name in ("attention", "gates") else ""
        use += " --to bremish" if name == "tongues" else ""
    if name in ("attention", "gates", "lexicon", "copying", "translator"):
        show = f"{module('visualize')} --split test --pictures 0 --number 2 --run {run}"
        readers.append(Reader(f"show {name}", needs, damaged, show))
    return [*readers, Reader(f"use {name}", f"{needs} sources.txt", damaged, use)]


# fmt: off
TEXTS = read_table("""
count a corpus       | texts  | texts/*   | chapters.ngram_lm.train {count}
three discounts | texts | texts/* | chapters.ngram_lm.train {count} --smoothing modified-kneser-ney --min-count 1
letters              | texts  | texts/*   | chapters.ngram_lm.train {count} --smoothing katz --unk characters --cache
features             | texts  | texts/*   | chapters.loglinear_lm.train {once} --run-dir new --features word1,suffix1
networks             | texts  | texts/*   | chapters.feedforward_lm.train {new} --corpus texts
steps                | texts  | texts/*   | chapters.rnn_lm.train {new} --corpus texts --unk token
train on a corpus    | texts  | texts/*   | chapters.attentive_lm.train {new} --corpus texts
remember a corpus    | texts  | texts/*   | chapters.attentive_lm.train {new} --corpus texts --memory-states 4 --bptt 5
train heads on pairs | pairs  | pairs/*   | chapters.transformer.train_pairs {new} --corpus pairs
train heads          | texts  | texts/*   | chapters.transformer.train {new} --corpus texts
losses               | texts  | texts/*   | chapters.loglinear_lm.compare_losses {once} --seeds 1
optimisers           | texts  | texts/*   | chapters.loglinear_lm.compare_optimisers {once}
skip-grams           | texts  | texts/*   | chapters.feedforward_lm.skipgram {once} --embedding-size 4
counts of neighbours | texts  | texts/*   | chapters.feedforward_lm.count_vectors --corpus texts --embedding-size 4
automatic batches | texts | texts/* | chapters.rnn_lm.autobatch --corpus texts --way hand --batches 1 --hidden-size 4
sizes of batches     | texts  | texts/*   | chapters.rnn_lm.compare_batching --corpus texts --seconds 0.1 --sizes 8
show a corpus        | texts  | texts/*   | data.__main__ show texts
train on trees       | pairs  | pairs/*   | chapters.encoder_decoder.train {new} --corpus pairs --encoder recursive
train on links       | pairs  | pairs/*   | chapters.attention.train {new} --corpus pairs --supervised 1 --symmetry 0.1
cut a corpus         | pairs  | pairs/*   | chapters.attention.train {new} --corpus pairs --subwords 24
learn a lexicon | pairs | pairs/* | chapters.beyond.train {new} --preset likelihood --corpus pairs --lexicon linear
show pairs           | pairs  | pairs/*   | data.__main__ show pairs
swap pairs           | pairs  | pairs/*   | data.__main__ swap pairs --out swapped
align                | pairs  | pairs/*   | tools.align pairs --iterations 2
train on languages   | tongues | tongues/* | chapters.beyond.train {new} --preset likelihood --corpus tongues
show languages       | tongues | tongues/* | data.__main__ show tongues
train with exercises | texts solved | solved/*/*.py | chapters.ngram_lm.train --run-dir new --corpus texts --from solved
a model's text       | model.arpa sources.txt | model.arpa | chapters.ngram_lm.generate --arpa model.arpa {score}
score a text | runs/attentive sources.txt | sources.txt | chapters.attentive_lm.generate --run runs/attentive {score}
score by heads | runs/rotary sources.txt | sources.txt | chapters.transformer.generate --run runs/rotary {score}
translate a text     | runs/attention sources.txt | sources.txt | chapters.attention.translate sources.txt {model}
show a text          | runs/attention {texts} | *.txt | chapters.attention.visualize sources.txt {model} {links}
""",
    new="--epochs 1 --hidden-size 4 --batch-size 30 --run-dir new",
    count="--run-dir new --corpus texts",
    once="--corpus texts --epochs 1",
    score="--score sources.txt --unk uniform",
    model="--run runs/attention",
    texts="sources.txt targets.txt links.txt",
    links="--references targets.txt --links links.txt --pictures 0",
)
"""Readers of texts, pairs, trees, alignments, and of a model that is a text."""
ARCHIVES = read_table("""
get a text        | ptb.zip   | ptb.zip         | data.__main__ get ptb {to} ptb.zip
get paragraphs    | wiki.zip  | wiki.zip        | data.__main__ get wikitext2 {to} wiki.zip
show paragraphs   | wiki.zip  | wiki.zip        | data.__main__ show wikitext2-salton2017 --from wiki.zip
get pairs         | pairs.zip | pairs.zip       | data.__main__ get tanaka {to} pairs.zip
get what is there | installed | installed/ptb/* | data.__main__ get ptb {to} x
""", to="--to installed --unverified --from")
# fmt: on
