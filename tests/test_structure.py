"""The house has floors: imports go down, never up, and never in a circle."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    (
        "common.launch",
        "common.errors",
        "common.files",
        "common.runtime",
    ),
    ("common.text",),
    ("common.evaluation", "common.nn"),
    ("common.search",),
    ("common.plots",),
    ("common.training",),
    ("common.programs",),
    ("chapters",),
    ("solutions",),
    ("exercises", "tools", "tests"),
)
"""From the ground up. `data` stands beside `common`: it uses the two lowest, and chapters and tools use it."""


def python_files(*folders: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, capture_output=True)
    files = [ROOT / line for line in listed.stdout.decode().splitlines() if line.endswith(".py")]
    return [path for path in files if path.exists()] or sorted(
        path for folder in folders for path in (ROOT / folder).glob("**/*.py")
    )


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Every module of ours that a file imports anywhere, those named to importlib included; each file is read once."""
    package, found = module_of(path).rpartition(".")[0], []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(part for part in (package if node.level else "", node.module) if part)
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                found.append(inner if (ROOT / (inner.replace(".", "/") + ".py")).exists() else module)
    return tuple(found)


def floor_of(module: str) -> int | None:
    """The floor of a module, counted from 0; `None` for what is not ours or stands beside the house."""
    for floor, rooms in enumerate(FLOORS):
        if any(module == room or module.startswith(room + ".") for room in rooms):
            return floor
    return None


def test_no_arrow_goes_up() -> None:
    up = []
    for path in python_files("common", "chapters", "solutions", "data"):
        own = floor_of(module_of(path))
        own = 1 if own is None else own  # data writes texts and may know what a sentence is, no more
        for imported in imports_of(path):
            floor = floor_of(imported)
            if floor is not None and floor > own:
                up.append(f"{module_of(path)} imports {imported}")
    assert not up, "\n".join(up)


def test_chapters_do_not_import_each_other() -> None:
    crossing = []
    for path in python_files("chapters"):
        chapter = path.parent.name
        for imported in imports_of(path):
            if imported.startswith("chapters.") and not imported.startswith(f"chapters.{chapter}"):
                crossing.append(f"{module_of(path)} imports {imported}")
    assert not crossing, "\n".join(crossing)


def test_no_circle() -> None:
    files = {module_of(path): path for path in python_files("common", "chapters", "data", "solutions", "tools")}
    graph = {module: {name for name in imports_of(path) if name in files} for module, path in files.items()}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way[way.index(module) :], module))
        if module not in done:
            for imported in sorted(graph[module] - {module}):
                visit(imported, (*way, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


def test_only_the_launcher_touches_the_path() -> None:
    touching = [
        module_of(path)
        for path in python_files("common", "chapters", "data", "exercises", "tools")
        if "sys.path" in path.read_text(encoding="utf-8")
    ]
    assert touching == ["common.launch"]


def test_imports_stand_at_the_top_of_a_program() -> None:
    """But for optional packages and for what has to be measured or set before DyNet is loaded."""
    allowed = {
        "common/launch.py": "the environment is checked first",
        "common/runtime.py": "DyNet is asked for CUDA after it was set up",
        "common/evaluation/metrics.py": "rouge-score takes a second to load, and only summaries need it",
        "common/training/report.py": "matplotlib takes as long to load as all else together; only finished runs draw",
        "common/text/subwords.py": "sentencepiece is asked for where it is needed",
        "chapters/05_rnn_lm/autobatch.py": "DyNet is set up for automatic batching",
    }
    indented = set()
    for path in python_files("common", "chapters"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                inside = [child for child in ast.walk(node) if isinstance(child, (ast.Import, ast.ImportFrom))]
                if inside:
                    indented.add(path.relative_to(ROOT).as_posix())
    assert indented <= set(allowed)


def test_documents_name_programs_that_exist() -> None:
    """`python -m tools.X` in a document is there, unless its paragraph says of which revision it was."""
    found = set()
    for document in ROOT.glob("**/*.md"):
        if {".venv", "runs"} & set(document.relative_to(ROOT).parts):
            continue
        for paragraph in document.read_text("utf-8").split("\n\n"):
            if not re.search(r"[Rr]evision\s+`[0-9a-f]{7}`", paragraph):
                named = re.findall(r"(?:python -m |`)((?:tools|data|book|solutions|exercises)(?:\.\w+)*)\b", paragraph)
                found |= {(document.name, name) for name in named}
    assert ("README.md", "tools.bench") in found and ("README.md", "tools.equations") in found
    assert not [one for one in found if not is_program(one[1].split("."))]


def is_program(parts: list[str]) -> bool:
    """Whether a module is there, or a name in one."""
    path = ROOT.joinpath(*parts)
    return path.is_dir() or path.with_suffix(".py").is_file() or path.parent.with_suffix(".py").is_file()
