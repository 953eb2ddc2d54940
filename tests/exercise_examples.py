# ruff: noqa: E501
"""The examples that the exercises give in words, with what they say worked out by the answers.

Each is a piece of a docstring, which must stand there as it is here, and a function of the answer's module: what is
found, and what the text says.
"""

from __future__ import annotations

from math import cos, log, sin, tanh
from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.recurrent import HiddenState, LSTMState


def e(values: object) -> dy.Expression:
    return dy.inputTensor(np.array(values, dtype=float))


def row(*values: float) -> dy.Expression:
    """Numbers side by side in the batch: (1,) x n."""
    return input_batch(np.array([values], dtype=float))


def table(*values: object) -> dy.LookupParameters:
    """Embeddings, a row a word, in a collection that lives as long as they do."""
    TABLES.append(dy.ParameterCollection())
    parameters = TABLES[-1].add_lookup_parameters(np.shape(values))
    parameters.init_from_array(np.array(values, dtype=float))
    return parameters


TABLES: list[dy.ParameterCollection] = []


def n(expression: dy.Expression) -> np.ndarray:
    return np.asarray(expression.npvalue())


def changed(function, array: np.ndarray, *others: object) -> np.ndarray:
    """An array after a function that changes it in place."""
    function([array], *others)
    return array


def trained(m) -> tuple[object, object]:
    parameter, losses = np.zeros(1), iter([3.0, 2.5, 2.75])
    steps = m.train([parameter], [None], lambda batch: [np.full(1, -1.0)], lambda: next(losses), 1.0, 3)
    return (steps, parameter[0]), ([3.0, 2.5, 2.75], 2.0)


def adam(m) -> tuple[object, object]:
    W, mean, square, steps = np.array([[1.0, 1.0]]), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(1, dtype=int)
    m.adam_step(W, mean, square, steps, np.array([0]), np.array([[5.0, -0.001]]), 0.5)
    return np.round(W, 3), [[0.5, 1.5]]


def classes(m, *sizes: int):
    """A class-based softmax whose parameters are zero, for hidden states of 3 numbers."""
    words = [e(np.zeros((size, 3))) for size in sizes], [e(np.zeros(size)) for size in sizes]
    class_of = np.repeat(np.arange(len(sizes)), sizes)
    return m.ClassWeights(class_of, e(np.zeros((len(sizes), 3))), e(np.zeros(len(sizes))), *words)


def gru(m) -> tuple[object, object]:
    layer = SimpleNamespace(W_hg=e(np.zeros((2, 1))), W_hh=e([[0]]), hidden_size=1)
    return n(m.gru_cell(layer, e([0, 0, 0]), HiddenState(e([4])), None).hidden), [2]


def lstm(m) -> tuple[object, object]:
    layer = SimpleNamespace(W_h=e(np.zeros((4, 1))), hidden_size=1)
    state = m.lstm_cell(layer, e([0, 0, 0, 0]), LSTMState(e([1]), e([4])), None)
    return (n(state.cell), n(state.hidden)), ([2], [0.5 * tanh(2)])


class Letters:
    """A model with a vocabulary of </s>, a and b. nexts: P of each of them after each of them."""

    vocab = SimpleNamespace(decode=lambda ids: ["_ab"[number] for number in ids if number])

    def __init__(self, *nexts: list[float]):
        with np.errstate(divide="ignore"):
            self.nexts = np.log(np.array(nexts))

    def start(self, number: int) -> int:
        return number

    def advance(self, state: int, words: object) -> tuple[int, np.ndarray]:
        return state, self.nexts[np.asarray(words, dtype=int)]

    def select(self, state: int, rows: object) -> int:
        return len(rows)


def plain(hypotheses: list) -> tuple[list, list[float]]:
    ends = [(hypothesis.words, hypothesis.finished) for hypothesis in hypotheses]
    return ends, [hypothesis.log_prob for hypothesis in hypotheses]


def beam(m) -> tuple[object, object]:
    model = Letters([0, 0.6, 0.4], [0.55, 0.45, 0], [1, 0, 0])
    return plain(m.beam_search(model, 2, 5)), ([(["b"], True), (["a"], True)], [log(0.4), log(0.33)])


