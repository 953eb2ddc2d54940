"""What each habit that makes the course's code fast is worth: `python -m tools.gains --help`.

Each is measured against the way that comes to mind first (`tools/gains_naive.py`), which computes the same. Both do the
same batches in turn, in one process, round after round, and processor time counts: a busy machine slows both down.
What is timed is all of a step of training, or of decoding, and not the habit's share of it alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tqdm import tqdm

from common import cli, runtime
from common.cli import setting
from common.errors import UserError, exits_cleanly
from common.files import write_json
from tools.bench.rounds import spread, timed

if TYPE_CHECKING:
    from tools.gains_ways import Way

HABITS = {
    "output": ("the output layers of all time steps in one product", "step by step"),
    "input": ("W_x x_t of all time steps in one product", "in the loop over time"),
    "gates": ("the products of all gates in one", "one a gate"),
    "attention": ("all states look back in products of matrices", "one after the other"),
    "lengths": ("sentences of like length in a batch", "in random order"),
    "embeddings": ("a lookup table, updated where it was read", "an embedding matrix"),
    "masks": ("a dropout mask for all steps", "a new one every step"),
    "decoding": ("DyNet finds the best next word", "NumPy does, in all scores"),
}
"""Habit -> what the course does, and what it is measured against."""

ALL = "all"


@dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    only: str = setting(ALL, "the one habit to measure", choices=(ALL, *HABITS))
    hidden_size: int = setting(256, "size of embeddings and states", minimum=2)
    vocabulary: int = setting(10_000, "words that the models know; for the habit embeddings ten times", minimum=3)
    batch_size: int = setting(32, "sentences in a batch", minimum=1)
    rounds: int = setting(5, "how often each way does the batches, in turn", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1, maximum=2**32 - 1)
    json: str = setting("", "a file to write the figures to")
    markdown: bool = setting(False, "print a table for a README instead")

    def __post_init__(self) -> None:
        """Raises `UserError` for a size that cannot be halved."""
        if self.hidden_size % 2:
            raise UserError(f"--hidden-size {self.hidden_size}: must be even; the encoder's directions have half each")


def measure(name: str, settings: Settings) -> dict:
    """All rounds of one habit."""
    from tools.gains_ways import WAYS

    ways = dict(zip(("course", "naive"), WAYS[name](settings), strict=True))
    for way in ways.values():
        way.do(max(way.work.batches, key=lambda batch: len(batch.inputs)))  # not counted: memory is being asked for
    seconds: dict[str, list[float]] = {kind: [] for kind in ways}
    for number in tqdm(range(settings.rounds), name, leave=False, disable=None):
        for kind in sorted(ways, reverse=number % 2 == 1):  # neither is always the first
            seconds[kind].append(processor_seconds(ways[kind]))
    figures = {kind: figures_of(way, seconds[kind]) for kind, way in ways.items()}
    ratios = [naive / course for course, naive in zip(seconds["course"], seconds["naive"], strict=True)]
    return {"source": ways["course"].work.source, **figures, "ratio": spread(ratios)}


def processor_seconds(way: Way) -> float:
    """How long one round takes. Raises `UserError` where a result is not finite."""
    _, processor = timed(lambda: [way.do(batch) for batch in way.work.batches])
    return processor


def figures_of(way: Way, seconds: list[float]) -> dict:
    """What came of one way. seconds: of processor time, one a round."""
    return {
        "batches": len(way.work.batches),
        "padding": 1 - way.work.predictions / way.work.positions,
        "seconds_per_batch": spread([one / len(way.work.batches) for one in seconds]),
        "tokens_per_second": spread([way.tokens / one for one in seconds]),
    }


def show(result: dict) -> str:
    """The figures as a table, two lines a habit."""
    lines = [
        *heading(result),
        "",
        f"{'':12}{'seconds a batch':>20}{'tokens a second':>22}{'times as fast':>26}",
        f"{'':12}{'course':>10}{'naive':>10}{'course':>11}{'naive':>11}{'median':>12}{'min':>7}{'max':>7}",
    ]
    for name, figures in result["habits"].items():
        seconds = "".join(f"{figures[kind]['seconds_per_batch']['median']:10.4f}" for kind in ("course", "naive"))
        tokens = "".join(f"{figures[kind]['tokens_per_second']['median']:11,.0f}" for kind in ("course", "naive"))
        ratio = figures["ratio"]
        lines.append(f"{name:12}{seconds}{tokens}{ratio['median']:12.2f}{ratio['min']:7.2f}{ratio['max']:7.2f}")
        course, naive = HABITS[name]
        lines.append(f"  {course}; naively {naive}")
    return "\n".join(lines)


def markdown(result: dict) -> str:
    """The figures as a table in Markdown, a row a habit."""
    titles = ["habit", "instead of", "seconds a batch", "tokens a second", "times as fast"]
    lines = [*heading(result), "", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, figures in result["habits"].items():
        course, naive = figures["course"], figures["naive"]
        seconds = " / ".join(f"{way['seconds_per_batch']['median']:.3g}" for way in (course, naive))
        tokens = " / ".join(f"{way['tokens_per_second']['median']:,.0f}" for way in (course, naive))
        ratio = f"{figures['ratio']['median']:.2f} ({figures['ratio']['min']:.2f} to {figures['ratio']['max']:.2f})"
        lines.append(f"| {' | '.join([*HABITS[name], seconds, tokens, ratio])} |")
    return "\n".join(lines)


def heading(result: dict) -> list[str]:
    """What was measured, and on what."""
    settings, first = result["settings"], next(iter(result["habits"].values()))
    versions = "; ".join(f"{name} {version}" for name, version in result["versions"].items())
    return [
        f"Hidden size {settings['hidden_size']}, vocabulary {settings['vocabulary']:,}, batches of "
        f"{settings['batch_size']} {first['source']}; {settings['rounds']} rounds, seed {settings['seed']}.",
        f"{versions}.",
        "Processor time of one thread, medians; tokens are real ones; times as fast: median, minimum and maximum.",
    ]


@exits_cleanly
def main() -> None:
    parser = cli.make_parser("Measure what each habit that makes the course's code fast is worth.", Settings)
    parser.prog = "python -m tools.gains"
    settings = Settings(**vars(parser.parse_args()))
    cli.check_ranges(settings)
    runtime.configure(seed=settings.seed, threads=1)
    names = HABITS if settings.only == ALL else [settings.only]
    result = {"settings": asdict(settings), "versions": runtime.versions(), "habits": {}}
    for name in tqdm(names, "habits", leave=False, disable=None):
        result["habits"][name] = measure(name, settings)
    print(markdown(result) if settings.markdown else show(result))
    if settings.json:
        write_json(settings.json, result)


if __name__ == "__main__":
    main()
