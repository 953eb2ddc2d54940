"""Chapter 7 in PyTorch: the loss of an encoder-decoder, reading backwards, a step of beam search, an ensemble."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


def losses(model: nn.Module, source: Tensor, lengths: Tensor, inputs: Tensor, targets: Tensor) -> Tensor:
    """-log P of every target word, (T, B), from word ids: source (S, B), lengths (B,), inputs and targets (T, B).

    model: with source_embedding and embedding, the LSTMs encoder and decoder, and the bias of the softmax.
    """
    state = read_backwards(model.encoder, model.source_embedding(source), lengths)
    hidden, _ = model.decoder(model.embedding(inputs), state)
    logits = F.linear(hidden, model.embedding.weight, model.bias)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)


def read_backwards(encoder: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """The encoder's last state and cell, after each sentence's own first word: words (S, B, H), lengths (B,)."""
    sentences = zip(words.unbind(1), lengths, strict=True)
    backwards = pad_sequence([sentence[:length].flip(0) for sentence, length in sentences])
    _, state = encoder(pack_padded_sequence(backwards, lengths, enforce_sorted=False))
    return state


def best_continuations(so_far: Tensor, log_probs: Tensor, number: int) -> tuple[Tensor, Tensor, Tensor]:
    """Parents, words and log P of the best continuations: so_far (K,) of the hypotheses, log_probs (K, V) of words."""
    totals = so_far[:, None] + log_probs
    best, places = totals.flatten().topk(number)
    return places // log_probs.shape[1], places % log_probs.shape[1], best


def log_mean(log_probs: Tensor) -> Tensor:
    """The logarithm of the members' mean probability: log_probs (members, rows, words)."""
    return torch.logsumexp(log_probs, dim=0) - math.log(len(log_probs))
