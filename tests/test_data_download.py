"""Installing real corpora from a server on this machine, interrupted or not, and onto a disk that fills up."""

from __future__ import annotations

import errno
import io
import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import common.files
import data.fetch
from common.errors import UserError
from data import download
from data.download import get
from data.fetch import AddressFailed, fetch
from tests.toy_corpus import INSTALLED, TEXTS, Server, address, digest, left, make_entry, make_zip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    toy_server = Server()
    yield toy_server
    toy_server.server.shutdown()
    toy_server.server.server_close()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "with-any-name.bin"
    path.write_bytes(make_zip(TEXTS))
    return path


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Installs the toy corpus from these addresses into `tmp_path`."""

    def run(*addresses: dict) -> Path:
        return get("toy", tmp_path, registry={"toy": make_entry(*addresses)})

    return run


# --- from addresses


def test_an_archive_is_downloaded_checked_and_installed(server: Server, install: Callable, tmp_path: Path) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    folder = install(address(server, "toy.zip", sha256=digest(server.files["toy.zip"])))
    assert left(tmp_path) == INSTALLED and not list(tmp_path.glob(".*"))
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["source"] == server.base


def test_single_texts_are_downloaded_and_a_length_that_is_no_number_is_left_out(
    server: Server, install: Callable, tmp_path: Path
) -> None:
    server.files |= TEXTS
    server.lengths["toy.train.txt"] = "long"
    install(address(server, *TEXTS))
    assert left(tmp_path) == INSTALLED


def test_the_second_call_checks_and_asks_no_server(server: Server, install: Callable, capsys) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    folder = install(address(server, "toy.zip"))
    stamps = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    capsys.readouterr()
    assert install(address(server, "toy.zip")) == folder
    assert "already installed" in capsys.readouterr().out and len(server.requests) == 1
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


def test_a_broken_download_goes_on_where_it_stopped(server: Server, install: Callable, tmp_path: Path) -> None:
    content = make_zip(TEXTS)
    server.files["toy.zip"], server.cut["toy.zip"] = content, 100
    zipped = address(server, "toy.zip", sha256=digest(content))
    with pytest.raises(UserError, match=f"cut short at 100 of {len(content)} bytes"):
        install(zipped)
    assert not (tmp_path / "toy").exists()
    assert left(tmp_path) == [".toy.part/address-0/toy.zip.part"]
    server.cut.clear()
    install(zipped)
    assert server.requests == [("toy.zip", None), ("toy.zip", "bytes=100-")]
    assert left(tmp_path) == INSTALLED and not list(tmp_path.glob(".*"))


def test_resuming_copes_with_a_changed_file(server: Server, tmp_path: Path) -> None:
    server.files["f"] = b"the new content"
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


def test_where_an_address_fails_the_next_one_serves(server: Server, install: Callable, tmp_path: Path) -> None:
    """The first has no server, the second no such file, the third one with a wrong checksum."""
    good = make_zip(TEXTS)
    server.files |= {"bad.zip": b"tampered", "good.zip": good}
    dead = {"base": "http://127.0.0.1:1/", "files": {"toy.zip": None}}
    install(dead, *(address(server, name, sha256=digest(good)) for name in ("missing.zip", "bad.zip", "good.zip")))
    assert [name for name, _ in server.requests] == ["missing.zip", "bad.zip", "good.zip"]
    assert left(tmp_path) == INSTALLED


@pytest.mark.parametrize(
    ("content", "sha256", "complaint"),
    [
        (b"tampered", digest(b"right"), f"expected sha256 {digest(b'right')}, found {digest(b'tampered')}"),
        (make_zip(TEXTS | {"toy.valid.txt": b"tampered\n"}), None, f"found {digest(b'tampered' + bytes([10]))}"),
    ],
    ids=["archive", "text"],
)
def test_a_wrong_checksum_is_told_and_nothing_kept(
    content: bytes, sha256: str | None, complaint: str, server: Server, install: Callable, tmp_path: Path
) -> None:
    """Of the archive, or of a text in it."""
    server.files["toy.zip"] = content
    with pytest.raises(UserError) as failure:
        install(address(server, "toy.zip", sha256=sha256))
    assert complaint in str(failure.value) and "\n" not in str(failure.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.needs("loopback", "time")
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


def test_a_disk_that_fills_up_during_the_download_keeps_nothing(
    server: Server, install: Callable, tmp_path: Path, monkeypatch
) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    addresses = [address(server, "toy.zip")] * 2
    with monkeypatch.context() as patch:
        patch.setattr(data.fetch, "_open", lambda part, mode: part.touch() or FullDisk())
        with pytest.raises(UserError, match="cannot write .*No space left"):
            install(*addresses)
    assert len(server.requests) == 1  # no other address can help
    assert not list(tmp_path.iterdir())
    install(*addresses)
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
