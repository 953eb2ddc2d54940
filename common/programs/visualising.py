"""What every visualize.py of a translation chapter does: show what a model attends to while it translates."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.errors import OneLineParser, UserError
from common.plots.heatmap_page import write_page
from common.plots.heatmaps import MOST_WORDS, draw_attention, draw_gates, letters_without_picture
from common.programs.arguments import parse_arguments, read_input
from common.programs.chapters import load_run
from common.search.attending import BATCH_SIZE, SHOWN, Shown, force
from common.search.searches import Decoding, translate
from common.search.translation import TranslationModel
from common.text.alignment import Links, read_alignments
from common.text.corpus import SPLITS, Sentence, find_corpus, read_sentences
from common.text.pairs import Pair, read_pairs
from common.text.subwords import PairSplitter
from common.text.vocab import counted
from common.training.past_runs import latest_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of visualize.py other than --run."""
    parser.add_argument("file", nargs="?", help="source sentences, one per line (default: - , stdin)")
    parser.add_argument("--split", choices=SPLITS, help="sentences of the run's corpus instead of a file")
    parser.add_argument("--number", type=int, metavar="N", help="only the first N sentences (default: all)")
    parser.add_argument(
        "--references", metavar="FILE", help="show these target sentences, one per line, instead of the model's own"
    )
    parser.add_argument(
        "--links", metavar="FILE", help="true alignments of the references, as i-j i-j; ringed in pictures"
    )
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="size of the beam (default: 1, greedy search)")
    parser.add_argument(
        "--pictures", type=int, default=4, metavar="N", help="draw the first N as PNG files (default: 4)"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to write (default: the run's folder)")


def run_program(chapter: str, description: str) -> None:
    """All of a visualize.py: its flags, the run that they name or the latest, and `run`."""
    parser = OneLineParser(description=description)
    add_arguments(parser)
    arguments = parse_arguments(parser)
    check(arguments)
    folder = arguments.run or latest_run(chapter, holding="model.npz")
    run(*load_run(folder, chapter), arguments, folder)


def check(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for flags that make no sense, before anything is loaded."""
    too_few = arguments.number is not None and arguments.number < 1
    if too_few or arguments.beam < 1 or arguments.pictures < 0:
        raise UserError("--beam and --number must be at least 1, --pictures cannot be negative")
    if arguments.split and arguments.file:
        raise UserError(f"--split {arguments.split} and {arguments.file}: give only one of them")
    if arguments.links and not arguments.references:
        raise UserError("--links are between sources and references; add --references")
    if arguments.references and arguments.beam > 1:
        raise UserError("--references are shown as they are; leave --beam out")


def run(model: TranslationModel, settings: Any, arguments: argparse.Namespace, folder: Path) -> None:
    """Write attention-1.png and so on, and attention.html with all sentences; print what each picture shows.

    folder: of the run, where the files go unless --out names another place.
    """
    sources, targets, links = read_files(arguments, settings)
    splitter = PairSplitter.of_run(folder, settings, model)
    if splitter:
        sources = [splitter.source(source) for source in sources]
        targets = targets and [splitter.target(target) for target in targets]
    if targets is None:
        examples = show_translations(model, sources, arguments.beam)
    else:
        examples = force(model, sources, targets)
    out, corpus = arguments.out or folder, Path(settings.corpus).name
    for number, example in enumerate(examples[: arguments.pictures], start=1):
        title = f"{corpus}, sentence {number}"
        drawing = draw_picture(out / f"attention-{number}.png", example, title, links[number - 1])
        print(f"{drawing}: {' '.join(example.source)} -> {' '.join(example.target)}")
    tell_missing_letters(examples[: arguments.pictures])
    page = out / "attention.html"
    write_page(page, examples, f"Attention of run {folder.resolve().name}, trained on {corpus}")
    print(f"{page}: {counted(len(examples), 'sentence')}; open it in a browser")


def show_translations(model: TranslationModel, sources: Sequence[Sentence], beam: int) -> list[Shown]:
    """What the model attends to in its own translations; one that was cut has no `</s>` to show."""
    translations = [hypotheses[0] for hypotheses in translate(model, sources, Decoding(beam, batch_size=BATCH_SIZE))]
    examples = force(model, sources, [hypothesis.words for hypothesis in translations])
    pairs = zip(examples, translations, strict=True)
    return [example if best.finished else without_end(example) for example, best in pairs]


def without_end(example: Shown) -> Shown:
    parts = {name: getattr(example, name) for name in SHOWN}
    return example._replace(**{name: values[:-1] for name, values in parts.items() if values is not None})


def read_files(
    arguments: argparse.Namespace, settings: Any
) -> tuple[list[Sentence], list[Sentence] | None, Sequence[Links]]:
    """The sources, and the targets and links where the flags give some. Raises `UserError` where they do not fit."""
    if arguments.links and settings.subwords:
        raise UserError("--links are between words, but this model reads pieces of words; leave the flag out")
    if arguments.split:
        place = f"--split {arguments.split}"
        sources = [pair.source for pair in read_pairs(find_corpus(settings.corpus, "train.source"), arguments.split)]
    else:
        place = "standard input" if arguments.file in (None, "-") else arguments.file
        sources = read_input(arguments.file or "-")
    if not arguments.references:
        return sources[: arguments.number], None, [set()] * len(sources)
    targets = read_sentences(arguments.references)
    if len(targets) != len(sources):
        lines = f"{arguments.references} has {counted(len(targets), 'line')} and {place} {len(sources)}"
        raise UserError(f"{lines}; they need one line for each pair")
    pairs = [Pair(*pair) for pair in zip(sources, targets, strict=True)]
    links = read_alignments(arguments.links, pairs) if arguments.links else [set()] * len(sources)
    return sources[: arguments.number], targets[: arguments.number], links


def draw_picture(path: Path, example: Shown, title: str, links: Links) -> str:
    """Draw a sentence, unless it is too long for a picture; what was done, for people."""
    if max(len(example.source), len(example.attention)) > MOST_WORDS:
        return f"{path} not drawn, more than {MOST_WORDS} words"
    if example.word_attention is None:
        draw_attention(path, example.source, example.target, example.attention, title, links)
    else:
        weights = example.attention, example.word_attention, example.gates
        draw_gates(path, example.source, example.target, *weights, title, links)
    return str(path)


def tell_missing_letters(examples: Sequence[Shown]) -> None:
    missing = letters_without_picture(word for example in examples for word in [*example.source, *example.target])
    if missing:
        print(f"no font here has {missing[:20]}, so pictures show boxes instead; attention.html shows the letters")
