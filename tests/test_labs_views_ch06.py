"""The views of lab 6, and its small data and quick training, against NumPy float64 and against the model itself."""

from __future__ import annotations

import numpy as np
import pytest

from book.labs.views import ch06 as views, small
from common.errors import UserError
from common.text.batching import make_batch, make_batches
from common.text.corpus import load_corpus
from solutions.checks import train_until
from tests import attentive_reference as reference
from tests.attentive_models import ATTENTIVE, loss_of, make_model

TEXT = "w4 w2 w6 w3 w3"
IDS = [0, 4, 2, 6, 3, 3]


def steps_of(model) -> list[dict[str, np.ndarray]]:
    return reference.run(reference.weights_of(model), IDS)


@pytest.mark.parametrize("score", ATTENTIVE)
def test_a_look_is_the_models_own_computation(score: str) -> None:
    model = make_model(score)
    passage, steps = views.look(model, TEXT), steps_of(model)
    assert passage.read == ["<s>", *TEXT.split()] and passage.predicted == [*TEXT.split(), "</s>"]
    np.testing.assert_allclose(passage.states.T, [step["h"] for step in steps], atol=1e-5)
    expected = [step["log_probs"][target] for step, target in zip(steps, [*IDS[1:], 0], strict=True)]
    np.testing.assert_allclose(passage.log_probs, expected, atol=1e-4)
    own = model.attention(np.array(IDS)[:, None])[:, :, 0].T
    np.testing.assert_allclose(passage.weights, own, atol=1e-6)
    np.testing.assert_allclose(passage.weights.sum(axis=1), [0, 1, 1, 1, 1, 1], atol=1e-5)
    for row, step in zip(passage.weights, steps, strict=True):
        np.testing.assert_allclose(row[: len(step["a"])], step["a"], atol=1e-5)
        assert not row[len(step["a"]) :].any()


def test_another_query_moves_the_combined_score_only() -> None:
    for score in ATTENTIVE:
        model = make_model(score)
        passage, weights = views.look(model, TEXT), reference.weights_of(model)
        memory = [np.array(state, dtype=float) for state in passage.states.T]
        expected = reference.attend(weights, memory[:5], memory[2])
        changed = views.weights_at(model, passage, 6, query_step=3)
        np.testing.assert_allclose(changed, expected, atol=1e-5)
        moved = np.abs(changed - views.weights_at(model, passage, 6)).max()
        assert moved > 0.01 if score == "combined" else moved < 1e-6


def test_sharpness_multiplies_scores() -> None:
    model = make_model("combined")
    passage = views.look(model, TEXT)
    np.testing.assert_allclose(views.weights_at(model, passage, 6, sharpness=0), [0.2] * 5, atol=1e-6)
    own = views.weights_at(model, passage, 6)
    doubled = own**2 / (own**2).sum()  # a softmax of twice the scores
    np.testing.assert_allclose(views.weights_at(model, passage, 6, sharpness=2), doubled, atol=1e-5)


def test_what_is_forgotten_leaves_its_weight_to_the_others() -> None:
    model = make_model("combined")
    passage = views.look(model, TEXT)
    own = views.weights_at(model, passage, 6)
    remembered = np.array([1, 0, 1, 1, 0])
    np.testing.assert_allclose(
        views.weights_at(model, passage, 6, forgotten=(2, 5)), own * remembered / (own @ remembered), atol=1e-5
    )
    with pytest.raises(UserError, match="step 3 has nothing left to attend to"):
        views.weights_at(model, passage, 3, forgotten=(1, 2))


@pytest.mark.parametrize("score", ATTENTIVE)
def test_next_words_follow_from_the_weights(score: str) -> None:
    model = make_model(score)
    passage, steps = views.look(model, TEXT), steps_of(model)
    own = views.next_words(model, passage, 5, views.weights_at(model, passage, 5))
    np.testing.assert_allclose(np.log(own), steps[4]["log_probs"], atol=1e-4)
    weights, w = np.array([0.7, 0.0, 0.1, 0.2]), reference.weights_of(model)
    merged = np.concatenate([steps[4]["h"], sum(a * step["h"] for a, step in zip(weights, steps, strict=False))])
    logits = w["embedding"] @ np.tanh(w["W_c"] @ merged + w["b_c"]) + w["b"]
    expected = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(views.next_words(model, passage, 5, weights), expected, atol=1e-5)
    order = [model.vocab.words[place] for place in np.argsort(-expected)[:3]]
    assert [word for word, _ in views.best(model, expected, 3)] == order


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "1 to 24 words"), ("w2 " * 25, "has 25"), ("w2 goat", "vocabulary of .*: goat; choose others")],
)
def test_a_sentence_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        views.look(make_model("single"), text)


