"""The campaign of programs knows every program of the course and all of its flags."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from common import ROOT
from tests.test_structure import module_of, python_files
from tools.campaign.flags import Flags, draw, read_flags
from tools.campaign.programs import EXCLUDED, RUNS_FOR, SHORT, excluded, find_programs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def test_flags_are_those_of_the_parser(tmp_path: Path) -> None:
    def program() -> None:
        from data.__main__ import main

        main()

    flags = read_flags(program, tmp_path)
    assert set(flags.commands) == {"generate", "oracle", "get", "show", "swap"}
    by_name = {flag.name: flag for flag in flags.commands["get"].flags}
    assert by_name["source"].options == ["--from"] and by_name["unverified"].kind == "switch"
    assert by_name["name"].required and not by_name["to"].required
    command_lines = [draw(flags, random.Random(number), {}, (), {"oracle"}) for number in range(300)]
    assert {"--from", "--unverified", "--sentences", "show"} <= {word for words in command_lines for word in words}
    assert not any(words[:1] == ["oracle"] for words in command_lines)
    assert draw(Flags(), random.Random(1), {}, ("--x", "1"), set())[:2] == ["--x", "1"]


def programs_of_the_course() -> set[str]:
    """Every program of the repository, by what starts it: each file with a main of its own, but for tests."""
    programs = set()
    for path in python_files("book", "chapters", "common", "data", "exercises", "solutions", "tools"):
        if '\nif __name__ == "__main__":' in path.read_text("utf-8") or path.name == "__main__.py":
            name = path.relative_to(ROOT).as_posix()
            programs.add(name if name.startswith("chapters/") else module_of(path).removesuffix(".__main__"))
    return programs


def test_every_program_is_called_or_left_out_for_a_reason() -> None:
    called, there = set(find_programs()), programs_of_the_course()
    assert "chapters/06_attentive_lm/train.py" in called and "solutions" in called and "tools.compare" in called
    missing = {name for name in there - called if not excluded(name)}
    assert not missing, f"no campaign calls {missing}: put them into find_programs or EXCLUDED, tools/campaign"
    assert not {name for name in called if excluded(name)}
    stale = {name for name in EXCLUDED if not any(f"{program}.".startswith(f"{name}.") for program in there)}
    assert not stale | ((RUNS_FOR.keys() | SHORT.keys()) - called), "no such program any more"
    assert all(reason for reason in EXCLUDED.values())


def test_no_number_is_without_bound() -> None:
    """A program that takes a number, one of a list aside, checks that it is not too large."""
    for name in find_programs():
        path = ROOT / (name if name.endswith(".py") else name.replace(".", "/") + ".py")
        text = path.read_text("utf-8") if path.is_file() else ""
        if re.search(r'add_argument\(\s*"--[a-z-]+",(?![^)]*choices=)[^)]*type=(?:int|float)', text):
            assert "check_most(" in text or "generation.check(" in text, name
