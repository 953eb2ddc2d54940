"""Pictures of attention, judged by the pixels of the files."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.image import imread

from common.plots import heatmaps
from common.plots.heatmaps import (
    attention_maps,
    cell_size,
    draw_attention,
    draw_gates,
    head_maps,
    letter_size,
    letters_without_picture,
    shorten,
)

Box = tuple[int, int, int, int]
SOURCE, TARGET = "the old hen sees mira".split(), "gre zul lira".split()
DPI = 150


def random_weights(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    """At most a half, so that `boxes` sees the cells as light."""
    return np.random.default_rng(seed).dirichlet(np.full(columns, 0.5), size=rows) / 2


def boxes(image: np.ndarray, shortest: float) -> list[Box]:
    """The matrices and strips at least `shortest` pixels wide: (left, right, top, bottom), from their dark frames."""
    rectangles: list[Box] = []
    dark = image[..., :3].max(axis=2) < 0.6
    for row, line in enumerate(dark):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line, [0]]).astype(int)))
        for left, right in edges.reshape(-1, 2).tolist():
            inside = any(row <= box[3] and near(box, left, right) for box in rectangles)
            if right - left > shortest and not inside:  # the top of a frame, whose left side goes down to the bottom
                rectangles.append((left, right, row, row + int(dark[row:, left : left + 3].any(axis=1).argmin()) - 1))
    return sorted((box for box in rectangles if box[3] - box[2] > 30), key=lambda box: (box[2], box[0]))


def near(box: Box, left: int, right: int) -> bool:
    """Whether a dark line belongs to an area; it may have a tick at its side."""
    return abs(left - box[0]) < 12 and abs(right - box[1]) < 12


def cells(image: np.ndarray, box: Box, rows: int, columns: int) -> np.ndarray:
    """The colours in the middle of the cells of a framed area: (rows, columns, 3)."""
    left, right, top, bottom = box
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = top + (np.arange(rows) + 0.5) * (bottom - top) / rows
    return image[np.ix_(y.astype(int), x.astype(int))][..., :3]


def matrix_of(path: Path, rows: int, columns: int) -> np.ndarray:
    """The weights that the only matrix of a picture shows: (rows, columns)."""
    image = imread(path)
    (box,) = boxes(image, 0.9 * columns * cell_size(max(rows, columns)) * DPI)
    return weights_of(cells(image, box, rows, columns))


def weights_of(colours: np.ndarray) -> np.ndarray:
    """What cells of these colours stand for: white is 0, black 1, and the darker the more; (..., 3) -> (...)."""
    scale = plt.get_cmap("Greys")(np.linspace(0, 1, 256))[:, :3].mean(axis=1)
    assert scale[0] == 1 and scale[-1] == 0 and (np.diff(scale) < 0).all()
    return np.interp(-colours.mean(axis=-1), -scale, np.linspace(0, 1, 256))


class TestAttention:
    def test_the_scale_is_that_of_probabilities(self, tmp_path: Path) -> None:
        """Two pictures can be compared: weak attention is light even where there is no stronger."""
        draw_attention(tmp_path / "a.png", SOURCE, TARGET, np.full((4, 5), 0.2))
        np.testing.assert_allclose(matrix_of(tmp_path / "a.png", 4, 5), 0.2, atol=0.01)

    def test_a_sentence_that_was_cut_has_no_end(self, tmp_path: Path) -> None:
        assert heatmaps.predictions(TARGET, np.zeros((4, 1))) == [*TARGET, "</s>"]
        assert heatmaps.predictions(TARGET, np.zeros((3, 1))) == TARGET
        draw_attention(tmp_path / "a.png", SOURCE, TARGET, random_weights(3, 5))
        assert matrix_of(tmp_path / "a.png", 3, 5).shape == (3, 5)

    def test_words_and_title_are_shown(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        figures = []
        monkeypatch.setattr(heatmaps, "save_figure", lambda figure, path: figures.append(figure))
        draw_attention(tmp_path / "a.png", SOURCE, TARGET, random_weights(4, 5), "of a hen")
        axes = figures[0].axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == SOURCE
        assert [label.get_text() for label in axes.get_yticklabels()] == [*TARGET, "</s>"]
        assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == ("source", "target", "of a hen")
        plt.close(figures[0])

    def test_darkness_is_weight_and_links_are_rings_in_their_cells(self, tmp_path: Path) -> None:
        """One row per predicted word from the top, `</s>` last; one column per source word from the left."""
        weights, links = random_weights(4, 5), [(4, 0), (1, 2)]
        draw_attention(tmp_path / "a.png", SOURCE, TARGET, weights, links=links)
        image = imread(tmp_path / "a.png")
        (box,) = boxes(image, 0.9 * 5 * cell_size(5) * DPI)
        y, x = np.nonzero(np.abs(image[..., :3] - np.array([230, 159, 0]) / 255).max(axis=2) < 0.02)
        column = (x - box[0]) * 5 // (box[1] - box[0])
        row = (y - box[2]) * 4 // (box[3] - box[2])
        assert set(zip(column.tolist(), row.tolist(), strict=True)) == set(links)
        np.testing.assert_allclose(matrix_of(tmp_path / "a.png", 4, 5), weights, atol=0.01)

    @pytest.mark.slow
    def test_sentences_of_every_length_stay_readable(self, tmp_path: Path) -> None:
        """Pictures grow with the sentences; letters shrink, but neither below 9 points nor beyond their cell."""
        sizes = []
        for words in (3, 20, 40):
            source, weights = [f"word{number}" for number in range(words)], random_weights(words, words)
            draw_attention(tmp_path / "a.png", source, source[:-1], weights)
            sizes.append(imread(tmp_path / "a.png").shape)
            np.testing.assert_allclose(matrix_of(tmp_path / "a.png", words, words), weights, atol=0.01)
            assert 9 <= letter_size(cell_size(words)) < 72 * cell_size(words)
        assert sizes[0] < sizes[1] < sizes[2] and sizes[0][1] < sizes[1][1] < sizes[2][1]
        assert max(sizes[2]) < 2500, "40 words fit on a screen"

    def test_arrays_that_do_not_fit_are_refused(self, tmp_path: Path) -> None:
        for shape in ((2, 5), (5, 5), (4, 4)):
            with pytest.raises(ValueError, match="weights"):
                draw_attention(tmp_path / "a.png", SOURCE, TARGET, np.zeros(shape))
        with pytest.raises(ValueError, match="gates"):
            draw_gates(tmp_path / "a.png", SOURCE, TARGET, np.zeros((4, 5)), np.zeros((4, 5)), np.zeros(3))
        assert list(tmp_path.iterdir()) == []


class TestGates:
    def draw(self, folder: Path, gates: np.ndarray | None) -> tuple[np.ndarray, list[Box]]:
        path = folder / "a.png"
        draw_gates(path, SOURCE, TARGET, random_weights(4, 5), random_weights(4, 5, seed=2), gates, "of a hen")
        image = imread(path)
        return image, boxes(image, 0.9 * 4 * cell_size(5) * DPI)

    def test_two_matrices_above_a_strip(self, tmp_path: Path) -> None:
        gates = np.array([0.1, 0.9, 0.5, 0.0])
        image, (left, right, strip) = self.draw(tmp_path, gates)
        np.testing.assert_allclose(weights_of(cells(image, left, 4, 5)), random_weights(4, 5), atol=0.01)
        np.testing.assert_allclose(weights_of(cells(image, right, 4, 5)), random_weights(4, 5, seed=2), atol=0.01)
        assert left[1] < right[0] and left[2:] == right[2:], "side by side"
        assert strip[2] > left[3], "the strip is below"
        colours = cells(image, strip, 1, 4)[0]
        np.testing.assert_allclose(colours, plt.get_cmap("Blues")(gates)[:, :3], atol=0.01)
        darkest_first = np.argsort(colours.mean(axis=1)).tolist()
        assert darkest_first == np.argsort(-gates).tolist(), "the more of the word context, the deeper"

    def test_a_model_without_gates_has_no_strip(self, tmp_path: Path) -> None:
        _, strip = self.draw(tmp_path, None)
        assert len(strip) == 2


class TestLetters:
    @pytest.mark.slow
    @pytest.mark.parametrize("word", ["彼は", "größer", "мыло", "\ue123", "$\\frac$", "</script>", "x" * 200, "a\0b"])
    def test_any_word_is_drawn_without_a_warning(self, tmp_path: Path, word: str) -> None:
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # what another test left open may be collected here
            draw_attention(tmp_path / "a.png", [word, "a"], [word], random_weights(2, 2), title=word[:20])
            draw_gates(tmp_path / "b.png", [word, "a"], [word], *[random_weights(2, 2)] * 2, np.array([0, 1]))
            attention_maps({word[:20]: random_weights(2, 2)}, ["<s>", word], [word, "</s>"], tmp_path / "c.png")
        assert [str(warning.message) for warning in messages] == []
        assert max(imread(tmp_path / "a.png").shape) < 900
        assert plt.get_fignums() == [], "every figure is closed"

    def test_every_head_of_every_block_has_a_map(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """With its weights up to the diagonal, and blank beyond."""
        drawn, show = [], plt.Axes.imshow
        monkeypatch.setattr(plt.Axes, "imshow", lambda axes, data, **how: drawn.append(data) or show(axes, data, **how))
        weights = np.stack([[random_weights(3, 3, seed) for seed in (1, 2)], [random_weights(3, 3, 3)] * 2])
        head_maps(weights, ["<s>", "$a$", "b"], ["$a$", "b", "</s>"], tmp_path / "heads.png")
        assert len(drawn) == 4 and imread(tmp_path / "heads.png").shape[0] > 200
        for data, expected in zip(drawn, weights.reshape(4, 3, 3), strict=True):
            assert (data.mask == np.triu(np.ones((3, 3)), k=1)).all()
            np.testing.assert_array_equal(data.data, expected)
        assert plt.get_fignums() == [], "every figure is closed"

    def test_long_words_lose_their_middle(self) -> None:
        assert shorten("a" * 24) == "a" * 24
        assert shorten("Donaudampfschiff" + "x" * 50 + "kapitän") == "Donaudampfsc\N{HORIZONTAL ELLIPSIS}xxxxkapitän"

    def test_letters_that_no_font_has_are_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(heatmaps, "WIDE_FONTS", ())
        assert letters_without_picture(["彼は", "größer", "彼"]) == "は彼"

    def test_only_installed_fonts_are_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(heatmaps, "WIDE_FONTS", ("A font of nobody", "STIXGeneral"))
        assert heatmaps.fonts() == ["DejaVu Sans", "STIXGeneral"]
