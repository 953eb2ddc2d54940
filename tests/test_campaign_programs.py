"""The campaign of programs knows every program of the course and all of its flags."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from common import ROOT
from common.modules import programs
from tools.campaign.field import as_main
from tools.campaign.flags import Flag, draw, read_flags
from tools.campaign.programs import EXCLUDED, PACKAGES, RUNS_FOR, SHORT, find_programs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def test_flags_are_those_of_the_parser(tmp_path: Path) -> None:
    def program() -> None:
        from data.__main__ import main

        main()

    flags = read_flags(program, tmp_path)
    assert set(flags["commands"]) == {"generate", "oracle", "get", "show", "swap"}
    by_name = {name: Flag(name, *rest) for name, *rest in flags["commands"]["get"]["flags"]}
    assert by_name["source"].options == ["--from"] and by_name["unverified"].kind == "switch"
    assert by_name["name"].required and not by_name["to"].required
    command_lines = [draw(flags, random.Random(number), {}, (), {"oracle"}) for number in range(300)]
    assert {"--from", "--unverified", "--sentences", "show"} <= {word for words in command_lines for word in words}
    assert not any(words[:1] == ["oracle"] for words in command_lines)
    assert draw({"flags": [], "commands": {}}, random.Random(1), {}, ("--x", "1"), set())[:2] == ["--x", "1"]


def test_what_is_left_out_is_there() -> None:
    """So is what has flags or a run of its own."""
    called, there = set(find_programs()), {name for package in PACKAGES for name in programs(package)}
    assert {"chapters/06_attentive_lm/train.py", "solutions", "tools.compare"} <= called
    stale = {name for name in EXCLUDED if not any(f"{program}.".startswith(f"{name}.") for program in there)}
    assert not stale | ((RUNS_FOR.keys() | SHORT.keys()) - called), "no such program any more"


@pytest.mark.slow
def test_the_flags_of_every_program_can_be_read(tmp_path: Path) -> None:
    """Where those of one cannot, no case of the campaign is begun."""
    for name in find_programs():
        program = ROOT / name if name.endswith(".py") else name
        assert read_flags(as_main(program, []), tmp_path / name.replace("/", "."))


def test_no_number_is_without_bound() -> None:
    """A program that takes a number, one of a list aside, checks that it is not too large."""
    for name in find_programs():
        path = ROOT / (name if name.endswith(".py") else name.replace(".", "/") + ".py")
        text = path.read_text("utf-8") if path.is_file() else ""
        if re.search(r'add_argument\(\s*"--[a-z-]+",(?![^)]*choices=)[^)]*type=(?:int|float)', text):
            assert "check_most(" in text or "generation.check(" in text, name
