"""The course's answers in the place of a student's earlier exercises, so that no error is carried over.

A mark is about the functions of one task. For it the student's file is loaded, and all functions of other tasks, in
this file and in its neighbours, are the course's own.
"""

from __future__ import annotations

import ast
from functools import cache

from solutions.grading.execution import Source, Substitution
from solutions.sets import Task
from solutions.stubs import Function, free_names, is_answer, reachable, read_tree


def substituted(task: Task, files: dict[str, Source]) -> tuple[dict[str, Source], dict[str, Substitution]]:
    """The files for the mark of a task, and what replaces functions of its own file. The answers must be there."""
    mixed = {
        name: Source(f"the course's {name}.py", text)
        for name, text in task.exercises.answers.items()
        if is_answer(text) and name != task.file
    }
    mixed |= {name: source for name, source in files.items() if name == task.file or name not in mixed}
    tasks = [
        other for other in task.exercises.tasks.values() if other.file == task.file and other.number != task.number
    ]
    others = tuple(name for other in tasks for name in other.functions)
    if not others:
        return mixed, {}
    text = text_of(task.exercises.answers[task.file], others, tuple(task.functions))
    return mixed, {task.file: Substitution(text, others)}


@cache
def text_of(answer: str, names: tuple[str, ...], own: tuple[str, ...]) -> str:
    """The part of an answer that defines the wanted functions, with all that they use, and without the task itself."""
    tree = read_tree(answer)
    defined = {node.name: node for node in tree.body if isinstance(node, Function)}
    needed = reachable(defined, names) - set(own)
    body = [node for node in tree.body if not isinstance(node, Function) or node.name in needed]
    return ast.unparse(ast.Module(body, []))


def needs(task: Task, text: str = "") -> list[Task]:
    """The other tasks whose functions the answer to a task uses. text: a student's file in place of the answer's."""
    exercises = task.exercises
    tree = read_tree(text or exercises.answers[task.file])
    defined = {node.name: node for node in tree.body if isinstance(node, Function)}
    brought = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module in exercises.answers
        for alias in node.names
    }
    used = reachable(defined, task.functions)
    names_used = {other for name in used for other in free_names(defined[name])}
    places = {(task.file, name) for name in used} | {brought[name] for name in names_used if name in brought}
    return [
        other
        for other in exercises.tasks.values()
        if other.number != task.number and any((other.file, name) in places for name in other.functions)
    ]
