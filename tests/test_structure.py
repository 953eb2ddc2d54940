"""The house has floors: imports go down, never up, and never in a circle."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from re import findall
from sys import executable

import pytest

from tests.pairs import write_pairs
from tests.programs import write_corpus

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    ("common",),
    ("common.text",),
    ("common.evaluation", "common.nn"),
    ("common.search",),
    ("common.plots",),
    ("common.training",),
    ("common.programs",),
    ("chapters",),
    ("solutions",),
    ("exercises",),
    ("tools",),
    ("book",),
    ("tests", "tools.campaign"),
)
"""From the ground up: the files of `common` itself, then its folders. `data` stands beside `common`: it uses the two
lowest, and chapters and tools use it."""
FOLDERS = ("book", "chapters", "common", "data", "exercises", "solutions", "tools")


@cache
def python_files(*folders: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *folders], cwd=ROOT, capture_output=True)
    files = [ROOT / line for line in listed.stdout.decode().splitlines() if line.endswith(".py")]
    return [path for path in files if path.exists()] or sorted(
        path for folder in folders for path in (ROOT / folder).glob("**/*.py")
    )


def module_of(path: Path) -> str:
    """The name that a file is imported by: of a chapter, the one without the number."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return re.sub(r"^chapters\.\d\d_", "chapters.", name)


@cache
def modules() -> frozenset[str]:
    return frozenset(map(module_of, python_files(*FOLDERS)))


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Every module of ours that a file imports anywhere; each file is read once."""
    return tuple(imported_by(path.read_text(encoding="utf-8"), module_of(path)))


def imported_by(text: str, module: str) -> list[str]:
    """What a module with this text imports: at the top, inside a function, and by a name given to importlib."""
    package, imported = module.rpartition(".")[0], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            origin = ".".join(part for part in (above if node.level else "", node.module) if part)
            inner = [f"{origin}.{alias.name}" for alias in node.names]
            imported += [name if name in modules() else origin for name in inner]
        elif isinstance(node, ast.Call):
            imported += named_in(node, package)
    return imported


def named_in(call: ast.Call, package: str) -> list[str]:
    """The module that a call of `import_module`, `run_module` or `chapter_module` names, if it names one."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    words = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    if function in ("import_module", "run_module") and words:
        return [package + words[0] if words[0].startswith(".") else words[0]]
    if function == "chapter_module" and len(words) == 2:
        return [f"chapters.{words[0][3:]}.{words[1]}"]
    return []


def test_imports_are_seen_wherever_they_stand() -> None:
    text = """
import common.errors
from common.text import vocab
from . import corpus
from .batching import Batch
from ..nn.softmax import embed
def late():
    from solutions.sets import find_sets
    importlib.import_module("common.training.past_runs")
    import_module(".pairs", __package__)
    chapter_module("06_attentive_lm", "settings")
    runpy.run_module("exercises.commands")
"""
    assert imported_by(text, "common.text.somewhere") == [
        "common.errors",
        "common.text.vocab",
        "common.text.corpus",
        "common.text.batching",
        "common.nn.softmax",
        "solutions.sets",
        "common.training.past_runs",
        "common.text.pairs",
        "chapters.attentive_lm.settings",
        "exercises.commands",
    ]


def floor_of(module: str) -> int | None:
    """The floor of a module, counted from 0; `None` for what is not ours or stands beside the house."""
    rooms = {room: floor for floor, names in enumerate(FLOORS) for room in names}
    name = module
    while name not in rooms and "." in name:
        name = name.rpartition(".")[0]
    return None if name == "common" and module.count(".") > 1 else rooms.get(name)


STARTED = "common.launch imports solutions.substitute"
"""The one arrow that goes up: what starts programs brings the grader where --from asks for a student's functions."""


def test_no_arrow_goes_up() -> None:
    up = []
    for path in python_files(*FOLDERS):
        own = floor_of(module_of(path))
        own = 1 if own is None else own  # data writes texts and may know what a sentence is, no more
        for imported in imports_of(path):
            floor = floor_of(imported)
            if floor is not None and floor > own:
                up.append(f"{module_of(path)} imports {imported}")
    assert set(up) == {STARTED}, "\n".join(up)


