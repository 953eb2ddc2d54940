"""How far back a loss has an effect: the gradient of one prediction with respect to the states before it.

python chapters/05_rnn_lm/gradients.py --run RUN --run RUN ...

For each run, before and after training: the norm of d loss_T / d h_t, and of d loss_T / d c_t where there is a
memory cell, by the number of steps between t and the prediction at T. Writes gradients.png into the first run's folder.
"""

import argparse
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy
import numpy as np

from common.errors import UserError, exits_cleanly
from common.nn.softmax import embed
from common.plots.plotting import plt, save_figure
from common.programs.arguments import check_most, names_of
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary, counted
from common.training import cli
from common.training.past_runs import latest_run

from .model import RecurrentLM
from .settings import CHAPTER
from .variants import of_run

SHOWN = (0, 1, 2, 5, 10, 15)
"""Distances in the table."""


def gradient_norms(model: RecurrentLM, inputs: np.ndarray, targets: Sequence[int]) -> dict[str, np.ndarray]:
    """Norms of the gradient of the softmax's -log P(target after the last word) for each part of the top state.

    inputs: word ids (T, B); targets: one per sentence. -> for "h", and "c" where there is a cell, (T, B).
    """

    dy.renew_cg()
    states: Any = model.stack.first_states
    tops = []
    for words in inputs:
        hidden, states = model.stack.step(embed(model.embedding, words.tolist()), states)
        tops.append(states[-1])
    loss = dy.sum_batches(dy.pickneglogsoftmax_batch(model.logits(hidden), list(targets)))
    loss.forward()
    loss.backward(full=True)
    parts = dict(zip("hc", zip(*tops, strict=True), strict=False))  # a state is (hidden,) or (hidden, cell)
    size = (model.stack.layers[-1].hidden_size, inputs.shape[1])
    return {
        name: np.array([np.linalg.norm(part.gradient().reshape(size, order="F"), axis=0) for part in through_time])
        for name, through_time in parts.items()
    }


def beginnings(sentences: Sequence[Sequence[int]], steps: int, number: int) -> tuple[np.ndarray, list[int]]:
    """The first `steps` inputs (from `<s>` on) of the first sentences that are long enough, and the words that follow.

    Raises `UserError` where no sentence is.
    """
    long_enough = [sentence for sentence in sentences if len(sentence) >= steps][:number]
    if not long_enough:
        raise UserError(f"--steps {steps}: no sentence of dev has that many words; choose fewer")
    inputs = np.array([[Vocabulary.boundary, *sentence[: steps - 1]] for sentence in long_enough]).T
    return inputs, [sentence[steps - 1] for sentence in long_enough]


def draw(curves: dict[str, dict[str, np.ndarray]], path: Path) -> None:
    """One panel before training, one after; one colour per run, dashed for the cell. Curves run from distance 0."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    for panel, when in zip(panels, ("before", "after"), strict=True):
        for number, (name, parts) in enumerate(curves.items()):
            for part, line in (("h", "-"), ("c", "--")):
                if f"{when} {part}" in parts:
                    curve = parts[f"{when} {part}"]
                    panel.plot(curve, line, color=f"C{number}", label=f"{name}, {part}")
        panel.set(xlabel="steps back", yscale="log", title=f"{when} training")
        panel.xaxis.get_major_locator().set_params(integer=True)
    panels[0].set_ylabel("mean norm of the gradient of one loss")
    panels[1].legend(fontsize="small")
    save_figure(figure, path)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="append", type=Path, metavar="DIR", help="folder of a run; may be repeated")
    parser.add_argument("--steps", type=int, default=18, metavar="N", help="words read before the loss (default: 18)")
    parser.add_argument("--number", type=int, default=200, metavar="N", help="sentences of dev (default: 200)")
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.steps, arguments.number) < 1:
        raise UserError("--steps and --number must be at least 1")
    folders = arguments.run or [latest_run(CHAPTER, holding="model.npz")]

    distances = [distance for distance in SHOWN if distance < arguments.steps]
    print(f"{'mean norm of the gradient, steps back:':40}" + "".join(f"{distance:>11}" for distance in distances))
    curves: dict[str, dict[str, np.ndarray]] = {}
    for folder, name in zip(folders, names_of(folders), strict=True):
        trained, settings = load_run(folder, CHAPTER)
        if settings.scores_few:
            raise UserError(f"{folder}: --softmax {settings.softmax} does not score every word; choose another run")
        dev = [trained.vocab.encode(sentence) for sentence in load_corpus(settings.corpus).dev]
        inputs, targets = beginnings(dev, arguments.steps, arguments.number)
        dy.reset_random_seed(settings.seed)
        untrained, _ = of_run(folder, settings)
        curves[name] = {}
        for when, model in (("before", untrained), ("after", trained)):
            for part, norms in gradient_norms(model, inputs, targets).items():
                curve = curves[name][f"{when} {part}"] = norms.mean(axis=1)[::-1]
                row = f"{name}, {when} training, {part}"
                print(f"{row:40}" + "".join(f"{curve[distance]:11.2e}" for distance in distances))
    draw(curves, folders[0] / "gradients.png")
    print(f"{counted(len(targets), 'sentence')}; drawn in {folders[0] / 'gradients.png'}")


if __name__ == "__main__":
    main()
