"""Exercise 9.5: the next word.

Letters in the shapes: H size of embeddings, states and contexts, V words of the target vocabulary, B sentences in the
batch. (H,) x B is a batch of B vectors in DyNet.

The letters are the poster's. In the lesson, i is t, s_i is h_t, y_{i-1} is x_t, e_ij is s_tj, alpha and beta are a^h
and a^x, and c^alpha and c^beta are c^h and c^x.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy


def log_probs(
    W_g: dy.Parameters,
    b_g: dy.Parameters,
    embedding: dy.Parameters,
    b_s: dy.Parameters,
    word: dy.Expression,
    state: dy.Expression,
    contexts: Sequence[dy.Expression],
) -> dy.Expression:
    """log p(y_i | y_<i, x), (V,) x B in nats, of p = g(y_{i-1}, s_i, c_i^alpha, c_i^beta) (Wu et al. 2018, Eq. 4).

    The poster does not specify g. The course uses g = softmax(E (W_g [y_{i-1}; s_i; c_i^alpha; c_i^beta] + b_g) + b_s):
    the four, stacked in this order, become a vector as large as an embedding, and the score of a word is the dot
    product of this vector and its embedding, a row of E (the lesson's W_hs).

    W_g (H, 4H), b_g (H,), embedding: E (V, H), b_s (V,). word: y_{i-1}, state: s_i, and the two contexts, as the
    decoder has read them (Eq. 4 prints them whole): each (H,) x B. Useful: dy.concatenate,
    dy.affine_transform([b, W, x]), which is W x + b, and dy.log_softmax.

    Where E and b_s are zero, each of the V words has the log-probability -log V.
    """
    # BEGIN SOLUTION 9.5
    seen = dy.concatenate([word, state, *contexts])
    output = dy.affine_transform([b_g, W_g, seen])
    return dy.log_softmax(dy.affine_transform([b_s, embedding, output]))
    # END SOLUTION
