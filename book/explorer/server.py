"""The web server of the explorer: a page, its scripts, and questions with JSON answers, on this machine alone.

Nobody else is to ask: it listens on 127.0.0.1, answers only to the names of this machine (a page elsewhere whose name
is made to point here has another), and takes questions only as JSON, which a browser lets no other page send.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException

from common import ROOT, program_of
from common.chapters import chapter_module
from common.endings import one_line
from common.errors import UserError
from common.training.runs import ABOUT_THE_RUN

from . import bounds, language_answers, translation_answers, truths
from .jobs import Jobs
from .shelf import LANGUAGE, Run, Shelf, chapters_to_train, kind_of

HOSTS = ["localhost", "127.0.0.1"]
PATIENCE = 30
"""Seconds that a question waits for those before it."""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MODEL_QUESTIONS = {
    "next": language_answers.next_word,
    "sample": language_answers.samples,
    "look": language_answers.look_back,
    "translate": translation_answers.translate,
    "attend": translation_answers.attend,
}


def make_app(root: Path, train_flags: Sequence[str] = ()) -> Flask:
    """The server of the runs in a folder. train_flags: more flags for every training run that the page begins."""
    app = Flask(__name__, template_folder="page", static_folder="page", static_url_path="/static")
    app.json.sort_keys = False
    app.config.update(MAX_CONTENT_LENGTH=bounds.MOST_BYTES, TRUSTED_HOSTS=HOSTS)
    shelf, jobs, turn = Shelf(root), Jobs(train_flags), threading.Lock()

    def warm() -> None:
        """Read the grammar's rules once, which takes a second, before anybody waits for them."""
        with turn:
            language_answers.true_next(())

    app.extensions["explorer"] = {"jobs": jobs, "warm": warm}

    @app.get("/")
    def page() -> str:
        return render_template("explorer.html", bounds=bounds)

    @app.get("/api/runs")
    def runs() -> Response:
        chapters = [about_chapter(name) for name in chapters_to_train()]
        runs_here = sorted(shelf.runs(), key=lambda run: (run.chapter, unusual(run), run.name))
        return jsonify(runs=[about(run) for run in runs_here], chapters=chapters, jobs=jobs.about())

    @app.get("/api/jobs")
    def progress() -> Response:
        return jsonify(jobs=jobs.about())

    @app.post("/api/train")
    def train() -> Response:
        jobs.start(str(body().get("chapter")))
        return jsonify(jobs=jobs.about())

    @app.post("/api/stop")
    def stop() -> Response:
        jobs.stop(bounds.whole(body(), "number", 1, 10**6))
        return jsonify(jobs=jobs.about())

    @app.post("/api/compare")
    def compare() -> Response:
        return jsonify(translation_answers.compare(shelf, body()))

    @app.post("/api/<question>")
    def ask(question: str) -> Response:
        if question not in MODEL_QUESTIONS:
            raise UserError(f"no question {question!r:.40}")
        fields = body()
        return jsonify(one_at_a_time(turn, lambda: MODEL_QUESTIONS[question](shelf, fields)))

    @app.errorhandler(UserError)
    def refused(error: UserError) -> tuple[Response, int]:
        return jsonify(error=one_line(str(error))), 400

    @app.errorhandler(HTTPException)
    def not_served(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=f"{error.code} {error.name}"), error.code or 500

    @app.after_request
    def guard(response: Response) -> Response:
        response.headers.update(HEADERS)
        return response

    return app


def body() -> dict:
    """The JSON object of the request. Raises `UserError` where it is none; other pages cannot send one."""
    try:
        fields = request.get_json(silent=True)
    except RecursionError:  # nested thousands deep
        fields = None
    if not isinstance(fields, dict):
        raise UserError("a question must be a JSON object")
    if request.headers.get("Origin", request.host_url.rstrip("/")) != request.host_url.rstrip("/"):
        raise UserError("this server answers only its own page; open the address that it printed")
    return fields


def one_at_a_time(turn: threading.Lock, answer: Callable[[], dict]) -> dict:
    """The answer, computed when those before it are done. Raises `UserError` where that takes too long."""
    if not turn.acquire(timeout=PATIENCE):
        raise UserError("still busy with an earlier question; try again")
    try:
        return answer()
    finally:
        turn.release()


def about(run: Run) -> dict:
    """What the page knows of a run before it asks for more."""
    return {
        "name": run.name,
        "chapter": run.chapter,
        "kind": run.kind,
        "trained": run.trained,
        "corpus": Path(run.corpus).name,
        "label": label(run.chapter, run.settings),
        "attends": attends(run.kind, run.settings),
        "examples": truths.examples(run.corpus, run.kind) if run.kind and run.trained else [],
    }


def about_chapter(name: str) -> dict:
    """The same of a chapter whose quick preset can be trained."""
    settings, kind = usual_settings(name), kind_of(name)
    return {"name": name, "kind": kind, "label": label(name, {}), "attends": attends(kind, settings)}


@cache
def usual_settings(chapter: str) -> dict[str, Any]:
    """The settings of a chapter's quick preset."""
    return vars(chapter_module(chapter, "settings").Settings())


def unusual(run: Run) -> int:
    """How many settings of a run are not those of the quick preset."""
    usual = usual_settings(run.chapter) if run.kind else {}
    return sum(run.settings.get(name) != value for name, value in usual.items() if name not in ABOUT_THE_RUN)


CHOICES = {"variant": "{}", "score": "{} score", "cell": "{} cells"}
"""The settings that tell the runs of a chapter apart, and how a label has them."""


def label(chapter: str, settings: Mapping[str, Any]) -> str:
    """A name for people: the heading of the chapter's lesson, and what tells its runs apart."""
    choices = [text.format(settings[name]) for name, text in CHOICES.items() if settings.get(name)]
    return heading(chapter) + (f", {choices[0]}" if choices else "")


@cache
def heading(chapter: str) -> str:
    """The heading of a chapter's lesson, or of its second part; the name of its folder where there is none."""
    program = ROOT / program_of(chapter, "train")
    lesson = program.with_name("README.md" if program.stem == "train" else "PART2.md")
    first = lesson.read_text("utf-8").partition("\n")[0] if lesson.is_file() else chapter.replace("_", " ")
    return first.removeprefix("# ")


def attends(kind: str | None, settings: Mapping[str, Any]) -> bool:
    """Whether a language model attends to its past, as far as its settings tell."""
    return kind == LANGUAGE and (settings.get("score", "none") != "none" or "heads" in settings)