def test_every_folder_of_common_has_a_floor() -> None:
    assert not [module for module in map(module_of, python_files("common")) if floor_of(module) is None]


def test_common_imports_by_name_nothing_but_chapters() -> None:
    """`chapter_module` alone loads what it learns the name of when it runs."""
    by_name = {
        module_of(path) for path in python_files("common") if "import_module(" in path.read_text(encoding="utf-8")
    }
    assert by_name == {"common.chapters"}


def test_chapters_do_not_import_each_other() -> None:
    crossing = []
    for path in python_files("chapters"):
        chapter = module_of(path).split(".")[1] if path.parent.name != "chapters" else ""
        for imported in imports_of(path):
            if imported.startswith("chapters.") and not imported.startswith(f"chapters.{chapter}"):
                crossing.append(f"{module_of(path)} imports {imported}")
    assert not crossing, "\n".join(crossing)


@pytest.mark.slow
def test_no_circle() -> None:
    files = {module_of(path): path for path in python_files(*FOLDERS)}
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


STOPS = 15
BUDGETS = {
    1: (22, 2_438),
    2: (30, 3_086),
    3: (19, 1_744),
    4: (30, 2_984),
    5: (31, 3_154),
    6: (30, 3_179),
    7: (34, 3_743),
    8: (39, 4_378),
    9: (39, 4_362),
    10: (48, 5_017),
    11: (29, 3_009),
}
"""Of each chapter: files and lines of ours that the default of its train.py loads on the embedded corpus, and so what a
reader of the training may have to open. A variant is loaded where it is chosen."""
LOADED = """
import runpy, sys
from pathlib import Path
_, root, *sys.argv = sys.argv
if root:  # where the embedded corpora are
    import common.text.corpus
    common.text.corpus.ROOT = Path(root)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print("\\n".join(["LOADED", *(str(getattr(module, "__file__", "")) for module in list(sys.modules.values()))]))
"""


def beginning_of(corpus: Path, folder: Path, most: int = 400) -> None:
    """Write a corpus with the first sentences of each split, and with its facts."""
    folder.mkdir(parents=True)
    for path in corpus.iterdir():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / path.name).write_text("".join(lines[: None if path.suffix == ".json" else most]), encoding="utf-8")


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize("number", BUDGETS)
def test_what_a_reader_of_a_chapter_has_to_read(number: int, tmp_path: Path) -> None:
    """Whoever adds a file says which other one a student need not open any more, or why the bound should grow."""
    (program,) = ROOT.glob(f"chapters/{number:02}_*/train.py")
    sizes = {1: (), 2: ("--epochs", "1"), 3: ()}.get(number, ("--hidden-size", "8", "--epochs", "1"))
    name = "village_pairs" if 7 <= number <= 10 else "village"
    beginning_of(ROOT / "data" / name, tmp_path / "data" / name)
    root = "" if number == 3 else tmp_path
    output = run(LOADED, root, program, "--run-dir", tmp_path / "run", sizes=sizes)
    loaded = {Path(line) for line in output.partition("LOADED\n")[2].splitlines()}
    read = {path for path in {*loaded, program, ROOT / "common" / "launch.py"} if path.is_relative_to(ROOT)}
    read = {path for path in read if path.name != "__init__.py" and ".venv" not in path.parts}
    assert (tmp_path / "run" / "metrics.json").exists(), "the run was not finished"
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in read)
    files, most = BUDGETS[number]
    assert len(read) <= files and lines <= most, (len(read), lines, *sorted(map(str, read)))


