"""Installing real corpora from archives, good and bad, and the registry: what is installed is whole, or nothing is."""

from __future__ import annotations

import gzip
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import data.prepare
from common.errors import UserError
from common.text.corpus import load_corpus
from data import unpack
from data.__main__ import main
from data.download import get
from data.prepare import WAYS, prepare
from data.registry import corpora_folder, load_registry
from data.unpack import BadArchive, read_texts, sha256_of
from tests.programs import error_line, run_python
from tests.toy_corpus import INSTALLED, TEXTS, digest, left, make_entry, make_tar, make_zip

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Installs from an archive of this content, whose name says nothing, into the folder `to`."""

    def run(content: bytes, texts: dict[str, bytes] | None = None, **options: bool) -> Path:
        (tmp_path / "archive").write_bytes(content)
        return get("toy", tmp_path / "to", tmp_path / "archive", {"toy": make_entry(texts=texts)}, **options)

    return run


@pytest.fixture
def refuse(install: Install, tmp_path: Path) -> Callable[..., str]:
    """Installs what must be refused, in one line and leaving nothing; the line."""

    def run(content: bytes, **options: object) -> str:
        with pytest.raises(UserError) as failure:
            install(content, **options)
        assert "\n" not in str(failure.value)
        assert left(tmp_path) == ["archive"] and not list(tmp_path.glob("to/.*"))
        return str(failure.value)

    return run


# --- from a local archive or folder


def test_a_zip_is_installed_one_sentence_a_line(install: Install, tmp_path: Path) -> None:
    folder = install(make_zip(TEXTS))
    assert left(tmp_path / "to") == INSTALLED
    assert (folder / "train.txt").read_bytes() == b"the miller feeds the hens\nthe hens sleep\n"
    assert (folder / "test.txt").read_bytes() == b"the cows feed the miller\n"
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is True and record["licence"] == "invented here"
    assert record["archives"] == {"archive": sha256_of(tmp_path / "archive")}
    train = {"sentences": 2, "words": 8, "sha256": sha256_of(folder / "train.txt")}
    assert record["files"]["train.txt"] == train


def test_an_entry_may_limit_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "toy.tar").write_bytes(make_tar(TEXTS))
    size = sum(map(len, TEXTS.values())) - 1
    with pytest.raises(BadArchive, match=f"unpack to more than {size} bytes"):
        get("toy", tmp_path / "to", tmp_path / "toy.tar", {"toy": make_entry() | {"bytes": size}})


@pytest.mark.parametrize("prefix", ["", "./simple-examples/data/", "a/b/"])
def test_members_are_found_in_any_folder_of_a_tar(prefix: str, install: Install) -> None:
    texts = {prefix + name: content for name, content in TEXTS.items()}
    folder = install(make_tar({prefix + "toy.char.train.txt": b"t h e\n"} | texts))
    assert (folder / "dev.txt").read_text(encoding="utf-8") == "the miller sleeps\n"


def test_a_folder_of_gzipped_sides_becomes_a_parallel_corpus(tmp_path: Path) -> None:
    source, splits = tmp_path / "files", {}
    source.mkdir()
    for split in ("train", "dev", "test"):
        for side, text in (("source", b"ein hund\n\neine katze\n"), ("target", b"a dog\nlost\na cat \n")):
            (source / f"{split}.{side[0]}.gz").write_bytes(gzip.compress(text))
            splits[f"{split}.{side}"] = {"members": [f"{split}.{side[0]}"], "sha256": digest(text)}
    entry = make_entry() | {"kind": "parallel", "splits": splits}
    folder = get("pairs", tmp_path / "to", source, {"pairs": entry})
    assert (folder / "train.source").read_text(encoding="utf-8") == "ein hund\neine katze\n"
    assert (folder / "train.target").read_text(encoding="utf-8") == "a dog\na cat\n"


def test_sides_of_unequal_length_are_refused() -> None:
    texts = {f"{split}.{side}": b"a\nb\n" for split in ("train", "dev", "test") for side in ("source", "target")}
    with pytest.raises(UserError, match="dev: 2 source lines but 1 target lines"):
        prepare(texts | {"dev.target": b"a\n"}, {"kind": "parallel"})


def test_a_local_archive_with_other_texts_needs_a_word_of_consent(install: Install, refuse: Callable) -> None:
    other = b"quite another text\n"
    archive = make_zip(TEXTS | {"toy.test.txt": other})
    line = refuse(archive)
    assert digest(other) in line and digest(TEXTS["toy.test.txt"]) in line
    folder = install(archive, unverified=True)
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["verified"] is False


def test_texts_that_training_would_refuse_are_not_installed(refuse: Callable) -> None:
    for content, complaint in (
        (b"one\ntwo </s> three\n", "sentence 2: <s> and </s> mark where sentences begin and end"),
        (b"word " * 1001 + b"\n", "sentence 1: 1001 words, more than 1000"),
        (b"one\ntwo \xff\n", "line 2: not UTF-8"),
    ):
        texts = TEXTS | {"toy.test.txt": content}
        assert f"test.txt, {complaint}" in refuse(make_zip(texts), texts=texts)


def test_what_is_installed_unverified_can_be_trained_on(install: Install) -> None:
    """Odd texts: byte-order marks, blanks of other scripts, other line ends, as many words as are allowed."""
    odd = "\ufeff\ufeff\n\n one\u2003two \r\nthree\x85four\n".encode() + b"word " * 1000
    folder = install(make_zip(TEXTS | {"toy.test.txt": odd}), unverified=True)
    assert load_corpus(str(folder)).test == [["one\u2003two"], ["three\x85four"], ["word"] * 1000]


def test_a_bad_archive_is_one_line_and_leaves_nothing(refuse: Callable) -> None:
    damaged = bytearray(make_zip(TEXTS))
    damaged[50] ^= 1
    for content in (b"", b"just text\n", make_zip({"other.txt": b"x\n"}), make_zip(TEXTS)[:-30]):
        assert "contains no toy.train.txt" in refuse(content)
    for content in (make_tar(TEXTS)[:-30], bytes(damaged)):
        assert "damaged or cut short" in refuse(content)


@pytest.mark.parametrize("content", [b"not packed", b"\x1f\x8b\x08\x00not gzip"])
def test_a_packed_file_that_is_damaged(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "toy.train.txt.gz").write_bytes(content)
    with pytest.raises(UserError, match="damaged or cut short"):
        get("toy", tmp_path / "to", tmp_path / "toy.train.txt.gz", {"toy": make_entry()})
    assert left(tmp_path) == ["toy.train.txt.gz"] and not list(tmp_path.glob("to/.*"))


@pytest.mark.parametrize("name", ["", "\0x"])
def test_a_member_of_a_zip_without_a_name(name: str, tmp_path: Path, refuse: Callable) -> None:
    """Before Python 3.12 zipfile raises an IndexError for it, since then it takes it for a file."""
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        for member, content in [(name, b"x"), *TEXTS.items()]:
            archive.writestr(zipfile.ZipInfo(member), content)
    assert "damaged or cut short (a member has no name)" in refuse((tmp_path / "archive").read_bytes())


# --- archives that mean harm


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "C:\\evil", "..\\evil"])
def test_a_member_that_escapes_condemns_the_archive(name: str, refuse: Callable) -> None:
    for make in (make_zip, make_tar):
        assert "points outside" in refuse(make(TEXTS | {name: b"harm"})) and not Path("/evil").exists()


def test_neither_links_nor_devices_of_a_tar_are_followed(refuse: Callable) -> None:
    link = tarfile.TarInfo("toy.train.txt")
    link.linkname = __file__
    others = {name: content for name, content in TEXTS.items() if name != "toy.train.txt"}
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        link.type = kind
        assert "contains no toy.train.txt" in refuse(make_tar(others, link))


def test_a_symbolic_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("toy.train.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/hostname")
    with pytest.raises(BadArchive, match="contains no toy.train.txt"):
        read_texts([path], {"train.txt": ["toy.train.txt"]})


@pytest.mark.parametrize("texts", [1, 2, 3])
def test_texts_that_swell_are_refused(texts: int, tmp_path: Path) -> None:
    """Each may be under the limit, where all together are not; packed together, or each by itself in a folder."""
    members = {name: b"a" * (100_002 // texts) for name in list(TEXTS)[:texts]}
    (tmp_path / "zip").write_bytes(make_zip(members))
    (tmp_path / "tar").write_bytes(make_tar(members))
    (tmp_path / "folder").mkdir()
    for name, content in members.items():
        (tmp_path / "folder" / f"{name}.gz").write_bytes(gzip.compress(content))
    for form in ("zip", "tar", "folder"):
        with pytest.raises(BadArchive, match="more than 100000 bytes"):
            read_texts([tmp_path / form], {name: [name] for name in members}, limit=100_000)
        assert len(read_texts([tmp_path / form], {name: [name] for name in members}, limit=100_002)) == texts


def test_headers_of_a_tar_that_swell_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One long header, and many members: tarfile would keep all of them in memory."""
    monkeypatch.setattr(unpack, "MAX_HEADERS", 50_000)
    long_header = {"a": tarfile.TarInfo("a")}
    long_header["a"].pax_headers = {"comment": "a" * 200_000}
    for name, infos in (("long", long_header), ("many", {str(i): tarfile.TarInfo(str(i)) for i in range(200)})):
        with tarfile.open(tmp_path / name, "w:gz") as archive:
            for info in infos.values():
                archive.addfile(info)
        assert (tmp_path / name).stat().st_size < 3000
        with pytest.raises(BadArchive, match="its names and texts unpack to more than"):
            read_texts([tmp_path / name], {"train.txt": ["toy.train.txt"]}, limit=50_000)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_cannot_be_unpacked_piece_by_piece_is_refused(kind: int, tmp_path: Path) -> None:
    """Python unpacks 4,096 bytes of it at once, which may be gigabytes, whatever size the archive states."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("toy.train.txt", b"a\n", kind)
    with pytest.raises(BadArchive, match="packed in an uncommon way; unpack it and zip it again"):
        read_texts([tmp_path / "x.zip"], {"train.txt": ["toy.train.txt"]})


def test_lines_that_swell_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory a short line or a short word takes twenty times its bytes."""
    entry = {"kind": "language-model"}
    with pytest.raises(UserError, match="train.txt, line 2: more than 1,000,000 bytes"):
        prepare({"train.txt": b"a\n" + b"a " * 500_001}, entry)
    monkeypatch.setattr(data.prepare, "MAX_LINES", 10)
    assert len(prepare({"train.txt": b"a\n" * 10}, entry)["train.txt"]) == 10
    with pytest.raises(UserError, match="train.txt: more than 10 lines"):
        prepare({"train.txt": b"a\n" * 11}, entry)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep a limit of addresses")
