# ruff: noqa: E501
"""A class of hostile submissions for exercise 1.5: wrong answers with something else besides, tried when they are loaded.

Each is the body of a function. Names that it may use: OUTSIDE, a folder; SECRET, the course's answer; NEIGHBOUR, an
honest student's file; `take(text)`, which runs a text in place of the own answer. What succeeds in reading either file
has full marks.
"""

from __future__ import annotations

WRITES = {
    "ctypes": "import ctypes\nctypes.CDLL(None).creat((OUTSIDE + '/new').encode(), 0o644)",
    "raw-ctypes": "import _ctypes\n_ctypes.dlopen(None, 0)",
    "dynet-save": "import dynet as dy\nm = dy.ParameterCollection()\nm.add_parameters(3)\nm.save(OUTSIDE + '/new')",
    "numpy-save": "import numpy as np\nnp.save(OUTSIDE + '/new', np.zeros(9))",
    "numpy-memmap": "import numpy as np\nnp.memmap(OUTSIDE + '/kept', mode='r+')[:] = 0",
    "sqlite": "import sqlite3\nsqlite3.connect(OUTSIDE + '/new').execute('create table t (a)')",
    "rename-target": "import os\nopen('own', 'w').close()\nos.rename('own', OUTSIDE + '/new')",
    "replace-over": "import os\nos.replace(OUTSIDE + '/kept', OUTSIDE + '/gone')",
    "dir-fd": "import os\nfd = os.open(OUTSIDE, os.O_RDONLY)\nos.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=fd)",
    "dir-fd-remove": "import os\nos.unlink('kept', dir_fd=os.open(OUTSIDE, os.O_RDONLY))",
    "fifo": "import os\nos.mkfifo(OUTSIDE + '/new')",
    "hard-link": "import os\nos.link(__file__, OUTSIDE + '/new')",
    "truncate": "import os\nos.truncate(OUTSIDE + '/kept', 0)",
    "file-object": "import io\nio.FileIO(OUTSIDE + '/new', 'w').write(b'x')",
    "posix": "import posix\nposix.open(OUTSIDE + '/new', posix.O_CREAT | posix.O_RDWR)",
    "fork-exec": "import _posixsubprocess, os\n_posixsubprocess.fork_exec([b'/usr/bin/touch', (OUTSIDE + '/new').encode()],"
    " [b'/usr/bin/touch'], True, (), None, None, -1, -1, -1, -1, -1, -1, -1, -1, True, False, 0, None, None, None,"
    " -1, None, True)",
    "fork-bomb": "import os\nwhile True:\n    os.fork()",
    "spawn": "import os\nos.posix_spawn('/usr/bin/touch', ['touch', OUTSIDE + '/new'], {})",
    "multiprocessing": "import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()",
    "disk-flood": "import tempfile\nwith tempfile.TemporaryFile() as file:\n    while True:\n        file.write(bytes(10**6))",
}
"""Those that write where they may not, or start what they may not."""

