"""Installing real corpora, against a server on this machine: what is installed is whole, or nothing is."""

from __future__ import annotations

import argparse
import errno
import gzip
import hashlib
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import common.files
import data.fetch
from common.errors import UserError
from common.text.corpus import load_corpus
from data import download
from data.download import get
from data.fetch import AddressFailed, fetch
from data.prepare import cut_sentences, paragraphs_to_sentences, prepare
from data.registry import corpora_folder, load_registry
from data.unpack import BadArchive, read_texts, sha256_of

TEXTS = {
    "toy.train.txt": b" the miller feeds the hens \n\n the hens sleep \n",
    "toy.valid.txt": b"the miller sleeps\n",
    "toy.test.txt": b"the cows feed the miller",
}
ARCHIVES = os.environ.get("COURSE_ARCHIVES")
real_archives = pytest.mark.skipif(not ARCHIVES, reason="COURSE_ARCHIVES names no folder of archives")


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
    """Serves `files` with ranges; `cut[path]` is after how many bytes of a body the connection breaks."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, int] = {}
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
        name, wanted = request.path.lstrip("/"), request.headers.get("Range")
        self.requests.append((name, wanted))
        if name not in self.files:
            request.send_error(404)
            return
        content, start = self.files[name], 0
        if wanted and self.ranges:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
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
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: self.cut.get(name, len(body))])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    one = Server()
    yield one
    one.server.shutdown()
    one.server.server_close()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "with-any-name.bin"
    path.write_bytes(make_zip(TEXTS))
    return path


def left(to: Path) -> list[str]:
    """Every file under `to`, downloads that wait for the next call included."""
    return sorted(path.relative_to(to).as_posix() for path in to.rglob("*") if path.is_file())


INSTALLED = ["toy/corpus.json", "toy/dev.txt", "toy/test.txt", "toy/train.txt"]


# --- from a local archive or folder


def test_a_zip_is_installed_one_sentence_a_line(archive: Path, tmp_path: Path) -> None:
    folder = get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    assert left(tmp_path / "to") == INSTALLED
    assert (folder / "train.txt").read_bytes() == b"the miller feeds the hens\nthe hens sleep\n"
    assert (folder / "test.txt").read_bytes() == b"the cows feed the miller\n"
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is True and record["licence"] == "invented here"
    assert record["archives"] == {archive.name: sha256_of(archive)}
    train = {"sentences": 2, "words": 8, "sha256": sha256_of(folder / "train.txt")}
    assert record["files"]["train.txt"] == train


@pytest.mark.parametrize("prefix", ["", "./simple-examples/data/", "a/b/"])
def test_members_are_found_in_any_folder_of_a_tar(prefix: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tgz"
    path.write_bytes(make_tar({prefix + "toy.char.train.txt": b"t h e\n"} | {prefix + n: c for n, c in TEXTS.items()}))
    folder = get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert (folder / "dev.txt").read_text(encoding="utf-8") == "the miller sleeps\n"


def test_a_folder_of_gzipped_sides_becomes_a_parallel_corpus(tmp_path: Path) -> None:
    source = tmp_path / "files"
    source.mkdir()
    splits = {}
    for split in ("train", "dev", "test"):
        for side, text in (("source", "ein hund\n\neine katze\n"), ("target", "a dog\nlost\na cat \n")):
            (source / f"{split}.{side[0]}.gz").write_bytes(gzip.compress(text.encode()))
            splits[f"{split}.{side}"] = {"members": [f"{split}.{side[0]}"], "sha256": digest(text.encode())}
    entry = make_entry() | {"kind": "parallel", "splits": splits}
    folder = get("pairs", tmp_path / "to", source, {"pairs": entry})
    assert (folder / "train.source").read_text(encoding="utf-8") == "ein hund\neine katze\n"
    assert (folder / "train.target").read_text(encoding="utf-8") == "a dog\na cat\n"


def test_sides_of_unequal_length_are_refused() -> None:
    texts = {f"{split}.{side}": b"a\nb\n" for split in ("train", "dev", "test") for side in ("source", "target")}
    with pytest.raises(UserError, match="dev: 2 source lines but 1 target lines"):
        prepare(texts | {"dev.target": b"a\n"}, {"kind": "parallel"})


def test_text_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    texts = TEXTS | {"toy.valid.txt": b"one\ntwo \xff\n"}
    path = tmp_path / "x.zip"
    path.write_bytes(make_zip(texts))
    with pytest.raises(UserError, match="dev.txt, line 2: not UTF-8"):
        get("toy", tmp_path / "to", path, {"toy": make_entry(texts=texts)})
    assert left(tmp_path) == ["x.zip"] and not list(tmp_path.glob("to/.*"))


def test_a_local_archive_with_other_texts_needs_a_word_of_consent(tmp_path: Path) -> None:
    other = b"quite another text\n"
    path = tmp_path / "x.zip"
    path.write_bytes(make_zip(TEXTS | {"toy.test.txt": other}))
    with pytest.raises(UserError) as caught:
        get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert digest(other) in str(caught.value) and digest(TEXTS["toy.test.txt"]) in str(caught.value)
    assert left(tmp_path) == ["x.zip"]
    folder = get("toy", tmp_path / "to", path, {"toy": make_entry()}, unverified=True)
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["verified"] is False


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"one\ntwo </s> three\n", "sentence 2: <s> and </s> mark sentence ends"),
        (b"<s> one\n", "sentence 1: <s> and </s> mark sentence ends"),
        (b"word " * 1001 + b"\n", "sentence 1: 1001 words, more than 1000"),
    ],
)
def test_texts_that_training_would_refuse_are_not_installed(content: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(make_zip(TEXTS | {"toy.test.txt": content}))
    with pytest.raises(UserError, match=f"test.txt, {complaint}"):
        get("toy", tmp_path / "to", path, {"toy": make_entry()}, unverified=True)
    assert left(tmp_path) == ["x.zip"]


def test_what_is_installed_unverified_can_be_trained_on(tmp_path: Path) -> None:
    """Odd texts: byte-order marks, blanks of other scripts, other line ends, as many words as are allowed."""
    odd = "\ufeff\ufeff\n\n one\u2003two \r\nthree\x85four\n".encode() + b"word " * 1000
    path = tmp_path / "x.zip"
    path.write_bytes(make_zip(TEXTS | {"toy.test.txt": odd}))
    folder = get("toy", tmp_path / "to", path, {"toy": make_entry()}, unverified=True)
    corpus = load_corpus(str(folder))
    assert corpus.test == [["one", "two"], ["three", "four"], ["word"] * 1000]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none", None, "there is no such file or folder"),
        ("empty.zip", b"", "holds no toy.train.txt"),
        ("text.txt", b"just text\n", "holds no toy.train.txt"),
        ("other.zip", make_zip({"other.txt": b"x\n"}), "holds no toy.train.txt"),
        ("cut.zip", make_zip(TEXTS)[:-30], "holds no toy.train.txt"),
        ("cut.tgz", make_tar(TEXTS)[:-30], "damaged or cut short"),
        ("toy.train.txt.gz", b"\x1f\x8b\x08\x00not gzip", "damaged or cut short"),
    ],
)
def test_a_bad_archive_is_one_line_and_leaves_nothing(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == ([name] if content is not None else []) and not list(tmp_path.glob("to/.*"))


def test_a_damaged_byte_in_a_zip_is_noticed(tmp_path: Path) -> None:
    content = bytearray(make_zip(TEXTS))
    content[50] ^= 1
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        get("toy", tmp_path / "to", path, {"toy": make_entry()})


@pytest.mark.parametrize("name", ["", "\0x"])
def test_a_member_of_a_zip_without_a_name(name: str, tmp_path: Path) -> None:
    """Python's zipfile raises an IndexError for it, and other errors for other damage."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in [(name, b"x"), *TEXTS.items()]:
            archive.writestr(zipfile.ZipInfo(member), content)
    with pytest.raises(BadArchive, match="damaged or cut short"):
        get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert left(tmp_path) == ["x.zip"]


