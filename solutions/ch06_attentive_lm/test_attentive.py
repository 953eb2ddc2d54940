"""Graders of attentive.py."""

import dynet as dy
import numpy as np

from common.nn.recurrent import LSTM
from common.text.batching import Batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, distribution, finite_difference, plain, task, train_until

MUTANTS = [
    ("6.6", "causal_weights(scores, time)", "dy.softmax(scores + dy.inputTensor(np.zeros((time, time))))"),
    ("6.6", "contexts(states, causal_weights(scores, time))", "states"),
    ("6.6", "contexts(states, causal_weights(scores, time))", "contexts(states * 0.0, causal_weights(scores, time))"),
    (
        "6.6",
        "contexts(states, causal_weights(scores, time))",
        "contexts(states, dy.inputTensor(np.triu(np.ones((time, time)), 1) / np.maximum(np.arange(time), 1)))",
    ),
    ("6.6", "inputs.T.ravel().tolist()", "inputs.ravel().tolist()"),
    ("6.6", "batch.targets), batch.mask)", "batch.targets), np.ones_like(batch.mask))"),
    ("6.6", "batch.targets), batch.mask)", "batch.targets), batch.mask * (batch.targets > 0))"),
    ("6.6", "batch.targets), batch.mask)", "batch.targets), batch.mask) * (1 / float(batch.mask.sum()))"),
    ("6.6", "batch.inputs), batch.targets), batch.mask)", "batch.inputs), batch.inputs), batch.mask)"),
    ("6.6", "negative_log_probs(logits(weights, batch.inputs)", "negative_log_probs(logits(weights, batch.targets)"),
    ("6.6", "negative_log_probs(logits(", "negative_log_probs(-logits("),
    ("6.6", "    if weights.W_q is None:\n", "    if True:\n"),
    ("6.6", "[*state.memory, lstm.hidden]", "state.memory"),
    ("6.6", "[*state.memory, lstm.hidden]", "[lstm.hidden]"),
    ("6.6", "past = dy.concatenate_cols(state.memory)", "past = dy.concatenate_cols([*state.memory, lstm.hidden])"),
    ("6.6", "dy.softmax(scores_of(weights, past, query))", "scores_of(weights, past, query)"),
    ("6.6", "embed(weights.embedding, list(words)), state.lstm)", "embed(weights.embedding, list(words)), None)"),
    ("6.6", "context = dy.zeros(query.dim()[0], batch_size=len(words))", "context = query"),
    ("6.6", '(-1, len(words)), order="F").T', '(-1, len(words)), order="F")'),
    ("6.6", "dy.log_softmax(tied", "dy.softmax(tied"),
]  # fmt: skip

V, H = 6, 3
NAMES = ("embedding", "v_s", "W_s", "W_q", "W_c", "b_c", "b")
SHAPES = ((V, H), (1, H), (H, H), (H, H), (H, 2 * H), (H,), (V,))
SENTENCES = [[2, 5, 3, 4], [4], [], [3, 3, 2, 5]]


def arrays(scale=1.0):
    """Random numbers for the LSTM's three parameters and the seven others."""
    rng = np.random.default_rng(3)
    return [rng.normal(0, scale, shape) for shape in ((4 * H, H), (4 * H, H), (4 * H,), *SHAPES)]


def make_weights(work, values, score="combined"):
    """These numbers as `Weights`; the collection must be kept."""
    collection = dy.ParameterCollection()
    lstm = LSTM(collection, H, H, 0.1)
    for parameter, value in zip((lstm.W_x, lstm.W_h, lstm.b), values[:3], strict=True):
        parameter.set_value(value)
    others = [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in values[3:]]
    weights = work.Weights(lstm, *others)
    return collection, weights if score == "combined" else weights._replace(W_q=None)


