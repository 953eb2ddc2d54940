"""The explorer's beam trees, judgements and comparisons, against the course's own search and plain Python."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from book.explorer import curves, translations, truths
from book.explorer.beam_trees import ENDED, KEPT, PRUNED, Tree, grow
from book.explorer.shelf import LANGUAGE, Run, Shelf, kind_of
from common.errors import UserError
from common.files import write_json
from common.search.beams import beam_search
from common.search.length_prior import LENGTH_SCORES, LengthPrior, length_score
from common.search.searches import Decoding, translate
from common.text.alignment import read_alignments
from common.text.corpus import find_corpus
from common.text.pairs import read_pairs
from tests.programs import write_lines
from tests.table_lm import TableLM, random_table
from tests.table_translation import TableTranslation

WORDS = list("abcde")
PRIOR = LengthPrior([(3, 2), (3, 4), (3, 4), (3, 6)])


def beginning(tree: Tree, number: int) -> tuple[str, ...]:
    """The words of a node, by way of its parents."""
    node = tree.nodes[number]
    return (*(beginning(tree, node.parent) if node.parent >= 0 else ()), node.word)


def beam_by_hand(table: np.ndarray, words: list[str], size: int, longest: int) -> list[set[tuple[str, ...]]]:
    """What stays in the beam in each step, and what has ended in it, in plain Python, with dictionaries."""
    live, ended, steps = {(): 0.0}, 0, []
    for _ in range(longest):
        longer = {
            (*prefix, word): total + math.log(table[words.index(prefix[-1]) if prefix else 0, number])
            for prefix, total in live.items()
            for number, word in enumerate(words)
        }
        best = sorted(longer, key=lambda text: -longer[text])[: size - ended]
        live = {text: longer[text] for text in best if text[-1] != "</s>"}
        ended += len(best) - len(live)
        steps.append(set(best))
        if not live:
            break
    return steps


class TestTree:
    @given(size=st.integers(1, 5), seed=st.integers(0, 10**6), branches=st.integers(0, 4))
    @settings(max_examples=20, deadline=None)
    def test_what_stays_is_what_plain_python_keeps(self, size: int, seed: int, branches: int) -> None:
        table = random_table(len(WORDS) + 2, seed)
        model = TableLM(WORDS, table)
        tree = grow(model, size, 6, branches=branches)
        expected = beam_by_hand(table, model.vocab.words, size, 6)
        for step, survivors in enumerate(expected, start=1):
            ours = [number for number, node in enumerate(tree.nodes) if node.step == step and node.fate != PRUNED]
            assert {beginning(tree, number) for number in ours} == survivors
            pruned = [node for node in tree.nodes if node.step == step and node.fate == PRUNED]
            assert len(pruned) <= branches
            costs = [node.log_prob for node in tree.nodes if node.step == step]
            assert costs == sorted(costs, reverse=True)
        assert max(node.step for node in tree.nodes) == len(expected)

    @given(size=st.integers(1, 5), seed=st.integers(0, 10**6), kind=st.sampled_from([*LENGTH_SCORES]))
    @settings(max_examples=30, deadline=None)
    def test_it_finds_what_the_course_finds(self, size: int, seed: int, kind: str) -> None:
        model = TableLM(WORDS, random_table(len(WORDS) + 2, seed))
        score = None if kind == "none" else length_score(kind, 3, PRIOR)
        tree = grow(model, size, 7, score)
        (expected,) = beam_search(model, 1, size, 7, None if score is None else [score])
        assert [sentence.words for sentence in tree.hypotheses] == [sentence.words for sentence in expected]
        assert [sentence.log_prob for sentence in tree.hypotheses] == [sentence.log_prob for sentence in expected]
        for result, path in zip(tree.hypotheses, tree.paths, strict=True):
            words = beginning(tree, path[-1])
            assert list(words) == [*result.words, *(["</s>"] if result.finished else [])]
            assert [tree.nodes[number].parent for number in path] == [-1, *path[:-1]]
            assert tree.nodes[path[-1]].log_prob == result.log_prob
            assert tree.nodes[path[-1]].fate == (ENDED if result.finished else KEPT)


class TestSearch:
    SOURCE = "x y x".split()

    @pytest.mark.parametrize("length", ["none", "normalise"])
    @pytest.mark.parametrize("beam", [1, 4])
    def test_one_model_and_ensembles(self, beam: int, length: str) -> None:
        models = [TableTranslation(["x", "y"], WORDS, seed, attends=seed > 1) for seed in (1, 2, 3)]
        alone = [[TableTranslation(["x", "y"], WORDS, seed)] for seed in range(12)]
        for members in (models, *alone):
            tree = translations.search(members, self.SOURCE, beam, length, "")
            (expected,) = translate(translations.together(members), [self.SOURCE], Decoding(beam, length=length))
            assert [hypothesis.words for hypothesis in tree.hypotheses] == [hypothesis.words for hypothesis in expected]
            np.testing.assert_allclose(
                [hypothesis.log_prob for hypothesis in tree.hypotheses],
                [hypothesis.log_prob for hypothesis in expected],
                rtol=1e-6,
            )

    def test_what_is_attended_to(self) -> None:
        forced = translations.attended(TableTranslation(["x", "y"], WORDS), self.SOURCE, ["a", "b"])
        np.testing.assert_allclose(forced.attention, [[0, 0, 1]] * 3)
        assert translations.attended(TableTranslation(["x", "y"], WORDS, attends=False), self.SOURCE, ["a"]) is None


class TestTruth:
    @pytest.mark.slow
    def test_the_alignment_is_that_of_the_corpus(self) -> None:
        """Links of dev as its file has them; log P as the truth says word by word."""
        folder = find_corpus("village_pairs", "train.source")
        pairs, truth = read_pairs(folder, "dev")[:12], truths.pair_truth("village_pairs")
        links = read_alignments(folder / "dev.align")
        for (source, target), expected in zip(pairs, links, strict=False):
            judged = translations.judge(truth, source, target)
            assert judged.links == expected and judged.problem == ""
            assert judged.log_prob == pytest.approx(sum(truth.token_log_probs(source, target)))
            reference, problem = translations.true_translation(truth, source)
            assert not problem and math.isfinite(truth.log_prob(source, reference))

    def test_an_impossible_translation_says_where(self) -> None:
        source, target = read_pairs(find_corpus("village_pairs", "train.source"), "dev")[0]
        truth = truths.pair_truth("village_pairs")
        judged = translations.judge(truth, source, [*target[:2], "wombat", *target[2:]])
        assert judged.links is None and judged.log_prob == -math.inf
        assert "word 3, 'wombat', is impossible" in judged.problem
        assert "ends too early" in translations.judge(truth, source, target[:-1]).problem

    def test_a_source_that_the_grammar_cannot_say(self) -> None:
        truth = truths.pair_truth("village_pairs")
        reference, problem = translations.true_translation(truth, "wombat hen the".split())
        assert reference == [] and "does not allow the source sentence" in problem
        assert translations.true_translation(None, ["hen"]) == ([], "the truth about this corpus is not known")


def make_run(root: Path, name: str, chapter: str, settings: dict, metrics: dict | None = None) -> Run:
    write_json(root / name / "config.json", {"chapter": chapter, "settings": settings})
    if metrics is not None:
        write_json(root / name / "metrics.json", metrics)
    return Run(name, root / name, chapter, settings)


class TestComparison:
    def test_settings(self, tmp_path: Path) -> None:
        runs = [
            make_run(tmp_path, "a", "06_attentive_lm", {"layers": 1, "score": "none", "from_": "", "run_dir": "a"}),
            make_run(tmp_path, "b", "06_attentive_lm", {"layers": 2, "score": "single", "from_": "", "run_dir": "b"}),
            make_run(tmp_path, "c", "05_rnn_lm", {"layers": 2, "from_": "", "cell": "gru"}),
        ]
        rows = {row.name: row for row in curves.compare_settings(runs)}
        assert list(rows) == ["chapter", "layers", "score", "from", "cell"]
        assert [name for name, row in rows.items() if row.differs] == ["chapter", "layers", "score"]
        assert [name for name, row in rows.items() if row.shared] == ["chapter", "layers", "from"]
        assert rows["score"].values == ["none", "single", None]
        assert not any(row.differs for row in curves.compare_settings(runs[:1]))

    def test_curves_and_results(self, tmp_path: Path) -> None:
        epochs = [{"epoch": 1, "train_perplexity": 9.5, "dev_perplexity": 8.0, "seconds": 3}]
        metrics = {"epochs": epochs, "dev": {"perplexity": 8.0, "unknown": 3}, "test": {"perplexity": 8.5, "bleu": 10}}
        done = make_run(tmp_path, "a", "05_rnn_lm", {}, metrics)
        assert curves.learning_curve(done) == [{"epoch": 1, "train_perplexity": 9.5, "dev_perplexity": 8.0}]
        assert curves.results(done) == {"dev": {"perplexity": 8.0}, "test": {"perplexity": 8.5, "bleu": 10}}
        unfinished = make_run(tmp_path, "b", "05_rnn_lm", {})
        assert curves.learning_curve(unfinished) == [] and curves.results(unfinished) == {}
        with pytest.raises(UserError, match="no epochs that can be read"):
            curves.learning_curve(make_run(tmp_path, "c", "05_rnn_lm", {}, {"epochs": [3]}))


class TestShelf:
    def test_runs_in_both_kinds_of_places(self, tmp_path: Path) -> None:
        make_run(tmp_path, "06_attentive_lm/001", "06_attentive_lm", {"corpus": "village"})
        make_run(tmp_path, "mine", "03_neural_networks", {})
        write_lines(tmp_path / "06_attentive_lm" / "001" / "vocab.txt", ["x"])
        (tmp_path / "broken").mkdir()
        write_lines(tmp_path / "broken" / "config.json", ["{"])
        shelf = Shelf(tmp_path)
        assert [(run.name, run.kind) for run in shelf.runs()] == [("mine", None), ("06_attentive_lm/001", LANGUAGE)]
        with pytest.raises(UserError, match="not trained yet"):
            shelf.models(["06_attentive_lm/001"], LANGUAGE)
        with pytest.raises(UserError, match="no run 'other'"):
            shelf.find("other")
        make_run(tmp_path, "other", "05_rnn_lm", {})
        assert shelf.find("other").chapter == "05_rnn_lm", "a run that came later is found"
        assert kind_of("03_neural_networks") is None and kind_of("99") is None