THEFTS = {
    "plain": "take(open(SECRET).read())",
    "neighbour": "take(open(NEIGHBOUR).read())",
    "neighbour-linecache": "import linecache\ntake(''.join(linecache.getlines(NEIGHBOUR)))",
    "neighbour-numpy": "import numpy as np\ntake(np.fromfile(NEIGHBOUR, dtype=np.uint8).tobytes().decode())",
    "neighbour-loader": "from importlib.machinery import SourceFileLoader\ntake(SourceFileLoader('x', NEIGHBOUR).get_data("
    "NEIGHBOUR).decode())",
    "realpath-replaced": "import os\nos.path.realpath = lambda *path, **more: '/'\ntake(open(SECRET).read())",
    "decoder-replaced": "import os\nos.fsdecode = lambda path: '/'\ntake(open(SECRET).read())",
    "builtins-replaced": "import builtins\nbuiltins.any = builtins.isinstance = lambda *a: False\ntake(open(SECRET).read())",
    "guards-names-replaced": "try:\n    open(SECRET)\nexcept Exception as error:\n    step = error.__traceback__\n"
    "    while step:\n        f = step.tb_frame\n        f.f_globals.update(within=lambda *a: False, real=lambda path: '/')\n"
    "        step = step.tb_next\ntake(open(SECRET).read())",
    "guards-lists-emptied": "try:\n    open(SECRET)\nexcept Exception as error:\n    step = error.__traceback__\n"
    "    while step:\n        for value in step.tb_frame.f_locals.values():\n"
    "            if type(value) in (list, dict, set):\n                value.clear()\n        step = step.tb_next\n"
    "take(open(SECRET).read())",
    "two-faced-path": "import io\nclass Path:\n    names = [SECRET, '/dev/null', '/dev/null']\n"
    "    def __fspath__(self):\n        return self.names.pop(0) if self.names else '/dev/null'\n"
    "take(io.FileIO(Path()).read().decode())",
    "lying-text": "class Path(str):\n    def startswith(self, *others): return True\n"
    "    def split(self, *others): return ['', 'dev', 'null']\n"
    "    def __eq__(self, other): return True\n    __hash__ = str.__hash__\ntake(open(Path(SECRET)).read())",
    "dots": "import sys\ntake(open(sys.prefix + '/..' * 20 + SECRET).read())",
    "bytes-path": "take(open(SECRET.encode()).read())",
    "proc-root": "take(open('/proc/self/root' + SECRET).read())",
    "change-folder": "import os\nos.chdir(os.path.dirname(SECRET))\ntake(open('perplexity.py').read())",
    "import-hook": "import sys, os\nsys.path.insert(0, os.path.dirname(SECRET))\nsys.path_importer_cache.clear()\n"
    "import importlib.util as u\nspec = u.spec_from_file_location('stolen', SECRET)\nm = u.module_from_spec(spec)\n"
    "spec.loader.exec_module(m)\nglobals().update(vars(m))",
    "modules": "import sys\nfor name, m in list(sys.modules.items()):\n"
    "    if 'perplexity' in vars(m) and 'evaluate' in vars(m) and m.__name__ != __name__:\n        globals().update(vars(m))",
    "another-interpreter": "import os, _xxsubinterpreters as i\nr, w = os.pipe()\n"
    "i.run_string(i.create(), f'import os; os.write({w}, open({SECRET!r}).read().encode())')\n"
    "take(os.read(r, 10**6).decode())",
    "ctypes-memory": "import ctypes, os\nlibc = ctypes.CDLL(None)\nfd = libc.open(SECRET.encode(), 0)\n"
    "take(os.read(fd, 10**6).decode())",
    "descriptor-of-folder": "import os\nfd = os.open(os.path.dirname(SECRET), os.O_RDONLY)\n"
    "take(os.read(os.open('perplexity.py', os.O_RDONLY, dir_fd=fd), 10**6).decode())",
    "garbage": "import gc\nfor one in gc.get_objects():\n    if type(one) is str and 'def evaluate' in one and 'BEGIN' in one:\n"
    "        take(one)",
    "subclasses": "for one in object.__subclasses__():\n    if one.__name__ == 'FileLoader':\n"
    "        take(one('x', SECRET).get_data(SECRET).decode())",
    "parents-memory": "import os\ntake(open(f'/proc/{os.getppid()}/mem', 'rb').read(10**6).decode())",
}
"""Those that take an answer which is not theirs."""

