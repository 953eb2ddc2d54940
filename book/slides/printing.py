"""Slides on paper: an installed Chrome or Chromium prints the page, a sheet for each slide."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from common.errors import UserError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-pdf-header-footer",
         "--virtual-time-budget=60000", "--run-all-compositor-stages-before-draw")  # fmt: skip
"""The last two: print when the page is laid out, not before."""
PATIENCE = 120
"""Seconds that a browser may take for a deck."""


def find_browser() -> str | None:
    """The first browser that can print; the environment variable CHROME may name one."""
    return next(filter(None, [os.environ.get("CHROME"), *map(shutil.which, NAMES)]), None)


def print_deck(browser: str, page: Path, pdf: Path) -> None:
    """Write the deck as PDF. Raises `UserError` where the browser fails."""
    with tempfile.TemporaryDirectory() as profile:
        page_address = f"{page.resolve().as_uri()}?print-pdf"
        command = [browser, *QUIET, f"--user-data-dir={profile}", f"--print-to-pdf={pdf.resolve()}", page_address]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"{browser} does not print {page}: {error}; --no-pdf leaves PDF out") from None
    if done.returncode or not pdf.is_file():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"{browser} does not print {page}: {last}; --no-pdf leaves PDF out")
