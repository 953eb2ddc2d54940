"""The API reference: the docstrings of a package's modules, with shapes, units and sources, on one page. Files are
parsed, never imported."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from itertools import groupby

from book.site.edition import Edition
from book.site.equations import with_links
from book.site.pages import code_link, tree_of
from book.site.sources import documented_files, escaped, module_page

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def api_pages(edition: Edition) -> dict[str, str]:
    """The Markdown of a page for each package, by the names of their documents, and of the page that lists them."""
    files = sorted(documented_files(edition), key=module_page)
    pages = {page: package(edition, list(inside)) for page, inside in groupby(files, module_page)}
    text = "What every module, class and function computes: shapes, units (nats), errors and sources."
    listed = "\n".join(f"- {{doc}}`{page.removeprefix('api/')} </{page}>`" for page in pages)
    tree = "```{toctree}\n:hidden:\n" + "\n".join(f"/{page}" for page in pages) + "\n```\n"
    return pages | {"api/index": f"# API reference\n\n{text}\n\n{listed}\n\n{tree}"}


def package(edition: Edition, files: list[str]) -> str:
    """The page of a package: its modules in the order of their names, those with nothing in them left out."""
    folder = "/".join(files[0].split("/")[:-1])
    modules = [module(edition, path) for path in sorted(files) if tree_of(edition.root / path).body]
    return "\n".join([f"---\ntocdepth: 3\n---\n# {folder}\n", *modules])


def module(edition: Edition, path: str) -> str:
    """A module: its docstring, then what is public in it."""
    tree = tree_of(edition.root / path)
    source = code_link(edition, module_page(path), f"`{path}`", path)
    head = f"## {path.split('/')[-1]}\n\n{source}\n\n{described(ast.get_docstring(tree))}"
    return "\n".join([head, *members(edition, path, tree)])


def members(edition: Edition, path: str, inside: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Each public function and class, each method with a docstring, each value with one."""
    owner = f"{inside.name}." if isinstance(inside, ast.ClassDef) else ""
    level = "####" if owner else "###"
    for node, following in zip(inside.body, [*inside.body[1:], None], strict=True):
        name = getattr(node, "name", None) or target_of(node)
        if not name or name.startswith("_"):
            continue
        link = origin(edition, path, node)
        if isinstance(node, FUNCTIONS):
            docstring = ast.get_docstring(node)
            if docstring or not owner:
                begins = signature(edition, path, node)
                yield f"{level} {owner}{escaped(name)}\n\n{begins}\n\n{described(docstring)}{link}"
        elif isinstance(node, ast.ClassDef):
            says = described(ast.get_docstring(node)) + values(node)
            yield f"{level} {name}\n\n{signature(edition, path, node)}\n\n{says}{link}"
            yield from members(edition, path, node)
        elif not owner and (text := documentation(node, following)):
            yield f"{level} {escaped(name)}\n\n{described(text)}{link}"


def values(node: ast.ClassDef) -> str:
    """A list of what a class or its instances hold, where the class says what it is."""
    names = [
        (target_of(statement), getattr(statement, "annotation", None), documentation(statement, following))
        for statement, following in zip(node.body, [*node.body[1:], None], strict=True)
    ]
    lines = [
        f"- `{name}`{f' (`{ast.unparse(kind)}`)' if kind else ''}: {escaped(' '.join(text.split()))}"
        for name, kind, text in names
        if name and text
    ]
    return "\n".join(lines) + "\n\n" if lines else ""


def signature(edition: Edition, path: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    """How a function or class begins, as the file has it; a class with the arguments that make an instance."""
    methods = [part for part in getattr(node, "body", []) if isinstance(part, FUNCTIONS)]
    starts = [method for method in methods if method.name == "__init__"]
    heads = [head(edition, path, node)]
    if isinstance(node, ast.ClassDef):
        heads += [textwrap.indent(head(edition, path, method), "    ") for method in starts]
    return "```python\n" + "\n".join(heads) + "\n```"


def head(edition: Edition, path: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    """The lines of a definition before its body, the decorators included."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    last = max(node.body[0].lineno - 1, node.lineno)
    lines = (edition.root / path).read_text(encoding="utf-8").splitlines()[first - 1 : last]
    return textwrap.dedent("\n".join(line for line in lines if line.strip()))


def target_of(node: ast.stmt) -> str | None:
    """The name that an assignment of one name gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def documentation(node: ast.stmt, following: ast.stmt | None) -> str | None:
    """What is said of a value: the docstring below it, or the text of `name: type = setting(default, "text", ...)`."""
    value = getattr(node, "value", None)
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "setting" and len(value.args) > 1:
        default, text = value.args[:2]
        words = text.value if isinstance(text, ast.Constant) else f"`{ast.unparse(text)}`"
        return f"{words} (default: `{ast.unparse(default)}`)"
    if target_of(node) and isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        return str(following.value.value)
    return None


def described(docstring: str | None) -> str:
    """A docstring as Markdown: what is indented stays as it is, the rest is prose with lists."""
    blocks = []
    for paragraph in re.split(r"\n\s*\n", (docstring or "").strip("\n")):
        lines = paragraph.splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            blocks.append("\n".join(["```text", *(line[4:] for line in lines), "```"]))
        else:
            blocks.append(with_links(escaped("\n".join(line.strip() for line in lines))))
    return "\n\n".join(blocks) + "\n\n"


def origin(edition: Edition, path: str, node: ast.stmt) -> str:
    link = code_link(edition, module_page(path), f"line {node.lineno}", path, node.lineno, node.end_lineno)
    return f'<p class="origin">{link}</p>\n'