def batch_of(sentences, padding=(1, 4)):
    """A batch; the padding is no boundary, so that attending to it shows."""
    time = max(len(sentence) for sentence in sentences) + 1
    shape = (time, len(sentences))
    inputs, targets, mask = np.full(shape, padding[0]), np.full(shape, padding[1]), np.zeros(shape, dtype=np.float32)
    for column, sentence in enumerate(sentences):
        length = len(sentence) + 1
        inputs[:length, column], targets[:length, column] = [0, *sentence], [*sentence, 0]
        mask[:length, column] = 1
    return Batch(inputs, targets, mask, np.arange(len(sentences)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_softmax(x):
    return x - x.max() - np.log(np.exp(x - x.max()).sum())


def steps_of(values, words, score="combined"):
    """log P(next word) after each word read, a row a step: the equations, one word of one sentence at a time."""
    W_x, W_h, bias, embedding, v_s, W_s, W_q, W_c, b_c, b = values
    h, cell, memory, found = np.zeros(H), np.zeros(H), [], []
    for word in words:
        i, f, o, u = np.split(W_x @ embedding[word] + W_h @ h + bias, 4)
        cell = sigmoid(i) * np.tanh(u) + sigmoid(f) * cell
        h = sigmoid(o) * np.tanh(cell)
        context = np.zeros(H)
        if memory:
            asked = W_q @ h if score == "combined" else 0.0
            scores = np.array([v_s[0] @ np.tanh(W_s @ past + asked) for past in memory])
            context = np.exp(log_softmax(scores)) @ np.array(memory)
        h_prime = np.tanh(W_c @ np.concatenate([h, context]) + b_c)
        found.append(log_softmax(embedding @ h_prime + b))
        memory.append(h)
    return np.array(found)


def loss_of(values, sentences=SENTENCES, score="combined"):
    total = 0.0
    for sentence in sentences:
        rows = steps_of(values, [0, *sentence], score)
        total -= sum(row[target] for row, target in zip(rows, [*sentence, 0], strict=True))
    return total


def logits(work, weights, inputs):
    """log P(next word) of a batch as an array (V, T, B), from the student's logits."""
    time, batch = inputs.shape
    found = work.logits(weights, inputs)
    check(isinstance(found, dy.Expression), "the logits are an expression, not its value")
    message = f"the logits of {time} steps and {batch} sentences must be ({V},) x {time * batch}, yours are"
    check(found.dim() == ((V,), time * batch), f"{message} {found.dim()}")
    array = np.reshape(found.npvalue(), (V, time, batch), order="F")
    check(np.isfinite(array).all(), "every logit must be a finite number, at the first step too")
    return array - np.log(np.exp(array).sum(axis=0))


@task("6.6")
def test_all_steps_of_a_sentence(work):
    for score in ("single", "combined"):
        for sentence in ([2, 5, 3, 4], [2], []):
            dy.renew_cg()
            values = arrays()
            collection, weights = make_weights(work, values, score)
            found = logits(work, weights, np.array([[0, *sentence]]).T)[:, :, 0].T
            rows = len(sentence) + 1
            for step, expected in enumerate(steps_of(values, [0, *sentence], score)):
                message = f"{score}, log P of the {V} words at step {step + 1} of {rows}"
                close(found[step], expected, message, tolerance=1e-4)


@task("6.6")
def test_the_future_cannot_change_the_past(work):
    values = arrays()
    for score in ("single", "combined"):
        dy.renew_cg()
        collection, weights = make_weights(work, values, score)
        inputs = np.array([[0, 2, 5, 3, 4], [0, 4, 2, 2, 3]]).T
        before = logits(work, weights, inputs)
        inputs[3] = [5, 1]
        changed = np.abs(logits(work, weights, inputs) - before).max(axis=(0, 2)) > 1e-6
        early = f"{score}: where the fourth input changes, steps 1 to 3 must stay as they are; does one attend ahead?"
        check(not changed[:3].any(), early)
        check(changed[3:].all(), f"{score}: where the fourth input changes, steps 4 and 5 must change")


@task("6.6")
def test_the_loss_by_hand(work):
    for score in ("single", "combined"):
        dy.renew_cg()
        values = arrays()
        collection, weights = make_weights(work, values, score)
        found = work.loss(weights, batch_of([[2, 5, 3]]))
        check(isinstance(found, dy.Expression), "the loss is an expression, not its value")
        check(found.dim()[1] == 1, "the loss is one number for the whole batch")
        message = f"{score}, the loss of `2 5 3`: -log P of its three words and of </s>, in nats, added up"
        close(found.value(), loss_of(values, [[2, 5, 3]], score), message, tolerance=1e-4)


@task("6.6")
def test_a_batch_is_the_sum_of_its_sentences(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    parts = 0.0
    for sentence in SENTENCES:
        dy.renew_cg()
        parts += work.loss(weights, batch_of([sentence])).value()
    message = "the loss of a batch of sentences of 4, 1, 0 and 4 words must be the sum of their losses"
    for padding in ((1, 4), (5, 0)):
        dy.renew_cg()
        found = work.loss(weights, batch_of(SENTENCES, padding)).value()
        close(found, parts, f"{message}, whatever stands in the padding", tolerance=1e-4)


@task("6.6")
def test_gradients_against_finite_differences(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    sentences = [[2, 5, 3], [4]]
    batch_loss = work.loss(weights, batch_of(sentences))
    batch_loss.value()
    batch_loss.backward()
    for name, array in list(zip(NAMES, values[3:], strict=True))[1:6]:
        found = getattr(weights, name).grad_as_array()
        check(np.abs(found).max() > 1e-5, f"{name} gets no gradient: is what it makes used at all?")
        expected = finite_difference(lambda: loss_of(values, sentences), array)
        close(found, expected, f"dl/d{name} must be what the loss does when {name} is moved a little", tolerance=3e-3)


@task("6.6")
def test_one_step_at_a_time(work):
    for score in ("single", "combined"):
        dy.renew_cg()
        values, state = arrays(), work.State(None, [])
        collection, weights = make_weights(work, values, score)
        sentences = np.array([[0, 2, 5, 3, 4], [0, 4, 2, 2, 3]])
        expected = np.array([steps_of(values, words, score) for words in sentences])
        for step, words in enumerate(sentences.T):
            state, found = work.advance(weights, state, words.tolist())
            found = np.asarray(plain(found, "log P(next word) is an array of numbers"))
            check(found.shape == (2, V), f"log P of {V} words for 2 sentences must be (2, {V}), yours is {found.shape}")
            what = f"{score}, step {step + 1}"
            check(np.isfinite(found).all(), f"{what}: every log-probability must be a finite number")
            distribution(np.exp(found.T), f"{what}: exp(log P) of the next word", V)
            close(found, expected[:, step], f"{what} of two sentences: log P(next word)", tolerance=1e-4)
            message = f"{what}: afterwards the memory must hold {step + 1} state(s), yours holds {len(state.memory)}"
            check(len(state.memory) == step + 1, message)


@task("6.6")
def test_a_step_of_one_sentence(work):
    values, state = arrays(), work.State(None, [])
    collection, weights = make_weights(work, values)
    for step, expected in enumerate(steps_of(values, [0, 5, 3])):
        old, words = state, [[0, 5, 3][step]]
        state, found = work.advance(weights, old, words)
        close(
            found, expected[None], f"step {step + 1} of a single sentence: log P(next word), (1, {V})", tolerance=1e-4
        )
        _, again = work.advance(weights, old, words)
        close(again, found, "the same state advanced twice must give the same: a step must not change the state it got")


@task("6.6")
def test_two_sentences_are_learnt_by_heart(work):
    collection, weights = make_weights(work, arrays(scale=0.5))
    batch, trainer = batch_of([[2, 5, 3, 4], [4, 3]]), dy.AdamTrainer(collection, alpha=0.05)

    def step():
        dy.renew_cg()
        batch_loss = work.loss(weights, batch)
        batch_loss.backward()
        trainer.update()
        return batch_loss.value()

    train_until(lambda loss: loss < 2.5, step, collection, 300, "two sentences by heart")


@task("6.6")
def test_the_chapter_agrees(work):
    from chapters.attentive_lm.model import AttentiveLM

    for score in ("single", "combined"):
        chosen = {"hidden_size": H, "score": score, "dropout": 0.0, "init_scale": 0.8, "merge_init": "uniform"}
        model = AttentiveLM(Vocabulary(f"w{number}" for number in range(2, V)), **chosen)
        others = (getattr(model, name, None) or getattr(model.score, name, None) for name in NAMES)
        weights, batch = work.Weights(model.layers[0], *others), batch_of(SENTENCES)
        dy.renew_cg()
        expected = model.loss(batch).value()
        close(work.loss(weights, batch).value(), expected, f"{score}: the loss of a batch, as chapter 6 has it", 1e-4)
        theirs, state = model.start(2), work.State(None, [])
        for words in ([0, 0], [3, 5], [2, 2]):
            theirs, expected = model.advance(theirs, words)
            state, found = work.advance(weights, state, words)
            close(found, expected, f"{score}: log P(next word), as chapter 6 has it", tolerance=1e-4)
