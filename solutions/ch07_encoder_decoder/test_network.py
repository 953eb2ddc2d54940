"""Graders of network.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.dropout import NO_DROPOUT
from common.nn.encoders import Source
from common.search import decoding
from common.text.batching import make_batch, pad
from common.text.pair_batching import PairBatch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, distribution, finite_difference, plain, task, train_until

MUTANTS = [
    ("7.3", "    if backward:\n", "    if not backward:\n"),
    ("7.3", "    if backward:\n", "    if False:\n"),
    ("7.3", "words = reverse(words, lengths)", "words = reverse(words, np.full(len(lengths), len(source)))"),
    ("7.3", "return last_states(dy.concatenate_cols(states), lengths)", "return h"),
    (
        "7.3",
        "return last_states(dy.concatenate_cols(states), lengths)",
        "return states[0] if backward else last_states(dy.concatenate_cols(states), lengths)",
    ),
    (
        "7.3",
        "return last_states(dy.concatenate_cols(states), lengths)",
        "return dy.average(states)",
    ),
    ("7.3", "dy.pick(words, t, dim=1), h)", "dy.pick(words, t, dim=1), None)"),
    ("7.3", "embed(weights.M_f, source.T.ravel())", "embed(weights.M_f, source.ravel())"),
    ("7.3", "embed(weights.M_f, source.T.ravel())", "embed(weights.M_f.expr(), source.T.ravel())"),
    ("7.3", "rnn(weights.W_f, weights.U_f, weights.b_f, dy.pick", "rnn(weights.W_e, weights.U_e, weights.b_e, dy.pick"),
    ("7.4", "h, states = encoded, []", "h, states = None, []"),
    ("7.4", "for words in target.inputs:", "for words in target.targets:"),
    (
        "7.4",
        "        states.append(h)\n    scores =",
        "        states.append(h)\n        if len(states) < len(target.inputs):\n"
        "            guess = dy.affine_transform([weights.b_s, weights.W_hs, h]).npvalue().reshape(len(weights.b_s."
        "as_array()), -1, order='F').argmax(axis=0)\n            target.inputs[len(states)] = guess\n    scores =",
    ),
    ("7.4", "target.targets), target.mask)", "target.targets), np.ones_like(target.mask))"),
    ("7.4", "target.targets), target.mask)", "target.targets), target.mask * (target.targets > 0))"),
    ("7.4", "target.targets), target.mask)", "target.targets), target.mask) * (1 / float(target.mask.sum()))"),
    ("7.4", "negative_log_probs(scores,", "negative_log_probs(dy.softmax(scores),"),
    ("7.4", "negative_log_probs(scores,", "negative_log_probs(-scores,"),
    ("7.4", "embed(weights.M_e, words), h)\n        states", "embed(weights.M_e, words), encoded)\n        states"),
    ("7.4", "    return h, np.reshape", "    return h, -np.reshape"),
    ("7.4", "    return h, np.reshape", "    return dy.zeros(h.dim()[0], batch_size=len(words)), np.reshape"),
    ("7.4", '(log_probs, (-1, len(words)), order="F").T', '(log_probs, (len(words), -1), order="C")'),
    ("7.4", "embed(weights.M_e, words), h)\n    log_probs", "embed(weights.M_e, [0] * len(words)), h)\n    log_probs"),
    ("7.4", "dy.log_softmax(dy.affine", "(dy.affine"),
]

L, H, V_F, V = 2, 3, 5, 6
NAMES = ("M_f", "W_f", "U_f", "b_f", "M_e", "W_e", "U_e", "b_e", "W_hs", "b_s")
SHAPES = ((V_F, L), (H, L), (H, H), (H,), (V, L), (H, L), (H, H), (H,), (V, H), (V,))
SOURCES = [[2, 4, 3], [4], [3, 2], [2, 2, 4]]
TARGETS = [[2, 5, 3, 4], [4], [], [3, 3, 2, 5]]


def arrays(scale=0.8):
    rng = np.random.default_rng(3)
    return [rng.normal(0, scale, shape) for shape in SHAPES]


def make_weights(work, values):
    """These numbers as `Weights`; the collection must be kept."""
    collection = dy.ParameterCollection()
    parameters = [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in values]
    return collection, work.Weights(*parameters)


def source_of(sources, padding=1, longer=0):
    """Word ids and mask, (S, B); what stands in the padding is a word, so that one sees who reads it."""
    ids, mask = pad([*sources, [0] * (max(map(len, sources)) + longer)])
    ids, mask = ids[:, :-1], mask[:, :-1]
    return np.where(mask > 0, ids, padding), mask


def target_of(targets, padding=(1, 4)):
    batch = make_batch(targets, range(len(targets)))
    inputs, answers = (np.where(batch.mask > 0, one, other) for one, other in zip(batch[:2], padding, strict=True))
    return batch._replace(inputs=inputs, targets=answers)


def read(values, words, backward=False):
    """The encoder's last state, a word at a time."""
    M, W, U, b = values[:4]
    h = np.zeros(H)
    for word in words[::-1] if backward else words:
        h = np.tanh(W @ M[word] + U @ h + b)
    return h


