"""Three ways through the same sentences: one by one, batched by hand, and batched by DyNet itself.

python chapters/05_rnn_lm/autobatch.py

DyNet can find operations that may be done together in code that treats every sentence separately (automatic batching,
`dynet_config.set(autobatch=1)`). It reads that setting when it is imported, so each way runs in a separate process. All
three do the same: the summed loss of batches of 32 sentences of the embedded corpus, and its gradient.
"""

import argparse
import json
import runpy
import subprocess
import sys
import time
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import UserError, exits_cleanly
from common.executor import last_line
from common.programs.arguments import check_most
from common.text.batching import make_batch, make_batches
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training import cli

WAYS = {"loop": "sentence by sentence", "automatic": "the same, with automatic batching", "hand": "batched by hand"}
BATCH_SIZE = 32


def measure(way: str, batches: int, hidden_size: int, corpus: str) -> dict[str, float]:
    """The loss of the first batches, in nats, and how fast it and its gradient were found."""
    import dynet_config

    dynet_config.set(mem=512, random_seed=1, autobatch=int(way == "automatic"))
    import dynet as dy

    from .model import RecurrentLM

    train = load_corpus(corpus).train[: batches * BATCH_SIZE]
    vocab = Vocabulary.from_sentences(train)
    ids = [vocab.encode(sentence) for sentence in train]
    model = RecurrentLM(vocab, hidden_size=hidden_size, dropout=0.0)
    loss, predictions, started = 0.0, 0, time.process_time()
    for batch in make_batches(ids, BATCH_SIZE):
        dy.renew_cg()
        parts = [batch] if way == "hand" else [make_batch(ids, [index]) for index in batch.indices]
        total = dy.esum([model.loss(part)[0] for part in parts])
        loss += total.scalar_value()
        total.backward()
        predictions += batch.predictions
    return {"loss": loss, "predictions": predictions, "seconds": time.process_time() - started}


def measure_apart(way: str, arguments: argparse.Namespace) -> dict[str, float]:
    """`measure` in a process of its own. Raises `UserError` with its error line where it fails."""
    flags = [f"--{name}={getattr(arguments, name.replace('-', '_'))}" for name in ("batches", "hidden-size", "corpus")]
    command = [sys.executable, __file__, "--way", way, *flags]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise UserError(last_line(done))
    return json.loads(done.stdout)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=tuple(WAYS), help="measure this one and print its results as JSON")
    parser.add_argument("--batches", type=int, default=20, metavar="N", help="batches of 32 sentences (default: 20)")
    parser.add_argument("--hidden-size", type=int, default=128, metavar="N", help="size of the LSTM (default: 128)")
    parser.add_argument(
        "--corpus", default="village", metavar="NAME", help="corpus of the sentences (default: village)"
    )
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.batches, arguments.hidden_size) < 1:
        raise UserError("--batches and --hidden-size must be at least 1")
    if arguments.way:
        print(json.dumps(measure(arguments.way, arguments.batches, arguments.hidden_size, arguments.corpus)))
        return
    print(f"{'':36}{'summed loss':>12}{'CPU seconds':>13}{'tokens/s':>10}")
    for way, name in WAYS.items():
        timings = measure_apart(way, arguments)
        speed = timings["predictions"] / timings["seconds"]
        print(f"{name:36}{timings['loss']:12.2f}{timings['seconds']:13.2f}{speed:10,.0f}")


if __name__ == "__main__":
    main()
