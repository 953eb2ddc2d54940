"""Programs for those who build, measure and release the course."""

import sys

from common import environment

environment.require()

from common import errors, runtime  # noqa: E402

errors.exits_cleanly(lambda: runtime.set_up(sys.argv[1:]))()