def test_a_small_archive_of_huge_texts_takes_little_memory(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    with zipfile.ZipFile(tmp_path / "b.arc", "w", zipfile.ZIP_DEFLATED) as archive:
        for split in ("train", "valid", "test"):
            archive.writestr(f"ptb.{split}.txt", b"a\n" * 60_000_000)
    assert (tmp_path / "b.arc").stat().st_size < 1_000_000
    limit = 2**30
    words = ["-m", "data", "get", "ptb", "--from", str(tmp_path / "b.arc"), "--unverified", "--to", str(tmp_path)]
    done = run_python(*words, fresh=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 2 and "its texts unpack to more than" in error_line(done.stderr)
    assert left(tmp_path) == ["b.arc"]


# --- the command line and the registry


def test_the_program_says_what_is_wrong_in_one_line(tmp_path: Path, refuse_main: Callable) -> None:
    line = refuse_main(main, "get", "ptb", "--from", tmp_path / "none.zip", "--to", tmp_path)
    assert line.startswith("error: --from") and not list(tmp_path.iterdir())
    line = refuse_main(main, "get", "ptp", "--to", tmp_path)
    assert "'ptp'; choose from " in line and "ptb" in line and "wikitext2" in line
    line = refuse_main(main, "get", "gigaword", "--to", tmp_path)
    assert line == "error: gigaword is licensed, and has no address; if you have its archive, use --from PATH"
    assert refuse_main(main, "generate", "village", "--train", 0).startswith("error: --train 0: say with --out DIR")
    assert not list(tmp_path.iterdir())


def test_the_folder_is_chosen_by_option_then_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "a"))
    assert corpora_folder() == tmp_path / "a" and corpora_folder(tmp_path / "b") == tmp_path / "b"
    monkeypatch.delenv("COURSE_DATA")
    assert corpora_folder().parts[-2:] == ("data", "corpora")


