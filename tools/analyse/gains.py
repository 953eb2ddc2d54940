"""On which words does one system gain over another?

The words of a split are grouped in three ways: by how often they are in the training text, by how many words ago they
occurred last in their sentence, and, of those that are new in their sentence, by how many predictions ago they occurred
in the text before it. For each group the perplexity of every system, and its gain over the first one: the sum of the
differences of log P on the group, in thousandths of a nat for each prediction of the whole split. So the gains of
either of the first two groupings add up, with that on `</s>`, to the gain on all predictions, and those of the third to
the gain on words that are new in their sentence. Of one run, the gain on all is 1,000 times the logarithm of the
quotient of the two perplexities. Means and standard deviations are over the runs of a system. Unknown words are left
out as targets.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.files import write_json
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import BOUNDARY, UNKNOWN, Vocabulary
from data.phenomena import perplexity
from data.returns import group_of
from tools.metrics import spread
from tools.tables import aligned

from .systems import check_systems, corpus_of, predictions_of

ALL = "all predictions"
OFTEN = (1, 10, 100, 1_000, 10_000)
IN_SENTENCE = (1, 6, 11, 21)
IN_TEXT = (1, 101, 501, 2_001)
"""The least number of each group: times in training, words ago, predictions ago."""

Groups = Mapping[str, np.ndarray]
"""By the name of a group: the places of its predictions in the whole split, (N,)."""


def labels_of(lines: Sequence[Sentence], counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    """The groups that each prediction belongs to, in the order of the text; counts: of the words in training."""
    labels, position, last = [], 0, {}
    for line in lines:
        start = position
        for word in line:
            often = word if word == UNKNOWN else group_of(max(counts[word], 1), OFTEN, "times in training")
            if word not in last:
                seen = ("new in the sentence", "new in the text")
            elif last[word] >= start:
                seen = (group_of(position - last[word], IN_SENTENCE, "words ago in the sentence"),)
            else:
                seen = ("new in the sentence", group_of(position - last[word], IN_TEXT, "predictions ago in the text"))
            labels.append((ALL, often, *seen))
            last[word] = position
            position += 1
        labels.append((ALL, BOUNDARY))
        position += 1
    return labels


def in_order(groups: Mapping[str, np.ndarray]) -> list[str]:
    """The names of groups as the table has them: all, `</s>`, and each grouping from few to many."""
    names = [ALL, BOUNDARY, UNKNOWN, *(group_of(number, OFTEN, "times in training") for number in OFTEN)]
    names += [group_of(number, IN_SENTENCE, "words ago in the sentence") for number in IN_SENTENCE]
    names += ["new in the sentence"]
    names += [group_of(number, IN_TEXT, "predictions ago in the text") for number in IN_TEXT]
    return [name for name in (*names, "new in the text") if name in groups]


def groups_of(lines: Sequence[Sentence], counts: Mapping[str, int], vocab: Vocabulary) -> Groups:
    """Where the predictions of each group stand, those of unknown words left out."""
    in_vocab = [is_known for line in lines for is_known in (*(word in vocab for word in line), True)]
    places: dict[str, list[int]] = {}
    for place, (keep, labels) in enumerate(zip(in_vocab, labels_of(lines, counts), strict=True)):
        for label in labels if keep else ():
            places.setdefault(label, []).append(place)
    return {name: np.array(places[name]) for name in in_order(places)}


def measure(groups: Groups, log_probs: np.ndarray, first: np.ndarray) -> dict[str, tuple[float, float]]:
    """By group: the perplexity, and the gain over `first`; both (N,), log P of all predictions in nats."""
    number = len(groups[ALL])
    return {
        name: (perplexity(log_probs[places]), 1000 * float((log_probs - first)[places].sum()) / number)
        for name, places in groups.items()
    }


def table(groups: Groups, systems: Mapping[str, Sequence[Mapping[str, tuple[float, float]]]]) -> str:
    """A line a group; of each system the perplexity, and of all but the first the gain."""
    first, *others = systems
    columns = [(first, 0), *((name, which) for name in others for which in (0, 1))]
    rows = [["", "known", *(f"{name}, gain" if which else name for name, which in columns)]]
    for group, places in groups.items():
        cells = (spread([run[group][which] for run in systems[name]], 2 - which) for name, which in columns)
        rows.append([group, f"{len(places):,}", *cells])
    return aligned(rows)


def by_gain(arguments: argparse.Namespace) -> str:
    check_systems(arguments)
    corpus = load_corpus(corpus_of(Path(arguments.system[0][1])))
    lines, systems, groups = getattr(corpus, arguments.split), {}, {}
    counts = Counter(word for line in corpus.train for word in line)
    for run in predictions_of(arguments, corpus):
        flat = np.concatenate(run.log_probs)
        groups = groups or groups_of(lines, counts, run.vocab)
        if not np.isfinite(flat[groups[ALL]]).all():
            raise UserError(f"{run.folder}: gives some word the probability 0, so its gain is not finite")
        systems.setdefault(run.system, []).append(flat)
    first = np.mean(next(iter(systems.values())), axis=0)
    measured = {name: [measure(groups, run, first) for run in runs] for name, runs in systems.items()}
    if arguments.record:
        write_json(arguments.record, {name: [as_record(run) for run in runs] for name, runs in measured.items()})
    title = f"{corpus.name}, {arguments.split}: perplexity on known words, and thousandths of a nat gained over "
    return f"{title}{next(iter(systems))}\n{table(groups, measured)}"


def as_record(run: Mapping[str, tuple[float, float]]) -> dict[str, dict[str, float]]:
    return {name: {"perplexity": round(value, 4), "gain": round(gain, 4)} for name, (value, gain) in run.items()}
