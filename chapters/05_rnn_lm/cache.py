"""Lay a neural cache over a trained model: `python chapters/05_rnn_lm/cache.py --run RUN`.

The sharpness theta, the cache's share lambda and its size are those that are best on dev. Two caches are tried: one
over the text in order, and one that is emptied at the end of each sentence.
"""

import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import exits_cleanly
from common.evaluation.perplexity import (
    check_unknown_words,
    perplexity,
    sentence_log_probs,
    spell_unknown_words,
    summarise,
)
from common.evaluation.streaming import stream_log_probs
from common.programs.arguments import run_argument
from common.programs.chapters import load_run
from common.search.ensemble import mix
from common.text.batching import make_batches
from common.text.corpus import Sentence, load_corpus
from common.training import cli
from common.training.past_runs import latest_run
from data.phenomena import phenomena_table

from .model import RecurrentLM
from .neural_cache import Cache, cache_probs, first_held
from .settings import CHAPTER
from .streams import stream_states

THETAS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2)
SHARES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
WINDOWS = {"text": (100, 500, 2000), "sentence": (1000,)}
"""The pairs in the cache; no sentence has more than the last."""


class Text(NamedTuple):
    """A split as the cache needs it, all in order: states (N, H), words (N,), the model's log-probabilities (N,),
    and for each word the position of its sentence's first word."""

    hidden: np.ndarray
    words: np.ndarray
    log_probs: np.ndarray
    first: np.ndarray


def read(model: RecurrentLM, sentences: Sequence[Sentence], continued: bool) -> Text:
    """Run the model over a split, `<unk>` counted as a word."""
    encoded = [model.vocab.encode(sentence) for sentence in sentences]
    words = np.concatenate([[*sentence, model.vocab.boundary] for sentence in encoded])
    ends = np.cumsum([len(sentence) + 1 for sentence in encoded])
    first = np.repeat([0, *ends[:-1]], np.diff([0, *ends]))
    if continued:
        return Text(stream_states(model, encoded), words, np.concatenate(stream_log_probs(model, sentences)), first)
    hidden = np.zeros((len(words), model.embedding.shape()[1]), dtype=np.float32)
    for batch in make_batches(encoded, 64):
        states = model.hidden_from(batch.inputs)[0]
        for column, index in enumerate(batch.indices):
            length = len(encoded[index]) + 1
            hidden[ends[index] - length : ends[index]] = states[:, :length, column].T
    return Text(hidden, words, np.concatenate(sentence_log_probs(model, sentences)), first)


def with_cache(text: Text, cache: Cache, scope: str) -> np.ndarray:
    """log-probabilities of the mixture, (N,)."""
    return mix(text.log_probs, cached(text, cache.theta, cache.window, scope), cache.share)


def cached(text: Text, theta: float, window: int, scope: str) -> np.ndarray:
    """p_cache of every word, (N,): over the text in order, or over the word's own sentence alone."""
    first = text.first if scope == "sentence" else np.zeros_like(text.first)
    return cache_probs(text.hidden, text.words, first_held(np.arange(len(text.words)), first, window), theta)


def tune(text: Text, scope: str) -> Cache:
    """The cache that gives this text the highest log-likelihood."""
    best, highest = Cache(0.0, 0.0, 1), -np.inf
    for window in WINDOWS[scope]:
        for theta in THETAS:
            probs = cached(text, theta, window, scope)
            for share in SHARES:
                log_prob = mix(text.log_probs, probs, share).sum()
                if log_prob > highest:
                    best, highest = Cache(theta, share, window), log_prob
    return best


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Add a neural cache to a trained recurrent model.")
    run_argument(parser)
    folder = parser.parse_args().run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_run(folder, CHAPTER)
    corpus = load_corpus(settings.corpus)
    for split in ("dev", "test"):
        check_unknown_words(getattr(corpus, split), model.vocab, settings.unk, split)
    dev, test = (read(model, sentences, settings.state == "kept") for sentences in (corpus.dev, corpus.test))
    ends = np.cumsum([len(sentence) + 1 for sentence in corpus.test])[:-1]

    def report(name: str, on_dev: float, log_probs: np.ndarray) -> None:
        columns[name] = spell_unknown_words(np.split(log_probs, ends), corpus.test, model.vocab, settings.unk)
        result = summarise(model.vocab, corpus.test, columns[name], settings.unk)
        print(f"{name:24}{on_dev:10.2f}{result.perplexity:10.2f}")

    columns: dict[str, list[np.ndarray]] = {}
    print(f"{'perplexity':24}{'dev':>10}{'test':>10}   (dev: <unk> as a word)")
    report("without a cache", perplexity(dev.log_probs.sum(), len(dev.words)), test.log_probs)
    for scope in WINDOWS:
        cache = tune(dev, scope)
        on_dev = perplexity(with_cache(dev, cache, scope).sum(), len(dev.words))
        report(f"cache over the {scope}", on_dev, with_cache(test, cache, scope))
        print(f"    theta {cache.theta}, lambda {cache.share}, window {cache.window}")
    if settings.corpus == "village":
        print("\n" + phenomena_table(corpus.test, columns))


if __name__ == "__main__":
    main()
