"""Systems compared with equal care: each in the recipe that is best for it on dev, seed by seed on test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import mean

from common.errors import UserError
from tools.compare import few_seeds
from tools.metrics import three_digits
from tools.significance import interval, paired
from tools.tables import difference_head, difference_row, header, row_of

HIGHER_IS_BETTER = ("bleu", "accuracy")
OF_PREDICTIONS = ("predictions", "unknown")
"""What two runs must have in common for their perplexities to be comparable."""

Row = Mapping[str, Mapping]
"""A combination: "values" by column of the table, and "runs", the metrics by seed."""


def equal_care(rows: Sequence[Row], swept: Sequence[str], measures: Sequence[str]) -> list[str]:
    """This part of the report. swept: columns with several values. Raises `UserError` for runs without dev results."""
    best = best_on_dev(rows, measures[0])
    return [
        *("", "## With equal care", "", f"Each system with its best mean {measures[0]} on dev, among as many recipes."),
        *("Results are mean ± half of the 95% interval of the mean over seeds (Student's t).", ""),
        *result_table(best, [name for name in swept if name != "system"], measures),
        *("", "Paired differences over the seeds, on test; of a perplexity, of its logarithm (nats a prediction).", ""),
        *difference_table(best, measures),
    ]


def best_on_dev(rows: Sequence[Row], measure: str) -> list[Row]:
    """System by system the row that is best on dev, among those with the most seeds."""
    if not all("dev" in run for row in rows for run in row["runs"].values()):
        raise UserError("--system: some of the runs have no results on dev, so no recipe can be chosen")
    sign = -1 if measure in HIGHER_IS_BETTER else 1
    by_system: dict[str, list[Row]] = {}
    for row in rows:
        by_system.setdefault(row["values"]["system"], []).append(row)

    def rank(row: Row) -> tuple[int, float]:
        return -len(row["runs"]), sign * mean(run["dev"][measure] for run in row["runs"].values())

    return [min(candidates, key=rank) for candidates in by_system.values()]


def result_table(best: Sequence[Row], recipe: Sequence[str], measures: Sequence[str]) -> list[str]:
    """A line for each system: its best recipe, which these columns describe, and the results with it."""
    columns = [(split, measure) for measure in measures for split in ("dev", "test")]
    lines = header(["system", "chosen on dev", "seeds", *(f"{split} {measure}" for split, measure in columns)])
    for row in best:
        values, runs = ", ".join(f"{name} {row['values'][name]}" for name in recipe), list(row["runs"].values())
        cells = (with_interval([run[split][measure] for run in runs]) for split, measure in columns)
        lines.append(row_of([f"`{row['values']['system']}`", values, str(len(runs)), *cells]))
    return lines


def with_interval(values: Sequence[float]) -> str:
    """The mean, and half of its interval, where there are two values or more."""
    text = three_digits(mean(values))
    digits = len(text.partition(".")[2])
    return text if len(values) < 2 else f"{text} ± {interval(values):.{digits}f}"


def difference_table(best: Sequence[Row], measures: Sequence[str]) -> list[str]:
    """A line for each measure of each system but the first: its paired difference from the first."""
    first, *others = best
    rows = [row for other in others for row in differences(first, other, measures)]
    return [*difference_head(), *map(difference_row, rows), *("\n" + line for line in few_seeds(rows, "A pair"))]


def differences(first: Row, other: Row, measures: Sequence[str]) -> list[dict]:
    """The differences of two systems over their common seeds, as `compare.differences` makes them."""
    seeds, rows = sorted(first["runs"].keys() & other["runs"].keys()), []
    pairs = [[row["runs"][seed]["test"] for seed in seeds] for row in (first, other)]
    for measure in measures if seeds else ():
        perplexity = "perplexity" in measure
        if perplexity and not comparable(pairs[0] + pairs[1]):
            continue
        values = [[math.log(test[measure]) if perplexity else test[measure] for test in tests] for tests in pairs]
        difference = paired(*values)
        row = {"first": first["values"]["system"], "second": other["values"]["system"]}
        row |= {"metric": f"log {measure}" if perplexity else measure, **difference._asdict(), "runs": [len(seeds)]}
        alike = sum((b - a) * difference.found > 0 for a, b in zip(*values, strict=True))
        rows.append(row | {"alike": alike, "of": len(seeds)})
    return rows


def comparable(tests: Sequence[Mapping]) -> bool:
    """Whether all runs predict the same words."""
    return len({tuple(test.get(name) for name in OF_PREDICTIONS) for test in tests}) == 1
