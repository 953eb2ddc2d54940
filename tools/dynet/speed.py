"""How fast DyNet trains here: chapter 6's model at a third of the paper's size, on batches like PTB's.

`python -m tools.dynet.speed [--device gpu]` prints one number, real tokens per second.
"""

from __future__ import annotations

import argparse
import sys
import time

from common import runtime
from common.errors import OneLineParser, exits_cleanly
from tools.bench.language_models import Attentive

SETTINGS = Attentive.Settings(hidden_size=400, batches=3)


def tokens_per_second(device: str) -> float:
    """Train on the batches once to warm up, then once by the clock."""
    runtime.configure(device)
    side, workload = Attentive(Attentive.make_model(SETTINGS)), Attentive.make_workload(SETTINGS)
    for _ in range(2):
        began = time.perf_counter()
        for batch in workload.batches:
            side.train_batch(batch)
        seconds = time.perf_counter() - began
    return workload.predictions / seconds


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    print(f"{tokens_per_second(parser.parse_args().device):.0f}", file=sys.stdout)


if __name__ == "__main__":
    main()
