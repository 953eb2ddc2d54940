"""Building DyNet: the source is fetched once, checked, kept, and read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from common.errors import UserError
from tests.dynet_parts import make_archive
from tools.dynet import fetch


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An invented source, whose checksum is taken for the right one."""
    data = make_archive({"dynet/a.cc": b"one\n", "python/b.pyx": b"two\n"})
    monkeypatch.setattr(fetch, "SHA256", fetch.checksum(data))
    monkeypatch.setattr(fetch, "download", lambda: pytest.fail("downloaded"))
    return data


def test_checksum_is_the_sha256_of_nist() -> None:
    assert fetch.checksum(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_source_is_read_without_its_top_folder(tmp_path: Path, archive: bytes) -> None:
    local = tmp_path / "given.tar.gz"
    local.write_bytes(archive)
    source = fetch.fetch(tmp_path / "home", str(local))
    assert source == tmp_path / "home" / "dyNET-2.1.2.tar.gz" and source.read_bytes() == archive
    assert fetch.read_files(source) == {"dynet/a.cc": b"one\n", "python/b.pyx": b"two\n"}
    assert fetch.fetch(tmp_path / "home") == source  # no second download


def test_a_download_is_checked_and_kept(tmp_path: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "download", lambda: archive)
    assert fetch.fetch(tmp_path).read_bytes() == archive


def test_a_damaged_source_that_was_kept_is_fetched_again(tmp_path, archive: bytes, monkeypatch) -> None:
    (tmp_path / fetch.ARCHIVE).write_bytes(archive[:-1])
    monkeypatch.setattr(fetch, "download", lambda: archive)
    assert fetch.fetch(tmp_path).read_bytes() == archive


def test_a_wrong_source_is_refused(tmp_path: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    local = tmp_path / "given.tar.gz"
    local.write_bytes(archive + b"!")
    with pytest.raises(UserError, match=f"given.tar.gz is not the right file: its sha256 is .*, not {fetch.SHA256}"):
        fetch.fetch(tmp_path / "home", str(local))
    monkeypatch.setattr(fetch, "download", lambda: b"an error page")
    with pytest.raises(UserError, match="of the package index is not the right file"):
        fetch.fetch(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--source .*nowhere.gz: No such file"):
        fetch.fetch(tmp_path, str(tmp_path / "nowhere.gz"))


def test_no_network_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nothing listens, instead of the index that pip is configured for."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX" + "_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(UserError, match=r"pip finds no dyNET-2.1.2.tar.gz: check the network .* --source FILE$"):
        fetch.download()
