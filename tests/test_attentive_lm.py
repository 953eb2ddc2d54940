"""The attentive language model equals its equations, learns with every parameter, and never looks ahead."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.batching import Batch, make_batch
from common.checkpoint import count_parameters
from common.evaluation import sentence_log_probs
from common.vocab import Vocabulary
from tests import attentive_reference as reference
from tests.helpers import load_chapter_module

AttentiveLM = load_chapter_module("06_attentive_lm", "model").AttentiveLM
PRESETS = load_chapter_module("06_attentive_lm", "settings").PRESETS

SCORES = ("single", "combined", "none")
ATTENTIVE = ("single", "combined")
V, H = 7, 3
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [], [3, 3, 2, 6]]  # of ids; of no word too
LONG = [0, 4, 2, 6, 3, 3, 5]  # inputs of seven steps


def vocabulary(size: int) -> Vocabulary:
    return Vocabulary(f"w{number}" for number in range(2, size))


def make_model(score: str, layers: int = 2, dropout: float = 0.0, scale: float = 1.0, **options):
    """A small model; with `scale` its parameters are random numbers, without they start as in training."""
    model = AttentiveLM(vocabulary(V), H, layers, score, dropout, **options)
    if scale:
        reference.randomise(model, scale)
    return model


def whole_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def loss_of(model, batch: Batch) -> float:
    dy.renew_cg()
    return model.loss(batch).scalar_value()


def gradients(model, batch: Batch) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch for every parameter."""
    for parameter in [*model.collection.parameters_list(), *model.collection.lookup_parameters_list()]:
        parameter.scale_gradient(0)
    dy.renew_cg()
    loss = model.loss(batch)
    loss.forward()
    loss.backward()
    return {name: p.grad_as_array().astype(np.float64).copy() for name, p in reference.parameters_of(model).items()}


def column(ids: list[int]) -> np.ndarray:
    """The inputs of one sentence, (time, 1)."""
    return np.array(ids)[:, None]


def distributions(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word) at every step, (V, T, B), from the batched computation."""
    dy.renew_cg()
    log_probs = dy.log_softmax(model.logits(model.states(inputs))).npvalue()
    return log_probs.reshape(len(model.vocab), *inputs.shape, order="F")


def advance_through(model, inputs: np.ndarray) -> tuple[list, np.ndarray]:
    """Step by step: the states after each word, and log P(next word), (V, T, B)."""
    states, steps = [model.start(inputs.shape[1])], []
    for words in inputs:
        state, log_probs = model.advance(states[-1], words.tolist())
        states.append(state)
        steps.append(log_probs.T)
    return states, np.stack(steps, axis=1)


# --- the equations


@pytest.mark.equation("salton2017", 1)
@pytest.mark.parametrize("score", SCORES)
def test_a_sentence_costs_what_the_chain_rule_says(score: str) -> None:
    model, batch = make_model(score), whole_batch()
    weights, found = reference.weights_of(model), model.log_probs(whole_batch())
    expected = [reference.sentence_log_probs(score, weights, sentence) for sentence in SENTENCES]
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, batch) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@pytest.mark.equation("salton2017", 2)
@pytest.mark.parametrize("layers", [1, 3])
def test_states_run_through_all_layers(layers: int) -> None:
    model = make_model("single", layers)
    states = model.states(column(LONG))
    assert states.dim() == ((H, len(LONG)), 1)
    expected = [step["h"] for step in reference.run("single", reference.weights_of(model), LONG)]
    np.testing.assert_allclose(states.npvalue().T, expected, atol=1e-6)


@pytest.mark.equation("salton2017", 3, 4, 5, 6)
@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_model_attends_with_the_score_it_is_told(score: str) -> None:
    model = make_model(score)
    steps = reference.run(score, reference.weights_of(model), LONG)
    states = model.states(column(LONG))
    found = model.weights(states).npvalue()
    for t, step in enumerate(steps):
        np.testing.assert_allclose(found[:t, t], step["a"], atol=1e-6)
    other = reference.run("single" if score == "combined" else "combined", both_scores(model), LONG)
    assert np.abs(found[:6, 6] - other[6]["a"]).max() > 1e-3, "the two scores must differ for this test to tell"


def both_scores(model) -> dict[str, np.ndarray]:
    """The model's weights, with a W_q where it has none."""
    return {"W_q": np.random.default_rng(8).normal(size=(H, H)), **reference.weights_of(model)}


