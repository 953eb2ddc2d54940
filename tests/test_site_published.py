"""A site whose address is set, served below a folder of its host: what search engines and lost readers meet."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from book.site.__main__ import build_pages
from tests.accessibility import AXE, findings
from tests.browser import open_page
from tests.live_site import BUILT, write

pytestmark = BUILT


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder of a small site, and the address at which a server on this machine shows it."""
    folder = tmp_path_factory.mktemp("published")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, pytest.MonkeyPatch.context() as patched:
        address = f"http://127.0.0.1:{server.server_port}/team/course"
        patched.setattr("book.address.setting", lambda name: address)
        write(folder / "pages" / "index.md", "# A course\n\nOf words and what comes after them.\n")
        build_pages(folder / "pages", folder / "team" / "course")
        threading.Thread(target=server.serve_forever).start()
        try:
            yield folder / "team" / "course", address
        finally:
            server.shutdown()


@pytest.mark.needs("loopback")
def test_a_page_is_described_where_its_link_is_shown(published: tuple[Path, str]) -> None:
    site, address = published
    page = (site / "index.html").read_text("utf-8")
    facts = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', page))
    assert facts["og:title"] == "A course" and facts["description"] == "Of words and what comes after them."
    assert (site / facts["og:image"].removeprefix(f"{address}/")).is_file()
    assert re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8")) == [f"{address}/index.html"]


@pytest.mark.needs("loopback")
def test_the_page_for_lost_readers_finds_its_style(published: tuple[Path, str], tmp_path: Path) -> None:
    site, address = published
    links = re.findall(r'(?:href|src)="(/[^"]*)"', (site / "404.html").read_text("utf-8"))
    assert links and all(link.startswith("/team/course/") for link in links)
    with open_page(None, tmp_path) as browser:
        browser.call("Log.enable")
        browser.go(f"{address}/404.html")
        assert browser.evaluate("getComputedStyle(document.querySelector('.sidebar-drawer')).display") == "flex"
        assert browser.evaluate("document.querySelector('.sidebar-brand').href") == f"{address}/index.html"
        if AXE.is_file():
            assert list(findings(browser)) == []
        assert [event for event in browser.events if event["method"] == "Log.entryAdded"] == []
