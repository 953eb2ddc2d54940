"""Draw what trained models attend to: attention over the past, word by word, as PNG.

python chapters/06_attentive_lm/visualize.py --sentence "the hen of mira follows mira behind the library ."
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections.abc import Sequence

from common.errors import exits_cleanly
from common.plots.heatmaps import attention_maps
from common.programs import looking_back
from common.text.batching import make_batch
from common.text.vocab import BEGIN, BOUNDARY

from .settings import CHAPTER, Settings

MOST_RUNS = 4
"""More maps side by side make no readable picture."""


def draw(runs: looking_back.Runs, sentence: Sequence[str], path: Path) -> None:
    """How much the prediction of each word attends to each word before it, by each model."""
    maps = {}
    for name, (model, settings) in runs.items():
        weights = model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[:, :, 0]
        maps[f"{settings.score} score, {settings.corpus}\n{name}"] = weights.T
    attention_maps(maps, [BEGIN, *sentence], [*sentence, BOUNDARY], path)


def check(settings: Settings) -> str:
    """Why there is nothing to draw; nothing where there is."""
    return "trained with --score none, so there is no attention to draw" if settings.score == "none" else ""


@exits_cleanly
def main() -> None:
    description = "Draw attention over the past (Salton et al. 2017, Figures 2 and 3)."
    looking_back.run_program(CHAPTER, description, draw, check, MOST_RUNS)


if __name__ == "__main__":
    main()
