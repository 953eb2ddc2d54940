"""constraints.txt: each promised Python on each system gets one version of all that pyproject.toml names.

Without a network these tests cannot ask what exists. They follow the metadata of the packages that are installed here,
as pip would in another Python and on another system; what is pinned in another version there is not followed further.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from importlib import metadata

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from common.launch import OLDEST_PYTHON, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYTHONS = ("3.10.0", "3.11.0", "3.11.2", "3.11.9", "3.12.0", "3.13.0", "3.14.0")  # Debian 12 has 3.11.2
SYSTEMS = {
    "linux": ("linux", "Linux", "posix", "x86_64"),
    "intel mac": ("darwin", "Darwin", "posix", "x86_64"),
    "mac": ("darwin", "Darwin", "posix", "arm64"),
    "windows": ("win32", "Windows", "nt", "AMD64"),
}
MARKERS = ("sys_platform", "platform_system", "os_name", "platform_machine")
COMMAND = "uv pip compile pyproject.toml -o constraints.txt"
CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONTENT["project"]
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line.partition("#")[0]) for line in LINES if not line.startswith("#")]


def requirements() -> list[Requirement]:
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    return [Requirement(text) for group in groups for text in group]


def environment(python: str, system: str) -> dict[str, str]:
    """The values of the markers in this Python (such as 3.11.2) on this system."""
    version = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    return {**default_environment(), **dict(zip(MARKERS, SYSTEMS[system], strict=True)), **version}


def holds(requirement: Requirement, values: dict[str, str], extras: set[str] = frozenset({""})) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**values, "extra": extra}) for extra in extras or {""})


def pinned_versions(values: dict[str, str]) -> dict[str, list[str]]:
    """The versions that hold in an environment, by the package's name."""
    versions: dict[str, list[str]] = {}
    for pin in PINS:
        (specifier,) = pin.specifier
        assert specifier.operator == "==" and "*" not in specifier.version, f"{pin} is not pinned to one version"
        if holds(pin, values):
            versions.setdefault(canonicalize_name(pin.name), []).append(specifier.version)
    return versions


INSTALLED = {canonicalize_name(package.name): package for package in metadata.distributions()}


@functools.cache
def is_installed(name: str, version: str) -> bool:
    return name in INSTALLED and INSTALLED[name].version == version


@functools.cache
def needs(name: str) -> tuple[Requirement, ...]:
    """What an installed package needs in turn, on whatever system."""
    return tuple(Requirement(text) for text in INSTALLED[name].requires or ())


def resolved(values: dict[str, str]) -> Iterator[tuple[Requirement, list[str]]]:
    """Each requirement of the course and of what it needs in turn, as far as is installed here, and its versions."""
    versions = pinned_versions(values)
    waiting = [requirement for requirement in requirements() if holds(requirement, values)]
    visited = set()
    while waiting:
        requirement = waiting.pop()
        if str(requirement) in visited:
            continue
        visited.add(str(requirement))
        name = canonicalize_name(requirement.name)
        yield requirement, versions.get(name, [])
        if any(is_installed(name, version) for version in versions.get(name, [])):
            waiting += [need for need in needs(name) if holds(need, values, requirement.extras)]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_requirement_is_pinned_once_to_a_version_it_allows(python: str, system: str) -> None:
    for requirement, versions in resolved(environment(python, system)):
        assert len(versions) == 1, f"{requirement} is pinned to {versions or 'nothing'}"
        assert requirement.specifier.contains(versions[0], prereleases=True), f"{requirement} is pinned to {versions}"


@pytest.mark.parametrize("python", PYTHONS)
def test_every_pinned_version_supports_the_python(python: str) -> None:
    for name, (version,) in pinned_versions(environment(python, "linux")).items():
        if is_installed(name, version):
            supported = INSTALLED[name].metadata.get("Requires-Python", "")
            assert Requirement(f"python{supported}").specifier.contains(python), f"{name} {version} needs {supported}"


def test_here_the_requirements_are_followed_to_the_end() -> None:
    names = {canonicalize_name(need.name) for need, _ in resolved(default_environment())}
    assert {"dynet38", "numpy", "ruff", "pillow", "cython", "parso"} <= names


def test_the_file_is_what_the_documented_command_writes() -> None:
    assert LINES[1] == f"#    {COMMAND}"
    assert f"\n{COMMAND}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    settings = CONTENT["tool"]["uv"]["pip"]
    assert settings["universal"] and settings["all-extras"]
    assert settings["python-version"] == "{}.{}".format(*OLDEST_PYTHON)


def test_every_pin_is_there_for_something() -> None:
    """The tool writes behind each pin what needs it: another pin, or the lists of pyproject.toml."""
    origin = f"{PROJECT['name']} (pyproject.toml)"
    names = {pin.name for pin in PINS}
    direct = set()
    for line in LINES[2:]:
        name, needed_by = re.fullmatch(r"([a-z0-9-]+)==.*  # via (.+)", line).groups()
        users = set(needed_by.split(", "))
        assert users - {origin} <= names, line
        direct |= {name} if origin in users else set()
    assert direct == {canonicalize_name(requirement.name) for requirement in requirements()}


def test_torch_is_never_needed_to_learn() -> None:
    everyday = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    assert not any(Requirement(text).name == "torch" for text in everyday)
