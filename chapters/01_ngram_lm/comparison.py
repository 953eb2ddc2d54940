"""Every smoothing at every order, compared on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from common.evaluation.perplexity import evaluate
from common.training.cost import with_cost
from common.training.setup import Setup

from .counts import Level
from .methods import METHODS
from .picture import perplexity_by_order
from .prefixes import share_possible
from .settings import SMOOTHINGS


def best_of_all(
    setup: Setup, levels: Sequence[Level], zero: np.ndarray, dev_ids: list[list[int]]
) -> tuple[Setup, Sequence[Level]]:
    """Show what each smoothing is worth at each order on dev; the setup with the best one, and the levels it needs."""
    smoothing, order = compare(setup, levels, zero, dev_ids)
    settings = replace(setup.settings, smoothing=smoothing, order=order)
    return replace(setup, settings=settings), levels[:order]


def compare(setup: Setup, levels: Sequence[Level], zero: np.ndarray, dev_ids: list[list[int]]) -> tuple[str, int]:
    """The smoothing and the order that are best on dev; prints the table of all."""
    log, vocab, unk = setup.log, setup.vocab, setup.settings.unk
    share = share_possible(setup.corpus.train, setup.corpus.dev)
    log(f"maximum likelihood of whole beginnings (Eq. 5) gives {share:.1%} of dev a probability: what is in train")
    log(f"\n{'perplexity on dev, order':26}" + "".join(f"{order:>10}" for order in range(1, len(levels) + 1)))
    perplexities = {}
    steps = [(smoothing, order) for smoothing in METHODS for order in range(1, len(levels) + 1)]
    for smoothing, order in with_cost(steps, "the comparison of all smoothings"):
        model = METHODS[smoothing](vocab, levels[:order], zero, dev_ids)
        perplexities[smoothing, order] = evaluate(model, setup.corpus.dev, unk).perplexity
        if order == len(levels):
            log(f"{smoothing:26}" + "".join(f"{perplexities[smoothing, n]:10.2f}" for n in range(1, order + 1)))
    oracle = (setup.corpus.oracle("dev") or {}).get("perplexity")
    perplexity_by_order(perplexities, setup.folder / "perplexity_by_order.png", oracle)
    return min((method for method in perplexities if method[0] in SMOOTHINGS), key=lambda method: perplexities[method])
