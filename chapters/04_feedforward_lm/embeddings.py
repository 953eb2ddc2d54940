"""Showing learnt embeddings: nearest neighbours, and a map in two dimensions. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from common.plots.heatmaps import readable_letters, shorten
from common.plots.plotting import plt, save_figure
from data import village_lexicon as lexicon


def nearest(embeddings: np.ndarray, word: int, among: Sequence[int], number: int) -> list[tuple[int, float]]:
    """The `number` ids of `among` whose embeddings have the largest cosine with that of `word`, and the cosines.

    embeddings: (V, L). The word itself is left out.
    """
    others = np.array([other for other in among if other != word], dtype=int)
    lengths = np.linalg.norm(embeddings, axis=1) + 1e-30
    cosines = embeddings[others] @ embeddings[word] / (lengths[others] * lengths[word])
    best = np.argsort(-cosines, kind="stable")[:number]
    return list(zip(others[best].tolist(), cosines[best].tolist(), strict=True))


def principal_plane(vectors: np.ndarray) -> tuple[np.ndarray, float]:
    """Vectors (N, L) as seen from where they spread most: (N, 2), and the share of their variance that is left;
    all of it where there is none.

    Principal component analysis: the two largest singular directions of the vectors around their mean.
    """
    U, S, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    variance = (S**2).sum()
    places = np.zeros((len(vectors), 2))  # where they have two directions at all
    places[:, : U.shape[1]] = U[:, :2] * S[:2]
    return places, float((S[:2] ** 2).sum() / variance) if variance else 1.0


def own_class_share(embeddings: np.ndarray, groups: Mapping[str, Sequence[int]]) -> tuple[float, float]:
    """How many words have their nearest neighbour, of all words in the groups, in their own group; and by chance.

    groups: of two words or more in all.
    """
    everyone = [word for words in groups.values() for word in words]
    hits = [nearest(embeddings, word, everyone, 1)[0][0] in words for words in groups.values() for word in words]
    chance = sum(len(words) * (len(words) - 1) for words in groups.values()) / (len(everyone) * (len(everyone) - 1))
    return sum(hits) / len(hits), chance


def village_groups() -> dict[str, dict[str, list[str]]]:
    """The village's nouns for things, by the class of the thing, and the verbs that take them, by the same class."""
    nouns = {kind: words.split() for kind, words in {**lexicon.MASS, **lexicon.COUNTABLE}.items()}
    verbs = {
        kind: [lexicon.third_person(verb) for verb in verbs.split()]
        for actions in lexicon.ACTIONS.values()
        for verbs, kind, _ in actions
    }
    return {"nouns": nouns, "verbs": verbs}


def draw_map(embeddings: np.ndarray, groups: Mapping[str, Sequence[int]], words: Sequence[str], path: Path) -> float:
    """Draw the words of the groups on their principal plane, a colour a group; the share of variance that it shows.

    words: of the vocabulary, in order of their ids.
    """
    drawn_words = [word for group in groups.values() for word in group]
    places, share = principal_plane(embeddings[drawn_words])
    figure, axes = plt.subplots(figsize=(11, 9))
    begin = 0
    for number, (name, group) in enumerate(groups.items()):
        x, y = places[begin : begin + len(group)].T
        begin += len(group)
        colour = plt.get_cmap("tab20")(number % 20)
        axes.plot(x, y, "o", color=colour, markersize=4, label=name)
        for word, across, up in zip(group, x, y, strict=True):
            axes.annotate(shorten(words[word]), (across, up), fontsize=7, color=colour, parse_math=False)
    axes.set(xlabel="first principal component", ylabel="second principal component")
    axes.set_title(f"{share:.0%} of the variance of these embeddings")
    if len(groups) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    with readable_letters():
        save_figure(figure, path)
    return share
