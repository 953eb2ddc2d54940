"""What no sum of single-word features can say, in numbers: `python chapters/02_loglinear_lm/additive.py`.

First on the four contexts of Figure 6 (Neubig 2017, section 5.1), then on the village, where a trade and a verb
together decide which wares come next: the miller sells flour and buys grain, the farmer sells grain and buys tools.
"""

import runpy
from collections.abc import Mapping
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import sentence_log_probs
from common.programs.arguments import check_most
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.start_bias import log_frequencies
from data import village_lexicon as lexicon
from data.oracle import next_word_probs
from data.phenomena import phenomena_table
from data.village_grammar import START
from data.village_lexicon import plural, third_person
from data.village_phrases import village

from .features import make_features
from .fitting import fit
from .learners import NumpyLearner
from .model import LogLinearLM
from .settings import Settings
from .toy import EXCLUSIVE_OR, FIGURE_6, Truth, best_fit, cost, probabilities

MODELS = ("word1,word2", "word1,word2,bag", "word1,word2,pair21", "word1,word2,classpair21")
VERBS = {
    form for verb in f"{lexicon.SELLING} {lexicon.BUYING}".split() for form in (verb, third_person(verb))
}  # fmt: skip


def show_toy(title: str, truth: Truth) -> None:
    """The truth, and the best that sums of single words and that pairs can do with it."""
    models = {spec: best_fit(truth, spec) for spec in ("word1,word2", "pair21")}
    print(f"{title}\n{'':24}{'truth':>8}" + "".join(f"{name:>14}" for name in models))
    for context, words in truth.items():
        distributions = [probabilities(model, context) for model in models.values()]
        for word, p in words.items():
            print(
                f"{' '.join([*context, word]):24}{p:8.2f}"
                + "".join(f"{distribution[word]:14.2f}" for distribution in distributions)
            )
    costs = "".join(f"{cost(truth, model):14.3f}" for model in models.values())
    print(f"{'nats per word':24}{cost(truth):8.3f}{costs}\n")


def trade_contexts() -> Truth:
    """For every "the TRADER VERB" of the village: the true distribution of the word that follows, a ware."""
    contexts: dict[tuple[str, ...], Mapping[str, float]] = {}
    for people, _ in lexicon.TRADES.values():
        for verb in (lexicon.SELLING + " " + lexicon.BUYING).split():
            for trader in people.split():
                for prefix in (("the", trader, third_person(verb)), ("the", plural(trader), verb)):
                    contexts[prefix] = next_word_probs(prefix)
    return contexts


def trades(sentences: list[list[str]]) -> list[list[str]]:
    """The sentences in which something is sold or bought, about one in eleven."""
    return [sentence for sentence in sentences if VERBS & set(sentence)]


def train_models(sentences: list[list[str]], epochs: int) -> dict[str, LogLinearLM]:
    """A model of each set of features, with the settings of train.py but for the epochs."""
    vocab = Vocabulary.from_sentences(sentences, min_count=2)
    train_ids = [vocab.encode(sentence) for sentence in sentences]
    models = {}
    for spec in MODELS:
        settings = Settings(features=spec, epochs=epochs)
        features = make_features(settings, vocab, train_ids)
        learner = NumpyLearner(settings, features, log_frequencies(train_ids, len(vocab)))
        for _ in fit(learner, settings, train_ids):
            pass
        print(f"trained {learner.model.name}", flush=True)
        models[spec] = learner.model
    return models


def show_village(sentences: list[list[str]], epochs: int) -> None:
    """Train on these sentences, and report on the wares, and on the test split by what decides the word."""
    if not sentences:
        raise UserError("--sentences: none of them is about trade, and only such sentences are trained on; draw more")
    print(f"the village, {len(sentences):,} sentences in which somebody trades, {epochs} epochs")
    models, truth = train_models(sentences, epochs), trade_contexts()
    print(f"\nthe ware after `the TRADER VERB`, all {len(truth)} of them, expected perplexity\n")
    print(f"{'oracle':36}{np.exp(cost(truth)):10.2f}")
    for spec in ("word1,word2", "pair21"):
        print(f"{'best possible ' + spec:36}{np.exp(cost(truth, best_fit(truth, spec))):10.2f}")
    for spec, model in models.items():
        print(f"{'trained ' + spec:36}{np.exp(cost(truth, model)):10.2f}", flush=True)
    test = trades(load_corpus("village").test)
    columns = {spec: sentence_log_probs(model, test, "uniform") for spec, model in models.items()}
    print(f"\nperplexity on the {len(test)} such sentences of the test split\n\n{phenomena_table(test, columns)}")


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="What no sum of single-word features can express.")
    for flag, default, text in (
        ("--sentences", 100_000, "draw N sentences of the village to train on (default: 100000); 0: its train split"),
        ("--seed", 5, "seed of the random numbers of these sentences (default: 5)"),
        ("--epochs", 5, "passes over those in which somebody trades (default: 5)"),
    ):
        parser.add_argument(flag, type=int, default=default, metavar="N", help=text)
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.sentences, arguments.seed) < 0 or arguments.epochs < 1:
        raise UserError("--sentences and --seed must not be negative, --epochs at least 1")
    show_toy("Figure 6, 0.8 for high and 0.1 for low", FIGURE_6)
    show_toy("Two words, exclusive or", EXCLUSIVE_OR)
    sample = village.sampler(START, arguments.seed)
    sentences = [sample() for _ in range(arguments.sentences)] or load_corpus("village").train
    show_village(trades(sentences), arguments.epochs)


if __name__ == "__main__":
    main()
