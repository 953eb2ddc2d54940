"""Graders of warm_up.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import close, equal, task

MUTANTS = [
    ("6.1", "(1 * 2 + 3 * -1) / 4", "(1 * 2 + 3 * -1 + 12 * 5) / 16"),
    ("6.1", "(1 * 2 + 3 * -1) / 4", "1 * 2 + 3 * -1"),
    ("6.1", "(1 * 2 + 3 * -1) / 4", "(2 - 1) / 2"),
    ("6.1", "(1 * 2 + 3 * -1) / 4", "0 * 2 + 1.0986 * -1"),
    ("6.1", "words * (words + 1) // 2", "words**2"),
    ("6.1", "words * (words + 1) // 2", "words * (words - 1) // 2"),
    ("6.1", "words * (words + 1) // 2", "(words + 1) * (words + 2) // 2"),
    ("6.1", 'if score == "combined" else words', 'if score == "combined" else words + 1'),
    ("6.1", "return of_scores + hidden_size**2", "return of_scores"),
    ("6.1", '(2 if score == "combined" else 1)', "2"),
]


@task("6.1")
def test_a_context_by_hand(work):
    states, scores = np.array([2.0, -1.0]), np.array([0.0, np.log(3)])
    expected = float(states @ np.exp(scores)) / np.exp(scores).sum()
    message = "c_3: which states are in the memory when step 3 attends? Their weights are exp(score) / the sum of those"
    close(work.context_at_step_three(), float(expected), message, tolerance=1e-4)


@task("6.1")
def test_how_many_scores(work):
    for words in (0, 1, 4, 35):
        pairs = {(i, t) for t in range(1, words + 2) for i in range(1, t)}
        message = f"{words} words: step t of the {words + 1} steps attends to t - 1 states"
        equal(work.scores_of_a_sentence(words, "combined"), len(pairs), f"combined, {message}")
        equal(work.scores_of_a_sentence(words, "single"), len({i for i, _ in pairs}), f"single, {message}")


@task("6.1")
def test_what_attention_costs(work):
    """The chapter's own models are counted."""
    from chapters.attentive_lm.model import AttentiveLM

    def size(score):
        model = AttentiveLM(Vocabulary(["a"]), hidden_size=hidden, score=score)
        return sum(one.as_array().size for one in model.collection.parameters_list())

    for hidden in (2, 5):
        for score in ("single", "combined"):
            message = f"H = {hidden}, {score}: the vectors and matrices of the score, and what W_c grows by"
            equal(work.more_parameters(hidden, score), size(score) - size("none"), message)