TALKS = ("train", "TED.dev2010", "TEDX.dev2012", "TED.tst2010", "TED.tst2011", "TED.tst2012")


def test_every_entry_of_the_registry_is_complete() -> None:
    registry = load_registry()
    assert set(registry) == set("ptb wikitext2 wikitext2-salton2017 multi30k iwslt14 tanaka gigaword".split())
    sides = {"language-model": (".txt",), "parallel": (".source", ".target")}
    for name, entry in registry.items():
        parts = TALKS if name == "iwslt14" else ("train", "dev", "test")
        assert set(entry["splits"]) == {s + e for s in parts for e in sides[entry["kind"]]}
        assert all(entry[field] for field in ("title", "licence", "citation", "format", "checksums"))
        assert bool(entry["addresses"]) != (name == "gigaword") and entry.get("prepare", entry["kind"]) in WAYS
        members = {name for about in entry["splits"].values() for name in about["members"]}
        for address in entry["addresses"]:
            assert address["base"].startswith(("http://", "https://")) and address["base"].endswith("/")
            assert len(address["files"]) == 1 or set(address["files"]) <= members
        sums = [about["sha256"] for about in entry["splits"].values()]
        sums += [value for address in entry["addresses"] for value in address["files"].values()]
        assert all(value is None or (len(value) == 64 and int(value, 16)) for value in sums)
