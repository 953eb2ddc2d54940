"""Live figures before they are in a browser: their lines in a page, their scripts, the exported models, the grammar."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.form import count_words, problems
from book.lessons import LESSONS, LIVE, ROOT, figures, notebooks, read
from book.lessons.cells import pieces
from book.live.figures import FIGURES, STATIC, find, script_names, write_scripts
from book.live.gradients import gradient_norms
from book.live.models import export
from book.live.pages import figures_in, with_figures
from book.live.scripts import MODELS, packed, script, script_data, unpacked
from book.live.village import grammar_data
from book.site.edition import Edition
from book.site.pages import adapted
from chapters.attentive_lm.model import AttentiveLM, State
from chapters.ngram_lm.counts import join
from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.nn.recurrent import LSTMState
from common.programs.chapters import load_run
from common.text.alignment import true_alignments
from common.text.corpus import read_sentences
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from data.village_grammar import START
from data.village_phrases import village
from tests.explorer_runs import train_runs
from tests.programs import error_line, run_python

PAGE = "chapters/06_attentive_lm/README.md"
LINE = "<!-- live: next-words 06 -->"
MEGABYTES = 3.2


def test_a_line_becomes_the_element_of_its_figure() -> None:
    text = f"Before.\n{LINE}\nBehind.\n\n```text\n{LINE}\n```\n"
    element = '<div class="live" data-figure="next-words" data-chapter="06"></div>'
    assert adapted(Edition(), PAGE, text) == f"Before.\n\n{element}\n\nBehind.\n\n```text\n{LINE}\n```\n"
    assert figures_in(adapted(Edition(), PAGE, text)) == [("next-words", "06")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<!-- live: next-wrods 06 -->", "no live figure 'next-wrods'; choose from next-words, "),
        ("<!-- live: next-words 07 -->", "next-words is for chapters 01, 05, 06, 11, not for '07'"),
        ("<!-- live: next-words -->", "write <!-- live: NAME CHAPTER -->"),
        ("<!-- live:next-words 06-->", "write <!-- live: NAME CHAPTER -->"),
    ],
)
def test_a_line_that_names_no_figure(line: str, message: str) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(PAGE)}: .*{re.escape(message)}"):
        with_figures(PAGE, f"text\n{line}\n")


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_form_of_a_lesson_does_not_see_the_line(lesson: str) -> None:
    """Whatever is counted and run is the same with a line below each picture."""
    text = LIVE.sub("", read(lesson))
    lively = re.sub(r"^(!\[.*\]\(figures/.*\))$", rf"\1\n{LINE}", text, flags=re.MULTILINE)
    assert lively.count(LINE) >= 8
    assert count_words(lively) == count_words(text) and figures(lively) == figures(text)
    assert list(problems(lesson, lively)) == list(problems(lesson, text))
    code = [[(piece.kind, piece.code) for piece in pieces(version) if piece.code] for version in (text, lively)]
    assert code[0] == code[1]


def test_a_notebook_is_without_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"# Title\n\n![some picture](figures/a.svg)\n{LINE}\n\n*Its caption.*\n\n{LINE}\n\n```python\n1 + 1\n```\n"
    monkeypatch.setattr(notebooks, "read", lambda page: text)
    notebook = json.loads(notebooks.as_notebook(PAGE, ROOT / "chapters/06_attentive_lm"))
    texts = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    assert texts == ["# Title\n\n![some picture](figures/a.svg)\n\n*Its caption.*"]


def test_lessons_name_figures_that_exist() -> None:
    for page in ROOT.glob("chapters/*/*.md"):
        with_figures(page.relative_to(ROOT).as_posix(), page.read_text("utf-8"))


def test_every_script_is_used_and_exists() -> None:
    used = {"live.js"}.union(*(figure.scripts for figure in FIGURES.values()))
    assert used == {path.name for path in STATIC.glob("*.js")}
    for name, figure in FIGURES.items():
        last = (STATIC / figure.scripts[-1]).read_text("utf-8")
        assert figure.chapters and f'live.figures["{name}"] = ' in last


def test_scripts_of_one_page_do_not_clash() -> None:
    """They share one scope, in which a second `const` of a name is an error, and a function replaces another."""
    texts = "".join(path.read_text("utf-8") for path in STATIC.glob("*.js"))
    names = [name for line in re.findall(r"^(?:function|class) \w+|^const .*", texts, re.MULTILINE)
             for name in re.findall(r"(?:function |class |const |, )(\w+)(?= = |\(| \{|$)", line)]  # fmt: skip
    assert {"softmax", "AttentiveLM", "BOUNDARY", "UNKNOWN", "ROWS"} <= set(names)
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_no_script_asks_another_host_or_fetches() -> None:
    for path in STATIC.iterdir():
        addresses = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|\bfetch\(|\bimport\b|XMLHttpRequest", addresses), path
        assert len(addresses.splitlines()) <= 250, path


def test_only_what_pages_need_is_written(tmp_path: Path) -> None:
    write_scripts(set(), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    write_scripts({("softmax", "02")}, tmp_path / "one")
    assert {path.name for path in (tmp_path / "one").iterdir()} == {*script_names("softmax", "02"), "live.css"}
    data = script_data((tmp_path / "one/data-softmax.js").read_text("utf-8"))
    assert data["words"][data["next"]] == "feeds"


def test_numbers_in_base64() -> None:
    array = np.array([[0.5, -1.25], [65504, 2**-24]])
    np.testing.assert_array_equal(unpacked(packed(array, "<f2"), "<f2"), array.ravel())
    assert script_data(script("model 06", {"x": ["; ", " = "]})) == {"x": ["; ", " = "]}


def test_the_grammar_is_whole() -> None:
    """Every nonterminal that is used has a rule, probabilities sum to one, and the start symbol is the first rule."""
    data = grammar_data(village, START)
    terminals = len(data["words"]) + len(data["slots"])
    used = {symbol for _, *rights in data["rules"] for right in rights for symbol in right}
    assert max(used) < terminals + len(data["rules"]) and data["start"] == terminals
    assert set(range(terminals)) <= used, "no symbol that nothing produces"
    assert all(math.isclose(math.fsum(probs), 1) for probs in data["probs"])
    assert all(len(rights) == len(data["probs"][shared]) for shared, *rights in data["rules"])
    assert {name for names, _ in data["names"].values() for name in names}.isdisjoint(data["words"])
    assert len(script("village", data)) < 150_000


def test_the_models_are_small_and_complete() -> None:
    sizes = {path.name: path.stat().st_size for path in MODELS.iterdir()}
    names = "01 05 06 08-dot 08-local 08-mlp 11 gradients-06".split()
    assert sorted(sizes) == [f"{name}.js" for name in names] and sum(sizes.values()) < MEGABYTES * 1e6
    for chapter in find("next-words", "01").chapters:
        data = script_data((MODELS / f"{chapter}.js").read_text("utf-8"))
        assert data["words"][:2] == ["</s>", "<unk>"] and "mira" in data["words"]


@pytest.mark.parametrize("kind", ["dot", "mlp", "local"])
def test_attention_is_that_of_one_pair(kind: str) -> None:
    """Weights over the source words for each target word and the end, beside the true links."""
    data = script_data((MODELS / f"08-{kind}.js").read_text("utf-8"))
    corpus = load_pairs("village_pairs")
    assert (data["source"], data["target"]) == tuple(map(list, corpus.test[data["number"]]))
    assert set(map(tuple, data["links"])) == true_alignments(corpus, "test")[data["number"]]
    weights = np.array(data["weights"])
    assert weights.shape == (len(data["target"]) + 1, len(data["source"]))
    if kind == "local":  # in a window, and multiplied by a bell curve after the softmax
        assert (weights == 0).any(axis=1).all() and (weights.sum(axis=1) < 1).all()
    else:
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-3)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = (
        ("01_ngram_lm", "a", ("--smoothing", "kneser-ney")),
        ("01_ngram_lm", "other", ()),
        ("05_rnn_lm", "a", ()),
        ("05_rnn_lm", "gru", ("--cell", "gru")),
        ("05_rnn_lm", "untied", ("--softmax", "untied")),
        ("06_attentive_lm", "a", ()),
        ("06_attentive_lm", "single", ("--score", "single")),
        ("06_attentive_lm", "none", ("--score", "none")),
        ("07_encoder_decoder", "a", ()),
        ("08_attention", "a", ()),
        ("11_transformer", "a", ()),
        ("11_transformer", "rotary", ("--positions", "rotary")),
        ("11_transformer", "post", ("--norm", "post")),
    )
    return train_runs(tmp_path_factory.mktemp("live") / "runs", *wanted)


@pytest.mark.parametrize("run", ["05_rnn_lm/a", "06_attentive_lm/a", "06_attentive_lm/single", "11_transformer/a"])
def test_a_neural_model_is_its_numbers_in_half_precision(run: str, runs: Path, tmp_path: Path) -> None:
    path = export(runs / run, tmp_path)[0]
    assert path.name == f"{run[:2]}.js"
    data, (model, settings) = script_data(path.read_text("utf-8")), load_run(runs / run)
    trained = DynetParameters(model)
    assert list(data["parameters"]) == trained.names() and data["hidden_size"] == settings.hidden_size
    assert data["words"] == model.vocab.words
    for name, array in zip(trained.names(), trained.arrays(), strict=True):
        stored = data["parameters"][name]
        assert tuple(stored["shape"]) == array.shape
        exported = unpacked(stored["numbers"], "<f2").reshape(array.shape)
        np.testing.assert_allclose(exported, array, rtol=2**-11, atol=2**-25)


def test_the_ngram_model_is_its_text(runs: Path, tmp_path: Path) -> None:
    data = script_data(export(runs / "01_ngram_lm/a", tmp_path)[0].read_text("utf-8"))
    model, settings = load_run(runs / "01_ngram_lm/a")
    train = read_sentences(Path(settings.corpus) / "train.txt")
    inputs, targets = join([model.vocab.encode(sentence) for sentence in train])
    text = unpacked(data["text"], "<u2")
    np.testing.assert_array_equal(text[:-1], inputs)
    np.testing.assert_array_equal(text[1:], targets)
    assert data["order"] == settings.order and data["spellsUnknown"] is False


@pytest.mark.parametrize("score", ["single", "combined"])
def test_gradients_by_finite_differences(score: str) -> None:
    """A move of one step's state, which the LSTM and attention go on with, changes the loss as the gradient says."""
    model, epsilon = AttentiveLM(Vocabulary("abcdef"), hidden_size=3, score=score, init_scale=0.8), 1e-2
    merge = np.random.default_rng(1).normal(size=(3, 6))
    model.W_c.set_value(merge)  # its start as the identity would leave attention out
    inputs, targets = np.array([[0, 0], [2, 5], [4, 3], [6, 2]]), [3, 7]

    def loss(sentence: int, step: int, move: np.ndarray) -> float:
        state = model.start(1)
        for place, word in enumerate(inputs[:, sentence]):
            state, log_probs = model.next_words(state, [int(word)])
            if place == step:
                moved = state.memory[-1] + dy.inputTensor(move)
                state = State(
                    [*state.layers[:-1], LSTMState(moved, state.layers[-1].cell)], [*state.memory[:-1], moved]
                )
        return -float(log_probs.npvalue()[targets[sentence]])

    norms = gradient_norms(model, inputs, targets)
    for sentence in (0, 1):
        for step in range(len(inputs) - 1):
            slopes = [
                (loss(sentence, step, move) - loss(sentence, step, -move)) / (2 * epsilon)
                for move in epsilon * np.eye(3)
            ]
            assert norms[step, sentence] == pytest.approx(np.linalg.norm(slopes), rel=0.02, abs=1e-4)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("01_ngram_lm/other", "the page supports only --smoothing kneser-ney"),
        ("05_rnn_lm/gru", "the page supports only LSTM layers"),
        ("05_rnn_lm/untied", "the page supports only --softmax tied"),
        ("06_attentive_lm/none", "the page supports only the model of model.py"),
        ("07_encoder_decoder/a", "a run of 07_encoder_decoder; the page has models of 01_ngram_lm, 05_rnn_lm, 06_"),
        ("08_attention/a", "hamlet_pairs; the page needs a model of village_pairs"),
        ("11_transformer/rotary", "the page supports only --positions sinusoidal with --norm pre"),
        ("11_transformer/post", "the page supports only --positions sinusoidal with --norm pre"),
        ("no", "no"),
    ],
)
def test_a_run_that_the_page_cannot_show(run: str, message: str, runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        export(runs / run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_export_as_a_program(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run = str(runs / "05_rnn_lm/a")
    done = run_python("-m", "book.live", "export", "--run", run, "--out", str(tmp_path))
    assert done.returncode == 0 and done.stdout.startswith(str(tmp_path / "05.js"))
    failed = run_python("-m", "book.live", "export", "--run", run, "--out", str(tmp_path / "file"))
    assert failed.returncode == 2 and error_line(failed.stderr).endswith("file: is a file; name a folder")
    failed = run_python("-m", "book.live", "export", "--run", str(tmp_path / "no"), "--out", str(tmp_path))
    assert failed.returncode == 2 and str(tmp_path / "no") in error_line(failed.stderr)