def greedy(m) -> tuple[object, object]:
    model = Letters([0.4, 0.6, 0], [1, 0, 0], [1, 0, 0])
    hypotheses = [*m.greedy(model, 1, 5), *m.greedy(model, 1, 1)]
    return plain(hypotheses), ([(["a"], True), (["a"], False)], [log(0.6)] * 2)


def encoded(m) -> tuple[object, object]:
    TABLES.append(dy.ParameterCollection())
    words = TABLES[-1].add_parameters((3, 1), init=dy.NumpyInitializer(a([[0], [1], [2]])))
    encoder = [words, e([[1]]), e([[0]]), e([0])]
    weights = m.Weights(*encoder, *[None] * (len(m.Weights._fields) - 4))
    source, mask = np.array([[1], [2]]), np.ones((2, 1))
    states = [n(m.encode(weights, source, mask, backward)) for backward in (False, True)]
    return states, [[tanh(2)], [tanh(1)]]


def unknown(m) -> tuple[object, object]:
    attention = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    hypothesis = SimpleNamespace(words=["ba", "<unk>"], attention=attention)
    lexicon = SimpleNamespace(translate=lambda word: "yakai" if word == "yak" else None)
    translations = [m.replace_unknown(hypothesis, ["the", "yak"], entries) for entries in (None, lexicon)]
    return translations, [["ba", "yak"], ["ba", "yakai"]]


def gate(m) -> tuple[object, object]:
    model = SimpleNamespace(W_o=e([[1]]), U_o=e([[2]]), C_o=[e([[3]]), e([[-1]])])
    return n(m.gate(model, SimpleNamespace(embedded=e([1])), e([0.5]), [e([1]), e([5])])), [1 / 2]


def attended(m) -> tuple[object, object]:
    score = SimpleNamespace(scores=lambda keys, query: e([[0], [log(3)], [7]]))
    memory = SimpleNamespace(keys=None, padding=e([[0], [0], [-1e9]]))
    return n(m.attention_weights(score, memory, e([1]))).ravel(), [1 / 4, 3 / 4, 0]


def positions(m) -> tuple[object, object]:
    pace = SimpleNamespace(expr=lambda update: e([[0.5]]))
    bias = SimpleNamespace(strength=e([[2]]), pace=pace)
    return n(m.position_scores(bias, 3, 3)).ravel(), [-3, -1, -1]


def jumps(m) -> tuple[object, object]:
    bias = SimpleNamespace(jumps=e([[5, 6, 7]]), window=1)
    return n(m.markov_matrix(bias, 3)), [[6, 5, 0], [7, 6, 5], [0, 7, 6]]


def mlp_score() -> SimpleNamespace:
    return SimpleNamespace(W_source=e([[3]]), W_query=e([[2]]), w=e([[4]]))


def combined_of_pairs(m) -> tuple[object, object]:
    scores = n(m.combined_scores(e([[2]]), e([[1]]), e([[-1]]), e([[0, 2]]), e([[1, 2, 0]])))
    return scores, [[2 * tanh(-1), 2 * tanh(-2), 0], [2 * tanh(1), 0, 2 * tanh(2)]]


def from_equation(m, name: str, **arrays: object) -> np.ndarray:
    values = {key: np.array(array) for key, array in arrays.items()}
    return eval(getattr(m, name)(), {"np": np, "tanh": np.tanh}, values)