def steps_of(values, h, words):
    """log P(next word) after each target word read, and the states, a row a step."""
    M, W, U, b, W_hs, b_s = values[4:]
    rows, states = [], []
    for word in words:
        h = np.tanh(W @ M[word] + U @ h + b)
        scores = W_hs @ h + b_s
        rows.append(scores - scores.max() - np.log(np.exp(scores - scores.max()).sum()))
        states.append(h)
    return np.array(rows), np.array(states)


def loss_of(values, encoded, targets=TARGETS):
    total = 0.0
    for h, target in zip(encoded.T, targets, strict=True):
        rows, _ = steps_of(values, h, [0, *target])
        total -= sum(row[word] for row, word in zip(rows, [*target, 0], strict=True))
    return total


def columns(found, rows, batch, what):
    """The numbers of (rows,) x B as an array (rows, B)."""
    check(isinstance(found, dy.Expression), f"{what}: the state is an expression, not its value")
    check(found.dim() == ((rows,), batch), f"{what}: the state must be ({rows},) x {batch}, yours is {found.dim()}")
    return np.reshape(found.npvalue(), (rows, batch), order="F")


def encode(work, weights, sources, backward, what, **padding):
    return columns(work.encode(weights, *source_of(sources, **padding), backward), H, len(sources), what)


def start_states(number):
    """States to begin decoding in, (H, number)."""
    return np.random.default_rng(9).normal(0, 0.7, (H, number))


@task("7.3")
def test_two_words_by_hand(work):
    values = arrays()
    values[0][2:4] = [1.0, -0.5], [2.0, 0.25]
    values[1:4] = (
        np.array([[0.5, -1.0], [2.0, 0.25], [0.0, 1.5]]),
        np.array([[0.1, 0.7, -0.3], [-0.6, 0.2, 0.4], [0.9, -0.8, 0.05]]),
        np.array([0.1, -0.2, 0.3]),
    )
    collection, weights = make_weights(work, values)
    first = np.tanh([0.5 + 0.5 + 0.1, 2.0 - 0.125 - 0.2, -0.75 + 0.3])
    second = np.tanh(
        [
            1.0 - 0.25 + 0.1 + 0.1 * first[0] + 0.7 * first[1] - 0.3 * first[2],
            4.0 + 0.0625 - 0.2 - 0.6 * first[0] + 0.2 * first[1] + 0.4 * first[2],
            0.375 + 0.3 + 0.9 * first[0] - 0.8 * first[1] + 0.05 * first[2],
        ]
    )
    what = "the words with embeddings (1, -0.5) and (2, 0.25)"
    close(encode(work, weights, [[2]], False, what)[:, 0], first, "a sentence of one word", tolerance=1e-5)
    close(encode(work, weights, [[2, 3]], False, what)[:, 0], second, f"{what}, read in this order", tolerance=1e-5)
    message = f"{what} the other way round, read backward"
    close(encode(work, weights, [[3, 2]], True, what)[:, 0], second, message, tolerance=1e-5)


@task("7.3")
def test_sentences_of_different_lengths(work):
    values = arrays()
    for backward in (False, True):
        for padding, longer in [(1, 0), (4, 0), (0, 2)]:
            dy.renew_cg()
            collection, weights = make_weights(work, values)
            direction = "from the last word to the first" if backward else "from left to right"
            what = f"sentences of 3, 1, 2 and 3 words {direction}"
            found = encode(work, weights, SOURCES, backward, what, padding=padding, longer=longer)
            expected = np.stack([read(values, words, backward) for words in SOURCES], axis=1)
            message = f"{what}: after each one's own last word; padding must change nothing"
            close(found, expected, message, tolerance=1e-5)


