"""Programs for those who build, measure and release the course."""

import sys

from common import errors, launch, modules

if sys.argv[:1] == ["-m"]:  # as `python -m tools.X`, not where a test imports it
    errors.exit_on_sigint()
launch.require()
modules.require_program()

from common import runtime  # noqa: E402

errors.exits_cleanly(lambda: runtime.set_up(sys.argv[1:]))()
