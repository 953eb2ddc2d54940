"""Real corpora: paragraphs cut into sentences, and the archives themselves where they are at hand."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from data.download import get
from data.prepare import cut_sentences, paragraphs_to_sentences
from tests.toy_corpus import make_tar, make_zip

ARCHIVES = os.environ.get("COURSE_ARCHIVES")
real_archives = pytest.mark.skipif(not ARCHIVES, reason="COURSE_ARCHIVES names no folder of archives")


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
