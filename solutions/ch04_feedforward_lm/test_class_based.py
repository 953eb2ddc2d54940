"""Graders of class_based.py."""

import dynet as dy
import numpy as np

from solutions.checks import Wrong, check, close, distribution, task

MUTANTS = [
    ("4.5", "np.arange((class_of == number).sum())", "np.flatnonzero(class_of == number)"),
    ("4.5", "    back = np.argsort(order).tolist()", "    back = list(range(len(order)))"),
    ("4.5", "    back = np.argsort(order).tolist()", "    back = order"),
    ("4.5", "places[group].tolist()", "places[: len(group)].tolist()"),
    ("4.5", "return dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within", "return within"),
    (
        "4.5",
        "dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within",
        "dy.cmult(dy.pickneglogsoftmax_batch(class_scores, classes.tolist()), within)",
    ),
    (
        "4.5",
        "dy.affine_transform([weights.b_words[number], weights.W_words[number], h])",
        "weights.W_words[number] * h",
    ),
    ("4.5", "for number in np.unique(classes):", "for number in range(len(weights.W_words)):"),
    ("4.5", "log_class + dy.log_softmax(scores)", "log_class * dy.log_softmax(scores)"),
    ("4.5", "result[weights.class_of == number] = log_class + ", "result[weights.class_of == number] = "),
    ("4.5", "dy.log_softmax(class_scores).npvalue()", "class_scores.npvalue()"),
]

V, C, H = 7, 3, 2
CLASS_OF = np.array([1, 0, 2, 1, 1, 2, 1])  # classes of 1, 4 and 2 words
SIZES = [1, 4, 2]
SHAPES = [(C, H), (C,), *[(size, H) for size in SIZES], *[(size,) for size in SIZES]]


def arrays(seed=3):
    rng = np.random.default_rng(seed)
    return [rng.normal(0, 1.0, shape) for shape in SHAPES]


def make_weights(work, values):
    """A `ClassWeights` of the file with these numbers; the collection must be kept."""
    collection = dy.ParameterCollection()
    parameters = [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in values]
    weights = work.ClassWeights(CLASS_OF.copy(), *parameters[:2], parameters[2 : 2 + C], parameters[2 + C :])
    return collection, weights


def softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


def probability(values, h, word):
    """P(word | h) with plain sums."""
    number = CLASS_OF[word]
    place = [other for other in range(V) if CLASS_OF[other] == number].index(word)
    within = softmax(values[2 + number] @ h + values[2 + C + number])[place]
    return softmax(values[0] @ h + values[1])[number] * within


def inputs(number, seed=4):
    """Vectors (H, N), as an array and as an expression (H,) x N."""
    array = np.random.default_rng(seed).normal(size=(H, number))
    return array, dy.reshape(dy.inputTensor(array.ravel(order="F")), (H,), number)


@task("4.5")
def test_places_by_hand(work):
    found = work.places_in_classes(np.array([2, 0, 2, 1, 0, 2]))
    close(found, np.array([0, 0, 1, 0, 1, 2]), "the places of 6 words of the classes 2, 0, 2, 1, 0, 2")


@task("4.5")
def test_one_word_by_hand(work):
    values = [np.zeros(shape) for shape in SHAPES]
    values[1] = np.log([0.5, 0.3, 0.2])
    values[3] = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    values[6] = np.log([1.0, 2.0, 1.0, 4.0])
    collection, weights = make_weights(work, values)
    h = dy.inputVector([np.log(2.0), np.log(3.0)])
    found = work.losses(weights, h, np.array([4]))
    check(isinstance(found, dy.Expression), "losses are an expression, not numbers")
    message = "the loss of word 4, third of its class; P(class) = 0.3, its class's scores: log 2, log 6, log 4, log 4"
    close(np.ravel(found.npvalue()), np.array([-np.log(0.3 * 4 / 16)]), message, tolerance=1e-5)


