"""Getting in: the setup script, and the first line a program says in the wrong Python. Pins: test_constraints.py."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from common import launch, unfit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = launch.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAMS = [path for path in sorted(ROOT.glob("chapters/*/*.py")) if "__main__" in path.read_text(encoding="utf-8")]
needs_shell = pytest.mark.skipif(os.name == "nt" or not shutil.which("sh"), reason="needs a POSIX shell")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="needs a git checkout")
def test_no_tracked_file_names_a_package_index() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = [ROOT / name for name in listing.stdout.split("\0") if name]
    assert ROOT / "constraints.txt" in tracked
    address = re.compile(
        rb"index[-_]url|find[-_]links|trusted[-_]host\b|py[p]i\.(org|python)|https?://\S*/simp[l]e\b", re.I
    )
    offenders = [path.name for path in tracked if path.is_file() and address.search(path.read_bytes())]
    assert offenders == []


def test_the_container_sets_up_as_the_first_page_does() -> None:
    """The image has a promised Python and does what a new user does; an editor's container comes from the same file."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (python,) = re.findall(r"^FROM python:3\.(\d+)-slim AS tools$", "\n".join(lines), re.MULTILINE)
    assert (
        launch.OLDEST_PYTHON <= (3, int(python)) and "RUN make setup" in lines and lines[-1] == 'CMD ["make", "demo"]'
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo " in readme and f"3.{python}" <= re.search(r"Python 3\.\d+ to (3\.\d+)", readme)[1]
    if (ROOT / ".devcontainer").exists():  # the students' edition has no hidden folders
        container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
        built = (ROOT / ".devcontainer" / container["build"]["dockerfile"]).resolve()
        assert built == ROOT / "Dockerfile" and container["postCreateCommand"] == "make setup"


def test_licence_version_and_oldest_python_agree_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{PROJECT['license']} License\n")
    assert f"license: {PROJECT['license']}\n" in citation
    assert f"version: {PROJECT['version']}\n" in citation
    assert PROJECT["requires-python"] == ">={}.{}".format(*launch.OLDEST_PYTHON)


# --- make, and the script behind `make setup`


@needs_shell
@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_make_alone_lists_targets_that_exist() -> None:
    listed = re.findall(r"^make ([\w-]+)", run_make(), re.M)
    expected = "setup demo test test-all ladder figures labs explore book slides"
    assert listed == [*expected.split(), "dynet-mkl", "dynet-gpu", "dynet-default", "lint", "clean"]
    for target in listed:
        assert run_make("--dry-run", target)


def run_make(*arguments: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    result = subprocess.run(["make", *arguments], cwd=ROOT, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def fake_python(folder: Path, fitness: int, version: str = "3.12", pip_status: int = 0, pip_log: str = "") -> Path:
    """A shell script that plays a Python: how fit it says it is, whether its pip succeeds, and what pip prints.

    `-m venv DIR` copies it to DIR/bin/python; the arguments of `-m pip install` are kept in pip-arguments.
    """
    python = folder / "python3"
    (folder / "pip-log").write_text(pip_log, encoding="utf-8", newline="\n")
    python.write_text(
        f"""#!/bin/sh
case "$1 $2 ${{3:-}}" in
    *ensurepip*) exit {fitness} ;;
    *stdout.write*) printf %s {version} ;;
    "-m venv "*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
    "-m pip --version") ;;
    "-m pip "*) echo "$@" > "{folder}/pip-arguments"; cat "{folder}/pip-log"; exit {pip_status} ;;
esac
""",
        encoding="utf-8",
        newline="\n",
    )
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    return python


def run_setup(tmp_path: Path, python: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    venv = tmp_path / "venv"
    command = ["sh", "tools/setup.sh", str(venv), str(venv / "bin"), "."]
    env = {**os.environ, "PYTHON": str(python), **environment}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


@needs_shell
@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({"fitness": 3, "version": "3.8"}, r"is Python 3\.8, too old: the course needs 3\.10 to 3\.14"),
        ({"fitness": 4, "version": "3.15"}, r"is Python 3\.15, too new: DyNet has wheels for 3\.10 to 3\.14"),
        ({"fitness": 5}, r"cannot make a virtual environment; .* sudo apt install python3\.12-venv"),
        ({"fitness": 127}, r"no Python that runs"),
        ({"fitness": 0, "pip_status": 1}, r"pip could not install the packages \(details: .*pip\.log\)"),
    ],
)
def test_setup_says_in_one_line_what_is_wrong(tmp_path: Path, faults: dict, message: str) -> None:
    result = run_setup(tmp_path, fake_python(tmp_path, **faults))
    assert result.returncode == 2
    assert re.fullmatch(rf"error: .*{message}.*\n", result.stderr)


# What pip 23 prints, but for lines that every installation has.
CONFLICT = """\
ERROR: Cannot install beautifulsoup4==4.15.0 because these package versions have conflicting dependencies.

The conflict is caused by:
    beautifulsoup4 4.15.0 depends on soupsieve>=1.6.1
    The user requested (constraint) soupsieve==4.1.2

To fix this you could try to:
1. loosen the range of package versions you've specified

ERROR: ResolutionImpossible: for help visit the page on conflicts
"""
NO_VERSION = """\
ERROR: Ignored the following versions that require a different python version: 4.2.0 Requires-Python >=3.11
ERROR: Could not find a version that satisfies the requirement filelock==4.2.11 (from versions: 3.0.0, 4.1.0)
ERROR: No matching distribution found for filelock==4.2.11
"""
NO_NETWORK = """\
WARNING: Retrying (Retry(total={}, connect=None, read=None, redirect=None, status=None)) after connection broken by \
'NewConnectionError('Failed to establish a new connection: [Errno -2] Name or service not known')': six/
"""
NOT_FOUND = "ERROR: No matching distribution found for six==1.17.0\n"
FAILED = "pip could not install the packages: "


@needs_shell
@pytest.mark.parametrize(
    ("log", "message"),
    [
        (
            CONFLICT,
            "versions conflict, says pip for Python 3.12: beautifulsoup4 4.15.0 depends on soupsieve>=1.6.1; "
            "The user requested (constraint) soupsieve==4.1.2",
        ),
        (NO_VERSION, f"{FAILED}No matching distribution found for filelock==4.2.11"),
        (
            NO_NETWORK.format(1) + NO_NETWORK.format(0) + NOT_FOUND,
            "pip could not reach the packages: check the network, then run the same again",
        ),
        (NO_NETWORK.format(4) + NOT_FOUND, FAILED + NOT_FOUND[7:-1]),  # it came back
    ],
    ids=["conflict", "no version", "no network", "network that came back"],
)
def test_setup_says_what_pip_said(tmp_path: Path, log: str, message: str) -> None:
    result = run_setup(tmp_path, fake_python(tmp_path, fitness=0, pip_status=1, pip_log=log))
    assert result.returncode == 2
    assert result.stderr == f"error: {message} (details: {tmp_path / 'venv' / 'pip.log'})\n"


@needs_shell
@pytest.mark.parametrize(("dont_write", "flag"), [("", "--no-compile"), ("1", "--compile")])
def test_setup_installs_wheels_only_in_the_tested_versions(tmp_path: Path, dont_write: str, flag: str) -> None:
    """Compiling is left to the first import, where what that compiles is kept."""
    result = run_setup(tmp_path, fake_python(tmp_path, fitness=0), PYTHONDONTWRITEBYTECODE=dont_write)
    assert (result.returncode, result.stderr) == (0, "")
    arguments = (tmp_path / "pip-arguments").read_text(encoding="utf-8")
    assert "--only-binary :all: --no-binary rouge-score" in arguments and "--constraint constraints.txt" in arguments
    assert flag in arguments.split()


@needs_shell
def test_setup_asks_a_real_python(tmp_path: Path) -> None:
    """The question that the fakes above answer by decree, put to a real one: the pip step is the first to fail."""
    wrapper = tmp_path / "python3"
    wrapper.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "-m venv" ] && exit 1\nexec "{sys.executable}" "$@"\n', encoding="utf-8", newline="\n"
    )
    wrapper.chmod(0o755)
    assert "could not make a virtual environment" in run_setup(tmp_path, wrapper).stderr


