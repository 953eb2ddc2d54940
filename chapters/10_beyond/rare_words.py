"""A model with attention whose output layer knows more than its network: a lexicon, or the words of the source.

Letters in the shapes: S source words, T predictions, B sentences, V known target words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.memory import Footprint
from common.nn.dropout import Dropout
from common.nn.encoders import PairScores, Source
from common.nn.full_softmax import side_by_side
from common.nn.softmax import as_rows, embed, fold_time, negative_log_probs, unfold_time
from common.search.unknown_words import lexicon_of_run
from common.text.batching import pad
from common.text.corpus import MAX_WORDS
from common.text.pairs import PairBatch

from . import output_parts
from .open_vocabulary import CopyingVocabulary, OpenVocabulary
from .output_parts import NEVER, Mixture, StateGate, Step
from .word_tables import CopyingTable, LexiconTable, by_lexicon


class RareWordState(NamedTuple):
    """inner: the state of the network. source: word ids, (S, B). attention: of the last step as numbers, (B, S)."""

    inner: Any
    source: np.ndarray
    attention: np.ndarray | None = None


class RareWordModel(PairScores):
    """P(E | F) of a network with attention (chapter 8) and of further parts of its output, one after the other.

    Its source vocabulary is open: words that the network does not know have numbers, too, since a lexicon may know
    them, and since they can be copied. The network reads `<unk>` for them.
    """

    alone = True
    """The network of another model does not know the numbers of this one, so that they cannot be averaged."""

    def __init__(self, network: Any, source_vocab: OpenVocabulary, vocab: Any, parts: dict[str, Any]):
        """parts: by their names."""
        self.network, self.source_vocab, self.vocab, self.parts = network, source_vocab, vocab, parts
        self.collection, self.dropout = network.collection, network.dropout
        self.b_s = network.b_s
        self.name = " + ".join([network.name, *parts])

    @property
    def footprint(self) -> Footprint:
        """What the model takes of the memory."""
        return with_parts(self.network.footprint, len(self.vocab), self.copies)

    @property
    def copies(self) -> bool:
        """Whether words are copied."""
        return isinstance(self.vocab, CopyingVocabulary)

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B, padding included.

        An unknown word that can be copied has a number (`CopyingVocabulary.for_source`); any other one is `<unk>`.
        """
        source = Source.padded(self.network.source_embedding, self.source_vocab.closed(batch.source), batch.source_mask)
        state = self.network.start(source, dropout)
        states = self.network.decode(state, self.known(batch.target.inputs), dropout)
        weights = dy.concatenate_cols([state.weights for state in states])
        step = Step(dropout(self.network.readout(states)), weights, batch.source)
        targets = batch.target.targets
        log_probs = -negative_log_probs(fold_time(self.scores(step)), self.known(targets))
        log_probs += side_by_side(NEVER * (targets >= len(self.vocab)).T.ravel())
        for part in self.parts.values():
            log_probs = part.of_targets(log_probs, step, targets)
        return -log_probs

    def scores(self, step: Step) -> dy.Expression:
        """The arguments of the softmax, (V, T) x B."""
        (_, time), _ = step.both.dim()
        scores = unfold_time(self.network.logits(fold_time(step.both)), time)
        for part in self.parts.values():
            scores = part.scores(scores, step)
        return scores

    def known(self, ids: np.ndarray) -> np.ndarray:
        """Target words as the network knows them."""
        return self.vocab.closed(ids) if self.copies else ids

    def encode(self, sources: Sequence[Sequence[int]]) -> RareWordState:
        """The state before the first target word of each source, in the computation graph at hand."""
        ids, _ = pad(sources)
        closed = [self.source_vocab.closed(np.array(source)).tolist() for source in sources]
        return RareWordState(self.network.encode(closed), ids)

    def next_words(self, state: RareWordState, words: Sequence[int]) -> tuple[RareWordState, dy.Expression]:
        """Read one target word per row; the new state, and log P(next word), (words,) x rows.

        With copying, the S places of the source follow the V known words; where none begins a new word, P is 0.
        """
        embedded = unfold_time(embed(self.network.embedding, self.known(np.array(words)).tolist()), 1)
        inner = self.network.step(state.inner, dy.pick(self.network.decoder.project(embedded), 0, dim=1))
        attention = as_rows(inner.weights)
        step = Step(self.network.readout([inner]), inner.weights, state.source, attention)
        log_probs = dy.log_softmax(fold_time(self.scores(step)))
        size = len(self.vocab) + self.copies * len(state.source)
        for part in self.parts.values():
            log_probs = part.of_words(log_probs, step, size)
        if self.copies:
            never = NEVER * ~self.parts["copying"].table.begins(state.source)
            copied = dy.reshape(dy.inputVector(never.T.ravel()), (len(never),), len(words))
            log_probs += dy.concatenate([dy.zeros(len(self.vocab), batch_size=len(words)), copied])
        return RareWordState(inner, state.source, attention), log_probs

    def select(self, state: RareWordState, rows: Sequence[int]) -> RareWordState:
        """The state of these rows, in this order."""
        rows = list(rows)
        return RareWordState(self.network.select(state.inner, rows), state.source[:, rows])


def with_parts(footprint: Footprint, words: int, copies: bool) -> Footprint:
    """What the model takes with its parts: for every word that can be written some numbers more, and L_F."""
    most = words + copies * MAX_WORDS
    return footprint._replace(word=footprint.word + 5 * most, source=footprint.source + words)


def add_parts(network: Any, flags: Any, folder: Path, settings: Any) -> RareWordModel:
    """The network with the chosen parts. settings: of the network. folder: of the run, which keeps the lexicon."""
    part = flags.lexicon_part
    lexicon: Any = lexicon_of_run(folder, settings.corpus) if part else None
    vocab = CopyingVocabulary(network.vocab) if flags.copying else network.vocab
    source_vocab, parts = OpenVocabulary(network.source_vocab, [*(lexicon.source if lexicon else ()), *vocab.words]), {}
    if part:
        table = LexiconTable(source_vocab, by_lexicon(lexicon, network.vocab))
        parts[f"lexicon {flags.lexicon}"] = getattr(output_parts, part)(
            network.collection, table, flags.lexicon_epsilon
        )
    if flags.copying:
        gate = StateGate(network.collection, network.readout.size, settings.init_scale)
        parts["copying"] = Mixture(CopyingTable(source_vocab, vocab), gate)
    return RareWordModel(network, source_vocab, vocab, parts)
