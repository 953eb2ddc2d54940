"""What `python -m tools.bench attentive_lm` measures: chapter 6's model in training, on batches as PTB gives them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.batching import Batch, make_batches
from common.cli import setting
from common.corpus import find_corpus, read_sentences
from common.errors import UserError
from common.vocab import Vocabulary

if TYPE_CHECKING:
    from model import AttentiveLM
    from tools.bench_attentive_lm_torch import TorchSide

TASKS = ("training",)
CHAPTER = Path(__file__).resolve().parents[1] / "chapters" / "06_attentive_lm"
LEARNING_RATE, CLIP = 0.1, 5.0
PTB_MEAN, PTB_SPREAD, PTB_LONGEST = 21.1, 10.1, 82
"""Words a sentence in PTB's training split: mean, standard deviation, maximum. A gamma distribution comes close."""


@dataclass(frozen=True)
class Settings:
    """The flags of the benchmark; the model is the paper's for PTB unless they say otherwise."""

    score: str = setting("single", "attention score", choices=("single", "combined", "none"))
    layers: int = setting(2, "LSTM layers", minimum=1)
    hidden_size: int = setting(650, "size of embeddings and states", minimum=1)
    vocabulary: int = setting(10_000, "words that the model knows", minimum=3)
    batch_size: int = setting(32, "sentences in a batch", minimum=1)
    dropout: float = setting(0.5, "share of non-recurrent connections dropped", minimum=0, maximum=0.95)
    batches: int = setting(8, "different batches, spread evenly over the lengths; all of them in each round", minimum=1)
    rounds: int = setting(5, "how often each side runs over the batches, in turn", minimum=1)
    threads: int = setting(1, "threads of PyTorch (and of a DyNet that has threads: the wheel has not)", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1)
    json: str = setting("", "a file to write the figures to")


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return (
        f"attentive LM, score {settings.score}: {settings.layers} x {settings.hidden_size}, "
        f"vocabulary {settings.vocabulary:,}, dropout {settings.dropout}"
    )


@dataclass(frozen=True)
class Workload:
    """The batches of a round, and where their lengths come from."""

    batches: list[Batch]
    source: str

    @property
    def predictions(self) -> int:
        """Real (unpadded) predictions in a round."""
        return sum(batch.predictions for batch in self.batches)

    @property
    def positions(self) -> int:
        """Predictions in a round, padding included."""
        return sum(batch.mask.size for batch in self.batches)


def make_workload(settings: Settings) -> Workload:
    """Sentences of PTB's training split where it is installed, otherwise invented ones of such lengths.

    Of all batches in order of length, `settings.batches` are taken at even distances, then shuffled.
    """
    rng = np.random.default_rng(settings.seed)
    try:
        folder = find_corpus("ptb")
    except UserError:
        sentences, source = random_sentences(settings, rng), "random words in sentences as long as PTB's"
    else:
        sentences, source = ptb_sentences(folder, settings), "sentences of PTB"
    batches = sorted(make_batches(sentences, settings.batch_size, rng), key=lambda batch: len(batch.inputs))
    if settings.batches > len(batches):
        raise UserError(f"--batches {settings.batches}: there are only {len(batches)}; ask for fewer or smaller ones")
    places = (np.arange(settings.batches) + 0.5) * len(batches) / settings.batches
    return Workload([batches[int(place)] for place in rng.permutation(places)], source)


def ptb_sentences(folder: Path, settings: Settings) -> list[list[int]]:
    """PTB as word ids; words beyond the `settings.vocabulary` most frequent become `<unk>`."""
    sentences = read_sentences(folder / "train.txt")
    vocab = Vocabulary(Vocabulary.from_sentences(sentences).words[2 : settings.vocabulary])
    return [vocab.encode(sentence) for sentence in sentences]


def random_sentences(settings: Settings, rng: np.random.Generator) -> list[list[int]]:
    """Sentences with PTB's distribution of lengths; the k-th word is k times rarer than the first (Zipf)."""
    shape = (PTB_MEAN / PTB_SPREAD) ** 2
    lengths = rng.gamma(shape, PTB_MEAN / shape, size=40 * settings.batches * settings.batch_size)
    lengths = np.clip(np.rint(lengths), 1, PTB_LONGEST).astype(int)
    ranks = np.arange(1, settings.vocabulary)
    words = rng.choice(ranks, size=lengths.sum(), p=(1 / ranks) / (1 / ranks).sum())
    return [sentence.tolist() for sentence in np.split(words, np.cumsum(lengths)[:-1])]


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one real prediction, forward and backward.

    A product of (m, k) and (k, n) is 2mkn operations, and the backward pass has two such products for
    each of the forward pass, hence three times. What is computed on padding is not counted.
    """
    H = settings.hidden_size
    products = settings.layers * 8 * H * H + H * settings.vocabulary  # multiplications: W_x, W_h; the output
    times = np.array([len(batch.inputs) for batch in workload.batches])
    mean_time = np.average(times, weights=[batch.predictions for batch in workload.batches])
    if settings.score == "none":
        products += H * H  # W_c
    elif settings.score == "single":
        products += H * H + H + H * mean_time + 2 * H * H  # W_s, v_s, context, W_c
    else:
        products += 2 * H * H + H * mean_time + H * mean_time + 2 * H * H  # W_s and W_q, v_s, context, W_c
    return 3 * 2 * products


def parameters_of(model: AttentiveLM) -> dict[str, np.ndarray]:
    """The parameters of an `AttentiveLM` as arrays, under the names that the twin knows."""
    found = {"embedding": model.embedding.as_array(), "W_c": model.W_c.as_array()}
    found |= {"b_c": model.b_c.as_array(), "b": model.b.as_array()}
    for number, layer in enumerate(model.layers):
        for name in ("W_x", "W_h", "b"):
            found[f"layer{number}.{name}"] = getattr(layer, name).as_array()
    for name in ("v_s", "W_s", "W_q"):
        if hasattr(model, name):
            found[name] = getattr(model, name).as_array()
    return found


class DyNetSide:
    """Trains chapter 6's model: the steps of chapters/06_attentive_lm/train.py, one by one."""

    def __init__(self, model: AttentiveLM, learning_rate: float, clip: float):
        from common.nn.optimiser import make_optimiser

        self.model = model
        self.optimiser = make_optimiser("sgd", model.collection, clip)
        self.optimiser.learning_rate = learning_rate

    def parameters(self) -> dict[str, np.ndarray]:
        return parameters_of(self.model)

    def loss_without_dropout(self, batch: Batch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -float((self.model.log_probs(batch) * batch.mask).sum())

    def train_batch(self, batch: Batch) -> float:
        """One step of training; the batch's summed loss in nats."""
        import dynet as dy

        dy.renew_cg()
        loss = self.model.loss(batch)
        value = loss.scalar_value()
        mean_loss = loss * (1 / len(batch.indices))
        mean_loss.backward()
        self.optimiser.update()
        return value


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.configure(seed=settings.seed)
    sys.path.insert(0, str(CHAPTER))
    from model import AttentiveLM

    vocab = Vocabulary(f"word{number}" for number in range(2, settings.vocabulary))
    model = AttentiveLM(vocab, settings.hidden_size, settings.layers, settings.score, settings.dropout, merge="uniform")
    return DyNetSide(model, LEARNING_RATE, CLIP)


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    import torch

    from tools.bench_attentive_lm_torch import TorchSide, Twin

    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    twin = Twin(settings.vocabulary, settings.hidden_size, settings.layers, settings.score, settings.dropout)
    return TorchSide(twin, parameters, LEARNING_RATE, CLIP)
