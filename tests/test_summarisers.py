"""What ABS and RAS can tell apart, and what they cannot (their laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from tests.summariser_models import CASES, H, Settings, make_model

each_case = pytest.mark.parametrize("case", CASES)


# --- the equations


def test_a_bag_of_words_has_no_order_and_the_others_have() -> None:
    for case, differs in (("bag of words", False), ("abs", True), ("ras-elman", True)):
        model = make_model(case)
        dy.renew_cg()
        _, log_probs = model.advance(model.encode([[2, 3, 4, 5], [5, 3, 2, 4]]), [2, 2])
        _, again = model.advance(model.encode([[2, 3, 4, 5], [2, 3, 4, 5]]), [2, 2])
        assert np.allclose(again[0], again[1], atol=1e-6)
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-3) == differs, case


def test_abs_reads_a_source_forwards_and_backwards_alike() -> None:
    """Its windows reach as far to either side; a convolution has a matrix for each place of the window."""
    for case, differs in (("abs", False), ("ras-elman", True)):
        model = make_model(case)
        dy.renew_cg()
        _, log_probs = model.advance(model.encode([[2, 3, 4, 4, 5], [5, 4, 4, 3, 2]]), [2, 2])
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-3) == differs, case


def test_abs_forgets_what_is_older_than_its_context_and_ras_does_not() -> None:
    for case, differs in (("abs", False), ("ras-elman", True), ("ras-lstm", True)):
        model = make_model(case)  # of ABS, a context of three words
        dy.renew_cg()
        state = model.encode([[2, 3, 4]] * 2)
        for words in ([2, 4], [3, 3], [2, 2], [4, 4]):
            state, log_probs = model.advance(state, words)
        assert (np.abs(log_probs[0] - log_probs[1]).max() > 1e-4) == differs, case


def test_places_behind_the_last_share_its_embedding() -> None:
    model = make_model("ras-elman")
    dy.renew_cg()
    rows = model.place_embedding.as_array()
    np.testing.assert_allclose(model.places(6).npvalue().T, rows[[0, 1, 2, 3, 3, 3]], rtol=1e-6)


# --- programs


def test_a_flag_of_no_system_in_particular_is_free() -> None:
    assert Settings(system="abs", hidden_size=H, dropout=0.3, layers=2).layers == 2
    with pytest.raises(UserError, match="--positions 9: only for"):
        Settings(system="abs", positions=9)
