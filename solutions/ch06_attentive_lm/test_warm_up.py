"""Graders of warm_up.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import close, equal, task


@task("6.1")
def test_a_context_by_hand(work):
    states, scores = np.array([2.0, -1.0]), np.array([0.0, np.log(3)])
    expected = float(states @ np.exp(scores)) / np.exp(scores).sum()
    message = "c_3: which states are in the memory when step 3 attends? Their weights are exp(score) / the sum of those"
    close(work.context_at_step_three(), float(expected), message, tolerance=1e-4)


@task("6.1")
def test_how_many_scores(work):
    message = "4 words: step t of the 5 steps attends to t - 1 states"
    equal(work.scores_of_a_sentence(4, "combined"), 0 + 1 + 2 + 3 + 4, f"combined, {message}")
    equal(work.scores_of_a_sentence(4, "single"), 4, f"single, {message}")


@task("6.1")
def test_what_attention_costs(work):
    """The chapter's own models are counted."""
    from chapters.attentive_lm.model import AttentiveLM

    def size(score):
        model = AttentiveLM(Vocabulary(["a"]), hidden_size=5, score=score)
        return model.collection.parameter_count()

    for score in ("single", "combined"):
        message = f"H = 5, {score}: the vectors and matrices of the score, and what W_c grows by"
        equal(work.more_parameters(5, score), size(score) - size("none"), message)
