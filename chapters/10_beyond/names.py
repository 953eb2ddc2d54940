"""How many names does a model translate rightly, by how often training showed them?

python chapters/10_beyond/names.py --run RUN
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from common.errors import OneLineParser, UserError, exits_cleanly
from common.evaluation.metrics import bleu
from common.evaluation.perplexity import SPELLINGS, perplexity
from common.files import write_json
from common.programs.arguments import check_most, device_arguments, run_argument
from common.programs.chapters import load_run
from common.programs.translating import attends
from common.search.searches import Decoding, translate
from common.search.translation import target_log_probs
from common.search.unknown_words import replace_unknown
from common.text.corpus import SPLITS, Sentence
from common.text.pairs import Pair, load_pairs
from common.text.vocab import counted
from common.training.past_runs import latest_run

from .settings import CHAPTER

LEAST = {"never": 0, "once": 1, "2 to 4 times": 2, "5 to 19 times": 5, "20 times or more": 20}
"""How often training shows a name on the source side, and from which number on that is so."""
FILE = "names.json"


class Row(NamedTuple):
    """names: how many there are. right: how many translations have them; replaced: the same with every `<unk>` replaced
    by the source word that it attended to most (chapter 8)."""

    names: int = 0
    right: int = 0
    replaced: int = 0


def names_of(pair: Pair) -> set[str]:
    """The words that the reference has taken over from the source as they are: names, and no punctuation."""
    return {word for word in set(pair.source) & set(pair.target) if any(map(str.isalpha, word))}


def frequency(count: int) -> str:
    """The key of `LEAST` for a name that training shows so many times."""
    return [label for label, least in LEAST.items() if count >= least][-1]


def count_right(
    pairs: Sequence[Pair], seen: Counter, hypotheses: Sequence[Sentence], replaced: Sequence[Sentence]
) -> dict[str, Row]:
    """A row for each frequency. A name is right where its translation contains it. seen: counts in training."""
    rows = dict.fromkeys(LEAST, Row())
    for pair, words, others in zip(pairs, hypotheses, replaced, strict=True):
        for name in names_of(pair):
            label = frequency(seen[name])
            row = Row(1, name in words, name in others)
            rows[label] = Row(*map(sum, zip(rows[label], row, strict=True)))
    return rows


def perplexity_of_words(model: Any, pairs: Sequence[Pair]) -> float:
    """Perplexity where unknown words are spelt evenly, unless the model copies them: then they need no spelling."""
    total = sum(float(log_probs.sum()) for log_probs in target_log_probs(model, pairs))
    for pair in pairs:
        unknown = [word for word in pair.target if word not in model.vocab]
        copied = set(pair.source) if getattr(model, "copies", False) else set()
        total += float(SPELLINGS["uniform"](model.vocab, [word for word in unknown if word not in copied]).sum())
    return perplexity(total, sum(len(pair.target) + 1 for pair in pairs))


def measure(model: Any, pairs: Sequence[Pair], seen: Counter) -> dict[str, Any]:
    """All that the program reports, for names.json."""
    best = [hypothesis[0] for hypothesis in translate(model, [pair.source for pair in pairs], Decoding())]
    translations, references = [hypothesis.words for hypothesis in best], [pair.target for pair in pairs]
    replaced = [replace_unknown(hypothesis, pair.source) for hypothesis, pair in zip(best, pairs, strict=True)]
    rows = count_right(pairs, seen, translations, replaced)
    return {
        "names": {label: row._asdict() for label, row in rows.items()},
        "bleu": bleu(translations, references).value,
        "bleu_replaced": bleu(replaced, references).value,
        "perplexity": perplexity_of_words(model, pairs),
    }


def table(results: dict[str, Any]) -> list[str]:
    """The measurements as lines."""
    lines = [f"{'in training':20}{'names':>8}{'right':>9}{'replaced':>10}"]
    for label, row in results["names"].items():
        shares = (f"{row[key] / row['names']:.1%}" if row["names"] else "-" for key in ("right", "replaced"))
        lines.append(f"{label:20}{row['names']:8}" + "{:>9}{:>10}".format(*shares))
    lines.append(f"{'BLEU':20}{'':8}{results['bleu']:9.2f}{results['bleu_replaced']:10.2f}")
    return [*lines, f"perplexity, words that are copied not spelt: {results['perplexity']:.3f}"]


def parse() -> argparse.Namespace:
    parser = OneLineParser(description="Count the names that a model translates correctly, by how rare they are.")
    run_argument(parser)
    parser.add_argument("--split", choices=SPLITS[1:], default="test", help="split of the run's corpus (default: test)")
    device_arguments(parser)
    arguments = parser.parse_args()
    check_most(arguments)
    return arguments


@exits_cleanly
def main() -> None:
    arguments = parse()
    folder = arguments.run or latest_run(CHAPTER, "model.npz")
    model, settings = load_run(folder)
    if not hasattr(model, "source_vocab") or settings.subwords:
        raise UserError(f"{folder}: its model does not translate words; give a run of chapter 8 to 10")
    corpus = load_pairs(settings.corpus)
    pairs = getattr(corpus, arguments.split)
    if not attends(model, pairs[0].source):
        raise UserError(f"{folder}: its model has no attention, which replacing unknown words needs")
    results = measure(model, pairs, Counter(word for pair in corpus.train for word in pair.source))
    write_json(folder / FILE, results | {"split": arguments.split, "model": model.name})
    print(f"{model.name}; {counted(len(pairs), 'pair')} of {arguments.split}; also in {folder / FILE}")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
