"""Every smoothing at every order, compared on dev."""

from __future__ import annotations

import numpy as np

from common.evaluation.perplexity import evaluate
from common.text.vocab import Vocabulary
from common.training.cost import with_cost
from common.training.setup import Setup

from .counts import Level
from .methods import METHODS
from .picture import perplexity_by_order
from .prefixes import share_possible
from .settings import SMOOTHINGS


def compare(
    setup: Setup, vocab: Vocabulary, levels: list[Level], zero: np.ndarray, dev_ids: list[list[int]]
) -> tuple[str, int]:
    """Show what each smoothing is worth at each order on dev; the best smoothing and its order."""
    log, unk = setup.log, setup.settings.unk
    share = share_possible(setup.corpus.train, setup.corpus.dev)
    log(f"maximum likelihood of whole beginnings (Eq. 5) gives {share:.1%} of dev a probability: what is in train")
    log(f"\n{'perplexity on dev, order':26}" + "".join(f"{order:>10}" for order in range(1, len(levels) + 1)))
    found = {}
    steps = [(smoothing, order) for smoothing in METHODS for order in range(1, len(levels) + 1)]
    for smoothing, order in with_cost(steps, "the comparison of all smoothings"):
        model = METHODS[smoothing](vocab, levels[:order], zero, dev_ids)
        found[smoothing, order] = evaluate(model, setup.corpus.dev, unk).perplexity
        if order == len(levels):
            log(f"{smoothing:26}" + "".join(f"{found[smoothing, n]:10.2f}" for n in range(1, order + 1)))
    oracle = (setup.corpus.oracle("dev") or {}).get("perplexity")
    perplexity_by_order(found, setup.folder / "perplexity_by_order.png", oracle)
    return min((one for one in found if one[0] in SMOOTHINGS), key=found.get)