WATCHED = """
import runpy, sys
from pathlib import Path
root, walk = sys.argv[1], []

def watch(frame, event, value):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(root):
        return
    arguments = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    kinds = ["Settings", "Setup"]
    if arguments and type(arguments[0]).__name__ in kinds and code.co_varnames[0] == "self":
        return  # what they do themselves is no stop
    if code.co_filename.endswith(("footprint.py", "sizes.py")):
        return  # nor is what they themselves say of the memory, in a file of its own
    returned = value if isinstance(value, tuple) else (value,)  # nothing, at the beginning of a call
    stop = code.co_filename[len(root):] + ":" + code.co_name
    if any(type(value).__name__ in kinds for value in [*arguments, *returned]) and [stop] != walk[-1:]:
        walk.append(stop)

sys.argv = sys.argv[2:]
sys.setprofile(watch)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
sys.setprofile(None)
print("\\n".join(["STOPS", *walk]))
"""


@pytest.mark.needs("time")
@pytest.mark.slow
def test_the_stops_of_the_settings(tmp_path: Path) -> None:
    """In a run of chapter 9, from the command line to the results: every function that is handed the settings or a
    setup, which holds them, or makes one. CONTRIBUTING.md ("The map") names them."""
    program = ROOT / "chapters" / "09_word_attention" / "train.py"
    pairs = write_pairs(tmp_path / "farm")
    output = run(WATCHED, f"{ROOT}/", program, "--corpus", pairs, "--run-dir", tmp_path / "run")
    stops = [line.rpartition(":")[2] for line in dict.fromkeys(output.partition("STOPS\n")[2].splitlines())]
    assert 10 <= len(stops) <= STOPS, stops
    way = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("The settings of a run pass through")[2]
    told = findall(r"`(?:[A-Za-z]+\.)?(\w+)`", way.partition("\n\n")[0])
    assert sorted(told) == sorted(stops)


@pytest.mark.needs("time")
@pytest.mark.slow
def test_following_the_settings_through_chapter_6(tmp_path: Path) -> None:
    """Whoever follows them from function to function sees few, and seldom comes back to one."""
    program = ROOT / "chapters" / "06_attentive_lm" / "train.py"
    corpus = write_corpus(tmp_path / "farm")
    output = run(WATCHED, f"{ROOT}/", program, "--corpus", corpus, "--run-dir", tmp_path / "run")
    walk = output.partition("STOPS\n")[2].splitlines()
    assert 8 <= len(set(walk)) <= 12 and len(walk) - len(set(walk)) <= 6, walk


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize("chapter", ["08_attention", "10_beyond"])
def test_following_the_settings_of_a_run_through_translate(chapter: str, tmp_path: Path) -> None:
    """From the file of the run to the translations, those of a network of another chapter, too."""
    programs, corpus = ROOT / "chapters" / chapter, write_pairs(tmp_path / "farm")
    run("import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')",
        programs / "train.py", "--corpus", corpus, "--run-dir", tmp_path / "run")  # fmt: skip
    flags = (corpus / "test.source", "--run", tmp_path / "run")
    walk = run(WATCHED, f"{ROOT}/", programs / "translate.py", *flags, sizes=()).partition("STOPS\n")[2].splitlines()
    assert 8 <= len(walk) <= 20, walk


TINY = ("--hidden-size", "8", "--epochs", "1", "--batch-size", "8")


