"""What turns chapters into a book: the cells of lessons, excerpts, figures, glossary, and the form of a lesson."""

import sys

from common import errors, launch, modules

if sys.argv[:1] == ["-m"]:  # as `python -m book.X`, not where a test imports it
    errors.exit_on_sigint()
launch.require()
modules.require_program()
