"""What `python -m tools.bench attention` measures: chapter 9's models in training and in decoding, on real pairs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from common import runtime
from common.batching import PairBatch, make_pair_batches
from common.cli import setting
from common.errors import UserError
from common.pairs import load_pairs
from common.vocab import Vocabulary

if TYPE_CHECKING:
    from model import WordAttentionModel
    from tools.bench_attention_torch import TorchSide

TASKS = ("training", "decoding")
CHAPTER = Path(__file__).resolve().parents[1] / "chapters" / "09_word_attention"
LEARNING_RATE, CLIP = 0.1, 5.0


@dataclass(frozen=True)
class Settings:
    """The flags of the benchmark: a two-layer model as in the poster's tables, unless they say otherwise."""

    variant: str = setting("gates", "which of the chapter's models", choices=("rnnsearch", "word", "gates"))
    layers: int = setting(2, "LSTM layers of the decoder, and of either direction of the encoder", minimum=1)
    hidden_size: int = setting(512, "size of embeddings and decoder states", minimum=2)
    corpus: str = setting("village_pairs", "the pairs: an embedded or installed corpus, or a folder")
    batch_size: int = setting(32, "pairs in a batch", minimum=1)
    dropout: float = setting(0.2, "share of connections dropped in training", minimum=0, maximum=0.95)
    batches: int = setting(8, "different batches, spread evenly over the lengths; all of them in each round", minimum=1)
    rounds: int = setting(5, "how often each side runs over the batches, in turn", minimum=1)
    threads: int = setting(1, "threads of PyTorch (and of a DyNet that has threads: the wheel has not)", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1)
    json: str = setting("", "a file to write the figures to")


def title(settings: Settings) -> str:
    """What is measured, for the head of the table."""
    return (
        f"attention, variant {settings.variant}: {settings.layers} x {settings.hidden_size}, "
        f"dropout {settings.dropout}, corpus {settings.corpus}"
    )


@dataclass(frozen=True)
class Workload:
    """The batches of a round, and the sizes of the vocabularies, (source, target)."""

    batches: list[PairBatch]
    source: str
    vocabularies: tuple[int, int]

    @property
    def predictions(self) -> int:
        """Real (unpadded) target predictions in a round."""
        return sum(batch.target.predictions for batch in self.batches)

    @property
    def positions(self) -> int:
        """Target predictions in a round, padding included."""
        return sum(batch.target.mask.size for batch in self.batches)


def make_workload(settings: Settings) -> Workload:
    """Of all batches of the training split in order of length `settings.batches` at even distances, then shuffled."""
    corpus, rng = load_pairs(settings.corpus), np.random.default_rng(settings.seed)
    vocabularies = vocabularies_of(settings)
    sides = zip(vocabularies, zip(*corpus.train, strict=True), strict=True)
    sources, targets = ([vocab.encode(sentence) for sentence in side] for vocab, side in sides)
    batches = make_pair_batches(sources, targets, settings.batch_size)
    if settings.batches > len(batches):
        raise UserError(f"--batches {settings.batches}: there are only {len(batches)}; ask for fewer or smaller ones")
    places = (np.arange(settings.batches) + 0.5) * len(batches) / settings.batches
    chosen = [batches[int(place)] for place in rng.permutation(places)]
    return Workload(chosen, f"pairs of {corpus.name}", tuple(len(vocab) for vocab in vocabularies))


def vocabularies_of(settings: Settings) -> list[Vocabulary]:
    """The words that training would know: source, target."""
    return [Vocabulary.from_sentences(side, 2) for side in zip(*load_pairs(settings.corpus).train, strict=True)]


def flops_per_token(settings: Settings, workload: Workload) -> float:
    """Floating-point operations of the matrix products for one target prediction, forward and backward.

    Three times the forward pass, as in `bench_attentive_lm`; the source's share is divided among the predictions.
    """
    H, layers, attentions = settings.hidden_size, settings.layers, 1 if settings.variant == "rnnsearch" else 2
    half = H // 2
    a_source_word = 2 * (4 * half * (H + half) + (layers - 1) * 4 * half * 2 * half) + attentions * H * H  # and keys
    a_sentence = layers * H * H  # the bridge
    decoder = 4 * H * (2 + attentions) * H + (layers - 1) * 8 * H * H
    query = attentions * 2 * H * H
    gate = 4 * H * H if settings.variant == "gates" else 0
    output = (2 + attentions) * H * H + H * workload.vocabularies[1]
    weigh = attentions * 2 * H  # a score and a share of the context, for each source word
    total = 0.0
    for batch in workload.batches:
        lengths, times = (mask.sum(axis=0).astype(int) for mask in (batch.source_mask, batch.target.mask))
        total += float((lengths * a_source_word + a_sentence + times * (decoder + query + gate + output)).sum())
        total += float((lengths * times).sum() * weigh)
    return 3 * 2 * total / workload.predictions