@task("7.3")
def test_the_encoders_gradients(work):
    values = arrays()
    for backward in (False, True):
        dy.renew_cg()
        collection, weights = make_weights(work, values)
        loss = dy.sum_batches(dy.sum_elems(dy.square(work.encode(weights, *source_of(SOURCES), backward))))
        loss.value()
        loss.backward()

        def loss_of_arrays(backward=backward):
            return float(sum((read(values, words, backward) ** 2).sum() for words in SOURCES))

        for name, array in zip(NAMES[:4], values, strict=False):
            message = f"the gradient of {name}{' (backward)' * backward}: of every word, and of no padding"
            found = getattr(weights, name).grad_as_array()
            close(found, finite_difference(loss_of_arrays, array), message, tolerance=2e-3)


def chapter_model(encoder):
    """Chapter 7's model with simple recurrent networks, and the same parameters in the order of `Weights`."""
    from chapters.encoder_decoder.model import EncoderDecoder
    from chapters.encoder_decoder.settings import Settings

    settings = Settings(encoder=encoder, cell="rnn", hidden_size=H, dropout=0.0, init_scale=0.8)
    vocabularies = (Vocabulary(f"w{number}" for number in range(2, size)) for size in (V_F, V))
    model = EncoderDecoder.from_settings(settings, *vocabularies)
    sides = [(model.source_embedding, model.encoder.stack.layers[0]), (model.embedding, model.decoder.layers[0])]
    parameters = [one for M, layer in sides for one in (M, layer.W_x, layer.W_h, layer.b)]
    return model, [*parameters, model.embedding, model.b_s]


@task("7.3")
def test_the_chapters_encoder_agrees(work):
    for backward in (False, True):
        model, parameters = chapter_model("reverse" if backward else "forward")
        dy.renew_cg()
        ids, mask = source_of(SOURCES)
        expected = model.encoder.start(Source.padded(model.source_embedding, ids, mask), NO_DROPOUT)[0].hidden
        found = work.encode(work.Weights(*parameters), ids, mask, backward)
        message = f"the last states of four sentences{', backward' * backward}, as chapter 7 has them"
        close(found, expected.npvalue(), message, tolerance=1e-5)


@task("7.4")
def test_the_loss_of_a_sentence(work):
    values = arrays()
    for target in ([2, 5], [3], []):
        dy.renew_cg()
        collection, weights = make_weights(work, values)
        encoded = start_states(1)
        found = work.loss(weights, input_batch(encoded), target_of([target]))
        check(isinstance(found, dy.Expression), "the loss is an expression, not its value")
        check(found.dim()[1] == 1, "the loss is one number for the whole batch")
        message = (
            f"the loss of a sentence of {len(target)} word(s): -log P of each, and of </s>, from the encoded state on"
        )
        close(found.value(), loss_of(values, encoded, [target]), message, tolerance=1e-4)


@task("7.4")
def test_the_references_words_are_read(work):
    """Of the reference, not of the model: where 3 is nearly certain at each step, 2, 5 and 4 are read all the same."""
    values = arrays()
    values[-1] = np.array([0.0, 0.0, 0.0, 9.0, 0.0, 0.0])
    collection, weights = make_weights(work, values)
    encoded, target = start_states(1), target_of([[2, 5, 4]])
    kept = target.inputs.copy()
    found = work.loss(weights, input_batch(encoded), target).value()
    expected = loss_of(values, encoded, [[2, 5, 4]])
    message = (
        "the loss where the model always prefers another word: what is read must be the reference's own word before"
    )
    close(found, expected, message, tolerance=1e-4)
    check(np.array_equal(kept, target.inputs), "the batch must stay as it is")


@task("7.4")
def test_a_batch_is_the_sum_of_its_sentences(work):
    values, encoded = arrays(), start_states(4)
    collection, weights = make_weights(work, values)
    parts = 0.0
    for column, target in enumerate(TARGETS):
        dy.renew_cg()
        parts += work.loss(weights, input_batch(encoded[:, column : column + 1]), target_of([target])).value()
    message = "the loss of a batch of targets of 4, 1, 0 and 4 words must be the sum of their losses"
    for padding in ((1, 4), (5, 0)):
        dy.renew_cg()
        found = work.loss(weights, input_batch(encoded), target_of(TARGETS, padding)).value()
        close(found, parts, f"{message}, whatever stands in the padding", tolerance=1e-4)


