"""Print the path of a file of an installed wheel: `python in_wheel.py NAME ENDING`.

pip builds in an environment of two prefixes, so nothing about the place of a wheel's files can be taken for granted.
An ending that is followed by a version (libmkl_rt.so -> libmkl_rt.so.3) is found too.
"""

import re
import sys
from importlib import metadata

name, ending = sys.argv[1:]
files = [file for file in metadata.files(name) or [] if re.search(rf"(^|/){re.escape(ending)}(\.\d+)*$", str(file))]
if not files:
    sys.exit(f"error: the wheel {name} has no file {ending}")
print(min(files, key=lambda file: len(str(file))).locate().resolve().as_posix())
