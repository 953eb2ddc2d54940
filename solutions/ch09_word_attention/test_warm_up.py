"""Graders of warm_up.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task


@task("9.1")
def test_what_a_gate_lets_through(work):
    o = 1 / (1 + np.exp(-np.array([-np.log(3), 0.0])))
    expected = np.concatenate([o * [4.0, 2.0], (1 - o) * [8.0, 6.0]])
    answer = work.what_the_decoder_reads()
    if isinstance(answer, list) and len(answer) == 4 and all(isinstance(number, (int, float)) for number in answer):
        for number, (alpha, beta) in enumerate(((4, 8), (2, 6))):
            total = answer[number] / alpha + answer[number + 2] / beta
            message = f"number {number + 1} of both contexts: the two shares must sum to 1, and yours to {total:.4g}"
            check(abs(total - 1) < 1e-3, message)
    message = "o = sigmoid of -log 3 and of 0; then o . (4, 2) above (1 - o) . (8, 6)"
    close(answer, expected.tolist(), message, tolerance=1e-3)


@task("9.1")
def test_what_word_attention_costs(work):
    """The chapter's own models are counted."""
    from chapters.word_attention.model import WordAttentionModel
    from chapters.word_attention.settings import Settings

    def size(variant):
        settings = Settings(hidden_size=10, variant=variant, query="state", cell="gru")
        model = WordAttentionModel.from_settings(settings, Vocabulary(["a"]), Vocabulary(["b"]))
        return model.collection.parameter_count()

    for variant in ("word", "gates"):
        message = f"{variant}, H = 10: all that is new, and by how much old matrices grow"
        equal(work.more_parameters(variant, 10), size(variant) - size("rnnsearch"), message)
