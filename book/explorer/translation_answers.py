"""What the page is answered about translations and runs; as `language_answers` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.search.length_prior import LENGTH_SCORES
from common.search.searches import Decoding
from common.text.alignment import Links
from common.text.subwords import require_words
from common.text.vocab import BOUNDARY
from data.pair_truth import PairTruth

from . import bounds, curves, next_words, translations, truths
from .bounds import Body
from .language_answers import Answer, jsonable
from .shelf import TRANSLATION, Run, Shelf


def source_of(models: Sequence[tuple[Run, Any]], body: Body) -> list[str]:
    """The sentence to translate, in the form of the first model's words."""
    return bounds.sentence_of(body, "text", models[0][1].source_vocab, bounds.MOST_TRANSLATED)


def chosen_models(shelf: Shelf, body: Body) -> list[tuple[Run, Any]]:
    """The translation models that were chosen. Raises `UserError` for one that reads pieces of words."""
    models = shelf.models(bounds.run_names(body, bounds.MOST_TOGETHER), TRANSLATION)
    for run, _, settings in models:
        require_words(settings, run.folder)
    return [(run, model) for run, model, _ in models]


def translate(shelf: Shelf, body: Body) -> Answer:
    """The beam search for a sentence, its n-best list, each translation judged by the grammar where it is known."""
    models = chosen_models(shelf, body)
    source = source_of(models, body)
    beam = bounds.whole(body, "beam", 1, bounds.MOST_BEAM)
    length = bounds.one_of(body, "length", tuple(LENGTH_SCORES))
    corpus = models[0][0].corpus
    tree = translations.search([model for _, model in models], source, beam, length, corpus)
    truth = truths.pair_truth(corpus)
    reference, problem = translations.true_translation(truth, source)
    hypotheses = [
        {"words": hypothesis.words, "log_prob": hypothesis.log_prob, "finished": hypothesis.finished, "path": path}
        for hypothesis, path in zip(tree.hypotheses, tree.paths, strict=True)
    ]
    for hypothesis in hypotheses:
        hypothesis |= judgement(truth if reference else None, source, hypothesis["words"])
    return {
        "source": source,
        "unknown": next_words.unknown_words(models[0][1].source_vocab, source),
        "nodes": [node._asdict() for node in tree.nodes],
        "found": hypotheses,
        "reference": reference,
        "problem": problem,
    }


def judgement(truth: PairTruth | None, source: list[str], target: list[str]) -> Answer:
    """What the grammar says of a translation: possible or not, or None where it cannot say the source."""
    if truth is None:
        return {"possible": None, "true_log_prob": None, "why": ""}
    judged = translations.judge(truth, source, target)
    return {"possible": judged.links is not None, "true_log_prob": jsonable(judged.log_prob), "why": judged.problem}


def attend(shelf: Shelf, body: Body) -> Answer:
    """What each chosen model attends to while it reads a target word by word, and the true alignment where known."""
    selected = chosen_models(shelf, body)
    source = source_of(selected, body)
    target = bounds.words_of(body, "target", None, Decoding().most_words(len(source)))
    models = []
    for run, model in selected:
        forced = translations.attended(model, source, target)
        if forced is not None:
            matrices = {name: getattr(forced, name) for name in ("attention", "word_attention", "gates")}
            numbers = {name: None if value is None else np.round(value, 4).tolist() for name, value in matrices.items()}
            models.append({"run": run.name, **numbers})
    truth = truths.pair_truth(selected[0][0].corpus)
    links = true_links(truth, source, target)
    return {"source": source, "target": [*target, BOUNDARY], "models": models, "links": links and sorted(links)}


def true_links(truth: PairTruth | None, source: list[str], target: list[str]) -> Links | None:
    """The true alignment of a pair; None where there is none, as the grammar never writes the pair."""
    reference, _ = translations.true_translation(truth, source)
    return translations.judge(truth, source, target).links if truth and reference else None


def compare(shelf: Shelf, body: Body) -> Answer:
    """Settings, learning curves and results of the chosen runs."""
    runs = [shelf.find(name) for name in bounds.run_names(body, bounds.MOST_COMPARED)]
    return {
        "runs": [run.name for run in runs],
        "settings": [row._asdict() for row in curves.compare_settings(runs)],
        "curves": [curves.learning_curve(run) for run in runs],
        "results": [curves.results(run) for run in runs],
    }
