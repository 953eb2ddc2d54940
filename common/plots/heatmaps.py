"""Pictures of attention over a source sentence, as PNG: weights as a matrix, contextual gates as a strip."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import font_manager

from common.plots.plotting import plt, save_figure
from common.text.vocab import BOUNDARY

WEIGHT_COLOURS: dict[str, Any] = {"cmap": "Greys", "vmin": 0, "vmax": 1}
"""How every map shows attention weights: the darker the more, from white (0) to black (1)."""
MOST_WORDS = 80
"""Longer sentences make no readable picture."""

LONGEST_LABEL = 24
LINK_COLOUR = "#e69f00"  # an orange that stands out from black, grey and white, also for the colour-blind
WIDE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "TakaoPGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "MS Gothic",
    "Arial Unicode MS",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Unifont",
)
"""Fonts with more letters than matplotlib's own, of which systems have one or another."""


def predictions(target: Sequence[str], weights: np.ndarray) -> list[str]:
    """The words that the rows of `weights` predict: those of the target and, if there is one row more, `</s>`."""
    if len(weights) not in (len(target), len(target) + 1):
        raise ValueError(f"{len(weights)} rows of weights for {len(target)} target words")
    return [*target, BOUNDARY][: len(weights)]


def draw_attention(
    path: str | Path,
    source: Sequence[str],
    target: Sequence[str],
    weights: np.ndarray,
    title: str = "attention",
    links: Iterable[tuple[int, int]] = (),
) -> None:
    """Attention as a matrix, the darker the more (in Neubig 2017, Figure 27, it is the lighter).

    weights: (predictions, source words), see `predictions`. links: the true alignment as (source word, target word),
    counted from 0; each gets a ring.
    """
    labels = predictions(target, weights)
    size = cell_size(max(len(source), len(labels)))
    with readable_letters():
        figure = plt.figure(figsize=(1, 1))
        axes = draw_matrix(figure, 0, size, source, labels, weights, title)
        draw_links(axes, size, links)
        save_figure(figure, path)


def draw_gates(
    path: str | Path,
    source: Sequence[str],
    target: Sequence[str],
    attention: np.ndarray,
    word_attention: np.ndarray,
    gates: np.ndarray | None = None,
    title: str = "hidden and word attention",
    links: Iterable[tuple[int, int]] = (),
) -> None:
    """Annotation attention next to word attention, and the gates under the target sentence (Wu et al. 2018, Figure 3).

    gates: the mean of 1 - o_i, (predictions,); the deeper the blue under a word, the larger it is: the more the decoder
    took from the word context. Models without gates have no strip. links: as in `draw_attention`.
    """
    labels = predictions(target, attention)
    size = cell_size(max(len(source), len(labels)))
    with readable_letters():
        figure = plt.figure(figsize=(1, 1))
        left = draw_matrix(figure, 0, size, source, labels, attention, "annotation attention", colour_bar=False)
        start = size * len(source) + 0.4
        right = draw_matrix(figure, start, size, source, labels, word_attention, "word attention")
        right.set(yticklabels=[], ylabel="")
        for axes in (left, right):
            draw_links(axes, size, links)
        figure.text(0, edge(figure, "y1") + 0.15, title, fontsize=letter_size(size) + 2, parse_math=False)
        if gates is not None:
            draw_strip(figure, size, labels, gates)
        save_figure(figure, path)


def draw_matrix(
    figure: plt.Figure,
    left: float,
    size: float,
    source: Sequence[str],
    labels: Sequence[str],
    weights: np.ndarray,
    title: str,
    colour_bar: bool = True,
) -> plt.Axes:
    """The matrix with its lower left corner `left` inches to the right, `size` inches per word; source words on top.
    The figure is one inch wide and high, so that its fractions are inches; what lies outside is saved with it."""
    if weights.shape != (len(labels), len(source)):
        raise ValueError(f"weights {weights.shape} for {len(labels)} predictions and {len(source)} source words")
    width, height = size * len(source), size * len(labels)
    axes = figure.add_axes((left, 0, width, height))
    image = axes.imshow(weights, **WEIGHT_COLOURS, aspect="auto", interpolation="nearest")
    set_words(axes, source, size)
    axes.set_yticks(range(len(labels)), list(map(shorten, labels)), fontsize=letter_size(size), parse_math=False)
    axes.set_xlabel("source", fontsize=letter_size(size))
    axes.set_ylabel("target", fontsize=letter_size(size))
    axes.set_title(title, fontsize=letter_size(size) + 1, loc="left", parse_math=False)
    if colour_bar:
        bar_axes = figure.add_axes((left + width + 0.15, 0, 0.12, height))
        figure.colorbar(image, cax=bar_axes, label="weight")
    return axes


def draw_links(axes: plt.Axes, size: float, links: Iterable[tuple[int, int]]) -> None:
    """A ring at every link, small enough that the weight stays visible."""
    x, y = np.array(sorted(links)).reshape(-1, 2).T
    axes.scatter(x, y, s=(22 * size) ** 2, facecolors="none", edgecolors=LINK_COLOUR, linewidths=4 * size)


