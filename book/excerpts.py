"""`python -m book.excerpts` renews the code that the lessons quote from the course's files."""

from __future__ import annotations

from book.blocks import with_excerpts
from book.lessons import PAGES, ROOT, read
from common.files import atomic_write


def main() -> None:
    for lesson in PAGES:
        text = read(lesson)
        renewed = with_excerpts(text)
        if renewed != text:
            with atomic_write(ROOT / lesson) as file:
                file.write(renewed)
            print(f"renewed {lesson}")


if __name__ == "__main__":
    main()
