"""`python -m data show NAME|DIR`: what a corpus contains, before any model reads it."""

from __future__ import annotations

import argparse
import hashlib
import statistics
from collections import Counter
from pathlib import Path

from common.endings import did_you_mean
from common.errors import UserError
from common.files import read_object, reading
from common.text.corpus import SPLITS
from common.text.vocab import counted, split_words
from data.prepare import decode, prepare
from data.registry import corpora_folder, find_entry, load_registry
from data.unpack import MAX_BYTES, read_texts

EMBEDDED = Path(__file__).resolve().parent
LONG = 35  # words; sentences beyond are cut in training by Salton et al. 2017
LAYOUTS = {"language-model": ("{}.txt",), "parallel": ("{}.source", "{}.target")}


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    """Add the subcommand `show` to the command line of `python -m data`."""
    parser = subparsers.add_parser("show", help="sizes, lengths, unknown words and three sentences of a corpus")
    parser.add_argument("name", metavar="NAME|DIR", help="an embedded or installed corpus, or your own folder")
    parser.add_argument(
        "--from", dest="source", metavar="PATH", help="a local archive or folder of NAME, not installed"
    )
    parser.add_argument("--to", metavar="DIR", help="the folder of installed corpora ($COURSE_DATA, else data/corpora)")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out `show` as the command line says."""
    if arguments.source is not None:
        print(describe_source(arguments.name, Path(arguments.source)))
    else:
        print(describe(find_folder(arguments.name, arguments.to)))


def describe_source(name: str, source: Path) -> str:
    """Return the sizes and checksums of the texts of a corpus in an archive or folder, prepared as if installed, as
    lines of text. Texts of a language model may be missing, though not all of them. Raises `UserError` as `read_texts`
    and `prepare` do."""
    entry = find_entry(name, load_registry())
    members = {split: about["members"] for split, about in entry["splits"].items()}
    partial = entry["kind"] == "language-model"
    texts = read_texts([source], members, entry.get("bytes", MAX_BYTES), partial=partial)
    prepared = prepare(texts, entry)
    missing = [split for split in members if split not in texts]
    contents = {split: "".join(f"{line}\n" for line in lines).encode() for split, lines in prepared.items()}
    sections = [
        [f"{name} from {source}, not installed", *(f"without {split}" for split in missing)],
        _size_table({split: [split_words(line) for line in lines] for split, lines in prepared.items()}),
        ["SHA-256 of the texts", *_checksums(texts)],
        ["SHA-256 of the texts as prepared", *_checksums(contents)],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def _checksums(texts: dict[str, bytes]) -> list[str]:
    return [f"{name:13}{hashlib.sha256(content).hexdigest()}" for name, content in texts.items()]


def find_folder(name: str, to: str | Path | None = None) -> Path:
    """Return the folder of an embedded corpus, an installed one, or the path `name`. Raises `UserError` if none."""
    for folder in (EMBEDDED / name, corpora_folder(to) / name, Path(name)):
        if any((folder / layout[0].format("train")).is_file() for layout in LAYOUTS.values()):
            return folder
    texts = [layout[0].format("train") for layout in LAYOUTS.values()]
    tops = (EMBEDDED, corpora_folder(to))
    present = [path.parent.name for top in tops for text in texts for path in top.glob(f"*/{text}")]
    raise UserError(
        f"no corpus {name!r}: no folder of that name contains train.txt or train.source; "
        f"`python -m data get NAME` installs a real one{did_you_mean(name, [*present, *load_registry()])}"
    )


def describe(folder: Path) -> str:
    """Return the description of the corpus in `folder` as lines of text. Raises `UserError` for unusable text."""
    kind = "parallel" if (folder / "train.source").is_file() else "language-model"
    names = {split: [form.format(split) for form in LAYOUTS[kind]] for split in SPLITS}
    texts = {name: read_sentences(folder / name) for split in SPLITS for name in names[split]}
    for split in SPLITS:
        sizes = {name: len(texts[name]) for name in names[split]}
        if len(set(sizes.values())) > 1:
            lines = " but ".join(f"{name} has {counted(size, 'line')}" for name, size in sizes.items())
            raise UserError(f"{folder}: {lines}")
    sections = [
        [f"{folder.name} ({kind.replace('-', ' ')}) in {folder}"],
        _size_table(texts),
        _length_table(texts),
        _unknown_table(texts, names),
        _first_sentences(texts, names["train"]),
        _oracle(folder),
        _provenance(folder),
    ]
    return "\n\n".join("\n".join(section) for section in sections if section)


def read_sentences(path: Path) -> list[list[str]]:
    """Return the words of every line. Raises `UserError`, with the line, for what is missing, empty, or not UTF-8."""
    try:
        lines = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    if not lines:
        raise UserError(f"{path} is empty; it needs one sentence per line")
    sentences = [split_words(line) for line in lines]
    if [] in sentences:
        raise UserError(f"{path}, line {sentences.index([]) + 1}: an empty line; every line must contain a sentence")
    return sentences


def unknown_rates(train: list[list[str]], held_out: list[list[str]], min_count: int = 1) -> tuple[float, float]:
    """Return the shares of tokens and of types in `held_out` that `train` holds fewer than `min_count` times."""
    train_counts = Counter(word for sentence in train for word in sentence)
    counts = Counter(word for sentence in held_out for word in sentence)
    unknown = [count for word, count in counts.items() if train_counts[word] < min_count]
    return sum(unknown) / counts.total(), len(unknown) / len(counts)


def _size_table(texts: dict[str, list[list[str]]]) -> list[str]:
    rows = [f"{'':13}{'sentences':>11}{'words':>13}{'predictions':>13}{'types':>10}{'<unk>':>10}{'share':>8}"]
    for name, sentences in texts.items():
        counts = Counter(word for sentence in sentences for word in sentence)
        words, unknown = counts.total(), counts["<unk>"]
        predictions = "" if name.endswith(".source") else f"{words + len(sentences):,}"  # a source is only read
        sizes = f"{len(sentences):>11,}{words:>13,}{predictions:>13}{len(counts):>10,}"
        rows.append(f"{name:13}{sizes}{unknown:>10,}{unknown / words:>8.2%}")
    return rows


def _length_table(texts: dict[str, list[list[str]]]) -> list[str]:
    rows = [f"{'words each':13}{'mean':>8}{'median':>8}{'longest':>9}{f'over {LONG}':>9}"]
    for name, sentences in texts.items():
        lengths = [len(sentence) for sentence in sentences]
        share = sum(length > LONG for length in lengths) / len(lengths)
        middle = statistics.median(lengths)
        rows.append(f"{name:13}{statistics.fmean(lengths):>8.1f}{middle:>8.1f}{max(lengths):>9}{share:>9.2%}")
    return rows


def _unknown_table(texts: dict[str, list[list[str]]], names: dict[str, list[str]]) -> list[str]:
    rows = [
        "words that train lacks, or (<2) holds less than twice",
        f"{'':13}{'tokens':>8}{'types':>8}{'tokens<2':>10}{'types<2':>9}",
    ]
    for split in SPLITS[1:]:
        for train, held_out in zip(names["train"], names[split], strict=True):
            tokens, types = unknown_rates(texts[train], texts[held_out])
            tokens2, types2 = unknown_rates(texts[train], texts[held_out], min_count=2)
            rows.append(f"{held_out:13}{tokens:>8.2%}{types:>8.2%}{tokens2:>10.2%}{types2:>9.2%}")
    return rows


def _first_sentences(texts: dict[str, list[list[str]]], names: list[str]) -> list[str]:
    rows = ["the first three of train"]
    for number in range(min(3, len(texts[names[0]]))):
        for indent, name in zip(("  ", "    = "), names, strict=False):
            rows.append(indent + " ".join(texts[name][number]))
    return rows


def _oracle(folder: Path) -> list[str]:
    """One line per split with the oracle's perplexity, the best on average over texts, where the corpus knows it."""
    path, damaged = folder / "oracle.json", "no readable numbers; generate or install the corpus again"
    with reading(path, damaged, damaged):
        oracle = _read_object(path)
        lines = [f"  {split:6}{oracle[split]['perplexity']:>8.2f}" for split in SPLITS if split in oracle]
    return ["oracle: the perplexity of the true distribution", *lines] if lines else []


def _provenance(folder: Path) -> list[str]:
    record = _read_object(folder / "corpus.json")
    fields = [field for field in ("title", "source", "licence", "citation") if record.get(field)]
    lines = [f"{field + ':':10}{record[field]}" for field in fields]
    if "verified" in record:
        lines.append(f"{'checked:':10}{'verified' if record['verified'] else 'unverified'} when it was installed")
    return lines


def _read_object(path: Path) -> dict:
    if not path.is_file():
        return {}
    damaged = "cannot be read as a JSON object; generate or install the corpus again"
    return read_object(path, damaged, damaged)
