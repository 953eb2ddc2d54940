"""What every translate.py does: translate a file or standard input, by search or by sampling."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import OneLineParser, UserError
from common.programs.arguments import parse_arguments, stream_input, windows
from common.programs.chapters import load_run
from common.search.decoding import Hypothesis, attention_of
from common.search.length_prior import LENGTH_SCORES, LengthPrior
from common.search.searches import LENGTH_IN, Decoding, translate
from common.search.translation import Conditional, TranslationModel
from common.search.translation_ensemble import TranslationEnsemble
from common.search.unknown_words import REPLACEMENTS, lexicon_of_run, replace_unknown
from common.text.corpus import Sentence
from common.text.pairs import load_pairs
from common.text.subwords import PairSplitter, join
from common.text.trees import TreeVocabulary, with_trees
from common.text.vocab import Vocabulary
from common.training.past_runs import latest_run

MOST_AT_ONCE = 1000
"""Sentences between two outputs."""

Rewrite = Callable[[Hypothesis, Sentence], Sentence]
"""What is printed for a hypothesis and its source: the words as found, or unknown ones replaced."""

Ask = Callable[[Sentence, TranslationModel, argparse.Namespace], Sentence]
"""What a model reads in place of a line of the input, such as the line with the language that is asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of translate.py."""
    parser.add_argument(
        "file", nargs="?", default="-", help="sentences to translate, one per line (default: - , stdin)"
    )
    ensemble_argument(parser)
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="size of the beam (default: 1, greedy search)")
    parser.add_argument("--nbest", type=int, default=0, metavar="N", help="print the N best, with log-probabilities")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N random translations instead")
    parser.add_argument(
        "--length",
        choices=LENGTH_SCORES,
        default="none",
        help="remedy for the beam's preference for short sentences: mean log P per word, or a prior (default: none)",
    )
    parser.add_argument(
        "--length-in",
        choices=LENGTH_IN,
        default="search",
        help="where --length applies: during the search, or only when ranking its results (default: search)",
    )
    parser.add_argument(
        "--coverage",
        type=float,
        default=0.0,
        metavar="BETA",
        help="penalty for source words not attended to in the beam (default: 0; needs attention)",
    )
    parser.add_argument(
        "--replace-unknown",
        choices=REPLACEMENTS,
        help="replace <unk> with the source word attended to, or its translation in a dictionary of the training pairs",
    )
    parser.add_argument(
        "--max-length-ratio",
        "--longest",  # its earlier name
        type=float,
        default=2.0,
        metavar="X",
        help="cut a translation at X words per source word, plus 10 (default: 2)",
    )
    parser.add_argument(
        "--batch-size", type=int, default=32, metavar="N", help="sentences translated side by side (default: 32)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")


def trees_argument(parser: argparse.ArgumentParser) -> None:
    """The flag of chapters whose models may follow trees."""
    parser.add_argument(
        "--trees", type=Path, metavar="FILE", help="trees of the sentences, one per line, for models that use them"
    )


def add_trees(sources: Iterator[Sentence], model: TranslationModel, trees: Path | None) -> Iterator[Sentence]:
    """The sentences with the trees of a file. Raises `UserError` for a model that follows none, and for bad trees."""
    follows = isinstance(model.source_vocab, TreeVocabulary)
    if trees and not follows:
        raise UserError("--trees: this model uses none; train one with --encoder treelstm")
    for number, source in enumerate(with_trees(sources, trees) if trees else sources):
        if follows and not trees and number == 0:  # where there is no input, an error is all that is told
            print("no --trees: this model needs trees, so each sentence gets a balanced one", file=sys.stderr)
        yield source


def run_program(
    chapter: str,
    kind: str,
    add_flags: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
    ask: Ask = lambda source, model, arguments: source,
) -> None:
    """All of a translate.py: its flags, the run that they name or the latest, and `run`.

    kind: of model, for --help. add_flags, ask: a chapter's own flags, and what they do to each source.
    """
    parser = OneLineParser(description=f"Translate sentences with a trained {kind}.")
    add_arguments(parser)
    add_flags(parser)
    arguments = parse_arguments(parser)
    check(arguments)
    folder = arguments.run or latest_run(chapter, holding="model.npz")
    model, settings = load_run(folder, chapter)
    model = with_ensemble(model, arguments.ensemble)
    run(model, settings, arguments, folder, ask)


def check(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for flags that make no sense, before anything is loaded."""
    if min(arguments.beam, arguments.batch_size) < 1 or arguments.max_length_ratio <= 0:
        raise UserError("--beam and --batch-size must be at least 1, --max-length-ratio more than 0")
    if min(arguments.nbest, arguments.sample, arguments.seed) < 0:
        raise UserError("--nbest, --sample and --seed cannot be negative")
    if not 0 <= arguments.coverage < math.inf:
        raise UserError(f"--coverage {arguments.coverage}: must be a number of 0 or more")
    if arguments.coverage and arguments.beam == 1:
        raise UserError("--coverage chooses among the results of a beam; raise --beam")
    if arguments.length != "none" and arguments.beam == 1:
        raise UserError(f"--length {arguments.length} chooses among the results of a beam; raise --beam")
    if arguments.nbest > arguments.beam:
        raise UserError(f"--nbest {arguments.nbest}: a beam of {arguments.beam} finds fewer; raise --beam")
    if arguments.sample and (arguments.nbest or arguments.beam > 1):
        raise UserError("--sample draws at random: leave --beam and --nbest out")