@task("4.5")
def test_losses_in_the_order_of_the_targets(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    for targets in ([5, 0, 2, 1, 0, 6, 4, 3], [3, 3], [1]):
        dy.renew_cg()
        array, h = inputs(len(targets))
        found = work.losses(weights, h, np.array(targets))
        check(
            found.dim()[1] == len(targets), f"{len(targets)} targets have {len(targets)} losses, yours {found.dim()[1]}"
        )
        expected = [-np.log(probability(values, array[:, n], word)) for n, word in enumerate(targets)]
        message = f"-log P of the targets {targets}, each from its own column of hidden, in this order"
        close(np.ravel(found.npvalue()), np.array(expected), message, tolerance=1e-4)


@task("4.5")
def test_the_words_are_a_distribution(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    array, h = inputs(1)
    together = dy.concatenate_to_batch([h] * V)
    found = np.ravel(work.losses(weights, together, np.arange(V)).npvalue())
    distribution(np.exp(-found), "P of all words after the same h, by their losses", V)
    expected = np.log([probability(values, array[:, 0], word) for word in range(V)])
    found = work.distribution(weights, h)
    close(found, expected, "log P of all words after h, in the order of their ids", tolerance=1e-4)


@task("4.5")
def test_large_scores(work):
    values = [one * 300 for one in arrays()]
    collection, weights = make_weights(work, values)
    array, h = inputs(1)
    found = np.ravel(work.losses(weights, dy.concatenate_to_batch([h] * V), np.arange(V)).npvalue())
    check(np.isfinite(found).all(), "the losses must be finite for large scores too: leave the logarithm to DyNet")


class Watched(list):
    """Weights of the classes that tell who asks for them."""

    def __init__(self, values, allowed):
        super().__init__(values)
        self.allowed, self.asked = allowed, 0

    def __getitem__(self, number):
        if int(number) not in self.allowed:
            raise Wrong(f"no target is of class {int(number)}: its weights must not be used")
        self.asked += 1
        return super().__getitem__(number)


@task("4.5")
def test_little_is_computed(work):
    collection, weights = make_weights(work, arrays())
    watched = weights._replace(W_words=Watched(weights.W_words, {1, 2}), b_words=Watched(weights.b_words, {1, 2}))
    array, h = inputs(30)
    work.losses(watched, h, np.array([0, 2, 3] * 10))
    message = "30 targets of 2 classes: take those of one class together; you ask for the weights of a class "
    check(watched.W_words.asked <= 8, message + f"{watched.W_words.asked} times")


@task("4.5")
def test_gradients(work):
    """d(sum of losses)/dW_classes is known: the sum over predictions of (p - onehot) h^T."""
    values = arrays()
    collection, weights = make_weights(work, values)
    targets = np.array([5, 0, 2, 0])
    array, h = inputs(len(targets))
    total = dy.sum_batches(work.losses(weights, h, targets))
    total.value()
    total.backward()
    expected = np.zeros((C, H))
    for n, word in enumerate(targets):
        p = softmax(values[0] @ array[:, n] + values[1])
        p[CLASS_OF[word]] -= 1
        expected += np.outer(p, array[:, n])
    message = "dl/dW_classes must be the sum of (p - onehot) h^T"
    close(weights.W_classes.grad_as_array(), expected, message, tolerance=1e-4)
    for number in (1, 2):
        found = max(np.abs(one[number].grad_as_array()).max() for one in (weights.W_words, weights.b_words))
        check(found > 1e-6, f"the weights of class {number} get no gradient, though targets are of this class")


@task("4.5")
def test_the_chapter_agrees(work):
    from common.nn.class_softmax import ClassSoftmax

    members = [np.flatnonzero(CLASS_OF == number) for number in range(C)]
    start = np.random.default_rng(6).normal(size=V)
    chapter_collection = dy.ParameterCollection()
    chapter = ClassSoftmax(chapter_collection, H, members, start, dy.UniformInitializer(1.0))
    values = [chapter.W_classes.as_array(), chapter.b_classes.as_array()]
    values += [one.as_array().reshape((size, H), order="F") for one, size in zip(chapter.W_words, SIZES, strict=True)]
    values += [start[words] for words in members]
    collection, weights = make_weights(work, values)
    targets = np.array([6, 1, 0, 0, 5, 3])
    array, h = inputs(len(targets))
    found = np.ravel(work.losses(weights, h, targets).npvalue())
    close(found, -chapter.log_probs(h, targets), "-log P of six targets, as chapter 4 has it", tolerance=1e-4)
