"""The corpora: embedded ones with a known truth and their generator, and real ones to fetch."""

import sys

from common import errors, launch, modules

if sys.argv[:1] == ["-m"]:  # as `python -m data`, not where a test imports it
    errors.exit_on_sigint()
launch.require()
modules.require_program()
