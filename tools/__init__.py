"""Programs for those who build, measure and release the course."""

import sys

from common import environment, interrupts

if sys.argv[:1] == ["-m"]:  # as `python -m tools.X`, not where a test imports it
    interrupts.end_at_once()
environment.require()

from common import errors, runtime  # noqa: E402

errors.exits_cleanly(lambda: runtime.set_up(sys.argv[1:]))()
