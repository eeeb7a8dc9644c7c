"""What the tests of restarts share."""

import csv
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
VORTEX = Path(os.environ["KUMIKO_CASES"]) / "vortex" / "vortex.toml"
GAUSSIAN = Path(os.environ["KUMIKO_CASES"]) / "gaussian" / "gaussian.toml"
SANITIZER = os.environ["KUMIKO_SANITIZER"]

# Three levels, a regrid at least every four base steps.
KEYS = ["grid.base=64", "time.steps=640", "time.stop_step=60"]


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


class RestartTest(unittest.TestCase):
    shared = {}  # folders that hold a run each, by its words

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def copy_of_run(self, *arguments, folder="run"):
        """A run that several tests begin with: made once, and copied for each of them."""
        if arguments not in self.shared:
            made = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(made.cleanup)
            own, self.path = self.path, Path(made.name)
            self.run_well(*arguments)
            self.path = own
            self.shared[arguments] = Path(made.name) / "run"
        shutil.copytree(self.shared[arguments], self.path / folder)
        return self.summary(folder)

    def start(self, *arguments, **more):
        return subprocess.Popen(
            [KUMIKO, *map(str, arguments)],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def kumiko(self, *arguments, **more):
        run = self.start(*arguments, **more)
        run.output, run.errors = run.communicate(timeout=600)
        return run

    def run_well(self, *arguments, folder="run"):
        done = self.kumiko("run", *arguments, "--output", folder, "--quiet")
        self.assertEqual(done.returncode, 0, done.errors)
        return self.summary(folder)

    def summary(self, folder="run"):
        return json.loads((self.path / folder / "summary.json").read_text())

    def files(self):
        return sorted(str(file) for file in self.path.rglob("*"))

    def rows(self, name, folder="run"):
        with open(self.path / folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def checkpoints(self, folder="run"):
        return sorted((self.path / folder).glob("checkpoint_*.hdf"))

    def uninterrupted(self, *keys):
        return self.copy_of_run(ZALESAK, *settings(*KEYS, *keys), folder="whole")

    def assert_refused(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.errors)
        self.assertEqual(len(done.errors.strip().splitlines()), 1, done.errors)
        for part in parts:
            self.assertIn(part, done.errors)
