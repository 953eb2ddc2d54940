"""How fast the neural chapters are, compared with the same models in PyTorch: `python -m tools.bench`.

Without a name it measures all of them at their papers' sizes; `python -m tools.bench attentive_lm --help` tells the
flags of one. The sides (DyNet, PyTorch, and NumPy for the processor's peak) live in a process each and work in turn,
never at the same time: round after round, each runs over the very same batches, training on them, evaluating them, and
decoding as many words. On a busy machine the tokens per second say little, but the ratio within a round is still fair.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from common.errors import exits_cleanly
from common.files import write_json
from common.training import cli
from common.training.cli import setting
from tools.bench import report
from tools.bench.language_models import Attentive, FeedForward, Recurrent, Transformer
from tools.bench.rounds import measure
from tools.bench.sides import DyNetSide
from tools.bench.translation_models import Attention, EncoderDecoder, WordAttention
from tools.bench.workloads import BenchSettings

BENCHMARKS: dict[str, type[DyNetSide]] = {
    side.name: side
    for side in (FeedForward, Recurrent, Attentive, Transformer, EncoderDecoder, Attention, WordAttention)
}
"""Chapters 4 to 9 and 11."""

ALL = "all"


@dataclass(frozen=True)
class AllSettings(BenchSettings):
    """The flags of all benchmarks together; each model has its default size."""

    batches: int = setting(
        4, "different batches of each model, spread evenly over the lengths", minimum=1, maximum=10_000
    )
    rounds: int = setting(3, "how often each side runs over the batches, in turn", 1, 10_000)


def read_settings(argv: Sequence[str]) -> tuple[str, Any, bool]:
    """The benchmark's name, its settings, and whether to print Markdown; in `argv` the name comes first."""
    if not argv or argv[0].startswith("-"):
        argv = [ALL, *argv]
    settings_class = BENCHMARKS[argv[0]].Settings if argv[0] in BENCHMARKS else AllSettings
    parser = cli.make_parser(
        "Measure how fast the chapters' models are, compared with the same models in PyTorch.", settings_class
    )
    parser.prog = "python -m tools.bench"
    help_text = "what to measure; the flags are those of the one named, or of all"
    parser.add_argument("benchmark", choices=(*BENCHMARKS, ALL), help=help_text)
    parser.add_argument("--markdown", action="store_true", default=False, help="print a table for a README instead")
    values = vars(parser.parse_args(argv))
    name, markdown = values.pop("benchmark"), values.pop("markdown")
    settings = settings_class(**values)
    cli.check_ranges(settings)
    return name, settings, markdown


def measure_all(settings: AllSettings, markdown: bool) -> dict[str, dict]:
    """Every benchmark, one after another; what is done is printed and written at once."""
    shared = {name: value for name, value in asdict(settings).items() if name != "json"}
    results: dict[str, dict] = {}
    for name, benchmark in BENCHMARKS.items():
        results[name] = measure(benchmark, benchmark.Settings(**shared))
        if not markdown:
            print(report.show(results[name]), end="\n\n\n", flush=True)
        if settings.json:
            write_json(settings.json, {"settings": asdict(settings), "benchmarks": results})
    return results


@exits_cleanly
def main() -> None:
    name, settings, markdown = read_settings(sys.argv[1:])
    if name == ALL:
        results = measure_all(settings, markdown)
        print(report.markdown(results) if markdown else report.overview(results))
        return
    result = measure(BENCHMARKS[name], settings)
    print(report.markdown({name: result}) if markdown else report.show(result))
    if settings.json:
        write_json(settings.json, result)


if __name__ == "__main__":
    main()
