"""How a kind of model is tried: the sentences that it reads, its loss, and its twin in NumPy float64."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dynet as dy
import numpy as np

from common.text.batching import Batch, make_batch
from common.text.pairs import Pair, PairBatch
from tests import attention_models, prior_models, rare_word_models, rnn_reference
from tests.attention_models import SOURCES
from tests.pair_laws import SENTENCES as SOURCE_SENTENCES, TWO_ORDERS
from tests.small_models import SENTENCES

Make = Callable[..., Any]


class Text:
    """A kind of language model.

    make: a small model with random parameters; it takes keywords as the model does. reference: makes its twin of the
    model, with `parameters` and `weights` by one name each, `steps_of(number)`, what is computed at each step of a
    sentence, `log_probs` among it, and `loss(number)`. learns: options of a model that learns two sentences by heart.
    slow: `make test` leaves it out. neural: whether DyNet computes its loss and its gradients.
    """

    size, translates = len(SENTENCES), False

    def __init__(
        self,
        make: Make,
        reference: Callable[[Any], Any] | None = None,
        learns: Mapping[str, Any] | None = None,
        slow: bool = False,
        neural: bool = True,
    ):
        self.make, self.reference, self.learns = make, reference, learns
        self.slow, self.neural = slow, neural

    def batch(self, model: Any, numbers: Sequence[int] | None = None) -> Batch | PairBatch:
        """These sentences, or all of them, side by side."""
        return make_batch(SENTENCES, range(self.size) if numbers is None else numbers)

    def targets(self, batch: Batch | PairBatch) -> Batch:
        """What is predicted in a batch."""
        return batch

    def with_targets(self, batch: Batch | PairBatch, targets: Batch) -> Batch | PairBatch:
        return targets

    def changed(self, batch: Batch | PairBatch) -> list[Batch | PairBatch]:
        """The batch with other words where there is only padding, and with more padding."""
        return [garbled(batch), lengthened(batch)]

    def loss(self, model: Any, batch: Batch | PairBatch, rng: np.random.Generator | None = None) -> dy.Expression:
        """The training loss, in the graph at hand; where words are sampled, the same ones each time without `rng`."""
        samples = "rng" in inspect.signature(model.loss).parameters
        loss = model.loss(batch, rng=rng or np.random.default_rng(1)) if samples else model.loss(batch)
        return loss[0] if isinstance(loss, tuple) else loss

    def start(self, model: Any) -> Any:
        """The state before the first word of every sentence."""
        return model.start(self.size)


class Pairs(Text):
    """A kind of translation model. sentences: sources to translate. by_heart: two pairs to learn.

    attends: whether a step has weights of the source words, which the reference has, too.
    """

    size, translates, attends = len(SOURCES), True, True
    sentences: Sequence[Sequence[str]] = SOURCE_SENTENCES
    by_heart = TWO_ORDERS

    def batch(self, model: Any, numbers: Sequence[int] | None = None) -> PairBatch:
        return attention_models.whole_batch(range(self.size) if numbers is None else numbers)

    def targets(self, batch: PairBatch) -> Batch:
        return batch.target

    def with_targets(self, batch: PairBatch, targets: Batch) -> PairBatch:
        return batch._replace(target=targets)

    def changed(self, batch: PairBatch) -> list[PairBatch]:
        other_words = batch._replace(source=np.where(batch.source_mask > 0, batch.source, 5))
        longer = {"source": np.pad(batch.source, ((0, 3), (0, 0)), constant_values=4)}
        longer["source_mask"] = np.pad(batch.source_mask, ((0, 3), (0, 0)))
        return [
            other_words._replace(target=garbled(batch.target)),
            batch._replace(**longer),
            batch._replace(target=lengthened(batch.target)),
        ]

    def sources(self, model: Any) -> list:
        return SOURCES

    def start(self, model: Any) -> Any:
        dy.renew_cg()
        return model.encode(self.sources(model))

    def unlearnt(self, model: Any) -> list:
        """The parameters that training leaves alone."""
        return []


class Silent(Pairs):
    """A kind that attends to nothing."""

    attends = False


class Priors(Pairs):
    """Chapter 8 with an objective of more than one term. name: of `prior_models.KINDS`."""

    def __init__(self, name: str, **options: Any):
        self.name = name
        reference = partial(prior_models.PriorTwin, name=name)
        super().__init__(partial(prior_models.model_of, name), reference, **options)

    def loss(self, model: Any, batch: PairBatch, rng: np.random.Generator | None = None) -> dy.Expression:
        return prior_models.cost_of(model, self.name, batch).total

    def unlearnt(self, model: Any) -> list:
        return [model.attention.position.pace] if prior_models.settings_of(self.name).position_bias else []


class Summaries(Pairs):
    """Chapter 9 without a decoder of its own; ABS reads a source forwards and backwards alike."""

    by_heart = (
        Pair(["hen", "ox", "sees"], ["ba", "do", "ku"]),
        Pair(["ox", "hen", "sees"], ["do", "ba", "ku"]),
    )


class RareWords(Pairs):
    """Chapter 10 with a lexicon or copying: sentences with words that the network does not know."""

    sentences, attends = rare_word_models.SOURCES, False  # those of its network, which is a kind of its own

    def __init__(self, kind: str, **options: Any):
        def make(**flags: Any) -> Any:
            with tempfile.TemporaryDirectory() as folder:  # which only has the lexicon
                return rare_word_models.make_model(Path(folder), kind, **flags)

        super().__init__(make, partial(rare_word_models.RareTwin, kind=kind), **options)

    def batch(self, model: Any, numbers: Sequence[int] | None = None) -> PairBatch:
        sources, targets = rare_word_models.SOURCES, rare_word_models.TARGETS
        numbers = range(self.size) if numbers is None else numbers
        batch = rare_word_models.batch_of(model, [sources[n] for n in numbers], [targets[n] for n in numbers])
        return batch._replace(target=batch.target._replace(indices=np.asarray(numbers)))

    def sources(self, model: Any) -> list:
        return [model.source_vocab.encode(source) for source in rare_word_models.SOURCES]


def garbled(batch: Batch) -> Batch:
    """With other words where there is only padding."""
    real = batch.mask > 0
    return batch._replace(inputs=np.where(real, batch.inputs, 3), targets=np.where(real, batch.targets, 2))


def lengthened(batch: Batch) -> Batch:
    """With two more steps of padding."""
    return Batch(*(np.pad(array, ((0, 2), (0, 0))) for array in batch[:3]), batch.indices)


class TextTwin:
    """A language model in NumPy. run: log P(next word), (V,), after each of the inputs, from weights and inputs."""

    fixed: Sequence[str] = ()

    def __init__(self, parameters: dict, run: Callable[[Any, list[int]], Sequence[np.ndarray]], tied: bool = False):
        """tied: whether the softmax's `W_hs` is the embedding, `M`."""
        self.parameters, self.weights, self.run = parameters, rnn_reference.weights_of(parameters), run
        if tied:
            self.weights["W_hs"] = self.weights["M"]

    def steps_of(self, number: int) -> list[SimpleNamespace]:
        return [SimpleNamespace(log_probs=row) for row in self.run(self.weights, [0, *SENTENCES[number]])]

    def log_probs(self, number: int) -> list[float]:
        targets = [*SENTENCES[number], 0]
        return [step.log_probs[target] for step, target in zip(self.steps_of(number), targets, strict=True)]

    def loss(self, number: int) -> float:
        return -sum(self.log_probs(number))
