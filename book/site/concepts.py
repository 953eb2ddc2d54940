"""The map of concepts on the first page of the site: what needs what, a column for each lesson.

Each concept is a term of the glossary and leads to its definition.
"""

from __future__ import annotations

from html import escape

from book.site.edition import document
from book.terms import Term, glossary

NEEDS = {
    "language model": (),
    "perplexity": ("language model",),
    "n-gram": ("language model",),
    "smoothing": ("n-gram",),
    "interpolation": ("smoothing",),
    "softmax": ("language model",),
    "log-linear model": ("softmax", "n-gram"),
    "loss": ("perplexity",),
    "gradient": ("loss", "softmax"),
    "stochastic gradient descent": ("gradient",),
    "Adam": ("stochastic gradient descent",),
    "early stopping": ("stochastic gradient descent",),
    "hidden layer": ("log-linear model",),
    "tanh": ("hidden layer",),
    "computation graph": ("hidden layer",),
    "back-propagation": ("computation graph", "gradient"),
    "embedding": ("hidden layer", "n-gram"),
    "dropout": ("embedding", "early stopping"),
    "weight tying": ("embedding", "softmax"),
    "recurrent neural network": ("embedding", "tanh"),
    "back-propagation through time": ("recurrent neural network", "back-propagation"),
    "vanishing gradient": ("back-propagation through time",),
    "LSTM": ("vanishing gradient",),
    "padding mask": ("recurrent neural network",),
    "attention": ("LSTM", "softmax"),
    "query": ("attention",),
    "context vector": ("attention",),
    "causal mask": ("attention", "padding mask"),
    "encoder-decoder": ("LSTM",),
    "beam search": ("encoder-decoder",),
    "BLEU": ("beam search",),
    "annotation": ("encoder-decoder", "context vector"),
    "alignment": ("annotation", "query"),
    "word attention": ("annotation", "embedding"),
    "contextual gate": ("word attention",),
    "exposure bias": ("encoder-decoder",),
    "minimum risk training": ("BLEU", "exposure bias"),
    "positional encoding": ("causal mask",),
    "scaled dot product": ("query",),
    "attention head": ("scaled dot product",),
    "layer normalisation": ("attention head",),
}
"""What a concept needs directly. What these need again is not repeated."""
WIDTH, GAP, ROW, HEIGHT = 150, 26, 46, 30
HEAD = "Map of concepts"


def concept_map() -> str:
    """The map as a section of a page: a drawing whose boxes are links. Raises `KeyError` for what is no term."""
    terms = {term.name: term for term in glossary()}
    columns = sorted({terms[name].lesson.split("/")[1] for name in NEEDS})
    places: dict[str, tuple[float, float]] = {}
    filled = dict.fromkeys(columns, 0)
    for name in NEEDS:
        column = terms[name].lesson.split("/")[1]
        places[name] = columns.index(column) * (WIDTH + GAP), 34 + filled[column] * ROW
        filled[column] += 1
    width = len(columns) * (WIDTH + GAP) - GAP
    height = 34 + max(filled.values()) * ROW
    parts = [
        f'<text class="lesson" x="{number * (WIDTH + GAP) + WIDTH / 2}" y="18">{int(column[:2])}</text>'
        for number, column in enumerate(columns)
    ]
    parts += [arrow(places[need], places[name]) for name, needs in NEEDS.items() for need in needs]
    parts += [box(terms[name], *place) for name, place in places.items()]
    drawing = "\n".join(parts)
    return (
        f"\n## {HEAD}\n\nWhat needs what, from left to right; the numbers are those of the lessons. "
        f"Each box leads to the place where\nthe concept is defined.\n\n"
        f'<div class="concepts" tabindex="0" role="region" aria-label="{HEAD}"><svg viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">\n{drawing}\n</svg></div>\n'
    )


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A line from the right side of one box to the left side of another; within a column, along its left side."""
    x, y = start[0] + WIDTH, start[1] + HEIGHT / 2
    to_x, to_y = end[0], end[1] + HEIGHT / 2
    if start[0] == end[0]:
        x, bend = start[0], start[0] - GAP / 2
        return f'<path d="M{x} {y}C{bend} {y} {bend} {to_y} {to_x} {to_y}"/>'
    middle = (x + to_x) / 2
    return f'<path d="M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}"/>'


def box(term: Term, x: float, y: float) -> str:
    """A concept as a box that is a link."""
    address = f"{document(term.lesson)}.html#{term.anchor}"
    return (
        f'<a href="{address}"><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{x + WIDTH / 2}" y="{y + HEIGHT / 2 + 4}">{escape(term.name)}</text></a>'
    )
