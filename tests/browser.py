"""Pages opened in a real browser without a window: an installed Chrome or Chromium, or the one in PySide6.

All are steered in the same way, by the DevTools protocol of Chromium: JSON messages over a WebSocket.
"""

from __future__ import annotations

import base64
import http.client
import importlib.util
import json
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from book.slides.printing import find_browser

QT = """
import sys
from PySide6.QtCore import QUrl
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication
app = QApplication([])
view = QWebEngineView()
view.resize(1000, 800)
view.load(QUrl(sys.argv[1]))
view.show()
app.exec()
"""
FLAGS = "--headless --no-sandbox --disable-gpu --no-first-run --window-size=1000,800".split()
KEYS = {"Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
EMPTY = "about:blank"
PATIENCE = 240  # seconds


@contextmanager
def open_page(path: Path | None, scratch: Path) -> Iterator[Browser]:
    """The page in a browser; an empty one for None, to go on from with `Browser.go`.

    Skips the test, saying why, where there is no browser or it does not start.
    """
    port, log = free_port(), scratch / "browser.log"
    kind = "file:" if path else "about:"  # a browser may show its empty page before the one that is wanted
    command, environment = browser_command(path.resolve().as_uri() if path else EMPTY, port, scratch)
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **environment})
    try:
        address = wait_for_page(process, port, kind)
        if address is None:
            pytest.skip(f"{command[0]} does not start: {log.read_text('utf-8', 'replace')[-300:]}")
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            yield Browser(connection, address, kind)
    finally:
        process.kill()
        process.wait()


def browser_command(url: str, port: int, scratch: Path) -> tuple[list[str], dict[str, str]]:
    """How to start the first browser that is there, and its environment. Skips the test where there is none."""
    if chrome := find_browser():
        return [chrome, *FLAGS, f"--user-data-dir={scratch / 'profile'}", f"--remote-debugging-port={port}", url], {}
    if importlib.util.find_spec("PySide6") and importlib.util.find_spec("PySide6.QtWebEngineWidgets"):
        settings = {"QT_QPA_PLATFORM": "offscreen", "QTWEBENGINE_DISABLE_SANDBOX": "1"}
        settings |= {"QTWEBENGINE_REMOTE_DEBUGGING": str(port), "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu"}
        return [sys.executable, "-c", QT, url], settings
    pytest.skip("no browser: neither Chrome, Chromium nor Edge is installed, nor: python -m pip install -e .[browser]")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_page(process: subprocess.Popen, port: int, kind: str) -> str | None:
    """The path of the WebSocket of a page with an address of this kind.

    None where the browser has ended or never opens one.
    """
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError, http.client.HTTPException, ValueError, StopIteration):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/json/list")
            pages = json.loads(connection.getresponse().read())
            url = next(page["webSocketDebuggerUrl"] for page in pages if page["url"].startswith(kind))
            return url[url.index("/devtools") :]
        time.sleep(0.05)
    return None


class Browser:
    """A page that can be asked and touched. events: what it has told unasked, once a domain was enabled."""

    def __init__(self, connection: socket.socket, address: str, kind: str):
        self.stream, self.number, self.events = connection.makefile("rwb"), 0, []
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.write(
            f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.stream.flush()
        assert b" 101 " in self.stream.readline()
        while self.stream.readline().strip():
            pass
        self.wait_until(f"location.protocol === '{kind}' && document.readyState === 'complete'")

    def go(self, url: str) -> None:
        """Open an address in place of the page."""
        self.call("Page.navigate", url=url)
        self.wait_until(f"location.href.startsWith({url!r}) && document.readyState === 'complete'")

    def wait_until(self, condition: str, patience: float = PATIENCE) -> None:
        end = time.monotonic() + patience
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"never: {condition}"
            time.sleep(0.02)

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression; of a promise, what it comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def hover(self, element: str) -> tuple[float, float]:
        """Move the mouse onto the element that a JavaScript expression gives; where that is."""
        box = self.evaluate(f"({element}).getBoundingClientRect().toJSON()")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return x, y

    def click(self, element: str) -> None:
        """Scroll to the element that a JavaScript expression gives, and click it with the mouse."""
        self.evaluate(f"({element}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y = self.hover(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def call(self, method: str, **parameters: object) -> dict:
        """Send one message, and wait for its answer."""
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        size, long = len(data), (">BH", 254) if len(data) < 65536 else (">BQ", 255)
        length = bytes([128 + size]) if size < 126 else struct.pack(*long, size)
        self.stream.write(b"\x81" + length + bytes(4) + data)  # one text frame; a mask of zeros changes nothing
        self.stream.flush()
        while True:
            message = json.loads(self.receive())
            if "id" not in message:
                self.events.append(message)
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]

    def receive(self) -> bytes:
        """The text of the next frame."""
        _, length = self.stream.read(2)
        if length >= 126:
            size, kind = (2, ">H") if length == 126 else (8, ">Q")
            (length,) = struct.unpack(kind, self.stream.read(size))
        return self.stream.read(length)