def ensemble_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--ensemble RUN ...`, the runs for `with_ensemble`."""
    explanation = "average the probabilities with the models of these runs"
    parser.add_argument("--ensemble", nargs="+", type=Path, metavar="RUN", help=explanation)


def with_ensemble(model: TranslationModel, runs: Sequence[Path] | None) -> TranslationModel:
    """The model itself, or averaged with the models of these runs, of this chapter or another.

    Raises `UserError` for runs whose models do not translate, or not the same words or pieces of words.
    """
    if not runs:
        return model
    others = [load_run(run)[0] for run in runs]
    for run, other in zip(runs, others, strict=True):
        if not hasattr(other, "encode"):
            raise UserError(f"{run}: its model does not translate; average with runs of translation chapters")
    return TranslationEnsemble([model, *others])


def make_rewrite(model: TranslationModel, settings: Any, kind: str | None, folder: Path, source: Sentence) -> Rewrite:
    """What --replace-unknown selects. Raises `UserError` where the model, tried on one source, shows no attention."""
    if kind is None:
        return lambda hypothesis, source: hypothesis.words
    if not attends(model, source):
        raise UserError(
            f"--replace-unknown {kind}: this model has no attention, so no source word can be found for an <unk>"
            "; leave the flag out, or translate with a model of chapter 8 or 9"
        )
    if settings.subwords and kind == "dictionary":
        raise UserError(
            "--replace-unknown dictionary: it translates words, and this model writes pieces of words; use copy, or "
            "leave the flag out"
        )
    lexicon = lexicon_of_run(folder, settings.corpus) if kind == "dictionary" else None
    return lambda hypothesis, source: replace_unknown(hypothesis, source, lexicon)


def attends(model: TranslationModel, source: Sentence) -> bool:
    """Whether the model shows which source words its first target word attends to."""
    start = Conditional(model, [source]).start(1)
    state, _ = model.advance(start, [Vocabulary.boundary])
    return attention_of(state, 0) is not None


def in_pieces(rewrite: Rewrite) -> Rewrite:
    """The same for a model of pieces, whose hypotheses are joined to words."""
    return lambda hypothesis, source: join(rewrite(hypothesis, source))


def run(
    model: TranslationModel,
    settings: Any,
    arguments: argparse.Namespace,
    folder: Path,
    ask: Ask = lambda source, model, arguments: source,
) -> None:
    """Translate as the flags say. Output is for pipes: one translation per line, or `number ||| words ||| nats`.

    folder: that of the run, which keeps its pieces and the dictionary of --replace-unknown.
    """
    lines = add_trees(stream_input(arguments.file), model, getattr(arguments, "trees", None))
    sources: Iterator[Sentence] = (ask(source, model, arguments) for source in lines)
    splitter = PairSplitter.of_run(folder, settings, model)
    if splitter:
        sources = map(splitter.source, sources)
    first = next(sources)
    if arguments.coverage and not attends(model, first):
        raise UserError("--coverage: this model has no attention; translate with a model of chapter 8 or 9")
    words_of = make_rewrite(model, settings, arguments.replace_unknown, folder, first)
    if splitter:
        words_of = in_pieces(words_of)
    prior = None
    if arguments.length == "prior":
        pairs = load_pairs(settings.corpus).train
        prior = LengthPrior.from_pairs(splitter.pairs(pairs) if splitter else pairs)
    names = ("beam", "sample", "length", "max_length_ratio", "batch_size", "coverage", "length_in")
    decoding = Decoding(*(getattr(arguments, name) for name in names))
    rng = np.random.default_rng(arguments.seed)
    numbers = itertools.count()
    for part in windows(itertools.chain([first], sources), MOST_AT_ONCE, lambda words: decoding.kept(len(words))):
        for source, hypotheses in zip(part, translate(model, part, decoding, rng, prior), strict=True):
            number = next(numbers)
            if not (arguments.nbest or arguments.sample):
                print(" ".join(words_of(hypotheses[0], source)))
                continue
            for hypothesis in hypotheses[: arguments.nbest or None]:
                print(f"{number} ||| {' '.join(words_of(hypothesis, source))} ||| {hypothesis.log_prob:.6f}")
        sys.stdout.flush()
