"""A Dask cluster on the loopback address: a scheduler and workers, each a process of its own, started as users do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.programs import ROOT

PATIENCE = 120
QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical", "PYTHONPATH": str(ROOT)}


class Processes:
    """To be closed. The scheduler's `address`, and the workers' processes by their names."""

    def __init__(self, folder: Path):
        self.folder, self.workers = folder, {}
        scheduler_file = folder / "scheduler.json"
        self.scheduler = self.start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file)
        )
        self.address = json.loads(wait_for_text(scheduler_file))["address"]

    def add(self, name: str, root: Path = ROOT) -> subprocess.Popen:
        """Start a worker that does one piece of work at a time, from the course in the folder `root`."""
        flags = ("--nthreads", "1", "--no-nanny", "--name", name, "--local-directory", str(self.folder))
        self.workers[name] = self.start("dask_worker", self.address, *flags, root=root)
        return self.workers[name]

    def start(self, module: str, *flags: str, root: Path = ROOT) -> subprocess.Popen:
        environment = {**os.environ, **QUIET, "PYTHONPATH": str(root)}
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *flags]
        with open(self.folder / "said.txt", "ab") as log:
            return subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)

    def close(self) -> None:
        for process in (*self.workers.values(), self.scheduler):
            process.kill()
            process.wait()


def wait_for_text(path: Path) -> str:
    """What is in a file as soon as there is something in it."""
    end = time.monotonic() + PATIENCE
    while not (path.exists() and path.read_text("utf-8").endswith("}")):
        assert time.monotonic() < end, f"{path} has not come"
        time.sleep(0.05)
    return path.read_text("utf-8")
