"""Sources to translate, and pairs that every translation model learns by heart.

Models have the vocabularies, and batches the pairs, of `attention_models`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.search.searches import Decoding, translate
from common.text.batching import make_batch
from common.text.pairs import Pair, PairBatch
from tests.learning import learn

SENTENCES = [["hen", "sees", "ox"], ["ox"], ["waits", "hen", "hen", "sees"], ["yak", "ox"], ["sees"]]
TWO_ORDERS = [Pair(["hen", "sees", "ox"], ["ba", "do", "ku"]), Pair(["ox", "sees", "hen"], ["do", "ba", "ku"])]
"""Two sources with the same words in another order, and so are the targets."""
START, BUDGET = 0.5, 300
"""Scale of the weights from which pairs are learnt by heart, and steps. Of 78 trainings, 13 kinds of models from six
such starts each, the slowest took 55 steps. From the weights of a real training, which are smaller, some models stay on
the plateau where both targets are equally probable: one of three trainings of a summariser, for more than 600 steps."""


def learn_by_heart(model: Any, pairs: Sequence[Pair] = TWO_ORDERS, fixed: Sequence[Any] = ()) -> None:
    """Train on two pairs of three words: they get nearly all probability, and are what the sources translate into."""
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    batch = PairBatch(np.array(sources).T, np.ones((3, 2)), make_batch(targets, [0, 1]))
    learn(model, lambda: model.loss(batch), lambda: np.exp(model.log_probs(batch)).min() > 0.9, BUDGET, fixed)
    result = translate(model, [pair.source for pair in pairs], Decoding())
    assert [hypotheses[0].words for hypotheses in result] == [pair.target for pair in pairs]
