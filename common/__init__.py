"""What more than one chapter needs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the course."""


def program_of(chapter: str, name: str) -> str:
    """The file of a chapter's program or module: chapters/06_attentive_lm/train.py.

    A second kind of model of a chapter has a name of its own, "11_transformer_pairs", and programs of its own,
    chapters/11_transformer/train_pairs.py; it shares those of the chapter that it has none of its own for.
    """
    folder, _, kind = chapter.rpartition("_")
    if not (ROOT / f"chapters/{folder}/settings_{kind}.py").is_file():
        return f"chapters/{chapter}/{name}.py"
    own = f"chapters/{folder}/{name}_{kind}.py"
    return own if (ROOT / own).is_file() else f"chapters/{folder}/{name}.py"
