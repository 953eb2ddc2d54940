"""Names to import the chapters by: the folder 06_attentive_lm, beginning with a digit, is `chapters.attentive_lm`."""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

for folder in sorted(Path(__file__).parent.glob("[0-9]*_*/")):
    spec = ModuleSpec(f"{__name__}.{folder.name.split('_', 1)[1]}", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    sys.modules[spec.name] = package = module_from_spec(spec)
    setattr(sys.modules[__name__], folder.name.split("_", 1)[1], package)