def test_figures_show_the_numbers() -> None:
    models = {score: make_model(score) for score in ATTENTIVE}
    figure = views.maps(models, TEXT)
    for axes, model in zip(figure.axes, models.values(), strict=True):
        artist = axes.images[0].get_array()
        np.testing.assert_allclose(artist.filled(0), np.tril(views.look(model, TEXT).weights, -1), atol=1e-6)
    combined = models["combined"]
    passage = views.look(combined, TEXT)
    heights = [bar.get_height() for bar in views.one_step(models, TEXT, 4).axes[1].patches]
    np.testing.assert_allclose(heights, passage.weights[3, :3], atol=1e-5)
    heights = [bar.get_height() for bar in views.exchanged_query(models, TEXT, 4, 2).axes[1].patches]
    np.testing.assert_allclose(heights[3:], views.weights_at(combined, passage, 4, 2), atol=1e-5)
    left, right = views.forgetting(combined, TEXT, 6, "w3").axes
    changed = views.weights_at(combined, passage, 6, forgotten=(5,))
    np.testing.assert_allclose([bar.get_height() for bar in left.patches], changed, atol=1e-5)
    (artist,) = [box for box in right.containers if box.get_label().startswith("without")]
    probabilities = views.next_words(combined, passage, 6, changed)
    words = [label.get_text() for label in right.get_yticklabels()]
    np.testing.assert_allclose(artist.datavalues, probabilities[combined.vocab.encode(words)], atol=1e-6)
    left, _ = views.sharpened(combined, TEXT, 6, 3.0).axes
    np.testing.assert_allclose(
        [bar.get_height() for bar in left.patches], views.weights_at(combined, passage, 6, sharpness=3), atol=1e-5
    )
    with pytest.raises(UserError, match="steps 2 to 6"):
        views.one_step(models, TEXT, 7)


def test_names_that_come_back() -> None:
    """w2 stands at the places 0, 2 and 5 of the sentence, w6 once."""
    model = make_model("combined")
    sentence = "w2 w3 w2 w6 w4 w2".split()
    recurrences = views.returned(model, [sentence, ["w2", "goat", "w2"]], {"w2", "w6"})
    steps = reference.run(reference.weights_of(model), [0, *model.vocab.encode(sentence)])
    assert [recurrence.distance for recurrence in recurrences] == [2, 3]
    np.testing.assert_allclose(
        [recurrence.nats for recurrence in recurrences],
        [-steps[2]["log_probs"][2], -steps[5]["log_probs"][2]],
        atol=1e-4,
    )
    np.testing.assert_allclose(
        [recurrence.weight for recurrence in recurrences], [steps[2]["a"][1], steps[5]["a"][[1, 3]].sum()], atol=1e-5
    )
    made_up = {"one": [views.Return(1, 2.0, 0.5), views.Return(3, 4.0, 0.25), views.Return(2, 3.0, 0.0)]}
    head, near, far = views.by_distance(made_up, (2, 9)).split("\n")
    assert near.split() == ["1", "to", "2", "2.50", "0.25", "(2", "returns)"]
    assert far.split() == ["3", "to", "9", "4.00", "0.25", "(1", "return)"] and head.split()[-3:] == [
        "one",
        "nats",
        "weight",
    ]


def test_renamed_sentences_keep_their_names_apart() -> None:
    people = small.village_people(3)
    corpus = load_corpus("village")
    assert len(set(people.values())) == 6
    assert {word for sentence in corpus.train for word in sentence if "mira" == people.get(word)} > {"mira"}
    dev = corpus.dev[:150]
    renamed = small.with_returns(dev, people, 13)
    short = [s for s in dev if len(s) <= 13]
    returned = [s for s in short if any(w in people and w in s[:i] for i, w in enumerate(s))]
    clear = [s for s in returned if len({people[w] for w in s if w in people}) == len({w for w in s if w in people})]
    assert len(renamed) == len(clear) > 10
    for old, new in zip(clear, renamed, strict=True):
        assert [people.get(word, word) for word in old] == new
        assert small.returns(old, people) == small.returns(new, people) != []


@pytest.mark.trains
def test_fit_lowers_the_loss_as_the_chapters_loop_does() -> None:
    """One epoch with one batch of all sentences is one step of Adam: each number moves by the learning rate."""
    model = make_model("combined", scale=0.3)
    sentences = [[2, 3, 4], [5, 2, 3], [3, 3, 2]]
    batch = make_batch(sentences, range(3))
    first, before = loss_of(model, batch), reference.weights_of(model)
    (perplexity,) = small.fit(model, lambda rng: make_batches(sentences, 3, rng), 1, 0.01)
    assert np.isclose(perplexity, np.exp(first / batch.predictions), rtol=1e-5)
    moved = np.abs(reference.weights_of(model)["W_c"] - before["W_c"])
    np.testing.assert_allclose(moved, 0.01, rtol=1e-3)

    def step() -> float:
        """Two epochs."""
        history = small.fit(model, lambda rng: make_batches(sentences, 2, rng), 2, 0.05)
        assert len(history) == 2
        return loss_of(model, batch)

    train_until(lambda loss: loss < first / 2, step, model.collection, 75, "three sentences")