@task("7.4")
def test_the_decoders_gradients(work):
    values, encoded = arrays(), start_states(4)
    collection, weights = make_weights(work, values)
    first = collection.add_lookup_parameters((4, H))
    first.init_from_array(encoded.T)
    batch_loss = work.loss(weights, dy.lookup_batch(first, [0, 1, 2, 3]), target_of(TARGETS))
    batch_loss.value()
    batch_loss.backward()
    message = "the gradient of the encoded state: the decoder must begin in it, or the encoder never learns"
    expected = finite_difference(lambda: loss_of(values, encoded), encoded)
    close(first.grad_as_array().T, expected, message, tolerance=3e-3)
    for name, array in list(zip(NAMES, values, strict=True))[4:]:
        found = getattr(weights, name).grad_as_array()
        expected = finite_difference(lambda: loss_of(values, encoded), array)
        close(found, expected, f"dl/d{name} must be what the loss does when {name} is moved a little", tolerance=3e-3)


@task("7.4")
def test_one_step_at_a_time(work):
    for number in (1, 3):
        dy.renew_cg()
        values, encoded = arrays(), start_states(number)
        collection, weights = make_weights(work, values)
        sentences = np.array([[0, 2, 5, 3], [0, 4, 4, 2], [0, 3, 1, 5]])[:number]
        expected = [steps_of(values, h, words) for h, words in zip(encoded.T, sentences, strict=True)]
        h = input_batch(encoded)
        for step, words in enumerate(sentences.T):
            what = f"step {step + 1} of {number} row(s)"
            h, found = work.advance(weights, h, words.tolist())
            found = np.asarray(plain(found, "log P(next word) is an array of numbers"))
            message = f"{what}: log P(next word) must be ({number}, {V}), yours is {found.shape}"
            check(found.shape == (number, V), message)
            distribution(np.exp(found.T), f"{what}: exp(log P) of the next word", V)
            close(found, np.array([rows[step] for rows, _ in expected]), f"{what}: log P(next word)", tolerance=1e-4)
            after = np.stack([states[step] for _, states in expected], axis=1)
            close(columns(h, H, number, what), after, f"{what}: h_t, in which the next step begins", tolerance=1e-4)


@task("7.4")
def test_large_scores_stay_finite(work):
    values = arrays()
    values[8] *= 300
    collection, weights = make_weights(work, values)
    _, found = work.advance(weights, input_batch(start_states(2)), [0, 0])
    check(np.isfinite(found).all(), "large scores: every log-probability must be finite; take log_softmax in one go")
    found = work.loss(weights, input_batch(start_states(4)), target_of(TARGETS)).value()
    check(np.isfinite(found), "large scores: the loss must be finite; take softmax and logarithm in one go")


@task("7.4")
def test_two_sentences_are_learnt_by_heart(work):
    """Trained with the student's loss, decoded by the course's greedy search through the student's advance."""
    collection, weights = make_weights(work, arrays())
    targets, encoded = [[2, 5, 3, 4], [4, 3]], start_states(2)
    trainer = dy.AdamTrainer(collection, alpha=0.05)

    def step():
        dy.renew_cg()
        batch_loss = work.loss(weights, input_batch(encoded), target_of(targets))
        batch_loss.backward()
        trainer.update()
        return batch_loss.value()

    train_until(lambda loss: loss < 0.5, step, collection, 500, "two sentences by heart", weights[:4])  # of the encoder
    dy.renew_cg()
    model = SimpleNamespace(
        vocab=Vocabulary(f"w{number}" for number in range(2, V)),
        start=lambda number: input_batch(encoded),
        advance=lambda h, words: work.advance(weights, h, words),
    )
    found = [hypothesis.words for hypothesis in decoding.greedy(model, 2, 9)]
    right = found == [[f"w{word}" for word in target] for target in targets]
    check(
        right, f"greedy search through your `advance` must write the two sentences learnt by heart; it writes {found}"
    )


@task("7.4")
def test_the_chapters_decoder_agrees(work):
    model, parameters = chapter_model("reverse")
    batch = PairBatch(*source_of(SOURCES), target_of(TARGETS))
    weights = work.Weights(*parameters)
    dy.renew_cg()
    expected = model.loss(batch).value()
    source = Source.padded(model.source_embedding, batch.source, batch.source_mask)
    encoded = model.encoder.start(source, NO_DROPOUT)[0].hidden
    found = work.loss(weights, encoded, batch.target).value()
    close(found, expected, "the loss of four pairs, as chapter 7 has it", tolerance=1e-4)
    state = model.encode(SOURCES)
    h = state.layers[0].hidden
    for words in ([0, 0, 0, 0], [2, 4, 3, 1]):
        state, expected = model.advance(state, words)
        h, found = work.advance(weights, h, words)
        close(found, expected, "log P(next word) of four rows, as chapter 7 has it", tolerance=1e-4)
