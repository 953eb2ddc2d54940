"""From a lab's text to its notebook, and a run of it from the first cell to the last."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from book.labs.notebook import WIDGET
from book.lessons import ROOT
from book.lessons.notebooks import FIND_THE_COURSE
from common.endings import did_you_mean, one_line
from common.errors import UserError

FOLDER = ROOT / "book" / "labs"
BUILT = ROOT / "build" / "labs"
PATIENCE = 120
"""Seconds that a cell may take; few take five."""
PICTURES = 5
"""How many pictures a lab shows at least."""
QUIET = {"OMP_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
"""The environment of a kernel: notebooks run side by side, so each takes one core."""


class LabError(Exception):
    """A cell that failed. The message is one line: lab, cell, error."""


def find(chapters: Sequence[str] = ()) -> list[Path]:
    """The labs of these chapters ("ch03"), of all where none is named. Raises `UserError` for one that is not there."""
    there = {path.stem.removesuffix("_lab"): path for path in sorted(FOLDER.glob("ch*_lab.py"))}
    for name in chapters:
        if name not in there:
            raise UserError(f"there is no lab {name}; there are {', '.join(there)}{did_you_mean(name, there)}")
    return [there[name] for name in dict.fromkeys(chapters)] or list(there.values())


def notebook_of(path: Path) -> nbformat.NotebookNode:
    """The notebook, without outputs; each cell's name is its place."""
    notebook = jupytext.read(path, fmt="py:percent")
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    if "begin()" in first.source:
        first.source = f"{FIND_THE_COURSE}\n{first.source}"
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


async def execute(path: Path, turn: asyncio.Semaphore) -> nbformat.NotebookNode:
    """Run a lab in a kernel of its own, of this Python. Raises `LabError`."""
    notebook = notebook_of(path)
    async with turn:
        with tempfile.TemporaryDirectory() as scratch:
            client = NotebookClient(
                notebook,
                km=kernel(scratch),
                timeout=PATIENCE,
                store_widget_state=False,
                shutdown_kernel="immediate",
                extra_arguments=["--HistoryManager.enabled=False"],
                resources={"metadata": {"path": str(ROOT)}},
            )
            try:
                await client.async_execute(env={**os.environ, **QUIET, "IPYTHONDIR": scratch}, cleanup_kc=True)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                raise LabError(failure(path, notebook, error)) from None
    return without_widgets(notebook)


def kernel(scratch: str) -> AsyncKernelManager:
    """What starts a kernel: this Python, whatever else is registered on the machine. It talks through files."""
    return AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
        connection_file=os.path.join(scratch, "kernel.json"),
        transport="tcp" if os.name == "nt" else "ipc",
    )


def failure(path: Path, notebook: nbformat.NotebookNode, error: Exception) -> str:
    """One line: the lab, the code cell by its number in the notebook, and what went wrong there."""
    started = [cell for cell in notebook.cells if cell.cell_type == "code" and "execution" in cell.metadata]
    if isinstance(error, CellExecutionError):
        reason = f"{error.ename}: {error.evalue}"
    elif isinstance(error, CellTimeoutError):
        reason = f"took longer than {PATIENCE} seconds"
    else:
        reason = "the kernel died"
    return one_line(f"{path.stem}, code cell {len(started)}: {reason}")


def fault(path: Path, notebook: nbformat.NotebookNode) -> str | None:
    """What is wrong with a lab that ran, in one line: not every cell in its order, words on standard error, or too few
    pictures. None where nothing is."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        return f"{path.stem}: not every cell ran once, in order"
    if noise := [output.text for output in outputs if output.get("name") == "stderr"]:
        return one_line(f"{path.stem}, on standard error: {noise[0]}")
    pictures = sum("image/svg+xml" in output.get("data", {}) for output in outputs)
    return f"{path.stem}: {pictures} pictures, of at least {PICTURES}" if pictures < PICTURES else None


def without_widgets(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same notebook with, in place of controls, the line that names them: controls need a kernel. No run times."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.pop(WIDGET, None):
                data.pop("text/plain", None)
    return notebook


async def execute_all(paths: Sequence[Path]) -> list[nbformat.NotebookNode | LabError]:
    """Run labs side by side, one a core; in place of the notebook of one that failed stands its error."""
    turn = asyncio.Semaphore(os.cpu_count() or 1)
    notebooks = await asyncio.gather(*(execute(path, turn) for path in paths), return_exceptions=True)
    for outcome in notebooks:
        if isinstance(outcome, BaseException) and not isinstance(outcome, LabError):
            raise outcome
    return notebooks
