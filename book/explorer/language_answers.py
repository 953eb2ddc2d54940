"""What the page is answered about language models: plain functions from what it asks (JSON) to what it shows.

Each raises `UserError` for what cannot be answered. They are called one at a time: DyNet has one computation graph.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from common.errors import UserError
from common.text.vocab import BOUNDARY
from data import oracle

from . import bounds, looking_back, next_words, truths
from .bounds import Body
from .shelf import LANGUAGE, Shelf

Answer = dict[str, Any]


def next_word(shelf: Shelf, body: Body) -> Answer:
    """The distributions of the chosen models after a prefix, beside the truth; the surprisal of each word of it.

    Of models that were trained on different corpora only those with the first one's truth are compared with it.
    """
    selected = shelf.models(bounds.run_names(body), LANGUAGE)
    words = bounds.words_of(body, "text", selected[0][1].vocab)
    village = truths.is_village(selected[0][0].corpus)
    truth = true_next(tuple(words)) if village else {}
    rows = [next_words.distributions(model, words) for _, model, _ in selected]
    listed = next_words.shown_words(
        truth, [(model.vocab, row[-1]) for (_, model, _), row in zip(selected, rows, strict=True)], bounds.LISTED
    )
    models = []
    for (run, model, _), row in zip(selected, rows, strict=True):
        true_probs = next_words.over_vocabulary(truth, model.vocab)
        compared = bool(truth) and truths.is_village(run.corpus)
        models.append(
            {
                "run": run.name,
                "probs": [next_words.probability(model.vocab, row[-1], word) for word in listed],
                "divergence": jsonable(next_words.divergence(true_probs, row[-1])) if compared else None,
                "surprisals": next_words.surprisals(row, model.vocab, words),
                "unknown": next_words.unknown_words(model.vocab, words),
            }
        )
    answer: Answer = {"words": words, "listed": listed, "models": models, "truth": None, "village": village}
    if village:
        costs = oracle.token_log_probs(words)[:-1]
        impossible = truths.first_impossible(words) if not truth else None
        answer["truth"] = {
            "probs": [truth.get(word, 0.0) for word in listed],
            "surprisals": [jsonable(-cost) for cost in costs],
            "continuations": sorted(truth.items(), key=lambda pair: (-pair[1], pair[0]))[: bounds.BUTTONS],
            "impossible": impossible,
        }
    return answer


@lru_cache(1000)
def true_next(words: tuple[str, ...]) -> dict[str, float]:
    """P(next word | words) by the village grammar; empty where it cannot say them. Not to be changed."""
    return oracle.next_word_probs(words)


def jsonable(value: float) -> float | None:
    """A number that JSON can write: None for infinity."""
    return value if math.isfinite(value) else None


def samples(shelf: Shelf, body: Body) -> Answer:
    """Random continuations of a prefix by one model, each judged by the grammar where it is known."""
    ((run, model, _),) = shelf.models(bounds.run_names(body, 1), LANGUAGE)
    words = bounds.words_of(body, "text", model.vocab)
    number = bounds.whole(body, "number", 1, bounds.MOST_SAMPLES)
    seed = bounds.whole(body, "seed", 0, bounds.MOST_SEED)
    temperature = bounds.number(body, "temperature", 0.1, 3)
    sentences = next_words.continuations(model, words, number, seed, temperature, bounds.MOST_WORDS)
    village = truths.is_village(run.corpus)
    return {
        "village": village,
        "words": words,
        "samples": [
            {
                "words": sentence.words,
                "finished": sentence.finished,
                "log_prob": sentence.log_prob,
                "impossible": impossible_place(words, sentence.words, sentence.finished) if village else None,
            }
            for sentence in sentences
        ],
    }


def impossible_place(prefix: list[str], words: list[str], finished: bool) -> int | None:
    """The place of the first sampled word that the grammar cannot say there; None where all are possible.

    It is negative where the beginning itself is impossible, and the number of words where the sentence may not end.
    """
    place = truths.first_impossible([*prefix, *words])
    if place is None or (place == len(prefix) + len(words) and not finished):
        return None  # a sentence that was cut may well go on
    return place - len(prefix)


def look_back(shelf: Shelf, body: Body) -> Answer:
    """What each chosen model attends to at each word of a sentence. Raises `UserError` where none has attention."""
    selected = shelf.models(bounds.run_names(body), LANGUAGE)
    words = bounds.sentence_of(body, "text", selected[0][1].vocab)
    looking = [(run, model) for run, model, _ in selected if looking_back.attends(model)]
    if not looking:
        raise UserError(f"none of these models has attention: choose {looking_back.ATTENTIVE}")
    models = []
    for run, model in looking:
        weights = looking_back.weights(model, words)
        heads = [{"name": name, "weights": matrix.tolist()} for name, matrix in weights.items()]
        surprisals = next_words.surprisals(next_words.distributions(model, words), model.vocab, [*words, BOUNDARY])
        models.append({"run": run.name, "heads": heads, "surprisals": surprisals})
    return {"read": ["<s>", *words], "predicted": [*words, BOUNDARY], "models": models}