def draw_strip(figure: plt.Figure, size: float, labels: Sequence[str], gates: np.ndarray) -> None:
    """The predicted words and under each of them its gate, as a blue; below what is drawn already."""
    if gates.shape != (len(labels),):
        raise ValueError(f"gates {gates.shape} for {len(labels)} predictions")
    floor = edge(figure, "y0")
    axes = figure.add_axes((0, 0, size * len(labels), size))
    image = axes.imshow(gates[None], cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    set_words(axes, labels, size)
    axes.set_yticks([])
    axes.set_xlabel("target", fontsize=letter_size(size))
    extent = axes.get_tightbbox()
    assert extent is not None  # only of axes that are invisible
    bottom = floor - extent.height / figure.dpi - 0.2
    axes.set_position((0, bottom, size * len(labels), size))
    below = figure.add_axes((0, bottom - 0.25, 2.5, 0.12))
    figure.colorbar(image, cax=below, orientation="horizontal", label="1 - o: share of the word context")


def set_words(axes: plt.Axes, words: Sequence[str], size: float) -> None:
    """Words along the top of the axes."""
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    slanted: dict[str, Any] = {"rotation": 60, "ha": "left", "va": "bottom", "rotation_mode": "anchor"}
    axes.set_xticks(
        range(len(words)), list(map(shorten, words)), fontsize=letter_size(size), parse_math=False, **slanted
    )


def edge(figure: plt.Figure, side: str) -> float:
    """Where what is drawn so far ends at the top ("y1") or the bottom ("y0"), in inches."""
    return getattr(figure.get_tightbbox(), side)


def cell_size(words: int) -> float:
    """Inches per word: half an inch, and less the more words there are."""
    return float(np.interp(words, [8, 40], [0.5, 0.28]))


def letter_size(size: float) -> float:
    """Points of the letters of words that have `size` inches each."""
    return 6 + 12 * size


def shorten(word: str) -> str:
    """The word as a label: its middle left out where it is very long."""
    half = LONGEST_LABEL // 2
    return word if len(word) <= LONGEST_LABEL else f"{word[:half]}\N{HORIZONTAL ELLIPSIS}{word[-half + 1 :]}"


@contextmanager
def readable_letters() -> Iterator[None]:
    """Draw with every installed font that may help, and without a warning for each letter that none of them has."""
    with warnings.catch_warnings(), plt.rc_context({"font.family": fonts()}):
        warnings.filterwarnings("ignore", "Glyph|Matplotlib currently does not support")
        yield


def fonts() -> list[str]:
    """The names of the fonts to draw with; a letter is taken from the first that has it."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in WIDE_FONTS if name in installed)]


def letters_without_picture(words: Iterable[str]) -> str:
    """The letters that no font at hand has; pictures show boxes in their place."""
    letters = {letter for word in words for letter in word}
    for name in fonts():
        path = font_manager.findfont(name)
        letters -= {chr(code) for code in font_manager.get_font(path).get_charmap()}
    return "".join(sorted(letters))


def attention_maps(maps: Mapping[str, np.ndarray], inputs: Sequence[str], targets: Sequence[str], path: Path) -> None:
    """Attention over the past, side by side, the darker the more: a row per predicted word, a column per word read.

    maps: by its title, weights (predictions, inputs). Row t may only have weight on columns before t; what is not
    allowed is left blank. Each weight stands in its cell with four digits, unless they are those of 0 or 1 (Salton et
    al. 2017, Figures 2 and 3).
    """
    rows, columns = len(targets), len(inputs)
    allowed = np.tril(np.ones((rows, columns), dtype=bool), k=-1)
    side = 1.5 + 0.4 * max(rows, columns)
    with readable_letters():
        figure, panels = plt.subplots(1, len(maps), figsize=(side * len(maps), side), squeeze=False)
        for axes, (title, weights) in zip(panels[0], maps.items(), strict=True):
            image = axes.imshow(np.ma.masked_where(~allowed, weights), **WEIGHT_COLOURS)
            tilted: dict[str, Any] = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
            axes.set_xticks(range(columns), list(map(shorten, inputs)), **tilted, parse_math=False)
            axes.set_yticks(range(rows), list(map(shorten, targets)), parse_math=False)
            axes.set(xlabel="word read", ylabel="word predicted")
            axes.set_title(title, parse_math=False)
            for row, column in np.argwhere(allowed):
                number, colour = f"{weights[row, column]:.4f}", "white" if weights[row, column] > 0.5 else "black"
                if number not in ("0.0000", "1.0000"):
                    axes.text(column, row, number, ha="center", va="center", fontsize=6, color=colour)
        figure.colorbar(image, ax=panels[0], fraction=0.046 / len(maps), pad=0.04 / len(maps))
        save_figure(figure, path)


def head_maps(weights: np.ndarray, inputs: Sequence[str], targets: Sequence[str], path: Path) -> None:
    """Attention of each head as a small map, a row of maps for each block.

    weights: (blocks, heads, predictions, inputs). Row t of a map may only have weight on columns up to t.
    """
    blocks, heads, rows, columns = weights.shape
    allowed = np.tri(rows, columns, dtype=bool)
    side = 1.2 + 0.18 * max(rows, columns)
    with readable_letters():
        figure, axes = plt.subplots(blocks, heads, figsize=(side * heads, side * blocks), squeeze=False)
        for block, head in np.ndindex(blocks, heads):
            panel = axes[block, head]
            panel.imshow(np.ma.masked_where(~allowed, weights[block, head]), **WEIGHT_COLOURS)
            tilted: dict[str, Any] = {"rotation": 90, "fontsize": 7, "parse_math": False}
            panel.set_xticks(range(columns), list(map(shorten, inputs)), **tilted)
            panel.set_yticks(range(rows), list(map(shorten, targets)), fontsize=7, parse_math=False)
            panel.set_title(f"block {block + 1}, head {head + 1}", fontsize=9)
        figure.tight_layout()
        save_figure(figure, path)
