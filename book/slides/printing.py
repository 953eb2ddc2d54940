"""Slides on paper: an installed Chrome or Chromium prints the page, a sheet for each slide."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import sleep

from common.errors import UserError

NAMES = "google-chrome google-chrome-stable chrome chromium chromium-browser chromium-headless-shell msedge".split()
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-pdf-header-footer",
         "--virtual-time-budget=60000", "--run-all-compositor-stages-before-draw")  # fmt: skip
"""The last two: print when the page is laid out, not before."""
PATIENCE = 120
"""Seconds that a browser may take for a deck."""
WAITS = (0, 5, 15, 40)
"""Seconds before each attempt. On a busy machine a browser may print before the slides are laid out: one blank
sheet, or sheets of paper's usual size. Then it is asked again, later."""
SHEET = re.compile(rb"/MediaBox\s*\[\s*0 0 960 540\s*\]")
"""A sheet of the size of a slide, in points."""


def find_browser() -> str | None:
    """The first Chrome, Chromium or Edge that is installed; the environment variable CHROME may name one."""
    browsers = [os.environ.get("CHROME"), *map(shutil.which, NAMES), *filter(os.path.exists, PLACES)]
    return next(filter(None, browsers), None)


def print_deck(browser: str, page: Path, pdf: Path) -> None:
    """Write the deck as PDF. Raises `UserError` where the browser fails, or never lays the slides out."""
    for wait in WAITS:
        sleep(wait)
        print_once(browser, page, pdf)
        if len(SHEET.findall(pdf.read_bytes())) > 1:
            return
    pdf.unlink()
    raise UserError(f"{browser} printed {page} too early, {len(WAITS)} times; try when the machine is less busy")


def print_once(browser: str, page: Path, pdf: Path) -> None:
    """Write what the browser sees as PDF, even too early. Raises `UserError` where there is no file in the end."""
    pdf.unlink(missing_ok=True)
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
