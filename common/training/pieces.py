"""Training on pieces of words (--subwords): where they come from, and what a run reports on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.evaluation.perplexity import figures, summarise
from common.evaluation.pieces import by_words, check_pieces
from common.search.translation import TranslationModel, target_log_probs
from common.text.corpus import Sentence
from common.text.pairs import Pair, ParallelCorpus
from common.text.subwords import FILE, PairSplitter, read_inventory
from common.training.checkpoint import can_resume


class TrainingSplitter(PairSplitter):
    """The pieces of a training run."""

    @classmethod
    def begin(cls, words: ParallelCorpus, settings: Any, folder: Path) -> TrainingSplitter:
        """Learn as many pieces as the settings say. folder: of the run; a resumed one has kept its pieces there."""
        if settings.resume and can_resume(folder, FILE):
            return cls.of_pairs(read_inventory(folder), words.train, settings.min_count)
        return cls.learn(words.train, settings.subwords, settings.min_count)

    def check(self, targets: Sequence[Sentence], words: Sequence[Pair], place: str) -> None:
        """Raises `UserError` where a split has too many unknown pieces. targets: in pieces; place: their file."""
        check_pieces(targets, self.vocab, sum(len(pair.target) + 1 for pair in words), place)

    def figures(self, model: TranslationModel, words: Sequence[Pair], unk: str, oracle: dict | None) -> dict:
        """The perplexity of some pairs, given in words: of words and of pieces.

        The oracle gives the pieces of a sentence the same log-probability as its words: its perplexity by pieces is
        the same total, divided by more predictions.
        """
        pairs = self.pairs(words)
        targets = [pair.target for pair in pairs]
        log_probs = target_log_probs(model, pairs, unk)
        by_pieces = summarise(model.vocab, targets, log_probs, unk)
        entry = figures(by_words(by_pieces, model.vocab, targets, log_probs), oracle)
        entry |= {"piece_perplexity": by_pieces.perplexity, "piece_predictions": by_pieces.predictions}
        if oracle is not None:
            entry["oracle_piece_perplexity"] = oracle["perplexity"] ** (entry["predictions"] / by_pieces.predictions)
        return entry
