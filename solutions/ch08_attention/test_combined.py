"""Graders of combined.py: an equation is evaluated on numbers, so that every right way to write it passes."""

import ast

import numpy as np

from solutions.checks import check, close, shown, task


def value(node, arrays, text):
    """What a part of an equation is worth. Nothing but the few operations of the exercise is understood."""
    match node:
        case ast.Expression(body=body):
            return value(body, arrays, text)
        case ast.Name(id=name) if name in arrays:
            return arrays[name]
        case ast.Attribute(value=inner, attr="T"):
            return value(inner, arrays, text).T
        case ast.Call(func=ast.Name("tanh"), args=[inner], keywords=[]):
            return np.tanh(value(inner, arrays, text))
        case ast.BinOp(left=left, op=ast.MatMult() | ast.Add() as operation, right=right):
            left, right = value(left, arrays, text), value(right, arrays, text)
            try:
                return left @ right if isinstance(operation, ast.MatMult) else left + right
            except ValueError:
                shapes = f"{left.shape} and {right.shape} do not fit together"
                check(False, f"{text!r}: in {ast.unparse(node)!r}, {shapes}")
    check(False, f"{text!r}: {ast.unparse(node)!r} is none of {', '.join(arrays)}, @, +, .T, tanh(...) and parentheses")


def grade(text, scores, names, message):
    """Compare an equation with the scores of the words one by one, for matrices of several sizes."""
    check(isinstance(text, str), f'an equation is a text, as in "H.T @ h"; yours is {shown(text)}')
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        check(False, f"{shown(text)} is no equation that Python can read; are all parentheses closed?")
    for n, q, A, S in ((3, 2, 4, 5), (4, 4, 4, 4), (2, 3, 1, 1), (1, 1, 2, 3)):
        draw = np.random.default_rng(3).normal
        sizes = {"H": (n, S), "h": (q, 1), "W_a": (n, q), "W_e": (A, q), "W_f": (A, n), "w": (A, 1)}
        arrays = {name: draw(size=sizes[name]) for name in names}
        actual, label = value(tree, arrays, text), f"{text!r} with n = {n}, q = {q}, A = {A}, S = {S}"
        check(actual.shape != (1, S) or S == 1, f"{label}: a row; the scores must stand in a column, ({S}, 1)")
        close(actual, np.array([[scores(arrays, j)] for j in range(S)]), f"{label}: {message}")


@task("8.2")
def test_the_bilinear_scores_at_once(work):
    def score(arrays, j):
        return float(arrays["H"][:, j] @ arrays["W_a"] @ arrays["h"][:, 0])

    grade(work.bilinear(), score, ("H", "W_a", "h"), "number j must be the score of word j as Eq. 79 has it")


@task("8.2")
def test_the_scores_of_the_mlp_at_once(work):
    def score(arrays, j):
        W_a1 = np.concatenate([arrays["W_e"], arrays["W_f"]], axis=1)
        both = np.concatenate([arrays["h"][:, 0], arrays["H"][:, j]])
        return float(arrays["w"][:, 0] @ np.tanh(W_a1 @ both))

    message = "number j must be the score of word j as Eq. 80 has it: is the sum inside the tanh, and w outside?"
    grade(work.mlp(), score, ("H", "W_e", "W_f", "w", "h"), message)
