"""The house has floors: imports go down, never up, and never in a circle."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path
from re import findall
from sys import executable

import pytest

from tests.pairs import write_pairs
from tests.programs import write_corpus

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    (
        "common.launch",
        "common.errors",
        "common.executor",
        "common.files",
        "common.gpu",
        "common.memory",
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


@pytest.mark.slow
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
    assert touching == ["common.launch", "tools.campaign.field"], "the latter calls programs of a copy of the course"


FILES, LINES, STOPS = 25, 3_540, 15
LOADED = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print("\\n".join(["LOADED", *(str(getattr(one, "__file__", "")) for one in list(sys.modules.values()))]))
"""


@pytest.mark.needs("time")
def test_what_a_reader_of_chapter_6_has_to_read(tmp_path: Path) -> None:
    """The files of ours that a whole run of its train.py loads, the one-line common/__init__.py left out.

    Who adds one has to say which other one a student need not open any more, or why the bound should grow. It last grew
    for the flags of part 2 of the chapter, whose models stand in files of their own.
    """
    program = ROOT / "chapters" / "06_attentive_lm" / "train.py"
    output = run(LOADED, program, "--corpus", write_corpus(tmp_path / "farm"), "--run-dir", tmp_path / "run")
    loaded = {Path(line) for line in output.partition("LOADED\n")[2].splitlines()}
    read = {path for path in {*loaded, program, ROOT / "common" / "launch.py"} if path.is_relative_to(ROOT)}
    read = {path for path in read if path.name != "__init__.py" and ".venv" not in path.parts}
    assert ROOT / "common" / "plots" / "plotting.py" in read, "the run was not finished"
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in read)
    assert len(read) <= FILES and lines <= LINES, (len(read), lines, *sorted(map(str, read)))


WATCHED = """
import runpy, sys
from pathlib import Path
root, stops = sys.argv[1], {}

def watch(frame, event, value):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(root):
        return
    arguments = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    kinds = ["Settings", "Setup"]
    if arguments and type(arguments[0]).__name__ in kinds and code.co_varnames[0] == "self":
        return  # what they do themselves is no stop
    returned = value if isinstance(value, tuple) else (value,)  # nothing, at the beginning of a call
    if any(type(one).__name__ in kinds for one in [*arguments, *returned]):
        stops[code.co_filename[len(root):] + ":" + code.co_name] = None

sys.argv = sys.argv[2:]
sys.setprofile(watch)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
sys.setprofile(None)
print("\\n".join(["STOPS", *stops]))
"""


@pytest.mark.needs("time")
@pytest.mark.slow
def test_the_stops_of_the_settings(tmp_path: Path) -> None:
    """In a run of chapter 9, from the command line to the results: every function that is handed the settings or a
    setup, which holds them, or makes one. CONTRIBUTING.md ("The map") names them."""
    program = ROOT / "chapters" / "09_word_attention" / "train.py"
    pairs = write_pairs(tmp_path / "farm")
    output = run(WATCHED, f"{ROOT}/", program, "--corpus", pairs, "--run-dir", tmp_path / "run")
    stops = [line.rpartition(":")[2] for line in output.partition("STOPS\n")[2].splitlines()]
    assert 10 <= len(stops) <= STOPS, stops
    way = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("The settings of a run pass through")[2]
    told = findall(r"`(?:[A-Za-z]+\.)?(\w+)`", way.partition("\n\n")[0])
    assert sorted(told) == sorted(stops)


def run(code: str, *arguments: object) -> str:
    """What a Python prints that runs this code with these arguments, and one epoch of a tiny model."""
    tiny = ("--hidden-size", "8", "--epochs", "1", "--batch-size", "8")
    command = [executable, "-c", code, *map(str, arguments), *tiny]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_stand_at_the_top_of_a_program() -> None:
    """But for optional packages and for what has to be measured or set before DyNet is loaded."""
    allowed = {
        "common/launch.py": "the environment is checked first",
        "common/gpu.py": "DyNet is asked for CUDA after it was set up",
        "common/executor.py": "a cluster's package is asked for where there is a cluster",
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
                pattern = r"(?:python -m |`)((?:tools|data|book|solutions|exercises)(?:\.(?!py\b)\w+)*)\b"
                named = re.findall(pattern, paragraph)
                found |= {(document.name, name) for name in named}
    assert ("SPEED.md", "tools.bench") in found and ("README.md", "tools.equations") in found
    assert not [one for one in found if not is_program(one[1].split("."))]


def is_program(parts: list[str]) -> bool:
    """Whether a module is there, or a name in one."""
    path = ROOT.joinpath(*parts)
    return path.is_dir() or path.with_suffix(".py").is_file() or path.parent.with_suffix(".py").is_file()
