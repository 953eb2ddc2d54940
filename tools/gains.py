"""What each habit that makes the course's code fast is worth: `python -m tools.gains --help`.

Each is measured against the way that comes to mind first (`tools/gains_naive.py`), which computes the same. Both do the
same batches in turn, in one process, round after round, and processor time counts: a busy machine slows both down.
What is timed is all of a step of training, or of decoding, and not the habit's share of it alone.
"""

from __future__ import annotations

from dataclasses import asdict

from tqdm import tqdm

from common import runtime
from common.errors import exits_cleanly
from common.files import write_json
from common.training import cli
from tools.bench.rounds import spread, timed
from tools.gains_settings import ALL, HABITS, Settings
from tools.gains_ways import WAYS, Way


def measure(name: str, settings: Settings) -> dict:
    """All rounds of one habit."""
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
    runtime.configure(threads=1)
    runtime.seed_dynet(settings.seed)
    names = HABITS if settings.only == ALL else [settings.only]
    result = {"settings": asdict(settings), "versions": runtime.versions(), "habits": {}}
    for name in tqdm(names, "habits", leave=False, disable=None):
        result["habits"][name] = measure(name, settings)
    print(markdown(result) if settings.markdown else show(result))
    if settings.json:
        write_json(settings.json, result)


if __name__ == "__main__":
    main()
