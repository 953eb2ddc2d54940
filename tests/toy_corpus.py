"""A small corpus as archives and as an entry of the registry, and a server of files on this machine."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TEXTS = {
    "toy.train.txt": b" the miller feeds the hens \n\n the hens sleep \n",
    "toy.valid.txt": b"the miller sleeps\n",
    "toy.test.txt": b"the cows feed the miller",
}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def make_tar(members: dict[str, bytes], *links: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for link in links:
            archive.addfile(link)
    return buffer.getvalue()


def make_entry(*addresses: dict, texts: dict[str, bytes] | None = None) -> dict:
    sums = {name: digest(content) for name, content in (texts or TEXTS).items()}
    splits = {"train.txt": "toy.train.txt", "dev.txt": "toy.valid.txt", "test.txt": "toy.test.txt"}
    return {
        "kind": "language-model",
        "title": "a toy",
        "licence": "invented here",
        "citation": "nobody",
        "checksums": "computed in the test",
        "known_archives": {},
        "addresses": list(addresses),
        "splits": {split: {"members": [name], "sha256": sums[name]} for split, name in splits.items()},
    }


class Server:
    """Serves `files` with ranges; `cut[path]` is after how many bytes of a body the connection breaks,
    `lengths[path]` what is said of its length."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, int] = {}
        self.lengths: dict[str, str] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.ranges = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        name, byte_range = request.path.lstrip("/"), request.headers.get("Range")
        self.requests.append((name, byte_range))
        if name not in self.files:
            request.send_error(404)
            return
        content, start = self.files[name], 0
        if byte_range and self.ranges:
            start = int(byte_range.removeprefix("bytes=").rstrip("-"))
            if start >= len(content):
                request.send_response(416)
                request.send_header("Content-Range", f"bytes */{len(content)}")
                request.end_headers()
                return
            request.send_response(206)
            request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            request.send_response(200)
        body = content[start:]
        request.send_header("Content-Length", self.lengths.get(name, str(len(body))))
        request.end_headers()
        request.wfile.write(body[: self.cut.get(name, len(body))])


def left(to: Path) -> list[str]:
    """Every file under `to`, downloads that wait for the next call included."""
    return sorted(path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file())


INSTALLED = ["toy/corpus.json", "toy/dev.txt", "toy/test.txt", "toy/train.txt"]


def address(server: Server, *names: str, sha256: str | None = None) -> dict:
    return {"base": server.base, "files": {name: sha256 for name in names}}
