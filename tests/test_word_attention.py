"""Where word attention looks, in either reading of its query (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from tests.word_attention_models import (
    QUERIES,
    VARIANTS,
    make_model,
)

each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_query = pytest.mark.parametrize("query", QUERIES)


# --- the equations


def test_only_with_the_word_in_the_query_does_a_step_look_where_its_last_word_says() -> None:
    """The same source, the same state before, another word y_{i-1}: Eq. 1 as it stands looks at the same place."""
    for query, differs in (("state", False), ("word", True)):
        model = make_model(query=query, layers=1)
        dy.renew_cg()
        state, _ = model.advance(model.encode([[2, 3, 4, 5]] * 2), [2, 3])
        for weights in (state.attention, state.word_attention):
            assert (np.abs(weights[0] - weights[1]).max() > 1e-3) == differs, query


# --- learning