a = np.array
EXAMPLES = {
    ("2.3", "scores"): ("the scores are [6.5, 17.25]", lambda m: (m.scores(a([[1.0, 2], [5, 5], [10, 30]]), a([0.5, 0.25]), {0: 1, 2: 0.5}), [6.5, 17.25])),
    ("2.3", "log_softmax"): ("it is [[log(1/4), log(3/4)]]", lambda m: (m.log_softmax(a([[0, log(3)]])), [[log(1 / 4), log(3 / 4)]])),
    ("2.3", "loss"): ("log_p = [[-1, -2], [-3, -4]] and targets = [1, 0], it is 5", lambda m: (m.loss(a([[-1.0, -2], [-3, -4]]), a([1, 0])), 5)),
    ("2.4", "gradients"): ("dl/db is [-0.75, 0.75], and dl/dW is [[0, 0], [-1.5, 1.5], [0, 0]]", lambda m: (m.gradients([{1: 2.0}], a([[0.25, 0.75]]), a([0]), 3), ([[0, 0], [-1.5, 1.5], [0, 0]], [-0.75, 0.75]))),
    ("2.5", "sgd_step"): ("rate 0.1 the array becomes [0, 3]", lambda m: (changed(m.sgd_step, a([1.0, 2.0]), [a([10.0, -10.0])], 0.1), [0, 3])),
    ("2.5", "train"): ("If the dev losses are [3.0, 2.5, 2.75], the parameters of the second epoch are kept", trained),
    ("2.6", "adam_step"): ("rate 0.5, W becomes nearly [[0.5, 1.5]]", adam),
    ("3.2", "forward"): ("h is [[0, tanh(1)]] and y is [[1, 1 + 2 tanh(1)]]", lambda m: (m.forward(a([[0.5]]), a([[0]]), a([[2]]), a([[1]]), a([[0, 2]])), ([[0, tanh(1)]], [[1, 1 + 2 * tanh(1)]]))),
    ("3.4", "gradients"): ("the loss is 1, and the derivatives are -12, -4, 0 and -2", lambda m: (m.gradients(a([[0]]), a([[0]]), a([[2]]), a([[0]]), a([[3]]), a([[1]])), (1, [[-12]], [[-4]], [[0]], [[-2]]))),
    ("3.5", "output"): ("y is 0.5 for both examples", lambda m: (n(m.output(e([[0]]), e([0]), e([[2]]), e([0.5]), a([[3, 4]]))).ravel(), [0.5, 0.5])),
    ("4.3", "hidden"): ("h is tanh(1.25) and tanh(0.25)", lambda m: (n(m.hidden(m.Weights(table([0], [2]), e([[0.5]]), e([0.25]), None, None, 2), a([[1, 0]]), 0.0)).ravel(), [tanh(1.25), tanh(0.25)])),
    ("4.3", "scores"): ("s is [3.5, -6]", lambda m: (n(m.scores(m.Weights(None, None, None, e([[1], [-2]]), e([0.5, 0]), 2), e([3]))), [3.5, -6])),
    ("4.5", "losses"): ("every loss is log 2 + log 2", lambda m: (n(m.losses(classes(m, 2, 2), input_batch(np.ones((3, 2))), a([3, 0]))).ravel(), [log(2) + log(2)] * 2)),
    ("4.5", "distribution"): ("log of 1/2, 1/4, 1/4", lambda m: (m.distribution(classes(m, 1, 2), e([1, 1, 1])), [log(1 / 2), log(1 / 4), log(1 / 4)])),
    ("5.2", "rnn_step"): ("it is [tanh(2.3)]; with h = None, [tanh(2.1)]", lambda m: ([n(m.rnn_step(e([[2]]), e([[0.5]]), e([0.1]), e([1]), h)) for h in (e([0.4]), None)], [[tanh(2.3)], [tanh(2.1)]])),
    ("5.3", "lstm_cell"): ("c_t is [2] and h_t is [0.5 tanh(2)]", lstm),
    ("5.4", "gru_cell"): ("h_{t-1} = [4], h_t is [2]", gru),
    ("5.5", "masked_sum"): ("the mask [[1, 1], [1, 0]] it is 6", lambda m: (m.masked_sum(row(1, 2, 3, 4), a([[1, 1], [1, 0]])).value(), 6)),
    ("5.5", "loss_per_prediction"): ("it is 7 / 4", lambda m: (m.loss_per_prediction([6, 1], [a([[1, 1], [1, 0]]), a([[1]])]), 7 / 4)),
    ("6.2", "single_scores"): ("the scores are [[0], [2 tanh(1)]]", lambda m: (n(m.single_scores(e([[2]]), e([[0.5]]), e([[0, 2]]))).ravel(), [0, 2 * tanh(1)])),
    ("6.3", "combined_scores"): ("the scores are [[2 tanh(-1), 2 tanh(-2), 0], [2 tanh(1), 0, 2 tanh(2)]]", combined_of_pairs),
    ("6.4", "causal_weights"): ("the weights are [[0, 1, 1/4], [0, 0, 3/4], [0, 0, 0]]", lambda m: (n(m.causal_weights(e([[0], [log(3)], [7]]), 3)), [[0, 1, 1 / 4], [0, 0, 3 / 4], [0, 0, 0]])),
    ("6.4", "contexts"): ("the contexts are [[0, -0.25]]", lambda m: (n(m.contexts(e([[2, -1]]), e([[0, 0.25], [0, 0.75]]))).ravel(), [0, -0.25])),
    ("6.5", "merge"): ("h' is [[tanh(1), tanh(1)]]", lambda m: (n(m.merge(e([[1, 0.5]]), e([-1]), e([[2, 3]]), e([[0, -2]]))).ravel(), [tanh(1), tanh(1)])),
    ("6.5", "tied_logits"): ("the scores are 3.5, -6 and 0.25", lambda m: (n(m.tied_logits(e([[1], [-2], [0]]), e([0.5, 0, 0.25]), e([3]))), [3.5, -6, 0.25])),
    ("7.2", "reverse"): ("the columns [[1, 2, 9]], the result is [[2, 1, 9]]", lambda m: (n(m.reverse(e([[1, 2, 9]]), [2])).ravel(), [2, 1, 9])),
    ("7.2", "last_states"): ("one sentence of length 2, the result is [2]", lambda m: (n(m.last_states(e([[1, 2, 9]]), [2])).ravel(), [2])),
    ("7.3", "encode"): ("it is tanh(2), and tanh(1) backward", encoded),
    ("7.5", "greedy"): ('Hypothesis(["a"], log 0.6, True); and with max_words = 1: Hypothesis(["a"], log 0.6, False)', greedy),
    ("7.6", "beam_search"): ('a beam of 2 finds Hypothesis(["b"], log 0.4, True) and Hypothesis(["a"], log 0.33, True)', beam),
    ("8.2", "bilinear"): ("its value is [[1.5], [3]]", lambda m: (from_equation(m, "bilinear", H=[[1, 2]], W_a=[[3]], h=[[0.5]]), [[1.5], [3]])),
    ("8.2", "mlp"): ("its value is [[4 tanh(4)], [4 tanh(7)]]", lambda m: (from_equation(m, "mlp", H=[[1, 2]], W_f=[[3]], W_e=[[2]], w=[[4]], h=[[0.5]]), [[4 * tanh(4)], [4 * tanh(7)]])),
    ("8.3", "dot_scores"): ("the scores are [[4], [-0.5]]", lambda m: (n(m.dot_scores(e([[1, 0], [2, -1]]), e([3, 0.5]))).ravel(), [4, -0.5])),
    ("8.3", "bilinear_scores"): ("the scores are [[1.5], [3]]", lambda m: (n(m.bilinear_scores(e([[3]]), e([[1, 2]]), e([0.5]))).ravel(), [1.5, 3])),
    ("8.3", "mlp_keys"): ("the keys are [[3, 6]]", lambda m: (n(m.mlp_keys(mlp_score(), e([[1, 2]]))).ravel(), [3, 6])),
    ("8.3", "mlp_scores"): ("the scores are [[4 tanh(4)], [4 tanh(7)]]", lambda m: (n(m.mlp_scores(mlp_score(), e([[3, 6]]), e([0.5]))).ravel(), [4 * tanh(4), 4 * tanh(7)])),
    ("8.4", "padding_scores"): ("it is [[0], [0]] for the first sentence and [[0], [-1e9]] for the second", lambda m: (n(m.padding_scores(a([2, 1]), 2)).reshape(2, 2, order="F").T, [[0, 0], [0, -1e9]])),
    ("8.4", "attention_weights"): ("the weights are [[1/4], [3/4], [0]]", attended),
    ("8.4", "context"): ("the context is [-1/4, 3]", lambda m: (n(m.context(SimpleNamespace(annotations=e([[2, -1], [0, 4]])), e([[1 / 4], [3 / 4]]))), [-1 / 4, 3])),
    ("8.5", "replace_unknown"): ('it is ["ba", "yak"]; with a lexicon that translates "yak" as "yakai", it is ["ba", "yakai"]', unknown),
    ("8.6", "position_scores"): ("it is [[-3], [-1], [-1]]", positions),
    ("8.6", "markov_matrix"): ("M is [[6, 5, 0], [7, 6, 5], [0, 7, 6]]", jumps),
    ("9.2", "word_attention"): ("beta is [[1/2], [1/2]] and the context is [4]", lambda m: ([n(weights).ravel() for weights in m.word_attention(e([[2]]), e([[1]]), e([[3]]), e([0.5]), e([[4, 4]]), None)], [[1 / 2, 1 / 2], [4]])),
    ("9.3", "gate"): ("o is [1/2]", gate),
    ("9.4", "gated_contexts"): ("they are [1] and [6]", lambda m: ([n(context) for context in m.gated_contexts(e([0.25]), [e([4]), e([8])])], [[1], [6]])),
    ("10.4", "expected_cost"): ("[log 0.09, log 0.01, log 0.25], of which the last is not counted, the costs [0.2, 1, 5] and alpha = 1/2, it is 0.4", lambda m: (n(m.expected_cost(e([log(0.09), log(0.01), log(0.25)]), a([[0.2, 1, 5]]), a([[True, True, False]]), 0.5)).item(), 0.4)),
    ("10.5", "policy_loss"): ("the log-probabilities [-2, -3] and the advantages [-1, 1], it is -0.5", lambda m: (n(m.policy_loss(e([-2, -3]), a([[-1, 1]]))).item(), -0.5)),
    ("11.2", "sinusoids"): ("the encodings are [[0, sin(1)], [1, cos(1)]]", lambda m: (m.sinusoids(2, 0, 2), [[0, sin(1)], [1, cos(1)]])),
    ("11.2", "move"): ("the encoding [0, 1] and the distance 1, it is [sin(1), cos(1)]", lambda m: (m.move(a([0.0, 1.0]), 1), [sin(1), cos(1)])),
    ("11.3", "scaled_scores"): ("keys = [[1], [3], [2], [0]], the scores are [[2, 3]]", lambda m: (n(m.scaled_scores(e([[2, 1], [0, 1], [1, 1], [1, 0]]), e([[1], [3], [2], [0]]))).ravel(), [2, 3])),
    ("11.3", "causal_mask"): ("the mask is [[0, 0], [-1e9, 0]]", lambda m: (n(m.causal_mask(2)), [[0, 0], [-1e9, 0]])),
    ("11.3", "attend"): ("the context is [[7]]", lambda m: (n(m.attend(e([[1]]), e([[0, log(3)]]), e([[4, 8]]), None)).ravel(), [7])),
    ("11.4", "project"): ("they are [[4]], [[8]] and [[12]]", lambda m: ([n(part).ravel() for part in m.project(m.Heads(1, e([[1]]), e([[2]]), e([[3]]), None), e([[4]]))], [[4], [8], [12]])),
    ("11.4", "rows"): ("head 1 has [[3, 7], [4, 8]]", lambda m: (n(m.rows(SimpleNamespace(heads=2), e([[1, 5], [2, 6], [3, 7], [4, 8]]), 1)), [[3, 7], [4, 8]])),
    ("11.4", "attend_with_heads"): ("it is [[14]]", lambda m: (n(m.attend_with_heads(SimpleNamespace(heads=1, W_o=e([[2]])), e([[1]]), e([[0, log(3)]]), e([[4, 8]]), None)).ravel(), [14])),
    ("11.5", "layer_norm"): ("it is nearly [-0.926, -0.463, 1.389]", lambda m: (np.round(n(m.layer_norm(e([1, 2, 6]))), 3), [-0.926, -0.463, 1.389])),
    ("11.5", "network"): ("it is [6.5] for x = [3]", lambda m: (n(m.network(SimpleNamespace(W_1=e([[1], [-1]]), b_1=e([0, 1]), W_2=e([[2, 3]]), b_2=e([0.5])), e([3]))).ravel(), [6.5])),
}  # fmt: skip
