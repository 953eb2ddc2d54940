"""How the cost of training the attentive language model grows: `python -m tools.growth --help`.

Three curves. With the corpus: what comes before the first batch takes longer and needs more memory, a batch does not.
With the batch: matrix products become larger, and closer to what the processor can do. With the hidden layer: the same.
The points of a curve are measured in turn, round after round, so that a drift of the machine favours none.
"""

from __future__ import annotations

from dataclasses import asdict

from common import runtime
from common.errors import UserError, exits_cleanly
from common.files import write_json
from common.training import cli
from tools.growth_corpus import corpus_curve
from tools.growth_models import size_curve
from tools.growth_report import draw, show
from tools.growth_settings import LISTS, Settings


def sizes(flag: str, text: str) -> list[int]:
    """The numbers of a flag. Raises `UserError` where they are not whole numbers that grow."""
    parts = text.split(",")
    found = [int(part) for part in parts if part.isdecimal()]
    if len(found) < len(parts) or found != sorted(set(found)) or found[0] < 1:
        raise UserError(f"{flag} {text}: give whole numbers from 1 on that grow, separated by commas")
    return found


@exits_cleanly
def main() -> None:
    parser = cli.make_parser("Measure how the cost of training the attentive language model grows.", Settings)
    parser.prog = "python -m tools.growth"
    settings = Settings(**vars(parser.parse_args()))
    cli.check_ranges(settings)
    points = {name: sizes(cli.flag_of(flag), getattr(settings, flag)) for name, flag in LISTS.items()}
    curves = {}
    for name in LISTS if settings.curve == "all" else [settings.curve]:
        if name == "corpus":
            curves[name] = corpus_curve(settings, points[name])
        else:
            curves[name] = size_curve(settings, f"{name}_size", points[name])
    result = {"settings": asdict(settings), "versions": runtime.versions(), "curves": curves}
    print(show(result))
    if settings.json:
        write_json(settings.json, result)
    if settings.png:
        draw(result, settings.png)


if __name__ == "__main__":
    main()