@pytest.mark.equation("salton2017", 7, 8)
@pytest.mark.parametrize("score", SCORES)
def test_output_merges_state_and_context(score: str) -> None:
    model = make_model(score)
    weights, rng = reference.weights_of(model), np.random.default_rng(9)
    merged = rng.normal(size=(H if score == "none" else 2 * H, 4))
    found = model.output(dy.inputTensor(merged)).npvalue()
    for t in range(4):
        h_prime = np.tanh(
            [sum(weights["W_c"][j, k] * merged[k, t] for k in range(len(merged))) + weights["b_c"][j] for j in range(H)]
        )
        expected = [sum(weights["embedding"][k, j] * h_prime[j] for j in range(H)) for k in range(V)] + weights["b"]
        np.testing.assert_allclose(found[:, t], expected, atol=1e-5)


@pytest.mark.equation("salton2017", 1, 2, 3, 4, 5, 6, 7, 8)
@pytest.mark.parametrize("score", SCORES)
def test_stepwise_and_batched_distributions_are_those_of_the_equations(score: str) -> None:
    model = make_model(score)
    inputs = np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    batched, (_, stepwise) = distributions(model, inputs), advance_through(model, inputs)
    weights = reference.weights_of(model)
    for sentence in range(2):
        expected = [step["log_probs"] for step in reference.run(score, weights, inputs[:, sentence].tolist())]
        np.testing.assert_allclose(batched[:, :, sentence].T, expected, atol=1e-5)
        np.testing.assert_allclose(stepwise[:, :, sentence].T, expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(batched).sum(axis=0), 1, atol=1e-5)
    np.testing.assert_allclose(np.exp(stepwise).sum(axis=0), 1, atol=1e-5)


# --- learning


@pytest.mark.parametrize("score", SCORES)
def test_gradients_are_those_of_finite_differences(score: str) -> None:
    """Central differences of the float64 loss by hand, element by element: DyNet's own loss is too coarse for them."""
    model, sentences = make_model(score, layers=1), [[2, 3, 4], [5, 2]]
    found, weights = gradients(model, make_batch(sentences, [0, 1])), reference.weights_of(model)
    step = 1e-5

    def loss() -> float:
        return -sum(sum(reference.sentence_log_probs(score, weights, sentence)) for sentence in sentences)

    assert set(found) == set(weights)
    for name, array in weights.items():
        expected = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            before, sides = array[place], []
            for side in (before + step, before - step):
                array[place] = side
                sides.append(loss())
            array[place] = before
            expected[place] = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose(found[name], expected, rtol=1e-3, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("score", SCORES)
def test_the_loss_falls_along_its_gradient(score: str) -> None:
    """DyNet's own loss, two layers, in the direction of the gradient: it changes by the gradient's length."""
    model, batch = make_model(score), whole_batch()
    slopes, weights = gradients(model, batch), reference.weights_of(model)
    length, step = np.sqrt(sum((slope**2).sum() for slope in slopes.values())), 1e-2
    sides = []
    for side in (step, -step):
        reference.set_weights(model, {name: weights[name] + side * slopes[name] / length for name in weights})
        sides.append(loss_of(model, batch))
    assert (sides[0] - sides[1]) / (2 * step) == pytest.approx(length, rel=2e-3)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_every_attention_parameter_learns(score: str) -> None:
    """From the paper's start at once."""
    model = make_model(score, scale=0, merge="uniform")
    found = gradients(model, whole_batch())
    for name in reference.parameters_of(model):
        assert np.abs(found[name]).max() > 0, name
    assert (np.abs(found["W_c"]) > 0).all() and (np.abs(found["v_s"]) > 0).all()


@pytest.mark.parametrize("score", ATTENTIVE)
def test_from_the_identity_attention_learns_after_the_first_step(score: str) -> None:
    """At first the context counts for nothing, so no score matters; its half of W_c moves, then all of them do."""
    model = make_model(score, scale=0, merge="identity")
    names = ["v_s", "W_s"] + ["W_q"] * (score == "combined")
    found = gradients(model, whole_batch())
    assert all((found[name] == 0).all() for name in names)
    assert (np.abs(found["W_c"]) > 0).all()
    trainer = dy.SimpleSGDTrainer(model.collection, 0.1)
    gradients(model, whole_batch())
    trainer.update()
    found = gradients(model, whole_batch())
    assert all(np.abs(found[name]).max() > 0 for name in names)
    assert (np.abs(found["W_c"]) > 0).all()


@pytest.mark.parametrize("score", ATTENTIVE)
def test_scores_learn_from_two_past_states_on(score: str) -> None:
    """A past of one state has weight 1 whatever its score: sentences of one word teach the scores nothing."""
    model = make_model(score)
    names = ["v_s", "W_s"] + ["W_q"] * (score == "combined")
    one, two = (gradients(model, make_batch([[2, 3][:length]], [0])) for length in (1, 2))
    for name in names:
        assert np.abs(one[name]).max() < 1e-6 < 1e-4 < np.abs(two[name]).max(), name


@pytest.mark.parametrize("score", SCORES)
def test_two_sentences_can_be_learnt_by_heart(score: str) -> None:
    model = AttentiveLM(vocabulary(V), 16, 1, score, init_scale=0.1)
    batch = make_batch([[2, 3, 4, 1, 6], [5, 2]], [0, 1])
    trainer = dy.AdamTrainer(model.collection, 0.03)
    for _ in range(60):
        dy.renew_cg()
        model.loss(batch).backward()
        trainer.update()
    log_probs = model.log_probs(batch)
    np.testing.assert_allclose(np.exp(log_probs[0]), 0.5, atol=0.05)  # which of the two it is, no model can know
    assert np.exp(log_probs[1:][batch.mask[1:] > 0]).min() > 0.95


# --- memory and causality


@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_memory_holds_all_past_states(score: str) -> None:
    model, inputs = make_model(score), np.array([LONG, LONG[:1] + LONG[:0:-1]]).T
    all_states = model.states(inputs).npvalue()
    states, _ = advance_through(model, inputs)
    assert [len(state.memory) for state in states] == list(range(len(LONG) + 1))
    for t, held in enumerate(states[-1].memory):
        np.testing.assert_allclose(held.npvalue(), all_states[:, t], atol=1e-6)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_every_past_state_is_attended_to(score: str) -> None:
    model = make_model(score)
    weights = model.weights(model.states(column(LONG))).npvalue()
    past = np.triu(np.ones((len(LONG), len(LONG)), dtype=bool), k=1)
    assert (weights[past] > 0).all() and (weights[~past] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=0), [0] + [1] * (len(LONG) - 1), atol=1e-6)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_the_first_context_is_zero(score: str) -> None:
    model = make_model(score)
    assert (model.context([], model.states(column([0]))).npvalue() == 0).all()
    before = distributions(model, column(LONG))
    W_c = reference.weights_of(model)["W_c"]
    W_c[:, H:] += 1
    reference.set_weights(model, {"W_c": W_c})
    after = distributions(model, column(LONG))
    np.testing.assert_allclose(after[:, 0], before[:, 0], atol=1e-6)
    assert (np.abs(after[:, 1:] - before[:, 1:]).max(axis=0) > 1e-3).all()


