"""Graders of combined.py: an equation is evaluated on numbers, so that every right way to write it passes."""

import ast

import numpy as np

from solutions.checks import check, close, shown, task

MUTANTS = [
    ("8.2", '"H.T @ W_a @ h"', '"H.T @ h"'),
    ("8.2", '"H.T @ W_a @ h"', '"H.T @ W_a.T @ h"'),
    ("8.2", '"H.T @ W_a @ h"', '"h.T @ W_a.T @ H"'),
    ("8.2", '"H.T @ W_a @ h"', '"H @ W_a @ h"'),
    ("8.2", '"H.T @ W_a @ h"', '"h.T @ W_a @ H"'),
    ("8.2", '"H.T @ W_a @ h"', '"tanh(H.T @ W_a @ h)"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"(W_e @ h + W_f @ H).T @ w"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"(tanh(W_e @ h) + tanh(W_f @ H)).T @ w"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"tanh((W_e @ h + W_f @ H).T @ w)"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"w.T @ tanh(W_e @ h + W_f @ H)"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"tanh(W_f @ h + W_e @ H).T @ w"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"tanh(W_f @ H).T @ w"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"tanh(W_e @ h).T @ w"'),
    ("8.2", '"tanh(W_e @ h + W_f @ H).T @ w"', '"rectify(W_e @ h + W_f @ H).T @ w"'),
]

SIZES = ((3, 2, 4, 5), (4, 4, 4, 4), (2, 3, 1, 1), (1, 1, 2, 3))
"""h, q, A and S"""


def symbols(h, q, A, S):
    draw = np.random.default_rng(3).normal
    sizes = {"H": (h, S), "h": (q, 1), "W_a": (h, q), "W_e": (A, q), "W_f": (A, h), "w": (A, 1)}
    return {name: draw(size=size) for name, size in sizes.items()}


def value(node, known, text):
    """What a part of an equation is worth. Nothing but the few operations of the exercise is understood."""
    match node:
        case ast.Expression(body=body):
            return value(body, known, text)
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Attribute(value=inner, attr="T"):
            return value(inner, known, text).T
        case ast.Call(func=ast.Name("tanh"), args=[inner], keywords=[]):
            return np.tanh(value(inner, known, text))
        case ast.BinOp(left=left, op=ast.MatMult() | ast.Add() as operation, right=right):
            both = value(left, known, text), value(right, known, text)
            return join(operation, *both, ast.unparse(node), text)
    check(False, f"{text!r}: {ast.unparse(node)!r} is none of {', '.join(known)}, @, +, .T, tanh(...) and parentheses")


def join(operation, left, right, part, text):
    """A sum or a product, if the shapes fit."""
    if isinstance(operation, ast.MatMult):
        fits = left.shape[1] == right.shape[0]
    else:
        fits = all(a == b or 1 in (a, b) for a, b in zip(left.shape, right.shape, strict=True))
    check(fits, f"{text!r}: in {part!r}, {left.shape} and {right.shape} do not fit together")
    return left @ right if isinstance(operation, ast.MatMult) else left + right


def evaluate(text, known):
    check(isinstance(text, str), f'an equation is a text, as in "H.T @ h"; yours is {shown(text)}')
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        check(False, f"{shown(text)} is no equation that Python can read; are all parentheses closed?")
    return value(tree, known, text.strip())


def grade(text, scores, allowed, message):
    """Compare an equation with the scores of the words one by one, for matrices of several sizes."""
    for sizes in SIZES:
        known = {name: array for name, array in symbols(*sizes).items() if name in allowed}
        found = evaluate(text, known)
        h, q, A, S = sizes
        what = f"{text!r} with n = {h}, q = {q}, A = {A}, S = {S}"
        check(found.shape != (1, S) or S == 1, f"{what}: a row; the scores must stand in a column, ({S}, 1)")
        close(found, np.array([[scores(known, j)] for j in range(S)]), f"{what}: {message}")


@task("8.2")
def test_the_bilinear_scores_at_once(work):
    def score(known, j):
        return float(known["H"][:, j] @ known["W_a"] @ known["h"][:, 0])

    message = "number j must be the score of word j as Eq. 79 has it"
    grade(work.bilinear(), score, ("H", "W_a", "h"), message)


@task("8.2")
def test_the_scores_of_the_mlp_at_once(work):
    def score(known, j):
        W_a1 = np.concatenate([known["W_e"], known["W_f"]], axis=1)
        both = np.concatenate([known["h"][:, 0], known["H"][:, j]])
        return float(known["w"][:, 0] @ np.tanh(W_a1 @ both))

    message = "number j must be the score of word j as Eq. 80 has it: is the sum inside the tanh, and w outside?"
    grade(work.mlp(), score, ("H", "W_e", "W_f", "w", "h"), message)
