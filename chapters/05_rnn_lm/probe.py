"""What a state encodes about the subject: probes on the states of trained models, by the distance from the subject.

python chapters/05_rnn_lm/probe.py --run RUN                  # is the subject singular?
python chapters/05_rnn_lm/probe.py --run RUN --ask gender     # is it a woman or a man?

Half of the sentences train the probes, the others test them. Writes probe.png into the first run's folder.
"""

import argparse
import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy
import numpy as np

from common.errors import UserError, exits_cleanly
from common.nn.arrays import input_batch
from common.plots.plotting import plt, save_figure
from common.programs.arguments import check_most, names_of
from common.programs.chapters import load_run
from common.training import cli
from common.training.past_runs import latest_run
from data.agreement import Agreeing, agreement_sentences, new_sentences

from .model import RecurrentLM
from .probing import PROPERTIES, ZONES, Places, Probe, at, elsewhere, exchanged, fit, mirrored, places, shuffled, states
from .settings import CHAPTER
from .variants import of_run

FAR = 6
"""Distances from here on are counted together."""
NAMES = {"h": "state", "c": "cell"}
SEED = 505

LANDMARKS = {"before": "subject", "after": "verb"}
"""From where on words are counted, for each choice of --zone."""


class Result(NamedTuple):
    """Of one kind of vector: its probe, and its accuracy on the other sentences by distance (FAR + 1,).

    NaN where no sentence has such a distance.
    """

    probe: Probe
    accuracy: np.ndarray


class Moved(NamedTuple):
    """Shares of verbs whose right form is the more probable one after the state as it is and after three others."""

    right: float
    mirrored: float
    exchanged: float
    elsewhere: float
    verbs: int


def split(where: Places) -> np.ndarray:
    """Which places train the probe, (N,): those of every other sentence that is asked."""
    return np.unique(where.sentence, return_inverse=True)[1] % 2 == 0