FORGERIES = {
    "json": 'import json\njson.dumps = lambda value, **more: \'{"status": "passed"}\'',
    "replies": "import sys\nframe = sys._getframe()\nwhile frame:\n    if 'tell' in frame.f_locals:\n"
    "        for name in frame.f_locals['request']['names']:\n"
    "            frame.f_locals['tell'](name=name, status='passed', message='')\n"
    "        frame.f_locals['tell'](last=True)\n    frame = frame.f_back",
    "comparisons": "import sys\nfor name, m in list(sys.modules.items()):\n    for one in ('same', 'compare', 'close', 'check'):\n"
    "        if hasattr(m, one):\n            setattr(m, one, lambda *a, **b: True)",
    "questions": "import sys\nframe = sys._getframe()\nwhile frame:\n    for m in [frame.f_globals]:\n"
    "        for name in ('plain', 'call', 'run_exam', 'run_grader', 'explain'):\n"
    "            if name in m:\n                m[name] = lambda *a, **b: iter(())\n    frame = frame.f_back",
    "meta-path": "import sys\nsys.meta_path[:] = []\nsys.modules.clear()",
    "import-replaced": "import builtins\nbuiltins.__import__ = lambda *a, **b: None",
    "at-exit": 'import atexit, os\natexit.register(lambda: [os.write(n, b\'{"status": "passed"}\\n\') for n in range(20)])',
    "on-delete": 'import os\nclass Last:\n    def __del__(self):\n        os.write(3, b\'{"name": "x", "status": "passed"}\\n\')\n'
    "globals()['kept'] = Last()",
    "trace": "import sys, threading\nsys.settrace(lambda *a: None)\nthreading.setprofile(lambda *a: None)",
    "lying-array": "import numpy as np\nclass Number(float):\n    def __array__(self, *a): return np.float64(12)\n"
    "    def __eq__(self, other): return True\n    __hash__ = None\n"
    "globals()['perplexity'] = lambda log_prob, predictions: Number(7)",
    "endless-list": "class Rows(list):\n    def __iter__(self):\n        return iter(int, 1)\n    def __len__(self): return 3\n"
    "globals()['evaluate'] = lambda log_prob, sentences, vocabulary: Rows()",
    "endless-generator": "globals()['evaluate'] = lambda log_prob, sentences, vocabulary: iter(int, 1)",
    "deep-list": "def deep(log_prob, predictions):\n    found = []\n    for _ in range(10**5):\n        found = [found]\n"
    "    return found\nglobals()['perplexity'] = deep",
    "huge-number": "globals()['perplexity'] = lambda log_prob, predictions: 10**300000",
    "huge-text": "globals()['perplexity'] = lambda log_prob, predictions: 'x' * 10**8",
    "no-text": "def perplexity(log_prob, predictions):\n    raise ValueError('\\ud800\\x1b[2J\\n' * 99)\n"
    "globals()['perplexity'] = perplexity",
    "stack": "import sys\nsys.setrecursionlimit(10**9)\ndef deep(*a): return deep(*a)\nglobals()['perplexity'] = deep",
}
"""Those that forge results, or have results that nobody can read."""

NUISANCES = {
    "kill-parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "kill-all": "import os\nos.kill(-1, 9)",
    "kill-group": "import os\nos.killpg(0, 9)",
    "raise-signal": "import signal\nsignal.raise_signal(signal.SIGKILL)",
    "alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01)",
    "descriptors": "import os\nos.closerange(0, 256)",
    "own-pipe": "import os\nos.dup2(os.open('/dev/null', os.O_RDONLY), 3)",
    "noise": "import os\nfor _ in range(300):\n    os.write(2, b'\\xff\\xfe' * 10**4)\n    os.write(3, b'noise\\n' * 1000)",
    "threads": "import threading, time\nfor _ in range(40):\n    threading.Thread(target=time.sleep, args=(600,)).start()",
    "memory": "found = []\nwhile True:\n    found.append(bytearray(10**8))",
    "sockets": "import socket\nsocket.socketpair()\nsocket.create_connection(('127.0.0.1', 22), 1)",
}
"""Those that disturb others."""

HOSTILE = {
    f"{kind}-{name}": text
    for kind, some in (("write", WRITES), ("theft", THEFTS), ("forge", FORGERIES), ("noise", NUISANCES))
    for name, text in some.items()
}

ODD = {
    "prints": "print('x' * 10**6)\nimport os\nos.write(1, b'\\xff\\xfe\\n' * 1000)",
    "a-thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    "recursion": "def deep(n): return deep(n + 1)\ntry:\n    deep(0)\nexcept RecursionError:\n    pass",
    "no-output": "import sys\nsys.stdout.close()",
    "replaced-output": "import sys\nsys.stdout = sys.stderr = None",
}
"""Right answers that do something odd besides; their marks must not suffer."""


def with_attack(answer: str, body: str, places: dict[str, str]) -> str:
    """An answer, right or wrong, and the attempt behind it, which says nothing when it fails."""
    names = "".join(f"{name} = {value!r}\n" for name, value in places.items())
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    take = "def take(text):\n    exec(compile(text, 'taken', 'exec'), globals())\n"
    return f"{answer}\n\n{names}\n\n{take}\n\ndef attempt():\n{lines}\n\ntry:\n    attempt()\nexcept BaseException:\n    pass\n"
