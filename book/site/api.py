"""The API reference: the docstrings of a package's modules, with shapes, units and sources, on one page. Files are
parsed, never imported."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from itertools import groupby

from book.site.edition import Edition
from book.site.equations import with_links
from book.site.pages import code_link, tree_of
from book.site.sources import documented_files, escaped, module_page

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
MODIFIERS = {
    "classmethod": ":classmethod:\n",
    "staticmethod": ":staticmethod:\n",
    "abstractmethod": ":abstractmethod:\n",
}


def api_pages(edition: Edition) -> dict[str, str]:
    """The Markdown of a page for each package, by the names of their documents, and of the page that lists them."""
    pages = {
        page: package(edition, list(files))
        for page, files in groupby(sorted(documented_files(edition), key=module_page), module_page)
    }
    listed = "\n".join(f"- {{doc}}`{page.removeprefix('api/')} </{page}>`" for page in pages)
    text = "What every module, class and function computes, from their docstrings: shapes, units (nats), errors and sources."
    tree = "```{toctree}\n:hidden:\n" + "\n".join(f"/{page}" for page in pages) + "\n```\n"
    return pages | {"api/index": f"# API reference\n\n{text}\n\n{listed}\n\n{tree}"}


def package(edition: Edition, files: list[str]) -> str:
    """The page of a package: its modules in the order of their names."""
    folder = "/".join(files[0].split("/")[:-1])
    title = f"---\ntocdepth: 3\n---\n# {folder}\n"
    return title + "\n".join(module(edition, path) for path in sorted(files) if documented(edition, path)) + "\n"


def documented(edition: Edition, path: str) -> bool:
    return bool(tree_of(str(edition.root / path)).body)


def module(edition: Edition, path: str) -> str:
    """A module: its docstring, then what is public in it."""
    tree = tree_of(str(edition.root / path))
    name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    source = code_link(edition, module_page(path), f"`{path}`", path)
    parts = [f"\n## {path.split('/')[-1]}\n", fence("py:module", name, "", ""), f"Source: {source}\n",
             body(edition, ast.get_docstring(tree))]  # fmt: skip
    return "\n".join([*parts, *members(edition, path, tree)])


def members(edition: Edition, path: str, inside: ast.Module | ast.ClassDef) -> Iterator[str]:
    """The directive of each public function, class, and value with a docstring."""
    method = isinstance(inside, ast.ClassDef)
    for node, following in zip(inside.body, [*inside.body[1:], None], strict=True):
        name = getattr(node, "name", None) or target_of(node)
        if not name or name.startswith("_"):
            continue
        if isinstance(node, FUNCTION):
            yield function(edition, path, copy.deepcopy(node), method)
        elif isinstance(node, ast.ClassDef):
            inner = "\n".join(members(edition, path, node))
            text = f"{body(edition, ast.get_docstring(node))}\n{line(edition, path, node)}\n{inner}"
            yield fence("py:class", name + constructor(node), "", text)
        elif text := help_of(node) or string(following):
            kind = "py:attribute" if method else "py:data"
            options = f":type: {ast.unparse(node.annotation)}\n" if isinstance(node, ast.AnnAssign) else ""
            yield fence(kind, name, options, body(edition, text))


def function(edition: Edition, path: str, node: ast.FunctionDef, method: bool) -> str:
    decorators = {ast.unparse(one).split(".")[-1] for one in node.decorator_list}
    kind = "py:method" if method else "py:function"
    arguments = [*node.args.posonlyargs, *node.args.args]
    if method and "staticmethod" not in decorators:
        (node.args.posonlyargs or node.args.args).remove(arguments[0])
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    signature = f"{node.name}({ast.unparse(node.args)}){result}"
    options = "".join(option for name, option in MODIFIERS.items() if name in decorators)
    if decorators & {"property", "cached_property"}:
        kind, signature, options = (
            "py:property",
            node.name,
            f":type: {ast.unparse(node.returns)}\n" if node.returns else "",
        )
    return fence(kind, signature, options, f"{body(edition, ast.get_docstring(node))}\n{line(edition, path, node)}")


def constructor(node: ast.ClassDef) -> str:
    """The arguments of `__init__` in parentheses; nothing where a class has none of its own."""
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            arguments = copy.deepcopy(one.args)
            arguments.args.pop(0)
            return f"({ast.unparse(arguments)})"
    return ""


def target_of(node: ast.stmt) -> str | None:
    """The name that an assignment of one name gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def help_of(node: ast.stmt) -> str | None:
    """The text of a setting, `name: type = setting(default, "text", ...)`."""
    value = getattr(node, "value", None)
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "setting" and len(value.args) > 1:
        default, text = value.args[:2]
        words = text.value if isinstance(text, ast.Constant) else f"`{ast.unparse(text)}`"
        return f"{words} (default: `{ast.unparse(default)}`)"
    return None


def string(node: ast.stmt | None) -> str | None:
    """The docstring below a value."""
    is_string = (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )
    return node.value.value if is_string else None


def body(edition: Edition, docstring: str | None) -> str:
    """A docstring as Markdown: what is indented stays as it is, the rest is prose with lists."""
    if not docstring:
        return ""
    shown = []
    for paragraph in re.split(r"\n\s*\n", docstring.strip("\n")):
        lines = paragraph.splitlines()
        if all(one.startswith("    ") for one in lines):
            shown.append("\n".join(["```text", *(one[4:] for one in lines), "```"]))
        else:
            shown.append(with_links(edition, escaped("\n".join(one.strip() for one in lines))))
    return "\n\n".join(shown) + "\n"


def line(edition: Edition, path: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    link = code_link(edition, module_page(path), f"line {node.lineno}", path, node.lineno, node.end_lineno)
    return f'\n<p class="origin">{link}</p>\n'


def fence(name: str, argument: str, options: str, text: str) -> str:
    """A MyST directive around a text that may hold others."""
    longest = max([2, *(len(one) for one in re.findall(r"^`{3,}", text, re.MULTILINE))])
    marks = "`" * (longest + 1)
    return f"{marks}{{{name}}} {argument}\n{options}\n{text}\n{marks}\n"
