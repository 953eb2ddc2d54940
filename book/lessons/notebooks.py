"""A lesson as a notebook: its text and its cells, with the outputs that they have on the page."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from book.lessons import LINK, LIVE, ROOT, read
from book.lessons.cells import Piece, pieces

FIND_THE_COURSE = """\
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = "THIS-REPOSITORY"  # the address of the course, for a hosted notebook service
home = next((folder for folder in [Path.cwd(), *Path.cwd().parents] if (folder / "book" / "labs").is_dir()), None)
if home is None:  # the course is not here
    home = Path.cwd() / "course"
    if "://" not in REPOSITORY:
        sys.exit("The course is not in this folder: write its address into this cell, as REPOSITORY.")
    if not home.exists():
        subprocess.run(["git", "clone", "--depth", "1", REPOSITORY, home], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--editable", home], check=True)
os.chdir(home)
sys.path.insert(0, str(home))
"""
"""The beginning of every notebook's first cell of code, so that it runs wherever it is opened."""
NUMPY = "import numpy as np\n\nnp.set_printoptions(precision=3, suppress=True, floatmode='fixed')"
"""The end of a lesson's first cell: arrays are shown as on the page."""


def name_of(page: str) -> str:
    """The file name of a page's notebook: lesson_06.ipynb, and lesson_06_part2.ipynb for PART2.md."""
    _, folder, name = page.split("/")
    part = name.removesuffix(".md").lower()
    return f"lesson_{folder[:2]}{'' if part == 'readme' else '_' + part}.ipynb"


def as_notebook(page: str, folder: Path) -> str:
    """The notebook as JSON. folder: where it will lie; links and pictures lead from there to the course's files."""
    cells = [code_cell(Piece("hidden", "", f"{FIND_THE_COURSE}\n{NUMPY}", 0))]
    text = ""
    for piece in [*pieces(read(page)), Piece("cell", "", "", 0)]:
        if piece.kind == "output":
            cells[-1]["outputs"] = [output_of(piece.code)]
        elif piece.kind in ("cell", "hidden"):
            if text := LIVE.sub("", text).strip():
                cells.append({"cell_type": "markdown", "metadata": {}, "source": relinked(text, page, folder)})
            text = ""
            cells += [code_cell(piece)] if piece.code else []
        elif piece.kind != "mark":
            text += piece.text
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def code_cell(piece: Piece) -> dict:
    """A cell of code without its output; one that the page does not show is folded."""
    metadata = {"jupyter": {"source_hidden": True}} if piece.kind == "hidden" else {}
    return {"cell_type": "code", "metadata": metadata, "source": piece.code.strip(), "execution_count": None,
            "outputs": []}  # fmt: skip


def output_of(markdown: str) -> dict:
    """The output on the page: a table, or text in a fence."""
    text = re.fullmatch(r"```text\n(.*?)```\n", markdown, re.DOTALL)
    data = {"text/plain": text[1]} if text else {"text/markdown": markdown, "text/plain": markdown}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def relinked(text: str, page: str, folder: Path) -> str:
    """The text with links that lead from the notebook's folder to where they led from the page; formulas as notebooks
    write them."""

    def new_link(match: re.Match) -> str:
        picture, words, address = match.groups()
        if "://" in address or address.startswith("#"):
            return match[0]
        path, _, anchor = address.partition("#")
        target = os.path.relpath((ROOT / page).parent / path, folder.resolve()).replace(os.sep, "/")
        return f"{picture}[{words}]({target}{'#' + anchor if anchor else ''})"

    text = re.sub(r"^```math\n(.*?)^```", r"$$\n\1$$", text, flags=re.MULTILINE | re.DOTALL)
    return LINK.sub(new_link, text)