# --- pip


def pip_install(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`pip install` of a copy of what an install reads, without a network."""
    offline = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *offline, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that an install reads."""
    if importlib.util.find_spec("setuptools") is None:  # not imported: that replaces distutils in this process
        pytest.skip("no setuptools")
    for name in ("common", "data", "tools"):
        ignored = shutil.ignore_patterns("__pycache__", "*.txt", "*.source", "*.target", "corpora")
        shutil.copytree(ROOT / name, tmp_path / "course" / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / "course")
    return tmp_path / "course"


@pytest.mark.slow
def test_a_copy_of_the_course_is_not_installed(project: Path, tmp_path: Path) -> None:
    """It would be packages `common` and `data`, without chapters and without corpora."""
    result = pip_install("--target", tmp_path / "site", project)
    assert result.returncode != 0 and not (tmp_path / "site").exists()
    lines = [line.strip() for line in result.stderr.splitlines() if "pip install -e ." in line]
    line = "error: the course runs in its own folder and is not copied: pip install -e . (with the -e), or make setup"
    assert lines == [line] and "Traceback" not in result.stderr, result.stderr


@pytest.mark.slow
def test_an_editable_install_works(project: Path, tmp_path: Path) -> None:
    if int(metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77 here, as pip would install to build with")
    result = pip_install("--prefix", tmp_path / "prefix", "--editable", project)
    assert result.returncode == 0, result.stderr
    (links,) = (tmp_path / "prefix").glob("**/site-packages/__editable__*.pth")
    assert links.is_file()


# --- what a program says in the wrong Python


def run_bare(*arguments: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """Run a Python that sees the standard library alone: outside every environment, nothing installed."""
    return subprocess.run([python, "-I", "-S", "-B", *arguments], cwd=ROOT, capture_output=True, text=True)


def require_in(version: str = "") -> str:
    """A program that pretends to be Python `version` ("3, 8, 1"), where one is given, and asks what is needed."""
    pretend = f"sys.version_info = ({version})\n" if version else ""
    return f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom common import launch\n{pretend}launch.require()"


def assert_turned_away(result: subprocess.CompletedProcess[str], problem: str) -> None:
    assert result.returncode == 2
    assert re.fullmatch(rf"error: {problem}; run .*\n", result.stderr)
    assert "activate" in result.stderr and result.stdout == ""


MISSING = "DyNet, NumPy, matplotlib, tqdm, filelock are not installed for this Python"
START = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = ['-m', '--help']"


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (require_in(), MISSING),
        (require_in("3, 8, 1"), r"this is Python 3\.8\.1, the course needs 3\.10 or newer"),
        *(
            (f"{START}; runpy.run_module({package!r}, run_name='__main__')", MISSING)
            for package in ("tools.experiment", "book.figures", "exercises")
        ),
    ],
)
def test_an_old_python_and_missing_packages_are_named_with_the_way_in(code: str, problem: str) -> None:
    assert_turned_away(run_bare("-c", code), problem)


@pytest.mark.slow
def test_real_old_pythons_are_turned_away() -> None:
    pythons = [python for python in map(shutil.which, ("python3.7", "python3.8", "python3.9")) if python]
    running = [p for p in pythons if subprocess.run([p, "--version"], capture_output=True).returncode == 0]
    if not running:
        pytest.skip("no Python older than 3.10 here")
    for python in running:
        result = run_bare("-c", require_in(), python=python)
        assert_turned_away(result, r"this is Python 3\.[7-9]\.\d+, the course needs 3\.10 or newer")


def test_the_way_in_depends_on_what_is_there(tmp_path: Path) -> None:
    venv, elsewhere = tmp_path / ".venv", tmp_path / "usr"
    assert unfit.activation_hint(venv, elsewhere).startswith('run "make setup" and then "source .venv/bin/activate"')
    venv.mkdir()
    (venv / "pyvenv.cfg").touch()
    assert unfit.activation_hint(venv, elsewhere).startswith('run "source .venv/bin/activate"')
    assert unfit.activation_hint(venv, venv) == 'run "make setup"'


@pytest.mark.parametrize("name", ["common/launch.py", "common/errors.py", "common/__init__.py"])
def test_old_pythons_understand_the_files_that_turn_them_away(name: str) -> None:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 7))
    statements = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    imported = {getattr(node, "module", None) or node.names[0].name for node in statements}
    assert {module.partition(".")[0] for module in imported} <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.NamedExpr) for node in ast.walk(tree))


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_program_says_how_to_get_in(program: Path) -> None:
    ast.parse(program.read_text(encoding="utf-8"), feature_version=(3, 8))
    assert_turned_away(run_bare(str(program), "--help"), MISSING)