def by_distance(right: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The mean of `right` (N,) at each distance from 0 to FAR, those beyond counted with it: (FAR + 1,)."""
    far = np.minimum(distance, FAR)
    return np.array([right[far == steps].mean() if (far == steps).any() else np.nan for steps in range(FAR + 1)])


def probed(x: np.ndarray, where: Places, labels: np.ndarray) -> Result:
    """A probe trained on half of the sentences, and its accuracy on the others. x: (N, H); labels: (N,)."""
    train = split(where)
    probe = fit(x[train], labels[train])
    right = (probe.scores(x[~train]) > 0) == (labels[~train] == 1)
    return Result(probe, by_distance(right, where.distance[~train]))


def vectors(
    model: RecurrentLM, untrained: RecurrentLM, sentences: Sequence[Sequence[str]]
) -> dict[str, list[np.ndarray]]:
    """Every kind of vector after each word, (T, H) a sentence: the parts of the trained state, and two that tell what
    is no merit of training or of a state, that of the network before training and the embedding of the word itself."""
    by_name = {NAMES[part]: values for part, values in states(model, sentences).items()}
    by_name["untrained"] = states(untrained, sentences)["h"]
    embeddings = model.embedding.as_array()
    return by_name | {"word": [embeddings[model.vocab.encode(sentence)] for sentence in sentences]}


def columns(kinds: Mapping[str, Sequence[np.ndarray]], where: Places) -> dict[str, Result]:
    """A probe of each kind of vector, and as a control one of the state whose labels mean nothing."""
    curves = {name: probed(at(values, where), where, where.label) for name, values in kinds.items()}
    control = shuffled(where, np.random.default_rng(SEED))
    return curves | {"shuffled": probed(at(kinds["state"], where), where, control)}


def majority(where: Places) -> np.ndarray:
    """The accuracy of always giving the answer that is the more frequent one in training, by distance."""
    train = split(where)
    frequent = where.label[train].mean() >= 0.5
    return by_distance(where.label[~train] == frequent, where.distance[~train])


def right_forms(model: RecurrentLM, hidden: np.ndarray, right: Sequence[int], wrong: Sequence[int]) -> np.ndarray:
    """Whether the softmax gives the right verb form more than the other one after these states (N, H): (N,).

    The model has no residual connections: with them the softmax reads more than the state.
    """
    dy.renew_cg()
    scores = model.logits(input_batch(hidden.T)).npvalue().reshape(len(model.vocab), -1, order="F")
    each = np.arange(len(hidden))
    return scores[right, each] > scores[wrong, each]


def before_verbs(model: RecurrentLM, examples: Sequence[Agreeing]) -> tuple[np.ndarray, np.ndarray]:
    """The state just before each verb, (N, H), and whether the verb is singular, 1 or 0, (N,)."""
    hidden = states(model, [example.sentence for example in examples])["h"]
    x = np.array([values[example.verb - 1] for values, example in zip(hidden, examples, strict=True)], float)
    return x, np.array([example.singular for example in examples], dtype=int)


def move(model: RecurrentLM, probe: Probe, examples: Sequence[Agreeing]) -> Moved:
    """What the model says of the verbs of every other sentence if the state before each is moved.

    Mirrored in the probe's plane; by the difference of the two means; and as far as that in any direction. Probe and
    means are those of the other sentences; verbs count whose two forms the model knows.
    """
    (x, label), predicted = before_verbs(model, examples[::2]), known(model, examples[1::2])
    means = x[label == 0].mean(axis=0), x[label == 1].mean(axis=0)
    x, label = before_verbs(model, predicted)
    other = exchanged(x, label, means)
    right = model.vocab.encode([example.sentence[example.verb] for example in predicted])
    wrong = model.vocab.encode([example.other for example in predicted])
    moved = (x, mirrored(probe, x), other, elsewhere(x, other, np.random.default_rng(SEED)))
    shares = (float(right_forms(model, example, right, wrong).mean()) for example in moved)
    return Moved._make([*shares, len(predicted)])


def known(model: RecurrentLM, examples: Sequence[Agreeing]) -> list[Agreeing]:
    """The sentences whose subject, verb and other verb form the model knows. Raises `UserError` for less than half."""
    correct = [
        example
        for example in examples
        if all(
            word in model.vocab
            for word in (example.sentence[example.subject], example.sentence[example.verb], example.other)
        )
    ]
    if 2 * len(correct) < len(examples):
        raise UserError("too few words of the village are in this model's vocabulary; choose a run of --corpus village")
    return correct


def loudest(probe: Probe) -> int:
    """The unit that the probe hears most: that with the largest weight, all being equally spread."""
    return int(np.argmax(np.abs(probe.w)))


def table(results: Mapping[str, Result], often: np.ndarray) -> list[str]:
    """Accuracies in percent: a row for each kind of vector, a column for each distance."""
    rows = {**{name: result.accuracy for name, result in results.items()}, "majority": often}
    distances = [place for place in range(FAR + 1) if not np.isnan(often[place])]
    lines = [f"{name:10}" + "".join(f"{100 * row[place]:7.1f} " for place in distances) for name, row in rows.items()]
    return [" " * 10 + "".join(f"{place:7}{'+' if place == FAR else ' '}" for place in distances), *lines]


def draw(curves: Mapping[str, Mapping[str, np.ndarray]], question: str, zone: str, path: Path) -> None:
    """A panel for each run: accuracy by distance, a line for each kind of vector."""
    figure, panels = plt.subplots(1, len(curves), figsize=(5 * len(curves), 4), sharey=True, squeeze=False)
    for panel, (name, rows) in zip(panels[0], curves.items(), strict=True):
        for kind, row in rows.items():
            panel.plot(100 * row, "--" if kind in ("shuffled", "majority") else "-o", markersize=3, label=kind)
        panel.set(xlabel=f"words from the {LANDMARKS[zone]} on", title=f"{name}: {question}", ylim=(0, 102))
        panel.xaxis.get_major_locator().set_params(integer=True)
    panels[0][0].set_ylabel("answers that are right, %")
    panels[0][-1].legend(fontsize="small")
    save_figure(figure, path)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="append", type=Path, metavar="DIR", help="folder of a run; may be repeated")
    parser.add_argument(
        "--ask",
        choices=tuple(PROPERTIES),
        default="number",
        help="property of the subject to probe for (default: number)",
    )
    parser.add_argument(
        "--zone",
        choices=tuple(ZONES),
        default="before",
        help="probe the states before the verb, or from the verb on (default: before)",
    )
    parser.add_argument(
        "--sentences", type=int, default=6000, metavar="N", help="new sentences to probe (default: 6000)"
    )
    arguments = parser.parse_args()
    check_most(arguments)
    folders = arguments.run or [latest_run(CHAPTER, holding="model.npz")]

    examples = agreement_sentences(new_sentences(arguments.sentences))
    where = places(examples, arguments.ask, arguments.zone)
    train = split(where)
    if min(len(set(where.label[half])) for half in (train, ~train)) < 2:
        raise UserError(f"--sentences {arguments.sentences}: too few for both answers to occur; use more")
    often, curves = majority(where), {}
    print(f"{arguments.ask} of the subject, {arguments.zone} its verb: right answers in percent, by words from the "
          f"{LANDMARKS[arguments.zone]} on")  # fmt: skip
    for folder, name in zip(folders, names_of(folders), strict=True):
        model, settings = load_run(folder, CHAPTER)
        known(model, examples)  # raises where the model knows the words of fewer than half of the sentences
        dy.reset_random_seed(settings.seed)
        untrained, _ = of_run(folder, settings)
        results = columns(vectors(model, untrained, [example.sentence for example in examples]), where)
        curves[name] = {**{kind: example.accuracy for kind, example in results.items()}, "majority": often}
        print(f"{name}, {model.name}", *table(results, often), sep="\n")
        print(f"the probe of the state hears unit {loudest(results['state'].probe)} most")
        if (arguments.ask, arguments.zone) == ("number", "before") and not (settings.scores_few or settings.residual):
            moved = move(model, results["state"].probe, examples)
            shares = ", ".join(f"{kind} {share:.1%}" for kind, share in moved._asdict().items() if kind != "verbs")
            print(f"right form of {moved.verbs} verbs after the state as it is, or moved: {shares}")
    draw(curves, arguments.ask, arguments.zone, folders[0] / "probe.png")
    print(f"{len(set(where.sentence[~train]))} sentences tested; drawn in {folders[0] / 'probe.png'}")


if __name__ == "__main__":
    main()
