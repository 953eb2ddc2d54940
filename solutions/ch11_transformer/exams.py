"""Exams of chapter 11."""

from collections import namedtuple
from functools import partial

import dynet as dy
import numpy as np

from chapters.transformer.positions import sinusoids
from common.nn.arrays import input_batch
from solutions.grading.exam import ask, call, exam, fresh, graph, nodes, parameters, plain, step

SIZES = ((3, 2, 1, 4, 2), (2, 4, 3, 3, 5), (4, 3, 2, 1, 6), (1, 1, 1, 1, 1))
"""Size of a key, size of a value, sentences in the batch, positions that attend, and that are attended to."""
BLOCKS = ((4, 2, 3, 2, 3), (6, 3, 5, 1, 4), (6, 1, 2, 3, 2), (2, 2, 2, 1, 1))
"""Hidden size, heads, inner units, sentences in the batch, positions."""
Heads = namedtuple("Heads", "heads W_q W_k W_v W_o")
"""As in heads.py, which the later files do not import from."""


@exam("11.1", 1e-6)
def warm_up(work, draw):
    yield "a scaled dot product", call(work.scaled_score)
    yield "a context", call(work.second_context)
    for heads in (2, 8, 1):
        size, inner = heads * draw.integer(1, 40), draw.integer(1, 300)
        case = f"H = {size}, {heads} heads, {inner} inner units"
        yield f"parameters, {case}", call(work.block_parameters, size, heads, inner)
        blocks, words = draw.integer(1, 9), draw.integer(0, 500)
        yield f"cache, {blocks} blocks, H = {size}, {words} words", call(work.cache_size, blocks, size, words)


@exam("11.2", 1e-6)
def positions(work, draw):
    late, many = draw.integer(1, 400), draw.integer(2, 6)
    for size, first, time in ((6, late, 3), (2, 3, 1), (5, 0, 4), (3, 7, many), (1, 0, 2)):
        yield f"H = {size}, {time} positions from {first} on", call(work.sinusoids, size, first, time)
    for size in (2, 4, 10):
        for distance in (1, -3, draw.integer(4, 200), 0):
            encoding = sinusoids(size, draw.integer(3, 300), 1)[:, 0]
            yield f"an encoding of {size} numbers moved by {distance}", call(work.move, encoding, distance)


def masked(draw, rows, columns):
    """A mask in which every column leaves one row at least."""
    mask = np.where(draw.integers(0, 1, (rows, columns)) > 0, 0.0, -1e9)
    mask[draw.integer(0, rows - 1)] = 0
    return mask


@exam("11.3", 1e-3)
def attending(work, draw):
    for D, E, batch, T, S in SIZES:
        case = f"D = {D}, E = {E}, B = {batch}, T = {T}, S = {S}"
        queries, keys, values = (draw.array(*shape, batch) for shape in ((D, T), (D, S), (E, S)))
        yield f"scores, {case}", ask(work.scaled_scores, draw, [queries, keys])
        fresh(draw)
        yield f"the mask of {S} positions", call(work.causal_mask, S)
        for mask in (None, masked(draw, S, T)):
            attend, kind = with_mask(work, mask), f"contexts, {case}, {'no mask' if mask is None else 'a mask'}"
            yield kind, ask(attend, draw, [queries, keys, values])
            fresh(draw)
            large = [input_batch(array) for array in (queries * 100, keys, values)]
            yield f"{kind}, scores of the size 100", call(lambda: attend(*large))  # too rough for gradients


def with_mask(work, mask):
    return lambda *inputs: work.attend(*inputs, None if mask is None else dy.inputTensor(mask))


def make_heads(work, draw, H, heads):
    """A `Heads`, its four parameters, and the collection, which must be kept."""
    collection, params = parameters(*(draw.array(H, H) for _ in range(4)))
    return work.Heads(heads, *params), params, collection


@exam("11.4", 1e-3)
def in_heads(work, draw):
    for H, heads, _, batch, S in BLOCKS:
        T, case = draw.integer(1, 4), f"H = {H}, {heads} heads, B = {batch}"
        attention, params, collection = make_heads(work, draw, H, heads)
        x = draw.array(H, S, batch)
        for place, name in enumerate(("queries", "keys", "values")):
            project = one_of(work, attention, place)
            yield f"{name}, {case}, T = {S}", ask(project, draw, [x], by=params)
        for head in range(heads):
            yield f"rows of head {head}, {case}", ask(lambda x, head=head: work.rows(attention, x, head), draw, [x])
        arrays = [draw.array(H, columns, batch) for columns in (T, S, S)]
        for mask in (None, masked(draw, S, T)):
            kind = f"all heads, {case}, T = {T}, S = {S}, {'no mask' if mask is None else 'a mask'}"
            yield kind, ask(masked_heads(work, attention, mask), draw, arrays, by=params)


