"""Let a trained model adapt to running text: `python chapters/01_ngram_lm/adapt.py --run RUN`.

Caches of the text so far are interpolated with the model; how far back they reach, and their weights, are those that
are best on dev. With `--score FILE` the best of them scores a text of yours, sentence by sentence in its order.
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import sys
from collections.abc import Sequence

import numpy as np

from common.errors import exits_cleanly
from common.evaluation.perplexity import LanguageModel, check_unknown_words, spell_unknown_words, summarise
from common.programs.arguments import read_input, run_argument
from common.programs.chapters import load_run
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import counted
from common.training import cli
from common.training.past_runs import latest_run
from data.phenomena import phenomena_table
from data.returns import returns_table

from .running import CACHES, Cache, RunningText, adapted, read, tune
from .settings import CHAPTER

TABLES = {"village": phenomena_table, "village_paragraphs": returns_table}
"""What is shown beside the perplexity, for the corpora whose grammar knows what decides each word."""


class Text:
    """Sentences that a model has read in order."""

    def __init__(self, model: LanguageModel, sentences: Sequence[Sentence], unk: str, place: str):
        """place: where they stand, for the error about a word that is unknown where none may be."""
        check_unknown_words(sentences, model.vocab, unk, place)
        self.vocab, self.sentences, self.unk = model.vocab, sentences, unk
        self.running: RunningText = read(model, sentences)

    def log_probs(self, caches: list[Cache]) -> list[np.ndarray]:
        """For each sentence log P of its words and of `</s>` in nats, those of spelling unknown words included."""
        ends = np.cumsum([len(sentence) + 1 for sentence in self.sentences])[:-1]
        columns = np.split(adapted(self.running, caches), ends)
        return spell_unknown_words(columns, self.sentences, self.vocab, self.unk)

    def perplexity(self, caches: list[Cache]) -> float:
        return summarise(self.vocab, self.sentences, self.log_probs(caches), self.unk).perplexity


def compare(name_of_corpus: str, dev: Text, test: Text) -> None:
    """Print what each kind of cache is worth on dev and test."""
    caches_by_name = {"no cache": [], **{name: tune(dev.running, orders) for name, orders in CACHES.items()}}
    print(f"{'perplexity':18}{'dev':>10}{'test':>10}   tuned on dev")
    for name, caches in caches_by_name.items():
        description = ", ".join(f"weight {cache.weight:.3f} on the last {cache.window:,}" for cache in caches)
        print(f"{name:18}{dev.perplexity(caches):10.2f}{test.perplexity(caches):10.2f}   {description}".rstrip())
    if name_of_corpus in TABLES:
        columns = {name: test.log_probs(caches) for name, caches in caches_by_name.items()}
        print("\n" + TABLES[name_of_corpus](test.sentences, columns))


def score(text: Text, caches: list[Cache]) -> None:
    """Print log P of each sentence after those before it, one per line; the perplexities on stderr."""
    for sentence in text.log_probs(caches):
        print(f"{sentence.sum():.6f}")
    print(
        f"{counted(len(text.sentences), 'sentence')} as running text (--unk {text.unk}): perplexity "
        f"{text.perplexity(caches):.2f}, without a cache {text.perplexity([]):.2f}",
        file=sys.stderr,
    )


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Let a trained n-gram model adapt to running text, with caches.")
    run_argument(parser)
    parser.add_argument("--score", metavar="FILE", help="score the sentences of FILE (- is standard input) in order")
    arguments = parser.parse_args()
    model, settings = load_run(arguments.run or latest_run(CHAPTER, holding="model.npz"), CHAPTER)
    corpus, unk = load_corpus(settings.corpus), settings.unk
    dev = Text(model, corpus.dev, unk, "dev")
    if arguments.score is None:
        compare(settings.corpus, dev, Text(model, corpus.test, unk, "test"))
        return
    text = Text(model, read_input(arguments.score), unk, "the input")
    score(text, min((tune(dev.running, orders) for orders in CACHES.values()), key=dev.perplexity))


if __name__ == "__main__":
    main()
