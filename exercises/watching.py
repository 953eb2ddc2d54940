"""`python -m exercises` in a terminal: it checks whenever a file is saved, and a key brings a hint, a list and more."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from common.errors import UserError
from exercises.commands import ALL_PASS, bar, report, report_next, reset, reveal, row, show_bars, show_hint
from exercises.editor import editor, open_at
from exercises.files import find
from exercises.terminal import BOLD, QUIT, Keys, begin_screen, paint
from exercises.training import can_use_exercises, offer, pictures_of, training_of
from solutions.grading.execution import PASSED
from solutions.grading.marking import Graders
from solutions.grading.reading import is_untouched, locate, read_files
from solutions.grading.running import TaskResult, grade
from solutions.sets import LEVELS, ExerciseSet, Task, choose, find_sets, sets_with
from solutions.stubs import is_answer

PAUSE = 0.1
"""Seconds between two looks at the files."""
HELP = "h again: the next of three hints; n: another exercise; r: keeps a copy of what you have; a: the course's answer"


def watch(folder: Path, which: str = "") -> int:
    """Check, and check again whenever a file changes, until `q` or Ctrl-C."""
    tasks = choose(find_sets(), which)
    with Keys() as keys:
        begin_screen()
        keys.show_busy("reading the exercises ...")
        with Graders(sets_with(tasks)) as graders:
            Watcher(folder, tasks, graders, keys).run()
    return 0


class Watcher:
    """What a student sees. current: the exercise to write. earned: the one that has just passed, or None. finished: the
    chapter whose model can be trained, or None.
    """

    def __init__(self, folder: Path, tasks: list[Task], graders: Graders, keys: Keys):
        self.folder, self.tasks, self.graders, self.keys = folder, tasks, graders, keys
        self.paths = {task.number: locate(folder, task.exercises) / f"{task.file}.py" for task in tasks}
        self.results: dict[str, TaskResult] = {}
        self.hints: Counter[str] = Counter()
        self.seen = self.stamps()
        self.grade(tasks)
        self.current = self.next_after(tasks[-1])
        self.earned: Task | None = None
        begun = [exercises for exercises in sets_with(tasks) if exercises.chapter <= self.current.exercises.chapter]
        self.finished = next(filter(self.is_complete, reversed(begun)), None)
        self.actions = {
            "h": ("hint", self.hint),
            "n": ("next", self.skip),
            "l": ("list", self.show_list),
            "r": ("reset", self.reset),
            "a": ("answer", self.answer),
            "o": ("open", self.open),
            "t": ("train", self.train),
            "?": ("help", lambda: print(HELP)),
        }

    def run(self) -> None:
        """Until `q`."""
        self.show_current()
        while (key := self.keys.read(PAUSE).lower()) != QUIT:
            if key and key in self.offered():
                self.press(key)
            now = self.stamps()
            changed = {path for path in now.keys() | self.seen.keys() if now.get(path) != self.seen.get(path)}
            self.seen = now
            if changed:
                self.check(changed)

    def stamps(self) -> dict[Path, tuple[int, int]]:
        """When each file was last written, and its size."""
        stamps = {}
        for path in set(self.paths.values()):
            with suppress(OSError):  # an editor may be replacing it at this moment
                state = path.stat()
                stamps[path] = state.st_mtime_ns, state.st_size
        return stamps

    def grade(self, tasks: list[Task]) -> None:
        self.results |= {result.task.number: result for result in grade(self.folder, tasks, graders=self.graders)}

    def passes(self, task: Task) -> bool:
        return task.number in self.results and self.results[task.number].status == PASSED

    def is_complete(self, exercises: ExerciseSet) -> bool:
        return all(map(self.passes, exercises.tasks.values()))

    def next_after(self, task: Task) -> Task:
        """The next exercise that does not pass, where the first comes after the last; without any, the task itself."""
        place = self.tasks.index(task) + 1
        return next((other for other in self.tasks[place:] + self.tasks[:place] if not self.passes(other)), task)

    def saved_in(self, changed: Iterable[Path]) -> Task:
        """The exercise that was written: the current one, or else one that did not pass yet, if there is any."""
        here = [task for task in self.tasks if self.paths[task.number] in changed]
        written = [task for task in here if not is_untouched(task, read_files(self.folder, task.exercises))]
        return min(written, key=lambda task: (task != self.current, self.passes(task)), default=self.current)

    def check(self, changed: set[Path]) -> None:
        """Check what was saved and show the verdict, then check the rest of the file. What passes brings the next."""
        task = self.saved_in(changed)
        was_complete = self.is_complete(task.exercises)
        begin_screen()
        self.keys.show_busy(f"checking {task.number} ...")
        self.grade([task])
        if self.passes(task):
            report(self.results[task.number])
        else:
            report_next(self.folder, self.results[task.number])
        sys.stdout.flush()
        self.grade([other for other in self.tasks if self.paths[other.number] in changed and other != task])
        self.current, self.earned = task, None
        if not self.passes(task):
            self.show_keys()
            return
        if self.is_complete(task.exercises) and not was_complete:
            self.finished = task.exercises
            print(f"\n{offer(self.finished, self.folder)}")
        self.current, self.earned = self.next_after(task), task
        print()
        self.show_current()

    def show_current(self) -> None:
        """The current exercise, and where it is; then how far the student is, and the keys."""
        if self.passes(self.current):
            print(ALL_PASS)
        else:
            report_next(self.folder, self.results[self.current.number])
        self.show_keys()

    def show_keys(self) -> None:
        """How far the student is, and the keys."""
        chapter = [task for task in self.tasks if task.exercises == self.current.exercises]
        groups = {f"chapter {self.current.exercises.chapter}": chapter, "in all": self.tasks}
        parts = []
        for name, tasks in groups.items():
            passed = sum(map(self.passes, tasks))
            parts.append(f"{name} {bar(passed, len(tasks))} {passed} of {len(tasks)}")
        print(f"\n{', '.join(parts if len(chapter) < len(self.tasks) else parts[:1])}")
        if self.keys.attached:
            keys = [f"{paint(key, BOLD)} {name}" for key, name in {**self.offered(), QUIT: "quit"}.items()]
            print(", ".join(keys))
        sys.stdout.flush()

    def offered(self) -> dict[str, str]:
        """The keys that do something now, with a word for each."""
        task = self.earned or self.current
        useful = {
            "a": is_answer(task.exercises.answers[task.file]),
            "o": bool(editor()),
            "t": bool(self.finished),
        }
        return {key: word for key, (word, _) in self.actions.items() if useful.get(key, True)}

    def press(self, key: str) -> None:
        """Do what a key means. What cannot be done is said in a line."""
        print()
        try:
            self.actions[key][1]()
        except UserError as error:
            print(error)
        sys.stdout.flush()

    def confirms(self, question: str) -> bool:
        """Whether the student answers a question with `y`."""
        print(f"{question} (y or n)", flush=True)
        while not (key := self.keys.read(PAUSE)):
            pass
        return key.lower() == "y"

    def hint(self) -> None:
        number = self.current.number
        self.hints[number] = min(self.hints[number] + 1, len(LEVELS))
        show_hint(self.current, self.hints[number])

    def skip(self) -> None:
        self.current, self.earned = self.next_after(self.current), None
        self.show_current()

    def show_list(self) -> None:
        show_bars([*self.results.values()])
        for task in self.tasks:
            if task.exercises == self.current.exercises:
                print(f"{'>' if task == self.current else ' '} {row(self.results[task.number])}")

    def reset(self) -> None:
        if self.confirms(f"make {self.current.number} blank again? What you have is kept next to the file."):
            reset(self.folder, self.current.number, file=False)
        else:
            print(f"{self.current.number} stays as it is")

    def answer(self) -> None:
        """The course's answer to what has just passed, or, if the student gives up, to the current exercise."""
        task = self.earned or self.current
        if self.passes(task) or self.confirms(f"{task.number} does not pass yet. Give up and see the course's answer?"):
            reveal(self.folder, task.number, give_up=True, graders=self.graders)

    def open(self) -> None:
        result = self.results[self.current.number]
        function = result.progress.next if result.progress else self.current.functions[0]
        with self.keys.lent():
            open_at(*find(self.folder, self.current, function))

    def train(self) -> None:
        """Train the model of the chapter that was completed last, and name the picture of the run."""
        if not can_use_exercises(self.finished):
            print(offer(self.finished, self.folder))
            return
        words = training_of(self.finished, self.folder)
        print(shlex.join(["python", *words]), flush=True)
        with self.keys.lent():
            status = subprocess.run([sys.executable, *words], check=False).returncode
        if status == 0:
            print(f"the picture of it: {', '.join(pictures_of(self.finished))}")
        print()
        self.show_current()