def one_of(work, attention, place):
    return lambda x: work.project(attention, x)[place]


def masked_heads(work, attention, mask):
    return lambda *inputs: work.attend_with_heads(attention, *inputs, None if mask is None else dy.inputTensor(mask))


def make_block(work, draw, H, heads, inner):
    """A `Block`, its parameters, and the collection, which must be kept."""
    shapes = [(H, H)] * 4 + [(inner, H), (inner,), (H, inner), (H,)]
    collection, params = parameters(*(draw.array(*shape) for shape in shapes))
    return work.Block(Heads(heads, *params[:4]), *params[4:]), params, collection


def causal(time):
    return dy.inputTensor(np.tril(np.full((time, time), -1e9), k=-1))


@exam("11.5", 2e-3)
def whole_block(work, draw):
    for H, heads, inner, batch, T in BLOCKS:
        for scale in (1, 0.003):  # with the second, 1e-5 counts
            vectors = draw.array(H, T * batch, scale=scale)
            case = f"{T * batch} vectors of {H} numbers of the size {scale}"
            yield f"normalised, {case}", ask(work.layer_norm, draw, [vectors])
        yield (
            f"normalised, {T * batch} vectors of {H} equal numbers",
            ask(work.layer_norm, draw, [np.ones_like(vectors)]),
        )
        block, params, collection = make_block(work, draw, H, heads, inner)
        case = f"H = {H}, {heads} heads, {inner} inner units, B = {batch}, T = {T}"
        x = [draw.array(H, T * batch, scale=3)]
        yield f"the network, {case}", ask(partial(work.network, block), draw, x, by=params)
        for hidden in (True, False):
            transform = in_block(work, block, T, hidden)
            kind = f"the block, {case}, {'the causal mask' if hidden else 'no mask'}"
            yield kind, ask(transform, draw, x, by=params)


def in_block(work, block, time, hidden):
    return lambda x: work.transform(block, x, time, causal(time) if hidden else None)


def model(work, draw, V, H, heads, blocks):
    """Weights, all their parameters, and the collections, which must be kept."""
    made = [make_block(work, draw, H, heads, draw.integer(2, 5)) for _ in range(blocks)]
    collection, (embedding, b) = parameters(draw.array(V, H), draw.array(V))
    weights = work.Weights(embedding, [block for block, _, _ in made], b)
    params = [embedding, b, *(parameter for _, own, _ in made for parameter in own)]
    return weights, params, [collection, *(own for _, _, own in made)]


@exam("11.6", 5e-3)
def with_cache(work, draw):
    for V, H, heads, blocks in ((5, 4, 2, 2), (4, 6, 3, 1), (3, 2, 1, 1)):
        weights, params, collections = model(work, draw, V, H, heads, blocks)
        for time, batch in ((1, 1), (draw.integer(2, 4), 1), (3, 2)):
            inputs = draw.integers(0, V - 1, (time, batch))
            case = f"V = {V}, H = {H}, {heads} heads, {blocks} blocks, T = {time}, B = {batch}"
            fresh(draw)
            before = graph()
            yield f"logits, {case}", call(lambda: step(work.logits(weights, inputs), *params))
            fresh(draw)
            yield f"step by step, {case}", call(lambda: steps(work, weights, inputs))
            yield "all in the graph at hand", graph() - before
        params[1].set_value(draw.array(V, scale=400))
        fresh(draw)
        yield "words of hardly any probability", call(lambda: steps(work, weights, inputs[:2]))
    fresh(draw)
    yield "the graph grows as much with each word", call(lambda: growth(work, weights))


def steps(work, weights, inputs):
    """What each step gives, and whether the cache before it stays."""
    cache, records = [None] * len(weights.blocks), []
    for words in inputs:
        before, read = [*cache], words.tolist()
        new, log_probs = work.advance(weights, cache, read)
        same = all(own is other for own, other in zip(cache, before, strict=True))
        records.append([plain(np.asarray(log_probs)), len(read), same and len(cache), len(new)])
        records.append([[plain(past.keys), plain(past.values)] for past in new])
        cache = new
    return records


def growth(work, weights):
    """Whether reading the sixth word adds no more nodes to the graph than reading the third.

    Those of attention are left out: it may be a loop over the positions.
    """
    cache, sizes, attend_with_heads = [None] * len(weights.blocks), [], work.attend_with_heads
    work.attend_with_heads = lambda attention, queries, *others: queries
    try:
        for word in (0, 1, 2, 1, 2, 1):
            cache, _ = work.advance(weights, cache, [word])
            sizes.append(nodes())
    finally:
        work.attend_with_heads = attend_with_heads
    return bool(sizes[5] - sizes[4] <= sizes[2] - sizes[1])