@pytest.mark.parametrize("score", SCORES)
def test_a_future_word_never_changes_a_past_prediction(score: str) -> None:
    model = make_model(score)
    before = distributions(model, column(LONG))
    for changed in range(1, len(LONG)):
        words = LONG.copy()
        words[changed] = 1 + words[changed] % (V - 1)
        after = distributions(model, column(words))
        np.testing.assert_allclose(after[:, :changed], before[:, :changed], rtol=0, atol=1e-6)
        assert (np.abs(after[:, changed:] - before[:, changed:]).max(axis=0) > 1e-5).all()


def test_no_score_is_a_context_that_counts_for_nothing() -> None:
    plain, attentive = make_model("none"), make_model("single")
    shared = reference.weights_of(plain)
    W_c = np.concatenate([shared.pop("W_c"), np.zeros((H, H))], axis=1)
    reference.set_weights(attentive, {**shared, "W_c": W_c})
    batch = whole_batch()
    np.testing.assert_allclose(attentive.log_probs(batch), plain.log_probs(batch), atol=1e-6)
    assert loss_of(attentive, batch) == pytest.approx(loss_of(plain, batch), rel=1e-6)


# --- batches


@pytest.mark.parametrize("score", SCORES)
def test_a_batch_is_the_sum_of_its_sentences(score: str) -> None:
    model = make_model(score)
    alone = [make_batch(SENTENCES, [number]) for number in range(len(SENTENCES))]
    assert loss_of(model, whole_batch()) == pytest.approx(sum(loss_of(model, batch) for batch in alone), rel=1e-6)
    together = gradients(model, whole_batch())
    each = [gradients(model, batch) for batch in alone]
    for name, gradient in together.items():
        np.testing.assert_allclose(gradient, sum(one[name] for one in each), rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("score", SCORES)
def test_padding_changes_nothing(score: str) -> None:
    model, batch = make_model(score), whole_batch()
    garbled = batch._replace(
        inputs=np.where(batch.mask > 0, batch.inputs, 5), targets=np.where(batch.mask > 0, batch.targets, 3)
    )
    real = batch.mask > 0
    np.testing.assert_allclose(model.log_probs(garbled)[real], model.log_probs(batch)[real], atol=1e-6)
    assert loss_of(model, garbled) == pytest.approx(loss_of(model, batch), rel=1e-6)
    before, after = gradients(model, batch), gradients(model, garbled)
    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=1e-5, err_msg=name)


