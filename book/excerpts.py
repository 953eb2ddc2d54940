"""`python -m book.excerpts` updates the code that the lessons quote from the course's files."""

from __future__ import annotations

from book.blocks import with_excerpts
from book.lessons import PAGES, ROOT, read
from common.errors import OneLineParser, exits_cleanly
from common.files import atomic_write


@exits_cleanly
def main() -> None:
    OneLineParser(prog="python -m book.excerpts", description=__doc__).parse_args()
    for lesson in PAGES:
        text = read(lesson)
        renewed = with_excerpts(text)
        if renewed != text:
            with atomic_write(ROOT / lesson) as file:
                file.write(renewed)
            print(f"renewed {lesson}")


if __name__ == "__main__":
    main()
