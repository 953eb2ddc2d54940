"""Pages on paper: an installed Chrome or Chromium prints them, slides with a sheet for each."""

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
PATIENCE = 600
"""Seconds that a browser may take for a page: a deck takes ten, the whole book a hundred."""
WAITS = (0, 5, 15, 40)
"""Seconds before each attempt. On a busy machine a browser may print before a page is laid out: one blank sheet, or, of
slides, sheets of paper's usual size. Then it is asked again, later."""
PAGE = re.compile(rb"/Type\s*/Page\b")
SLIDE = re.compile(rb"/MediaBox\s*\[\s*0 0 960 540\s*\]")
"""A sheet of the size of a slide, in points."""


def find_browser() -> str | None:
    """The first Chrome, Chromium or Edge that is installed; the environment variable CHROME may name one."""
    browsers = [os.environ.get("CHROME"), *map(shutil.which, NAMES), *filter(os.path.exists, PLACES)]
    return next(filter(None, browsers), None)


def need_browser() -> str:
    """The browser that is installed. Raises `UserError` where there is none."""
    browser = find_browser()
    if browser is None:
        raise UserError(
            "the book as PDF or EPUB needs Chrome, Chromium or Edge; install one, or set CHROME to its path"
        )
    return browser


def print_deck(browser: str, page: Path, pdf: Path) -> None:
    """Write the deck as PDF. Raises `UserError` where the browser fails, or never lays the slides out."""
    print_page(browser, f"{page.resolve().as_uri()}?print-pdf", pdf, SLIDE)


def print_page(browser: str, page: str, pdf: Path, sheet: re.Pattern[bytes] = PAGE) -> None:
    """Write the page at this address as PDF, with its headings as outline. Raises `UserError` as `print_deck` does.

    sheet: what a PDF has more than once if it was not printed too early.
    """
    for wait in WAITS:
        sleep(wait)
        pdf.unlink(missing_ok=True)
        run_browser(browser, "--generate-pdf-document-outline", f"--print-to-pdf={pdf.resolve()}", page)
        if not pdf.is_file():
            raise UserError(f"{browser} could not print {page}")
        if len(sheet.findall(pdf.read_bytes())) > 1:
            return
    pdf.unlink()
    raise UserError(f"{browser} printed {page} too early, {len(WAITS)} times; try again when the machine is less busy")


def run_browser(browser: str, *arguments: str) -> str:
    """What the browser writes when it is started without a window. Raises `UserError` where it fails."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *QUIET, f"--user-data-dir={profile}", *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"{browser} could not open {arguments[-1]}: {error}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"{browser} could not open {arguments[-1]}: {last}")
    return done.stdout
