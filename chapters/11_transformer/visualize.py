"""Draw what the heads of a trained model attend to, a row of maps for each block, as PNG.

python chapters/11_transformer/visualize.py --sentence "the hen of mira follows mira behind the library ."
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections.abc import Sequence

import numpy as np

from common.errors import exits_cleanly
from common.plots.heatmaps import head_maps
from common.programs import looking_back
from common.text.batching import make_batch
from common.text.vocab import BEGIN, BOUNDARY

from .settings import CHAPTER, Settings

MOST_MAPS = 64


def draw(runs: looking_back.Runs, sentence: Sequence[str], path: Path) -> None:
    """How much the prediction of each word attends to each word read, by block (row) and head (column)."""
    ((model, _),) = runs.values()
    weights = model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[..., 0]
    head_maps(np.swapaxes(weights, 2, 3), [BEGIN, *sentence], [*sentence, BOUNDARY], path)


def check(settings: Settings) -> str:
    """Why there is nothing to draw; nothing where there is."""
    maps = settings.layers * settings.heads
    return f"has {maps} heads, and more than {MOST_MAPS} make no readable picture" if maps > MOST_MAPS else ""


@exits_cleanly
def main() -> None:
    looking_back.run_program(CHAPTER, "Draw what each head of each block attends to.", draw, check)


if __name__ == "__main__":
    main()
