"""Where the course is published: `python -m book.address --repository ADDRESS --site ADDRESS`.

The addresses are settings of pyproject.toml, [tool.course]. Files that cannot read it have the address of the
repository written in them, or `THIS-REPOSITORY` as long as there is none. This program writes it into all of them.
"""

from __future__ import annotations

import re
from pathlib import Path

from book.lessons import ROOT
from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import atomic_write
from solutions.sets import tomllib

UNSET = "THIS-REPOSITORY"
PLACES = ("README.md", "book/lessons/notebooks.py", "CITATION.cff")
"""The files that have the address of the repository."""
ADDRESS = re.compile(r"https://[\w.~-]+(?:/[\w.~-]+)*")


def setting(name: str, root: Path = ROOT) -> str:
    """The address of the `repository` or of the `site`; empty where it is not set."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["course"][name]


def publish(name: str, address: str, root: Path = ROOT) -> list[str]:
    """Set an address, and return the files that have changed. Raises `UserError` for what is no address."""
    address = address.rstrip("/").removesuffix(".git")
    if address and not ADDRESS.fullmatch(address):
        raise UserError(f"--{name} {address}: not an address; write one such as https://example.org/team/course")
    old, changed = setting(name, root), []
    places = {"pyproject.toml": (f'{name} = "{old}"', f'{name} = "{address}"')}
    if name == "repository":
        places |= dict.fromkeys(PLACES, (old or UNSET, address or UNSET))
    for path, (before, after) in places.items():
        text = (root / path).read_text(encoding="utf-8")
        if before not in text:
            raise UserError(f"{path}: does not contain {before}; put it back")
        if before != after:
            with atomic_write(root / path) as file:
                file.write(text.replace(before, after))
            changed.append(path)
    return changed


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.address", description=__doc__.split("\n\n")[1])
    parser.add_argument("--repository", metavar="ADDRESS", help="address of the course's files, for git clone")
    parser.add_argument("--site", metavar="ADDRESS", help="address of the pages made by make book")
    arguments = vars(parser.parse_args())
    for name, address in arguments.items():
        if address is not None:
            print(f"{name}: {', '.join(publish(name, address)) or 'nothing to change'}")
        else:
            print(f"{name}: {setting(name) or 'not set'}")


if __name__ == "__main__":
    main()
