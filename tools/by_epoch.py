"""Train a language model on a village and record what each epoch learns: `python -m tools.by_epoch CHAPTER FLAGS`.

The flags are those of the chapter's train.py. After each epoch's evaluation, a line of JSON is added to
by_epoch.jsonl in the run's folder: the perplexity of dev and test, and on the words that each phenomenon decides. A run
that is resumed adds to the file; an epoch that was interrupted after its evaluation then has two lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from common import runtime
from common.chapters import chapter_module
from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.perplexity import evaluate, sentence_log_probs, summarise
from common.text.corpus import Corpus
from common.training.setup import Setup
from common.training.text import Text
from data.larger_village import grammar_of
from data.phenomena import by_label, labels_of
from tools.analyse.systems import reads_in_order
from tools.experiment.sweep import find_chapter

FILE = "by_epoch.jsonl"
REFUSED = "only for a language model that is trained by epochs and reads each sentence by itself"


def measure(model: Any, unk: str, corpus: Corpus, labels: Mapping[str, Sequence]) -> dict[str, dict[str, float]]:
    """By split: the perplexity on all words, and on those that each phenomenon decides. unk: see `evaluate`."""
    results = {}
    for split, labels_of_split in labels.items():
        sentences = getattr(corpus, split)
        log_probs = sentence_log_probs(model, sentences, unk)
        results[split] = {"perplexity": summarise(model.vocab, sentences, log_probs, unk).perplexity}
        by_phenomenon = by_label(labels_of_split, log_probs)
        results[split] |= {label: perplexity for label, (_, perplexity) in by_phenomenon.items()}
    return results


def train(chapter: str, flags: list[str]) -> None:
    """Run a chapter's train.py with these flags, and measure its model whenever it evaluates it."""
    program = chapter_module(chapter, "train")
    begin, run = getattr(program, "begin", None), {}

    def begin_and_label(kind: Any, *given: Any) -> Setup:
        """The run as the program begins it. Its corpus is the one that is measured."""

        def check(settings: Any, data: Any) -> None:
            if reads_in_order(settings):
                raise UserError(f"{chapter}, {' '.join(flags)}: {REFUSED}")
            corpus, grammar = data.corpus, grammar_of(data.corpus.facts)
            run["labels"] = {split: labels_of(getattr(corpus, split), grammar) for split in ("dev", "test")}

        if kind is not Text:
            raise UserError(f"{chapter}: {REFUSED}")
        run["setup"] = begin(kind, *given, check=check)
        return run["setup"]

    def evaluate_and_measure(model: Any, sentences: Any, unk: str) -> Any:
        setup = run["setup"]
        with open(setup.folder / FILE, "a", encoding="utf-8") as file:
            file.write(json.dumps(measure(model, unk, setup.corpus, run["labels"])) + "\n")
        return evaluate(model, sentences, unk)

    if begin is None or not hasattr(program, "evaluate"):
        raise UserError(f"{chapter}: {REFUSED}")
    program.begin, program.evaluate = begin_and_label, evaluate_and_measure
    sys.argv = [f"chapters/{chapter}/train.py", *flags]
    program.main()


def make_parser() -> OneLineParser:
    parser = OneLineParser(prog="python -m tools.by_epoch", description=__doc__.split("\n\n")[1], allow_abbrev=False)
    parser.add_argument("chapter", help="such as chapters/06_attentive_lm; after it, the flags of its train.py")
    return parser


@exits_cleanly
def main() -> None:
    arguments, flags = make_parser().parse_known_args()
    runtime.set_up(flags)
    train(find_chapter(arguments.chapter), flags)


if __name__ == "__main__":
    main()
