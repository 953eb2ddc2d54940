"""Installing real corpora from a server on this machine, interrupted or not, and onto a disk that fills up."""

from __future__ import annotations

import errno
import io
import json
import socket
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


# --- from addresses


def test_an_archive_is_downloaded_checked_and_installed(server: Server, tmp_path: Path) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    entry = make_entry(address(server, "toy.zip", sha256=digest(server.files["toy.zip"])))
    folder = get("toy", tmp_path, registry={"toy": entry})
    assert left(tmp_path) == INSTALLED and not list(tmp_path.glob(".*"))
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["source"] == server.base


def test_a_length_that_is_no_number_is_left_out(server: Server, tmp_path: Path) -> None:
    server.files |= TEXTS
    server.lengths = dict.fromkeys(TEXTS, "long")
    get("toy", tmp_path, registry={"toy": make_entry(address(server, *TEXTS))})
    assert left(tmp_path) == INSTALLED


def test_single_texts_are_downloaded_too(server: Server, tmp_path: Path) -> None:
    server.files |= TEXTS
    get("toy", tmp_path, registry={"toy": make_entry(address(server, *TEXTS))})
    assert left(tmp_path) == INSTALLED


def test_the_second_call_checks_and_asks_no_server(server: Server, tmp_path: Path, capsys) -> None:
    server.files["toy.zip"] = make_zip(TEXTS)
    registry = {"toy": make_entry(address(server, "toy.zip"))}
    folder = get("toy", tmp_path, registry=registry)
    num_requests, stamps = len(server.requests), {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    capsys.readouterr()
    assert get("toy", tmp_path, registry=registry) == folder
    assert "there already" in capsys.readouterr().out
    assert len(server.requests) == num_requests == 1
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
