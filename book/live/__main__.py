"""Make the models of the book's live figures: `python -m book.live export`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from book.lessons import ROOT
from book.live.models import export
from book.live.scripts import MODELS
from common.errors import OneLineParser, UserError, exits_cleanly

RUNS = (
    ("01_ngram_lm",),
    ("05_rnn_lm",),
    ("06_attentive_lm",),
    ("08_attention", "--score", "dot"),
    ("08_attention", "--score", "mlp"),
    ("08_attention", "--attention", "local"),
    ("11_transformer",),
)
"""What is trained where no runs are named: chapters, with flags."""


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.live", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    exporting = commands.add_parser(
        "export", help="write the models of chapters 1, 5, 6, 8 and 11 as scripts for the page"
    )
    exporting.add_argument(
        "--run", type=Path, action="append", metavar="DIR", help="a trained run; repeat for more (default: train all)"
    )
    exporting.add_argument("--out", type=Path, default=MODELS, metavar="DIR", help="default: book/live/models")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for folder in arguments.run or (train(Path(scratch) / str(place), *run) for place, run in enumerate(RUNS)):
            for path in export(folder, arguments.out):
                print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


def train(folder: Path, chapter: str, *flags: str) -> Path:
    """Train the quick preset of a chapter in a process of its own; the folder of the run."""
    command = [sys.executable, str(ROOT / "chapters" / chapter / "train.py"), "--run-dir", str(folder), *flags]
    if subprocess.run(command).returncode:
        raise UserError(f"chapters/{chapter}/train.py failed; see above")
    return folder


if __name__ == "__main__":
    main()