def run(code: str, *arguments: object, sizes: Sequence[str] = TINY) -> str:
    """What a Python prints that runs this code with these arguments, and one epoch of a tiny model."""
    command = [executable, "-c", code, *map(str, arguments), *sizes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_stand_at_the_top_of_a_program() -> None:
    """But for optional packages, for what has to be set before DyNet is loaded, and for what most runs do without."""
    allowed = {
        "common/launch.py": "the environment is checked first, and what is wrong with it",
        "common/gpu.py": "DyNet is asked for CUDA after it was set up",
        "common/runtime.py": "a GPU",
        "common/executor.py": "a cluster's package is asked for where there is a cluster",
        "common/memory.py": "what Windows does not have; how much memory there is",
        "common/errors.py": "an early end",
        "common/training/runs.py": "an early end; a run that is resumed",
        "common/training/neural_settings.py": "what a model takes of the memory",
        "common/training/loop.py": "a run that is resumed, or whose best epoch is not the last",
        "common/training/cli.py": "presets; a limit of memory",
        "common/text/corpus.py": "a mistaken name",
        "common/programs/chapters.py": "the numbers of a trained model",
        "common/text/batching.py": "batches that may not fit into the memory",
        "common/text/pairs.py": "trees",
        "common/text/subwords.py": "sentencepiece is asked for where it is needed",
        "common/evaluation/rouge.py": "rouge-score takes a second to load",
        "common/training/report.py": "matplotlib takes as long to load as all else together; rows of translations",
        "common/training/schedules.py": "other schedules than the default",
        "common/training/setup.py": "DyNet for models that are on it; several processes, past runs, averaging, memory",
        "common/training/pairs.py": "pieces; scores of summaries",
        "common/nn/dropout.py": "one mask for a whole sequence",
        "common/nn/stacking.py": "other cells than the LSTM",
        "common/nn/source_attention.py": "other scores than the default",
        "common/search/beams.py": "search inside DyNet for models that are on it",
        "common/search/translation.py": "a sentence that may not fit",
        "common/search/decoding.py": "search inside DyNet for models that are on it; one that may outgrow a graph",
        "common/search/room.py": "a graph that is full",
        "common/search/attending.py": "what may not fit into the memory",
        "common/search/sampling.py": "sampling inside DyNet for models that are on it",
        "chapters/01_ngram_lm/methods.py": "pruning, and other smoothings than the default",
        "chapters/01_ngram_lm/settings.py": "what can be chosen with --prune",
        "chapters/01_ngram_lm/text.py": "a text that does not fit into memory",
        "chapters/01_ngram_lm/train.py": "variants, and a text that does not fit into memory",
        "chapters/02_loglinear_lm/learners.py": "DyNet",
        "chapters/02_loglinear_lm/train.py": "a run that is resumed",
        "chapters/03_neural_networks/engines.py": "DyNet",
        "chapters/03_neural_networks/train.py": "a run that is resumed",
        "chapters/04_feedforward_lm/model.py": "variants",
        "chapters/04_feedforward_lm/train.py": "variants",
        "chapters/05_rnn_lm/autobatch.py": "DyNet is set up for automatic batching",
        "chapters/05_rnn_lm/train.py": "variants",
        "chapters/05_rnn_lm/variants.py": "variants",
        "chapters/06_attentive_lm/variants.py": "variants",
        "chapters/06_attentive_lm/train.py": "variants",
        "chapters/07_encoder_decoder/encoder.py": "variants",
        "chapters/07_encoder_decoder/model.py": "variants",
        "chapters/07_encoder_decoder/train.py": "trees",
        "chapters/08_attention/objective.py": "penalties of attention, and links where a corpus has none",
        "chapters/08_attention/model.py": "variants",
        "chapters/08_attention/settings.py": "what is said of variants",
        "chapters/08_attention/footprint.py": "the size of a variant",
        "chapters/08_attention/train.py": "a corpus with true alignments; the loop of a variant",
        "chapters/09_word_attention/train.py": "a corpus with true alignments",
        "chapters/08_attention/variants.py": "variants",
        "chapters/10_beyond/footprint.py": "lexicons and copying",
        "chapters/10_beyond/gain.py": "a model that was trained before",
        "chapters/10_beyond/objectives.py": "scheduled sampling; altered references",
        "chapters/10_beyond/sampling.py": "trees",
        "chapters/10_beyond/settings.py": "presets; another run",
        "chapters/10_beyond/networks.py": "the model of another run; lexicons and copying",
        "chapters/10_beyond/train.py": "another run; several languages",
    }
    indented = set()
    for path in python_files("common", "chapters"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                inside = [child for child in ast.walk(node) if isinstance(child, (ast.Import, ast.ImportFrom))]
                if inside:
                    indented.add(path.relative_to(ROOT).as_posix())
    assert indented == set(allowed)


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