words = st.integers(2, V - 1).map(lambda number: f"w{number}")
sentence_lists = st.lists(st.lists(words, max_size=9), min_size=1, max_size=8)


@pytest.mark.parametrize("score", SCORES)
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(sentences=sentence_lists, batch_size=st.integers(1, 8))
def test_sorting_and_batching_never_change_a_log_probability(
    score: str, sentences: list[list[str]], batch_size: int
) -> None:
    model = make_model(score)
    for sentence, found in zip(sentences, sentence_log_probs(model, sentences, batch_size=batch_size), strict=True):
        (alone,) = sentence_log_probs(model, [sentence])
        assert found.shape == (len(sentence) + 1,)
        np.testing.assert_allclose(found, alone, atol=1e-5)


# --- settings


def test_dropout_is_off_outside_training() -> None:
    plain, dropping, batch = make_model("combined"), make_model("combined", dropout=0.5), whole_batch()
    assert np.array_equal(dropping.log_probs(batch), plain.log_probs(batch))
    inputs = column(LONG)
    assert np.array_equal(advance_through(dropping, inputs)[1], advance_through(plain, inputs)[1])
    assert loss_of(plain, batch) == loss_of(plain, batch)
    assert len({loss_of(dropping, batch) for _ in range(5)}) == 5


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_on_what_enters_and_leaves_each_layer(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    """As many dropouts as layers and one more, each of the rate that was asked for; none between time steps."""
    rates = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    loss_of(make_model("single", layers, dropout=0.3), whole_batch())
    assert rates == [0.3] * (layers + 1)


def test_weights_start_as_asked() -> None:
    identity, uniform = (
        make_model("single", scale=0, merge=merge, init_scale=0.05) for merge in ("identity", "uniform")
    )
    assert np.array_equal(identity.W_c.as_array(), np.eye(H, 2 * H))
    for name in ("embedding", "W_c", "W_s", "v_s", "W_x0", "W_h1"):
        weights = reference.weights_of(uniform)[name]
        assert 0 < np.abs(weights).max() <= 0.05, name
    assert not uniform.b.as_array().any() and not uniform.b_c.as_array().any()
    frequencies = np.log(np.arange(1, V + 1) / 28)
    model = make_model("single", scale=0, log_frequencies=frequencies)
    np.testing.assert_allclose(model.b.as_array(), frequencies, rtol=1e-6)


class CountingCollection:
    """Stands for DyNet's collection of parameters and only counts them: 50 million need not be in memory."""

    def __init__(self) -> None:
        self.total = 0

    def add_parameters(self, shape: int | tuple[int, ...], init=None) -> None:
        self.total += int(np.prod(shape))

    add_lookup_parameters = add_parameters


def preset_model(name: str, vocabulary_size: int, score: str):
    preset = PRESETS[name]
    return AttentiveLM(
        vocabulary(vocabulary_size), preset["hidden_size"], preset["layers"], score, merge=preset["merge"]
    )


def test_the_papers_preset_has_14_million_parameters() -> None:
    """The real model, with the 10,000 words of the Penn Treebank."""
    total = count_parameters(preset_model("paper-ptb", 10_000, "single").collection)
    assert round(total / 1e6, 1) == 14.5, f"{total:,}"


@pytest.mark.parametrize(
    ("preset", "vocabulary_size", "score", "millions"),
    [
        ("paper-ptb", 10_000, "single", 14.5),
        ("paper-ptb", 10_000, "combined", 15),
        ("paper-wikitext2", 33_278, "single", 50),
    ],
)
def test_the_papers_sizes(
    monkeypatch: pytest.MonkeyPatch, preset: str, vocabulary_size: int, score: str, millions: float
) -> None:
    monkeypatch.setattr(dy, "ParameterCollection", CountingCollection)
    total = preset_model(preset, vocabulary_size, score).collection.total
    assert total / 1e6 == pytest.approx(millions, rel=0.06), f"{total:,}"
