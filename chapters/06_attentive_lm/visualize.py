"""Draw what a trained model attends to: attention over the past, word by word, as PNG.

python chapters/06_attentive_lm/visualize.py --sentence "the hen of mira follows mira behind the library ."
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections.abc import Sequence

from common.errors import exits_cleanly
from common.plots.heatmaps import attention_map
from common.programs import looking_back
from common.text.batching import make_batch
from common.text.vocab import BEGIN, BOUNDARY

from .model import AttentiveLM
from .settings import CHAPTER, Settings


def draw(model: AttentiveLM, settings: Settings, sentence: Sequence[str], path: Path) -> None:
    """How much the prediction of each word attends to each word before it."""
    weights = model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[:, :, 0]
    title = f"{settings.score} score, {settings.corpus}"
    attention_map(weights.T, [BEGIN, *sentence], [*sentence, BOUNDARY], title, path)


def check(settings: Settings) -> str:
    """Why there is nothing to draw; nothing where there is."""
    return "trained with --score none, so there is no attention to draw" if settings.score == "none" else ""


@exits_cleanly
def main() -> None:
    description = "Draw attention over the past (Salton et al. 2017, Figures 2 and 3)."
    looking_back.run_program(CHAPTER, description, draw, check)


if __name__ == "__main__":
    main()
