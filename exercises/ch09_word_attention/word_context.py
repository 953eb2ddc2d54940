"""Exercise 9.2: attention to the words themselves.

An annotation encodes a word together with its whole sentence, and blurs the word itself; the embedding x_j encodes the
word and nothing else. Letters in the shapes: S source words, padding included, H size of an embedding, Q size of the
decoder's state, A size of the hidden layer of the score, B sentences in the batch. (H, S) x B is B matrices whose
columns are embeddings.

The letters are the poster's. In the lesson, i is t, s_i is h_t, y_{i-1} is x_t, e_ij is s_tj, alpha and beta are a^h
and a^x, and c^alpha and c^beta are c^h and c^x.
"""

from __future__ import annotations

import dynet as dy


def word_attention(
    W_b: dy.Parameters,
    U_b: dy.Parameters,
    v_b: dy.Parameters,
    state: dy.Expression,
    words: dy.Expression,
    padding: dy.Expression | None = None,
) -> tuple[dy.Expression, dy.Expression]:
    """The weights beta_i of the source words and the word context c_i^beta (Wu et al. 2018, Eq. 1 and 2):

        e_ij = v_b . tanh(W_b s_{i-1} + U_b x_j),   beta_i = softmax(e_i),   c_i^beta = sum over j of beta_ij x_j

    W_b (A, Q), U_b (A, H), v_b a row, (1, A); state: s_{i-1}, (Q,) x B; words: x_1 ... x_S, (H, S) x B. padding: None,
    or what is added to the e_i so that padding gets no weight, (S, 1) x B, 0 for words and -1e9 after them.
    -> beta_i (S, 1) x B and c_i^beta (H,) x B.

    Useful: dy.reshape(expression, dimensions, batch); (A, S) x B + (A, 1) x B, which adds the column to each of the S
    columns; dy.transpose; dy.softmax, which works column by column. expression.dim() is ((rows, columns), batch).

    With W_b = [[2]], U_b = [[1]], v_b = [[3]], s = [0.5] and the words [[4, 4]], beta is [[1/2], [1/2]] and the context
    is [4].
    """
    # TODO 9.2: attention to words
    raise NotImplementedError("Exercise 9.2: attention to words")
