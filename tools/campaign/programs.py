"""Every program with random flags and standard input: it does what it is asked to, or says in one line why not."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from common import ROOT, program_of
from common.modules import programs

from .cases import COUNTED, wanted
from .extras import make_files
from .field import TRAININGS, as_main, course, make_field
from .flags import draw, read_flags
from .forks import Fault

PACKAGES = ("data", "exercises", "solutions", "tools", "book")
"""Where programs are that run with `-m`."""
EXCLUDED = {
    "tools.campaign": "this is it",
    "tools.dynet": "downloads and compiles for minutes, and installs",
    "tools.reference_lm": "trains for minutes with a library that the course does not need",
    "tools.bench": "measures for minutes",
    "tools.growth": "measures for minutes",
    "tools.processes": "measures for minutes, in several processes",
    "tools.mutate_answers": "grades hundreds of answers",
    "tools.check_types": "checks types for a minute, and reads nothing of the user's",
    "tools.equations": "reads the tests, and nothing of the user's",
    "tools.check_dynet": "checks DyNet for a minute, and reads nothing of the user's",
    "tools.large_class": "grades a class for minutes",
    "tools.by_epoch": "trains as train.py does, whose flags it takes without knowing them",
    "tools.large_vocabulary": "measures for minutes, and models of gigabytes",
    "book.explorer": "serves pages until somebody ends it",
    "book.live": "trains for minutes, and writes models of the book's own pages",
    "book.site": "builds the book for a minute",
    "book.figures": "draws for minutes",
    "book.excerpts": "rewrites the lessons",
    "book.lessons": "runs the course's own lessons, and rewrites them",
}
"""Programs that are left out, those in a package of this name too, with the reason."""
RECORDS = "_record"
"""Ends the names of the programs that record what lessons show: they train for minutes."""
SMALL = {"--text-only", "--pairs", "--sentences"}
"""Flags with which `data generate` is quick: it writes no truth about a corpus, or a small corpus."""
NEVER = {
    *("watch", "check", "next", "progress"),  # exercises: never ends, or grades for minutes
    *("reveal", "sync", "oracle", "ptb"),  # grades; writes the course's own files; minutes
    *("preset", "ladder"),  # the paper's sizes are for days, the ladder for an hour
}
"""Flags and commands that are left out: they take long by what they are."""
DONE = ("--finished", "--seeds", "1")
TINY = ("--epochs", "1", "--hidden-size", "8", "--batch-size", "8")
SHORT = {
    **{program_of(training.chapter, "train"): (*TINY, *training.corpus) for training in TRAININGS.values()},
    "chapters/01_ngram_lm/train.py": ("--order", "2", "--corpus", "texts"),
    "chapters/02_loglinear_lm/train.py": ("--epochs", "1", "--features", "word1", "--corpus", "texts"),
    "chapters/02_loglinear_lm/additive.py": ("--epochs", "1", "--sentences", "300"),
    "chapters/02_loglinear_lm/compare_optimisers.py": ("--epochs", "1", "--corpus", "texts"),
    "chapters/02_loglinear_lm/compare_losses.py": ("--epochs", "1", "--seeds", "1", "--corpus", "texts"),
    "chapters/03_neural_networks/train.py": ("--epochs", "5"),
    "chapters/03_neural_networks/how_often.py": ("--epochs", "2", "--seeds", "2"),
    "chapters/04_feedforward_lm/skipgram.py": ("--epochs", "1", "--corpus", "texts"),
    "chapters/04_feedforward_lm/count_vectors.py": ("--corpus", "texts"),
    "chapters/05_rnn_lm/probe.py": ("--sentences", "400"),
    "chapters/10_beyond/exposure.py": ("--sentences", "5"),
    "chapters/05_rnn_lm/autobatch.py": ("--batches", "1", "--hidden-size", "4", "--corpus", "texts"),
    "chapters/05_rnn_lm/compare_batching.py": ("--seconds", "0.2", "--corpus", "texts"),
    "tools.align": ("pairs", "--iterations", "2"),
    "tools.experiment": DONE,
    "book.labs": ("ch03",),
    "data": (),
}
"""Flags that keep a program short. What is drawn comes after them, and beats them."""
RUNS = " ".join(f"runs/{training.chapter}/{name}" for name, training in TRAININGS.items())
SENSIBLE = f"""
corpus: texts pairs village village_pairs village_paragraphs tongues
name: texts pairs ptb tanaka village tongues
run: {RUNS}
runs: {RUNS}
ensemble: {RUNS}
second: {RUNS}
start_from: {RUNS}
system: a b {RUNS}
build: a b {RUNS}
file: sources.txt targets.txt - texts/test.txt pairs/test.source
score: sources.txt - texts/test.txt
references: targets.txt sources.txt pairs/test.target
links: links.txt pairs/test.align
arpa: model.arpa sources.txt
from_: work solved
folder: work new
run_dir: new new/inner runs/06_attentive_lm/attentive
out: new new/inner texts/train.txt
to: new installed
csv: new.csv texts
json: new.json
submissions: work
which: 1.1 1 6.2 9.9
only: 1.1 1
source: ptb.zip pairs.zip texts
word: hen sees zebra
words: hen the zebra
sentence: hen the-hen zebra
rival: hen zebra
features: word1 word1,class1 pair12 bag suffix1 word1,word7 word0 pair11
systems: gates-word-gated default attentional,default word-word
chapter: chapters/04_feedforward_lm chapters/06_attentive_lm 08_attention
set: hidden_size=8 epochs=2 batch_size=2,8 layers=1,1 dropout
hidden_size: 2 4 7
epochs: 1 2
layers: 1 2
limit: 5 20
total: 5 20
memory: 1
sentences: 2 50
pairs: 2 50
subwords: 20 24 40 characters
directions: english-veldran veldran-bremish
direction: veldran-bremish
through: english
pair_count: 1 2
prune: 0,0,1 0,1 1,0
max_words: 3 10
"""
"""Values that a user might give, by the name of the flag."""
VALUES = {name: values.split() for name, values in (line.split(": ") for line in SENSIBLE.split("\n") if line)}
RUNS_FOR = {
    "chapters/05_rnn_lm/probe.py": "villagers",
    "chapters/05_rnn_lm/saliency.py": "villagers",
    "chapters/11_transformer/translate.py": "translator",
    "chapters/11_transformer/visualize_pairs.py": "translator",
    "chapters/10_beyond/exposure.py": "gates",
    "chapters/10_beyond/names.py": "copying",
    "chapters/10_beyond/pivot.py": "tongues",
}
"""The run of the field that a program can use, where few can be used."""
HEN, GOAT = b"the hen sees a goat\n", b"a zebra feeds the duck\n"
INPUTS = (
    *(b"", b"\n", HEN, HEN + GOAT, b"\xff\xfe\n", b"\0\n", b"the hen", HEN + b"\n" + GOAT, b"</s>\n", b"<unk> <unk>\n"),
    *(b"x " * 1200, b"\r\n", b"  \n \n", b"the\xc2\xa0hen\n", HEN * 30),
)
"""What is given on standard input."""


class Programs:
    """Each case runs one program of a copy of the course, in a copy of the field."""

    name = "programs"
    seconds = 60.0
    wrong = 0.25
    """The share of values that are drawn from what makes no sense."""

    def __init__(self, only: str = ""):
        self.only, self.names = only, wanted(find_programs(), only)

    def prepare(self, scratch: Path) -> None:
        """Make the field, and read the flags of every program."""
        needed = [name for name in TRAININGS if not self.only or self.may_use(name)]
        ready = make_field(scratch / "field", needed)
        self.field, self.course, self.flags = Path.cwd(), course(), {}
        make_files()
        for name in ready:
            shutil.move(f"runs/{name}", f"runs/{TRAININGS[name].chapter}/{name}")
        Path("empty").mkdir()
        Path("noise.bin").write_bytes(random.Random(1).randbytes(500))
        for name in self.names:
            self.flags[name] = read_flags(self.program(name, []), scratch / "flags" / name.replace("/", "."))

    def may_use(self, run: str) -> bool:
        """Whether one of the programs is of the chapter of a run, or is a tool, which may be for any chapter."""
        return any(
            TRAININGS[run].chapter.removesuffix("_pairs") in name or name.startswith("tools.") for name in self.names
        )

    def program(
        self, name: str, arguments: list[str], begin: Callable[[], object] = lambda: None
    ) -> Callable[[], object]:
        """What runs the program of the copied course. begin: called before it is loaded."""
        return as_main(self.course / name if name.endswith(".py") else name, arguments, self.course, begin)

    def begin(self, here: Path, rng: random.Random) -> None:
        """What is done to a case before its program is loaded. here: its copy of the field."""

    def draw(self, name: str, rng: random.Random) -> list[str]:
        """A command line of a program, but none that takes minutes."""
        arguments = draw(self.flags[name], rng, values_for(name), SHORT.get(name, ()), NEVER, self.wrong)
        return self.draw(name, rng) if takes_minutes(name, arguments) else arguments

    def case(self, rng: random.Random, folder: Path) -> tuple[str, Callable[[], object], bytes]:
        name = rng.choice(self.names)
        arguments = self.draw(name, rng)
        stdin, here = rng.choice(INPUTS), folder / "here"

        def work() -> None:
            shutil.copytree(self.field, here)
            os.chdir(here)
            os.environ["COURSE_RUNS"], os.environ["COURSE_DATA"] = "runs", "installed"
            print(COUNTED, name)
            try:
                self.program(name, arguments, lambda: self.begin(here, rng))()
            finally:
                if half := sorted(path.name for path in here.rglob("*.part") if not path.name.startswith("grades")):
                    raise Fault(f"half-written: {half} stayed behind")

        return f"{name} {arguments} with {stdin[:40]!r} on standard input", work, stdin


def takes_minutes(name: str, arguments: list[str]) -> bool:
    """Whether a command line takes long by what it is: a whole corpus with the truth about it."""
    return name == "data" and arguments[:1] == ["generate"] and not SMALL & set(arguments)


def values_for(name: str) -> dict[str, list[str]]:
    """The sensible values of a program's flags. Half of the runs are those that it can use."""
    runs, best = VALUES["run"], RUNS_FOR.get(name)
    own = [run for run in runs if run.split("/")[1] in name and best is None or run.endswith(f"/{best}")] or runs
    mixed = [*runs, *own * (len(runs) // len(own))]
    return {**VALUES, "run": mixed, "runs": mixed, "system": ["a", "b", *own, *own, *runs]}


def find_programs() -> list[str]:
    """Every program of the course that is not excluded: files of the chapters, and modules that run with `-m`."""
    chapters = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "chapters").glob("*/*.py"))
        if "runpy.run_path(" in path.read_text("utf-8")
    ]
    modules = [name for package in PACKAGES for name in programs(package)]
    return [*chapters, *(name for name in modules if not excluded(name))]


def excluded(name: str) -> bool:
    of_excluded = any(f"{name}.".startswith(f"{prefix}.") for prefix in EXCLUDED)
    return of_excluded or name.endswith(RECORDS) or ".grading." in name
