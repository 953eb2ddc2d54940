"""Train a language model on a village and record what each epoch learns: `python -m tools.by_epoch CHAPTER FLAGS`.

The flags are those of the chapter's train.py, with --run-dir. After each epoch's evaluation, a line of JSON is added to
by_epoch.jsonl in the run's folder: the perplexity of dev and test, and on the words that each phenomenon decides. A run
that is resumed adds to the file; an epoch that was interrupted after its evaluation then has two lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common import runtime
from common.chapters import chapter_module
from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.perplexity import evaluate, sentence_log_probs, summarise
from common.text.corpus import Corpus, load_corpus
from data.larger_village import grammar_of
from data.phenomena import by_label, labels_of

FILE = "by_epoch.jsonl"


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
    if "--run-dir" not in flags:
        raise UserError("--run-dir: name the folder of the run; its file by_epoch.jsonl is written there")
    path = Path(flags[flags.index("--run-dir") + 1]) / FILE
    program = chapter_module(chapter, "train")
    corpus = load_corpus(flags[flags.index("--corpus") + 1] if "--corpus" in flags else "village")
    grammar = grammar_of(corpus.facts)
    labels = {split: labels_of(getattr(corpus, split), grammar) for split in ("dev", "test")}

    def evaluate_and_measure(model: Any, sentences: Any, unk: str) -> Any:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(measure(model, unk, corpus, labels)) + "\n")
        return evaluate(model, sentences, unk)

    program.evaluate = evaluate_and_measure
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
    train(Path(arguments.chapter).name, flags)


if __name__ == "__main__":
    main()