# --- archives that mean harm


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "C:\\evil", "..\\evil"])
@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_member_that_escapes_condemns_the_archive(make, name: str, tmp_path: Path) -> None:
    path = tmp_path / "in" / "x"
    path.parent.mkdir()
    path.write_bytes(make(TEXTS | {name: b"harm"}))
    with pytest.raises(BadArchive, match="points outside"):
        get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert left(tmp_path) == ["in/x"] and not Path("/evil").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_neither_links_nor_devices_of_a_tar_are_followed(kind: bytes, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(TEXTS["toy.train.txt"])
    link = tarfile.TarInfo("toy.train.txt")
    link.type, link.linkname = kind, str(secret)
    path = tmp_path / "x.tgz"
    path.write_bytes(make_tar({n: c for n, c in TEXTS.items() if n != "toy.train.txt"}, link))
    with pytest.raises(BadArchive, match="holds no toy.train.txt"):
        get("toy", tmp_path / "to", path, {"toy": make_entry()})
    assert left(tmp_path) == ["secret", "x.tgz"]


def test_a_symbolic_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("toy.train.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/hostname")
    with pytest.raises(BadArchive, match="holds no toy.train.txt"):
        read_texts([path], {"train.txt": ["toy.train.txt"]})


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_text_that_swells_is_refused(make, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(make({"toy.train.txt": b"a" * 100_001}))
    assert path.stat().st_size < 2000
    with pytest.raises(BadArchive, match="more than 100000 bytes"):
        read_texts([path], {"train.txt": ["toy.train.txt"]}, limit=100_000)


# --- from addresses


def address(server: Server, *names: str, sha256: str | None = None) -> dict:
    return {"base": server.base, "files": {name: sha256 for name in names}}


def test_an_archive_is_downloaded_checked_and_installed(server: Server, tmp_path: Path) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    entry = make_entry(address(server, "toy.zip", sha256=digest(server.files["toy.zip"])))
    folder = get("toy", tmp_path, registry={"toy": entry})
    assert left(tmp_path) == INSTALLED and not list(tmp_path.glob(".*"))
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["source"] == server.base


def test_single_texts_are_downloaded_too(server: Server, tmp_path: Path) -> None:
    server.files |= TEXTS
    get("toy", tmp_path, registry={"toy": make_entry(address(server, *TEXTS))})
    assert left(tmp_path) == INSTALLED


def test_the_second_call_checks_and_asks_no_server(server: Server, tmp_path: Path, capsys) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    registry = {"toy": make_entry(address(server, "toy.zip"))}
    folder = get("toy", tmp_path, registry=registry)
    asked, stamps = len(server.requests), {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    capsys.readouterr()
    assert get("toy", tmp_path, registry=registry) == folder
    assert "there already" in capsys.readouterr().out
    assert len(server.requests) == asked == 1
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps


@pytest.mark.parametrize("harm", ["change", "remove", "record"])
def test_an_installed_corpus_that_was_changed_is_not_called_whole(harm: str, archive: Path, tmp_path: Path) -> None:
    folder = get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    if harm == "change":
        (folder / "dev.txt").write_text("something else\n", encoding="utf-8")
    else:
        (folder / {"remove": "dev.txt", "record": "corpus.json"}[harm]).unlink()
    with pytest.raises(UserError, match="delete or move that folder"):
        get("toy", tmp_path / "to", archive, {"toy": make_entry()})


def test_a_broken_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    content = make_zip(TEXTS)
    server.files["toy.zip"], server.cut["toy.zip"] = content, 100
    registry = {"toy": make_entry(address(server, "toy.zip", sha256=digest(content)))}
    with pytest.raises(UserError, match=f"cut short at 100 of {len(content)} bytes"):
        get("toy", tmp_path, registry=registry)
    assert not (tmp_path / "toy").exists()
    assert left(tmp_path) == [".toy.part/address-0/toy.zip.part"]
    server.cut.clear()
    get("toy", tmp_path, registry=registry)
    assert server.requests == [("toy.zip", None), ("toy.zip", "bytes=100-")]
    assert left(tmp_path) == INSTALLED and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("ranges", [True, False])
def test_resuming_copes_with_a_changed_file_and_a_server_without_ranges(
    ranges: bool, server: Server, tmp_path: Path
) -> None:
    server.files["f"], server.ranges = b"the new content", ranges
    (tmp_path / "f.part").write_bytes(b"an old")
    fetch(server.base + "f", tmp_path / "f", digest(b"the new content"))
    assert (tmp_path / "f").read_bytes() == b"the new content" and left(tmp_path) == ["f"]


def test_a_server_without_ranges_sends_all_and_the_part_is_replaced(server: Server, tmp_path: Path) -> None:
    server.files["f"], server.ranges, server.cut["f"] = b"the new content", False, 3
    (tmp_path / "f.part").write_bytes(b"an old part")
    with pytest.raises(AddressFailed, match="cut short at 3 of 15 bytes"):
        fetch(server.base + "f", tmp_path / "f", None)
    server.cut.clear()
    fetch(server.base + "f", tmp_path / "f", None)
    assert (tmp_path / "f").read_bytes() == b"the new content"


@pytest.mark.parametrize("part", [b"whole", b"longer than whole"])
def test_a_part_with_nothing_missing_is_taken_only_if_it_is_as_long(part: bytes, server: Server, tmp_path) -> None:
    server.files["f"] = b"whole"
    (tmp_path / "f.part").write_bytes(part)
    fetch(server.base + "f", tmp_path / "f", None)
    assert (tmp_path / "f").read_bytes() == b"whole"


def test_a_wrong_checksum_sends_to_the_next_address(server: Server, tmp_path: Path) -> None:
    good = make_zip(TEXTS)
    server.files |= {"bad.zip": b"tampered", "good.zip": good}
    entry = make_entry(
        address(server, "bad.zip", sha256=digest(good)), address(server, "good.zip", sha256=digest(good))
    )
    get("toy", tmp_path, registry={"toy": entry})
    assert [name for name, _ in server.requests] == ["bad.zip", "good.zip"]
    assert left(tmp_path) == INSTALLED


def test_a_wrong_checksum_everywhere_names_both(server: Server, tmp_path: Path) -> None:
    server.files["bad.zip"] = b"tampered"
    entry = make_entry(address(server, "bad.zip", sha256=digest(b"right")))
    with pytest.raises(UserError) as caught:
        get("toy", tmp_path, registry={"toy": entry})
    message = str(caught.value)
    assert digest(b"right") in message and digest(b"tampered") in message and "\n" not in message
    assert left(tmp_path) == [] and not list(tmp_path.iterdir())


def test_a_wrong_text_in_an_archive_without_checksum_is_noticed(server: Server, tmp_path: Path) -> None:
    tampered = b"tampered\n"
    server.files["toy.zip"] = make_zip(TEXTS | {"toy.valid.txt": tampered})
    with pytest.raises(UserError, match=f"found {digest(tampered)}"):
        get("toy", tmp_path, registry={"toy": make_entry(address(server, "toy.zip"))})
    assert not list(tmp_path.iterdir())


def test_the_second_address_serves_when_the_first_fails(server: Server, tmp_path: Path) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    dead = {"base": "http://127.0.0.1:1/", "files": {"toy.zip": None}}
    entry = make_entry(dead, address(server, "missing.zip"), address(server, "toy.zip"))
    get("toy", tmp_path, registry={"toy": entry})
    assert [name for name, _ in server.requests] == ["missing.zip", "toy.zip"]


def test_a_text_that_cannot_be_used_is_not_kept_for_the_next_call(server: Server, tmp_path: Path) -> None:
    texts = TEXTS | {"toy.valid.txt": b"caf\xe9\n"}
    server.files["toy.zip"] = make_zip(texts)
    with pytest.raises(UserError, match="dev.txt, line 1: not UTF-8"):
        get("toy", tmp_path, registry={"toy": make_entry(address(server, "toy.zip"), texts=texts)})
    assert not list(tmp_path.iterdir())


def test_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/f"
        with pytest.raises(AddressFailed, match="timed out"):
            fetch(url, tmp_path / "f", None, timeout=0.2)
    assert left(tmp_path) == []


# --- a full disk


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


class FullDisk(io.BytesIO):
    """Takes nothing more after the first 40 bytes, as a disk does that is nearly full."""

    def write(self, chunk: bytes) -> int:
        if self.tell() >= 40:
            full()
        return super().write(chunk[: 40 - self.tell()])


def test_a_disk_that_fills_up_during_the_download_keeps_nothing(server: Server, tmp_path: Path, monkeypatch) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    registry = {"toy": make_entry(address(server, "toy.zip"), address(server, "toy.zip"))}
    with monkeypatch.context() as patch:
        patch.setattr(data.fetch, "_open", lambda part, mode: part.touch() or FullDisk())
        with pytest.raises(UserError, match="cannot write .*No space left"):
            get("toy", tmp_path, registry=registry)
    assert len(server.requests) == 1  # no other address can help
    assert not list(tmp_path.iterdir())
    get("toy", tmp_path, registry=registry)
    assert left(tmp_path) == INSTALLED


def test_a_disk_that_fills_up_during_the_preparation_keeps_nothing(archive: Path, tmp_path: Path, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(common.files.os, "fsync", full)
        with pytest.raises(UserError, match="No space left"):
            get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    assert left(tmp_path) == [archive.name] and not list(tmp_path.glob("to/.*"))
    get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    assert left(tmp_path / "to") == INSTALLED


def test_an_interruption_just_before_the_end_leaves_nothing(archive: Path, tmp_path: Path, monkeypatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(download, "write_json", interrupt)
        with pytest.raises(KeyboardInterrupt):
            get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    assert left(tmp_path) == [archive.name]


def test_what_a_killed_run_left_is_not_mixed_in(archive: Path, tmp_path: Path) -> None:
    stale = tmp_path / "to" / ".toy.part" / "corpus" / "stale.txt"
    stale.parent.mkdir(parents=True)
    stale.write_text("half", encoding="utf-8")
    get("toy", tmp_path / "to", archive, {"toy": make_entry()})
    assert left(tmp_path / "to") == INSTALLED and not list(tmp_path.glob("to/.*"))


# --- the command line and the registry


def command(*words: str) -> None:
    parser = argparse.ArgumentParser()
    download.add_arguments(parser.add_subparsers(required=True))
    arguments = parser.parse_args(words)
    arguments.func(arguments)


def test_an_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'ptp'; known are .*ptb.*wikitext2"):
        command("get", "ptp", "--to", str(tmp_path))


def test_the_program_says_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "data", "get", "ptb", "--from", str(tmp_path / "none.zip"), "--to", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=Path(download.__file__).parents[1])
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: --from") and done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_folder_is_chosen_by_option_then_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "a"))
    assert corpora_folder() == tmp_path / "a" and corpora_folder(tmp_path / "b") == tmp_path / "b"
    monkeypatch.delenv("COURSE_DATA")
    assert corpora_folder().parts[-2:] == ("data", "corpora")


def test_every_entry_of_the_registry_is_complete() -> None:
    registry = load_registry()
    assert set(registry) == {"ptb", "wikitext2", "multi30k", "iwslt16", "tanaka"}
    sides = {"language-model": (".txt",), "parallel": (".source", ".target")}
    for entry in registry.values():
        assert set(entry["splits"]) == {s + e for s in ("train", "dev", "test") for e in sides[entry["kind"]]}
        assert all(entry[field] for field in ("title", "licence", "citation", "format", "checksums", "addresses"))
        members = {name for about in entry["splits"].values() for name in about["members"]}
        for one in entry["addresses"]:
            assert one["base"].startswith(("http://", "https://")) and one["base"].endswith("/")
            assert len(one["files"]) == 1 or set(one["files"]) <= members
        sums = [about["sha256"] for about in entry["splits"].values()]
        sums += [value for one in entry["addresses"] for value in one["files"].values()]
        assert all(value is None or (len(value) == 64 and int(value, 16)) for value in sums)


# --- WikiText-2: paragraphs into sentences


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("The hens sleep . The cow eats .", ["The hens sleep .", "The cow eats ."]),
        ("Why ? Nobody knows ! <unk> sleeps .", ["Why ?", "Nobody knows !", "<unk> sleeps ."]),
        (
            "The mill of St. Anne @-@ on @-@ Hill has 3 @.@ 5 wheels",
            ["The mill of St. Anne @-@ on @-@ Hill has 3 @.@ 5 wheels"],
        ),
        ('He said , " I know . You do not . " She left .', ['He said , " I know . You do not . "', "She left ."]),
        ('" Who is it ? " she asked . Silence .', ['" Who is it ? " she asked .', "Silence ."]),
        ('She called it " a barn " . It burnt .', ['She called it " a barn " .', "It burnt ."]),
        ("It rained . ( The roof leaks . ) Hens swim .", ["It rained .", "( The roof leaks . )", "Hens swim ."]),
        (
            "It rained . ( It leaks . It drips . ) Hens swim .",
            ["It rained .", "( It leaks . It drips . )", "Hens swim ."],
        ),
        ("The film Hens ! was shown . It failed .", ["The film Hens ! was shown .", "It failed ."]),
        ("Then . . . Nothing .", ["Then . . .", "Nothing ."]),
        ('A 12 " pipe burst . Mud rose .', ['A 12 " pipe burst .', "Mud rose ."]),
        ("a ) the cow . b ) the hen .", ["a ) the cow .", "b ) the hen ."]),
        ("No mark at all", ["No mark at all"]),
    ],
)
def test_paragraphs_are_cut_at_sentence_ends(paragraph: str, expected: list[str]) -> None:
    assert [" ".join(words) for words in cut_sentences(paragraph.split())] == expected


def test_headings_and_blank_lines_are_left_out_and_no_other_word() -> None:
    lines = [" ", " = Hens = ", "", " Hens lay eggs . They = birds . ", " = = Food = = ", " Grain = good . ", " = "]
    expected = ["Hens lay eggs .", "They = birds .", "Grain = good .", "="]
    assert paragraphs_to_sentences(lines) == expected


def test_wikitext_is_installed_from_an_archive_like_the_original(tmp_path: Path) -> None:
    path = tmp_path / "w.zip"
    text = " \n = Mill = \n \n The mill stands . It turns . \n"
    path.write_bytes(
        make_zip({f"wikitext-2/wiki.{split}.tokens": text.encode() for split in ("train", "valid", "test")})
    )
    folder = get("wikitext2", tmp_path / "to", path)
    assert (folder / "dev.txt").read_text(encoding="utf-8") == "The mill stands .\nIt turns .\n"
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is False and record["unk"] == "token"


# --- the real archives, where they are at hand


@real_archives
def test_the_penn_treebank_from_both_of_its_archives(tmp_path: Path) -> None:
    original = Path(ARCHIVES) / "ptb.zip"
    with zipfile.ZipFile(original) as archive:
        members = {f"./simple-examples/data/{n}": archive.read(n) for n in archive.namelist() if n.startswith("ptb.")}
    again = tmp_path / "simple-examples.tgz"
    again.write_bytes(make_tar(members))
    folders = [get("ptb", tmp_path / source.suffix, source) for source in (original, again)]
    sizes = {"train": (42068, 887521), "dev": (3370, 70390), "test": (3761, 78669)}
    for folder in folders:
        record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        assert record["verified"] is True and record["unk"] == "token"
        for split, size in sizes.items():
            lines = (folder / f"{split}.txt").read_text(encoding="utf-8").splitlines()
            assert (len(lines), sum(len(line.split()) for line in lines)) == size


@real_archives
@pytest.mark.parametrize(
    ("name", "place", "sizes"),
    [("multi30k", "multi30k", [29000, 1014, 1000]), ("tanaka", "enja", [10000, 500, 500])],
)
def test_the_parallel_corpora_from_their_folders(name: str, place: str, sizes: list[int], tmp_path: Path) -> None:
    folder = get(name, tmp_path, Path(ARCHIVES) / place)
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is True
    for side in ("source", "target"):
        assert [record["files"][f"{split}.{side}"]["sentences"] for split in ("train", "dev", "test")] == sizes
