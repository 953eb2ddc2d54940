"""Graders of warm_up.py."""

from common.text.vocab import Vocabulary
from solutions.checks import close, equal, task


@task("11.1")
def test_a_score_by_hand(work):
    message = "the products of the four pairs of numbers, added up, over the root of the size of a key"
    close(work.scaled_score(), (6 + 4 - 2 + 0) / 2, message)


@task("11.1")
def test_a_context_by_hand(work):
    message = "scale the dot products, leave out what lies ahead of position 2, then weights e^score over their sum"
    close(work.second_context(), 2 * 0.25 - 1 * 0.75, message, tolerance=1e-4)


@task("11.1")
def test_sizes(work):
    """The chapter's own models are counted."""
    from chapters.transformer.model import TransformerLM

    def parameters(layers, heads):
        model = TransformerLM(Vocabulary(["a"]), hidden_size=6, inner_size=3, heads=heads, layers=layers)
        return model.collection.parameter_count()

    for heads in (1, 3):
        message = f"H = 6, {heads} head(s), 18 inner units: four matrices of attention, and the network with its biases"
        equal(work.block_parameters(6, heads, 18), parameters(2, heads) - parameters(1, heads), message)
    equal(
        work.cache_size(3, 5, 7), 3 * 7 * (5 + 5), "3 blocks, H = 5, 7 words: a key and a value for each word and block"
    )
