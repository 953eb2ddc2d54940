"""What axe-core finds on a page in a browser, in light and dark, on a desktop and on a telephone.

It is an npm package: `npm install --no-package-lock` in the course's folder brings it. Without it the tests skip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from book.lessons import ROOT
from tests.browser import Browser

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm install --no-package-lock")
FOUND = """axe.run(document, {resultTypes: ["violations"], rules: {region: {enabled: false}}}).then(
  found => found.violations.filter(one => ["serious", "critical"].includes(one.impact)).flatMap(
    one => one.nodes.map(node => `${one.id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`)))"""
"""Without the rule that takes longest, whose findings are never serious."""
EMPTIED = "document.querySelectorAll('mjx-container svg[aria-hidden=true]').forEach(one => one.replaceChildren())"
"""Formulas keep their size, their text for screen readers and their focus, and lose the paths that they are drawn with:
most elements of a page, of which there is nothing to find."""

VIEWS = (("light", 1000), ("light", 390), ("dark", 1000), ("dark", 390))
"""Of a page: its colours, and the pixels that it is wide."""
TWO_VIEWS = (("light", 1000), ("dark", 390))
"""Each colour and each width once: enough for an article where what surrounds it is looked at on another page."""


def findings(browser: Browser, views: Sequence[tuple[str, int]] = VIEWS) -> Iterator[str]:
    """The serious and the critical ones on the page that the browser shows, in these views of it."""
    browser.evaluate(f"{AXE.read_text(encoding='utf-8')}; {EMPTIED}")
    for scheme, width in views:
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500
        )
        browser.call("Page.captureScreenshot", format="jpeg")  # drawn anew, so scripts know which boxes scroll
        yield from (f"{scheme}, {width} pixels: {finding}" for finding in browser.evaluate(FOUND))
