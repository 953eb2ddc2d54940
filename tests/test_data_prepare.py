"""Real corpora: paragraphs cut into sentences, and the archives themselves where they are at hand."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from common import ROOT
from common.errors import UserError
from common.evaluation.perplexity import summarise
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from data.download import get
from data.prepare import cut_sentences, paragraphs_to_sentences, paragraphs_with_ends, prepare
from data.registry import load_registry
from data.show import describe_source
from data.talks import even
from data.unpack import read_texts
from tests.toy_corpus import make_tar, make_zip

ARCHIVES = os.environ.get("COURSE_ARCHIVES")
real_archives = pytest.mark.skipif(not ARCHIVES, reason="COURSE_ARCHIVES names no folder of archives")


# --- WikiText-2: paragraphs into sentences


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("Why ? Nobody knows ! <unk> sleeps .", ["Why ?", "Nobody knows !", "<unk> sleeps ."]),
        (
            "The mill of St. Anne @-@ on @-@ Hill has 3 @.@ 5 wheels",
            ["The mill of St. Anne @-@ on @-@ Hill has 3 @.@ 5 wheels"],
        ),
        ('He said , " I know . You do not . " She left .', ['He said , " I know . You do not . "', "She left ."]),
        ('She called it " a barn " . It burnt .', ['She called it " a barn " .', "It burnt ."]),
        (
            "It rained . ( It leaks . It drips . ) Hens swim .",
            ["It rained .", "( It leaks . It drips . )", "Hens swim ."],
        ),
        ("The film Hens ! was shown . It failed .", ["The film Hens ! was shown .", "It failed ."]),
        ("Then . . . Nothing .", ["Then . . .", "Nothing ."]),
        ('A 12 " pipe burst . Mud rose .', ['A 12 " pipe burst .', "Mud rose ."]),
        ("a ) the cow . b ) the hen .", ["a ) the cow .", "b ) the hen ."]),
    ],
)
def test_paragraphs_are_cut_at_sentence_ends(paragraph: str, expected: list[str]) -> None:
    assert [" ".join(words) for words in cut_sentences(paragraph.split())] == expected


def test_headings_and_blank_lines_are_left_out_and_no_other_word() -> None:
    lines = [" ", " = Hens = ", "", " Hens lay eggs . They = birds . ", " = = Food = = ", " Grain = good . ", " = "]
    expected = ["Hens lay eggs .", "They = birds .", "Grain = good .", "="]
    assert paragraphs_to_sentences(lines) == expected


ARTICLE = ' \n = Why Hens ? = \n \n Hens lay eggs . They = birds . \n = = Food = = \n \n Grain , " no <unk> ! " \n \n'
MARKED = ["<eos>", "= Why Hens ? = <eos>", "<eos>", "Hens lay eggs .", "They = birds . <eos>", "= = Food = = <eos>",
          "<eos>", 'Grain , " no <unk> ! " <eos>', "<eos>"]  # fmt: skip


def test_every_line_ends_in_an_end_symbol_of_its_own() -> None:
    assert paragraphs_with_ends(ARTICLE.removesuffix("\n").split("\n")) == MARKED


def test_what_the_end_symbols_of_salton2017_add_to_the_divisor() -> None:
    """W words in L lines, cut into S sentences: W + L + S are counted, W + L predicted, and L of these are certain.
    Costs are drawn at random; a second end symbol costs nothing. Then `salton2017_perplexity`, taken to the power of
    (W + L + S) / W, is the perplexity of the predictions that are not certain."""
    lines = ARTICLE.removesuffix("\n").split("\n")
    W, L = len(ARTICLE.split()), ARTICLE.count("\n")
    sentences = [line.split() for line in paragraphs_with_ends(lines)]
    random, costs, uncertain = np.random.default_rng(1), [], []
    for sentence in sentences:
        words = [*sentence, "</s>"]
        certain = [position > 0 and words[position - 1] == "<eos>" for position in range(len(words))]
        costs.append(np.where(certain, 0, random.uniform(1, 9, len(words))))
        uncertain += [cost for cost, sure in list(zip(costs[-1], certain, strict=True))[1:] if not sure]
    vocab = Vocabulary.from_sentences(sentences)
    result = summarise(vocab, sentences, [-cost for cost in costs], "token")
    assert result.predictions == W + L + len(sentences) and len(uncertain) == W
    assert result.salton2017_perplexity ** (result.predictions / W) == pytest.approx(np.exp(np.mean(uncertain)))


@pytest.mark.parametrize(
    ("name", "dev"),
    [
        ("wikitext2", ["Hens lay eggs .", "They = birds .", 'Grain , " no <unk> ! "']),
        ("wikitext2-salton2017", MARKED),
    ],
)
def test_wikitext_is_installed_from_an_archive_like_the_original(name: str, dev: list[str], tmp_path: Path) -> None:
    path = tmp_path / "w.zip"
    path.write_bytes(
        make_zip({f"wikitext-2/wiki.{split}.tokens": ARTICLE.encode() for split in ("train", "valid", "test")})
    )
    with pytest.raises(UserError, match=r"wrong checksum for train.txt, .*add --unverified$"):
        get(name, tmp_path / "to", path)
    folder = get(name, tmp_path / "to", path, unverified=True)
    assert read_lines(folder, "dev.txt") == dev
    record = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is False and record["unk"] == "token" and record["licence"].startswith("Creative Commons")


# --- IWSLT's talks, and Gigaword's headlines: texts of our own in the form of the archives


def talk(side: str, pairs: list[tuple[str, str]]) -> bytes:
    """One side of `train.tags`: two talks of one line each with their tags, then lines without."""
    column = ["de", "en"].index(side)
    first, second, *rest = (pair[column] for pair in pairs)
    tags = "<url>http://x.invalid/1</url>\n<keywords>hay, hens</keywords>\n<talkid>{}</talkid>\n"
    heads = [tags.format(1), f"<title>{first}</title>\n", tags.format(2), f"<description>{second}</description>\n"]
    return ("".join(heads) + "".join(f" {line} \n" for line in rest)).encode()


def xml(sentences: list[str]) -> bytes:
    body = "".join(f'<seg id="{number}"> {line} </seg>\n' for number, line in enumerate(sentences, start=1))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset>\n<doc docid="1" genre="lectures">\n'
    return f"{head}<title>A talk</title>\n<keywords>hay</keywords>\n{body}</doc>\n</refset>\n</mteval>\n".encode()


SPOKEN = [(f"Die Henne {n} schl\u00e4ft.", f"Hen {n} sleeps, isn\u2019t it?") for n in range(1, 47)]
UNFIT = [("Ein", "one two"), ("vier W\u00f6rter sind da", "seven words are too many for it ."), ("a " * 51, "b " * 51),
         ("", "lost"), ("Hallo.", "")]  # fmt: skip


@pytest.fixture
def de_en(tmp_path: Path) -> Path:
    """An archive like de-en.tgz: 46 pairs that are fit for training, the others among them; a sentence of each year."""
    pairs, members = [*SPOKEN[:20], *UNFIT, *SPOKEN[20:]], {"de-en/README": b"Talks"}
    for side in ("de", "en"):
        members[f"de-en/train.tags.de-en.{side}"] = talk(side, pairs)
        for year in ("TED.tst2012", "TED.tst2011", "TED.tst2010", "TEDX.dev2012", "TED.dev2010"):
            members[f"de-en/IWSLT14.{year}.de-en.{side}.xml"] = xml([f"{side} &quot;{year[-7:]}&quot; &amp; Ende!"])
    (tmp_path / "de-en.tgz").write_bytes(make_tar(members))
    return tmp_path / "de-en.tgz"


def read_lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


def test_the_talks_are_cleaned_and_divided(de_en: Path, tmp_path: Path) -> None:
    folder = get("iwslt14", tmp_path / "to", de_en)
    pairs = [(f"die henne {n} schl\u00e4ft .", f"hen {n} sleeps , isn't it ?") for n in range(1, 47)]
    dev = [pairs[22], pairs[45]]
    expected = {"dev": dev, "train": [pair for pair in pairs if pair not in dev]}
    for split, sentences in expected.items():
        sides = [read_lines(folder, f"{split}.{side}") for side in ("source", "target")]
        assert list(zip(*sides, strict=True)) == sentences
    years = ["dev2010", "dev2012", "tst2010", "tst2011", "tst2012"]
    assert read_lines(folder, "test.source") == [f'de " {year} " & ende !' for year in years]
    assert read_lines(folder, "test.target") == [f'en " {year} " & ende !' for year in years]
    assert json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["verified"] is False


@pytest.mark.parametrize(
    ("source", "target", "fit"),
    [(2, 3, True), (3, 2, True), (2, 4, False), (50, 50, True), (50, 51, False), (0, 1, False)],
)
def test_pairs_that_are_fit_for_training(source: int, target: int, fit: bool) -> None:
    assert even("a " * source, "b " * target) is fit


def test_a_talk_that_lacks_a_line_is_refused(de_en: Path, tmp_path: Path) -> None:
    texts = read_texts(
        [de_en], {name: about["members"] for name, about in load_registry()["iwslt14"]["splits"].items()}
    )
    texts["TED.tst2011.target"] = xml(["one", "two"])
    with pytest.raises(UserError, match=r"^TED.tst2011: 1 source lines but 2 target lines; fetch it again$"):
        prepare(texts, load_registry()["iwslt14"])


HEADLINES = {
    "train/train.article.txt": b"the <unk> of ## hens was shown on monday .\nthe miller sells flour .\n",
    "train/train.title.txt": b"## hens shown\nmiller sells flour\n",
    "train/valid.article.filter.txt": b"a <unk> burns .\n",
    "train/valid.title.filter.txt": b"<unk> burns\n",
    "DUC2003/input.txt": b"not of this corpus\n",
    "DUC2003/task1_ref0.txt": b"other\n",
    "Giga/input.txt": b"the UNK of the junk UNKnown .\nno headline .\n",
    "Giga/task1_ref0.txt": b"UNK of junk\n\n",
}


@pytest.mark.parametrize("form", ["tar", "folder", "other names"])
def test_headlines_are_installed_from_either_form(form: str, tmp_path: Path) -> None:
    source = tmp_path / "sumdata"
    if form == "tar":
        source.write_bytes(make_tar({f"sumdata/{name}": content for name, content in HEADLINES.items()}))
    else:
        places = load_registry()["gigaword"]["splits"].values()
        names = {about["members"][0].rpartition("/")[2]: about["members"][1] for about in places}
        for name, content in HEADLINES.items():
            path = source / name
            if form == "other names" and "DUC" not in name:
                path = source / "org_data" / names[path.name]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    folder = get("gigaword", tmp_path / "to", source)
    assert read_lines(folder, "train.source")[0] == "the <unk> of ## hens was shown on monday ."
    assert read_lines(folder, "dev.target") == ["<unk> burns"]
    assert read_lines(folder, "test.source") == ["the <unk> of the junk UNKnown ."]
    assert read_lines(folder, "test.target") == ["<unk> of junk"]
    corpus = load_pairs(str(folder))
    assert corpus.summarises and corpus.facts["corpus"]["unk"] == "token"


# --- the real archives, where they are at hand


REAL = {"ptb": (42068, 3370, 3761), "multi30k": (29000, 1014, 1000), "tanaka": (10000, 500, 500)}
"""The sentences of train, dev and test."""


@real_archives
@pytest.mark.parametrize(
    "name, place",
    [("ptb", "ptb.zip"), ("ptb", "simple-examples.tgz"), ("multi30k", "multi30k"), ("tanaka", "enja")],
)
def test_the_real_archives(name: str, place: str, tmp_path: Path) -> None:
    source = Path(ARCHIVES) / place
    if place == "simple-examples.tgz":
        with zipfile.ZipFile(source.with_name("ptb.zip")) as archive:
            members = {
                f"./simple-examples/data/{n}": archive.read(n) for n in archive.namelist() if n.startswith("ptb.")
            }
        source = tmp_path / place
        source.write_bytes(make_tar(members))
    record = json.loads((get(name, tmp_path / "to", source) / "corpus.json").read_text(encoding="utf-8"))
    assert record["verified"] is True
    sizes = dict(zip(("train", "dev", "test"), REAL[name], strict=True))
    assert {file: about["sentences"] for file, about in record["files"].items()} == {
        file: sizes[file.partition(".")[0]] for file in record["files"]
    }


@real_archives
@pytest.mark.parametrize("name", ["wikitext2", "wikitext2-salton2017"])
def test_valid_and_test_of_the_real_wikitext_are_as_in_the_results(name: str) -> None:
    source = Path(ARCHIVES) / "wikitext2"
    if not source.exists():
        pytest.skip(f"no {source}")
    shown = describe_source(name, source)
    registered = {split: about["sha256"] for split, about in load_registry()["wikitext2"]["splits"].items()}
    results = (ROOT / "chapters/06_attentive_lm/RESULTS.md").read_text(encoding="utf-8")
    for split in ("dev.txt", "test.txt"):
        sizes, text, prepared = (line.split()[1:] for line in shown.splitlines() if line.startswith(split))
        sentences, words, predictions, _, unknown, share = sizes
        assert f"| {sentences} | {words} | {unknown} ({share}) | {predictions} |" in results
        assert text == [registered[split]] and f"`{prepared[0]}`" in results
