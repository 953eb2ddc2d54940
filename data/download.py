"""`python -m data get NAME`: fetch a real corpus, check it, and install it in one step."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
from pathlib import Path

from common.errors import UserError
from common.files import write_json, write_lines
from common.text.vocab import split_words
from data.fetch import AddressFailed, fetch
from data.prepare import BadText, prepare
from data.registry import corpora_folder, find_entry, load_registry
from data.unpack import MAX_BYTES, BadArchive, read_texts, sha256_of


class WrongChecksum(BadArchive):
    """A text inside an archive is not the one that the registry knows."""


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    """Add the subcommand `get` to the command line of `python -m data`."""
    parser = subparsers.add_parser("get", help="install a real corpus: download it, or take a local archive")
    parser.add_argument("name", help=f"one of {', '.join(load_registry())}")
    parser.add_argument("--from", dest="source", metavar="PATH", help="a local archive, or a folder with its files")
    parser.add_argument("--to", metavar="DIR", help="the folder of installed corpora ($COURSE_DATA, else data/corpora)")
    parser.add_argument("--unverified", action="store_true", help="with --from: accept texts with other checksums")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out `get` as the command line says."""
    if arguments.unverified and arguments.source is None:
        raise UserError("--unverified is for --from FILE: what comes over the network must have the right checksum")
    get(arguments.name, arguments.to, arguments.source, unverified=arguments.unverified)


def get(
    name: str,
    to: str | Path | None = None,
    source: str | Path | None = None,
    registry: dict[str, dict] | None = None,
    unverified: bool = False,
) -> Path:
    """Install the corpus `name` and return its folder; say at once if it is there already.

    to: the folder that holds corpora (default: $COURSE_DATA, else `data/corpora`).
    source: a local archive or folder; without it the addresses of the registry are tried in order.
    unverified: accept local texts whose checksums differ from those of the registry.
    Raises `UserError`, leaving nothing at the target, if the corpus is unknown or cannot be had.
    """
    entry = find_entry(name, load_registry() if registry is None else registry)
    target = corpora_folder(to) / name
    if target.exists():
        _check_installed(target)
        print(f"{name} is already installed, and undamaged: {target}")
        return target
    work = target.with_name(f".{name}.part")  # downloads survive here for the next call; half-made texts do not
    try:
        record = (
            _from_path(Path(source), name, entry, work, unverified) if source else _from_addresses(name, entry, work)
        )
        _move(work / "corpus", target)
        shutil.rmtree(work)
    finally:
        if not any(path.is_file() for path in work.rglob("*")):
            shutil.rmtree(work, ignore_errors=True)
    _report(record, target)
    return target


def _from_path(source: Path, name: str, entry: dict, work: Path, unverified: bool) -> dict:
    """Build the corpus from a local archive or folder."""
    if not source.exists():
        raise UserError(f"--from {source}: there is no such file or folder")
    try:
        return _build([source], source.name, name, entry, work / "corpus", unverified)
    except WrongChecksum as error:
        raise UserError(f"{error}; if you trust it anyway, add --unverified") from error


def _from_addresses(name: str, entry: dict, work: Path) -> dict:
    """Try the addresses in order. Raises `UserError` with what each of them answered if all fail."""
    if not entry["addresses"]:
        raise UserError(f"{name} is licensed, and has no address; if you have its archive, use --from PATH")
    failures = []
    work = _make_folder(work)
    for number, address in enumerate(entry["addresses"]):
        folder = _make_folder(work / f"address-{number}")
        try:
            for file_name, sha256 in address["files"].items():
                if not (folder / file_name).exists():
                    print(f"fetching {address['base']}{file_name}", flush=True)
                    fetch(address["base"] + file_name, folder / file_name, sha256)
            files = [folder / file_name for file_name in address["files"]]
            return _build(files, address["base"], name, entry, work / "corpus")
        except AddressFailed as error:
            failures.append(str(error))
        except (BadArchive, BadText) as error:
            shutil.rmtree(folder)
            failures.append(f"{address['base']}: {error}")
    raise UserError(f"{name} could not be downloaded: {'; '.join(failures)}; if you have its archive, use --from PATH")


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror or error}; choose another place with --to") from error
    return folder


def _move(folder: Path, target: Path) -> None:
    try:
        os.replace(folder, target)
    except OSError as error:
        raise UserError(f"cannot move the finished corpus to {target}: {error.strerror or error}") from error


def _build(paths: list[Path], source: str, name: str, entry: dict, folder: Path, unverified: bool = False) -> dict:
    """Write the corpus and its `corpus.json` into `folder`, which is removed again on any error; return the latter."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        members = {split: about["members"] for split, about in entry["splits"].items()}
        texts = read_texts(paths, members, entry.get("bytes", MAX_BYTES))
        verified = _verify(texts, entry, paths, unverified)
        files = {}
        for split, lines in prepare(texts, entry).items():
            write_lines(folder / split, lines)
            words = sum(len(split_words(line)) for line in lines)
            files[split] = {"sentences": len(lines), "words": words, "sha256": sha256_of(folder / split)}
        record = _provenance(paths, source, name, entry, verified) | {"files": files}
        write_json(folder / "corpus.json", record)
        return record
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _verify(texts: dict[str, bytes], entry: dict, paths: list[Path], unverified: bool) -> bool:
    """Compare every text with its checksum; False if one lacks it, or differs and may. Raises `WrongChecksum` else."""
    if all(path.is_file() and sha256_of(path) in entry["known_archives"] for path in paths):
        return True
    expected = {split: about["sha256"] for split, about in entry["splits"].items()}
    for split, content in texts.items():
        actual = hashlib.sha256(content).hexdigest()
        if expected[split] not in (None, actual):
            if unverified:
                return False
            where = ", ".join(path.name for path in paths)
            raise WrongChecksum(f"{where}: wrong checksum for {split}, expected {expected[split]}, found {actual}")
    return None not in expected.values()


def _provenance(paths: list[Path], source: str, name: str, entry: dict, verified: bool) -> dict:
    """Return where the corpus came from, for `corpus.json`."""
    fields = ("kind", "title", "licence", "citation", "format", "unk", "task", "checksums")
    about = {field: entry[field] for field in fields if field in entry}
    archives = {path.name: sha256_of(path) for path in paths if path.is_file()}
    return {"name": name} | about | {"source": source, "archives": archives, "verified": verified}


def _check_installed(folder: Path) -> None:
    """Raises `UserError` unless `folder` holds exactly what its `corpus.json` records."""
    repair = "delete or move that folder, then run this again"
    try:
        files = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))["files"]
        damaged = [name for name, about in files.items() if sha256_of(folder / name) != about["sha256"]]
    except FileNotFoundError as error:
        raise UserError(f"{folder} lacks {Path(error.filename).name}; {repair}") from error
    except OSError as error:
        raise UserError(f"{error.filename} cannot be read ({error.strerror}); {repair}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{folder}/corpus.json cannot be read ({error}); {repair}") from error
    if damaged:
        raise UserError(f"{folder}: {', '.join(damaged)} no longer contains what was installed; {repair}")


def _report(record: dict, target: Path) -> None:
    for split, about in record["files"].items():
        print(f"  {split:13} {about['sentences']:>9,} sentences {about['words']:>11,} words")
    print(f"{'verified' if record['verified'] else 'unverified'}; known checksums: {record['checksums']}")
    print(f"licence: {record['licence']}")
    print(f"installed {record['name']}: {target}")
