"""The explorer's server as a browser asks it, without a browser: answers, refusals, bounds, training runs."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from book.explorer import bounds, jobs
from book.explorer.language_answers import impossible_place
from book.explorer.server import make_app
from common.training.runs import runs_root
from data import oracle
from tests.explorer_runs import TINY, train_runs, write_village

LM, PAST, SECOND = "02_loglinear_lm/001", "06_attentive_lm/001", "06_attentive_lm/002"
ATTENTION, WORDS = "08_attention/001", "09_word_attention/001"
SAMPLE = {"text": "", "runs": [PAST], "number": 1, "seed": 1, "temperature": 1}
TRANSLATE = {"text": "hen", "runs": [WORDS], "beam": 1, "length": "none"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = [(*name.split("/"), ()) for name in (LM, PAST, ATTENTION, WORDS)]
    return train_runs(tmp_path_factory.mktemp("explorer") / "runs", *runs, (*SECOND.split("/"), ("--score", "single")))


@pytest.fixture(scope="module")
def client(root: Path) -> FlaskClient:
    return make_app(root).test_client()


Ask = Callable[..., dict]


@pytest.fixture
def ask(client: FlaskClient) -> Ask:
    def post(question: str, status: int = 200, **body: object) -> dict:
        answer = client.post(f"/api/{question}", json=body)
        assert answer.status_code == status, answer.get_json()
        return answer.get_json()

    return post


def refusal(answer: TestResponse) -> str:
    """The one line with which bad input is answered."""
    assert answer.status_code >= 400
    fields = answer.get_json()
    assert set(fields) == {"error"} and "\n" not in fields["error"] and "Traceback" not in fields["error"]
    return fields["error"]


class TestAnswers:
    def test_runs(self, client: FlaskClient) -> None:
        answer = client.get("/api/runs").get_json()
        assert [run["name"] for run in answer["runs"]] == [LM, PAST, SECOND, ATTENTION, WORDS]
        assert [run["attends"] for run in answer["runs"]] == [False, True, True, False, False]
        assert {run["kind"] for run in answer["runs"]} == {"language", "translation"}
        assert all(run["trained"] and len(run["examples"]) > 1 for run in answer["runs"])
        labels = [run["label"] for run in answer["runs"]]
        assert labels[:2] == ["2. Log-linear language models", "6. The attentive language model, combined score"]
        numbers = [chapter["name"][:2] for chapter in answer["chapters"]]
        assert numbers == "01 02 04 05 06 07 08 09 10 11 11".split()[: len(numbers)]

    def test_a_config_of_no_chapter_is_left_out(self, client: FlaskClient, root: Path) -> None:
        config = json.loads((root / PAST / "config.json").read_text("utf-8"))
        for number, chapter in enumerate(("../chapters/06_attentive_lm", "06_attentive_lm/", "a" * 5000)):
            (root / f"odd{number}").mkdir()
            (root / f"odd{number}" / "config.json").write_text(json.dumps(config | {"chapter": chapter}), "utf-8")
        answer = client.get("/api/runs").get_json()
        assert len(answer["runs"]) == 5
        for number in range(3):
            shutil.rmtree(root / f"odd{number}")

    def test_a_beginning_that_cannot_be_said(self) -> None:
        assert impossible_place(["zeppelin"], ["the"], True) == -1 and impossible_place([], ["zeppelin"], False) == 0
        assert impossible_place(["the"], [], True) == 0 and impossible_place(["the"], [], False) is None

    @pytest.mark.slow
    def test_next_words(self, ask: Ask) -> None:
        text = "the hen of mira"
        answer = ask("next", text=text, runs=[LM, PAST])
        truth = oracle.next_word_probs(text.split())
        assert dict(answer["truth"]["continuations"]) == pytest.approx(truth)
        assert answer["truth"]["surprisals"] == pytest.approx([-c for c in oracle.token_log_probs(text.split())[:-1]])
        assert [model["run"] for model in answer["models"]] == [LM, PAST]
        for model in answer["models"]:
            assert model["divergence"] > 0 and len(model["surprisals"]) == 4
            assert len(model["probs"]) == len(answer["listed"]) == bounds.LISTED
        assert answer["truth"]["probs"] == [truth.get(word, 0) for word in answer["listed"]]

    def test_what_is_typed_is_read_as_the_models_words(self, ask: Ask, client: FlaskClient) -> None:
        assert ask("next", text="The Goat, of MIRA", runs=[PAST])["words"] == "the goat , of mira".split()
        assert ask("sample", text="The Goat", runs=[PAST], number=1, seed=1, temperature=1)["words"] == ["the", "goat"]
        assert ask("look", text="The goat.", runs=[PAST])["read"] == ["<s>", "the", "goat", "."]
        text = client.get("/api/runs").get_json()["runs"][-1]["examples"][1]
        typed = text.capitalize().replace(" .", ".")
        plain, answer = (ask("translate", text=each, runs=[WORDS], beam=2, length="none") for each in (text, typed))
        assert typed != text and answer == plain

    def test_an_impossible_prefix_still_gets_the_models(self, ask: Ask) -> None:
        answer = ask("next", text="the hen zeppelin", runs=[PAST])
        assert answer["truth"]["impossible"] == 2 and answer["truth"]["continuations"] == []
        assert answer["models"][0]["unknown"][-1] == "zeppelin" and answer["models"][0]["divergence"] is None
        assert answer["truth"]["surprisals"][2] is None

    def test_samples(self, ask: Ask) -> None:
        question = {"text": "the hen", "runs": [PAST], "number": 3, "temperature": 0.7}
        samples = ask("sample", **question, seed=5)["samples"]
        assert samples == ask("sample", **question, seed=5)["samples"] != ask("sample", **question, seed=6)["samples"]
        assert len(samples) == 3
        for sample in samples:
            costs = oracle.token_log_probs(["the", "hen", *sample["words"]])
            possible = np.isfinite(costs[: None if sample["finished"] else -1]).all()
            assert (sample["impossible"] is None) == possible

    def test_attention_over_the_past(self, ask: Ask) -> None:
        answer = ask("look", text="the hen follows mira .", runs=[LM, PAST, SECOND])
        assert [model["run"] for model in answer["models"]] == [PAST, SECOND]
        assert answer["read"][0] == "<s>" and answer["predicted"][-1] == "</s>" and len(answer["read"]) == 6
        for model in answer["models"]:
            ((name, weights),) = (head.values() for head in model["heads"])
            assert name == "" and np.shape(weights) == (6, 6) and len(model["surprisals"]) == 6
            np.testing.assert_allclose(np.sum(weights, axis=1), [0, 1, 1, 1, 1, 1], atol=1e-5)

    def test_translations_attention_and_gates(self, ask: Ask, client: FlaskClient) -> None:
        run = next(run for run in client.get("/api/runs").get_json()["runs"] if run["name"] == WORDS)
        text = run["examples"][1]
        answer = ask("translate", text=text, runs=[WORDS], beam=3, length="none")
        assert answer["source"] == text.split() and answer["reference"] and not answer["problem"]
        assert 1 <= len(answer["found"]) <= 3 and answer["nodes"]
        for hypothesis in answer["found"]:
            last = answer["nodes"][hypothesis["path"][-1]]
            assert last["log_prob"] == hypothesis["log_prob"] and isinstance(hypothesis["possible"], bool)
        seen = ask("attend", text=text, target=" ".join(answer["reference"]), runs=[WORDS, ATTENTION])
        gated, plain = seen["models"]
        shape = (len(answer["reference"]) + 1, len(text.split()))
        assert (
            np.shape(gated["attention"]) == np.shape(gated["word_attention"]) == np.shape(plain["attention"]) == shape
        )
        assert len(gated["gates"]) == shape[0] and plain["gates"] is None
        assert seen["links"] and all(i < shape[1] and j < shape[0] - 1 for i, j in seen["links"])

    def test_comparison(self, ask: Ask) -> None:
        answer = ask("compare", runs=[PAST, SECOND])
        differing = {row["name"]: row["values"] for row in answer["settings"] if row["differs"]}
        assert differing == {"score": ["combined", "single"]}
        assert [len(curve) for curve in answer["curves"]] == [2, 2]
        assert answer["results"][0]["dev"]["perplexity"] > 1


class TestBounds:
    """What is too much, or not what was asked for, is refused in one line."""

    @pytest.mark.parametrize(
        ("question", "body", "message"),
        [
            ("next", {"text": "hen " * 61, "runs": [PAST]}, "61 words: at most 60"),
            ("next", {"text": "h" * 61, "runs": [PAST]}, "at most 60 letters"),
            ("next", {"text": "the </s>", "runs": [PAST]}, "mark where sentences begin and end"),
            ("next", {"text": 3, "runs": [PAST]}, "text: must be text"),
            ("next", {"text": "", "runs": []}, "no models chosen"),
            ("next", {"text": "", "runs": [f"a{n}" for n in range(9)]}, "9 models chosen"),
            ("next", {"text": "", "runs": "all"}, "must be a list"),
            ("next", {"text": "", "runs": ["../../etc"]}, "no run '../../etc'"),
            ("next", {"text": "", "runs": [WORDS]}, "no language model"),
            ("look", {"text": " ", "runs": [PAST]}, "type a sentence"),
            ("look", {"text": "hen", "runs": [LM]}, "none of these models has attention"),
            ("sample", SAMPLE | {"number": 11}, "number: must be"),
            ("sample", SAMPLE | {"number": True}, "number: must be"),
            ("sample", SAMPLE | {"seed": -1}, "seed: must be"),
            ("sample", SAMPLE | {"temperature": 0}, "temperature: must be"),
            ("sample", SAMPLE | {"temperature": 10**400}, "temperature: must be"),
            ("translate", TRANSLATE | {"text": "hen " * 41}, "41 words: at most 40"),
            ("attend", {"text": "hen", "target": "la " * 13, "runs": [WORDS]}, "13 words: at most 12"),
            ("translate", {"text": "hen", "runs": [f"a{n}" for n in range(6)]}, "6 models chosen: choose 1 to 5"),
            ("translate", TRANSLATE | {"beam": 11}, "beam: must be"),
            ("translate", TRANSLATE | {"length": "long"}, "length: choose from"),
            ("translate", TRANSLATE | {"runs": [PAST]}, "no translation model"),
            ("train", {"chapter": "03_neural_networks"}, "not a chapter whose models"),
            ("train", {}, "not a chapter whose models"),
            ("stop", {"number": 1}, "no training run 1"),
            ("nothing", {}, "no question 'nothing'"),
        ],
    )
    def test_one_line(self, client: FlaskClient, question: str, body: dict, message: str) -> None:
        assert message in refusal(client.post(f"/api/{question}", json=body))

    def test_a_body_that_is_too_large_or_no_object(self, client: FlaskClient) -> None:
        large = json.dumps({"text": "x" * bounds.MOST_BYTES, "runs": []})
        assert "Too Large" in refusal(client.post("/api/next", data=large, content_type="application/json"))
        for data in ("[1]", "{", "", "[" * 9000, '{"a":' * 3000):
            assert "JSON object" in refusal(client.post("/api/next", data=data, content_type="application/json"))

    def test_other_hosts_and_other_pages_are_turned_away(self, client: FlaskClient) -> None:
        """A name that was made to point here; a form of another page; a script of another page."""
        body = {"text": "", "runs": [PAST]}
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
        assert client.post("/api/next", json=body, headers={"Host": "evil.example:80"}).status_code == 400
        assert client.get("/", headers={"Host": "127.0.0.1:8123"}).status_code == 200
        plain = client.post("/api/next", data=json.dumps(body), content_type="text/plain")
        assert "JSON object" in refusal(plain)
        foreign = client.post("/api/next", json=body, headers={"Origin": "http://evil.example"})
        assert "answers only its own page" in refusal(foreign)
        own = client.post("/api/next", json=body, headers={"Origin": "http://localhost"})
        assert own.status_code == 200
        assert client.post("/api/train", json={"chapter": "01_ngram_lm"}, headers={"Origin": "null"}).status_code == 400

    def test_the_page_may_load_nothing_from_elsewhere(self, client: FlaskClient) -> None:
        policy = client.get("/").headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy
        for name in ("look.css", "main.js"):
            text = client.get(f"/static/{name}").get_data(as_text=True)
            assert text and "http" not in text.replace("http://www.w3.org/2000/svg", "")
        assert client.get("/static/../server.py").status_code == 404


class TestTraining:
    """Jobs, with the flags of tiny models."""

    @pytest.fixture
    def begin(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., jobs.Jobs]]:
        monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        trainings = []

        def make(*flags: str) -> jobs.Jobs:
            corpus = tmp_path / "hamlet"
            if not corpus.exists():
                write_village(corpus)
            trainings.append(jobs.Jobs(["--corpus", str(corpus), *flags]))
            return trainings[-1]

        yield make
        for training in trainings:
            training.close()

    @pytest.mark.needs("time")
    @pytest.mark.slow
    def test_a_run_is_trained_and_found(self, begin: Callable[..., jobs.Jobs]) -> None:
        training = begin(*TINY)
        training.start("05_rnn_lm")
        with pytest.raises(jobs.UserError, match="already being trained"):
            training.start("05_rnn_lm")
        (job,) = wait(training)
        assert (job["state"], job["message"], job["epochs_done"], job["epochs"]) == (jobs.DONE, "", 2, 2)
        client = make_app(runs_root()).test_client()
        assert [run["name"] for run in client.get("/api/runs").get_json()["runs"]] == ["05_rnn_lm/001"]

    @pytest.mark.slow
    @pytest.mark.needs("time")
    def test_a_failed_one_shows_its_line(self, begin: Callable[..., jobs.Jobs]) -> None:
        training = begin("--epochs", "0")
        training.start("06_attentive_lm")
        (job,) = wait(training)
        assert job["state"] == jobs.FAILED and job["message"] == "--epochs 0: must be at least 1"

    @pytest.mark.slow
    @pytest.mark.needs("time")
    def test_a_stopped_one_ends_and_the_next_begins(self, begin: Callable[..., jobs.Jobs]) -> None:
        training = begin("--epochs", "100000", "--patience", "100000")
        training.start("04_feedforward_lm")
        training.start("05_rnn_lm")
        training.start("06_attentive_lm")
        end = time.monotonic() + 240
        while training.about()[0]["epochs_done"] < 1 and time.monotonic() < end:
            time.sleep(0.05)
        states = [job["state"] for job in training.about()]
        assert states == [jobs.RUNNING, jobs.WAITING, jobs.WAITING]
        first = training.jobs[0].process
        training.stop(2)
        training.stop(1)
        assert first.poll() == 130, "as Ctrl-C ends it"
        while training.about()[2]["state"] == jobs.WAITING and time.monotonic() < end:
            time.sleep(0.05)
        assert [job["state"] for job in training.about()] == [jobs.STOPPED, jobs.STOPPED, jobs.RUNNING]
        assert training.jobs[1].process is None

    @pytest.mark.slow
    @pytest.mark.needs("time")
    def test_what_cannot_be_started_has_failed_and_the_next_begins(
        self, begin: Callable[..., jobs.Jobs], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        training, started = begin("--epochs", "0"), jobs.subprocess.Popen

        def refuse_first(*arguments, **options) -> jobs.subprocess.Popen:
            monkeypatch.setattr(jobs.subprocess, "Popen", started)
            raise BlockingIOError(11, "no process left")

        monkeypatch.setattr(jobs.subprocess, "Popen", refuse_first)
        training.start("04_feedforward_lm")
        training.start("05_rnn_lm")
        first, second = wait(training)
        assert first["state"] == jobs.FAILED and "no process left" in first["message"]
        assert second["message"] == "--epochs 0: must be at least 1"

    def test_closing_begins_nothing(self, begin: Callable[..., jobs.Jobs]) -> None:
        training = begin("--epochs", "100000", "--patience", "100000")
        for chapter in ("04_feedforward_lm", "05_rnn_lm", "06_attentive_lm"):
            training.start(chapter)
        training.close()
        assert [job["state"] for job in training.about()] == [jobs.STOPPED] * 3
        assert [job.process for job in training.jobs[1:]] == [None, None]


def wait(training: jobs.Jobs) -> list[dict]:
    end = time.monotonic() + 240
    while any(job["state"] in (jobs.WAITING, jobs.RUNNING) for job in training.about()):
        assert time.monotonic() < end, training.about()
        time.sleep(0.05)
    return training.about()