def parameters_of(model: WordAttentionModel) -> dict[str, np.ndarray]:
    """The parameters of chapter 9's model as arrays, under the names that the twin knows."""
    found = {name: getattr(model, name) for name in ("source_embedding", "embedding", "W_g", "b_g", "b_s")}
    encoder = model.encoder
    stacks = {"forward": encoder.forward.stack.layers, "backward": encoder.backward.stack.layers}
    for side, layers in (stacks | {"decoder": model.decoder.layers}).items():
        for number, layer in enumerate(layers):
            found |= {f"{side}{number}.{name}": getattr(layer, name) for name in ("W_x", "W_h", "b")}
    for number, (W, b) in enumerate(zip(encoder.bridge.W, encoder.bridge.b, strict=True)):
        found |= {f"bridge{number}.W": W, f"bridge{number}.b": b}
    for number, (score, W_c) in enumerate(zip(model.scores, model.decoder.W_c, strict=True)):
        found |= {f"score{number}.{name}": getattr(score, name) for name in ("W_query", "W_source", "w")}
        found[f"W_c{number}"] = W_c
    if model.variant == "gates":
        found |= {"W_o": model.W_o, "U_o": model.U_o, "C_o0": model.C_o[0], "C_o1": model.C_o[1]}
    return {name: parameter.as_array() for name, parameter in found.items()}


class DyNetSide:
    """Chapter 9's model: the training steps of its train.py, and the steps of greedy search."""

    def __init__(self, model: WordAttentionModel, learning_rate: float, clip: float):
        from common.nn.optimiser import make_optimiser

        self.model = model
        self.optimiser = make_optimiser("sgd", model.collection, clip)
        self.optimiser.learning_rate = learning_rate

    def parameters(self) -> dict[str, np.ndarray]:
        return parameters_of(self.model)

    def loss_without_dropout(self, batch: PairBatch) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -float((self.model.log_probs(batch) * batch.target.mask).sum())

    def train_batch(self, batch: PairBatch) -> float:
        """One step of training; the batch's summed loss in nats."""
        import dynet as dy

        dy.renew_cg()
        loss = self.model.loss(batch)
        value = loss.scalar_value()
        mean_loss = loss * (1 / len(batch.target.indices))
        mean_loss.backward()
        self.optimiser.update()
        return value

    def decode_batch(self, batch: PairBatch) -> float:
        """The most probable next word, as many times as the batch's longest target has; the sum of log P, in nats."""
        import dynet as dy

        dy.renew_cg()
        state, total = self.model.encode(sources_of(batch)), 0.0
        words = np.full(batch.source.shape[1], Vocabulary.boundary)
        for _ in range(len(batch.target.inputs)):
            state, log_probs = self.model.advance(state, words.tolist())
            words = log_probs.argmax(axis=1)
            total += float(log_probs.max(axis=1).sum(dtype=np.float64))
        return total


def sources_of(batch: PairBatch) -> list[list[int]]:
    """The source sentences of a batch, of word ids, without padding."""
    lengths = batch.source_mask.sum(axis=0).astype(int)
    return [column[:length].tolist() for column, length in zip(batch.source.T, lengths, strict=True)]


def dynet_side(settings: Settings) -> DyNetSide:
    """The DyNet side, in a process that has not imported DyNet yet."""
    runtime.configure(seed=settings.seed)
    sys.path.insert(0, str(CHAPTER))
    from model import WordAttentionModel
    from settings import Settings as ModelSettings

    chosen = {name: getattr(settings, name) for name in ("variant", "layers", "hidden_size", "dropout")}
    return DyNetSide(WordAttentionModel(*vocabularies_of(settings), ModelSettings(**chosen)), LEARNING_RATE, CLIP)


def torch_side(settings: Settings, parameters: Mapping[str, np.ndarray]) -> TorchSide:
    """The PyTorch side, with the parameters of the other."""
    import torch

    from tools.bench_attention_torch import TorchSide, Twin

    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    return TorchSide(Twin(parameters, settings.layers, settings.variant, settings.dropout), LEARNING_RATE, CLIP)
