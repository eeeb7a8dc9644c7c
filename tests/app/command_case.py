"""What the tests of the command share: the program, its cases, small runs."""

import ctypes
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
THESIS = CASES / "zalesak" / "thesis.toml"
VORTEX = CASES / "vortex" / "vortex_t2.toml"
GAUSSIAN = CASES / "gaussian" / "gaussian.toml"
DYES = CASES / "dyes" / "dyes.toml"
HAS_VTK = os.environ["KUMIKO_HAS_VTK"] == "1"
# GCC's OpenMP library is not built for ThreadSanitizer, which reports what it does not see.
HAS_OPENMP = os.environ["KUMIKO_SANITIZER"] != "thread"

# A coarse, short run of the flagship case: three levels, a few regrids.
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640", "--set", "time.stop_step=12"]


LIBC = ctypes.CDLL(None)


def without_rights_of_root():
    """Between fork and exec: a program that root starts may read and write only what it is allowed to."""
    drop_from_bounding_set, dac_override, dac_read_search = 24, 1, 2
    for capability in (dac_override, dac_read_search):
        LIBC.prctl(drop_from_bounding_set, capability, 0, 0, 0)


class CommandTest(unittest.TestCase):
    shared = {}  # folders that hold a small run each, by its options

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def kumiko(self, *arguments, **more):
        self.files_before = self.files()
        return subprocess.run(
            [KUMIKO, *map(str, arguments)],
            cwd=self.path,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=600,
            **more,
        )

    def files(self):
        return sorted(str(file) for file in self.path.rglob("*"))

    def run_small(self, name, *arguments):
        result = self.kumiko("run", ZALESAK, *SMALL, "--output", name, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads((self.path / name / "summary.json").read_text())

    def copy_of_small(self, name, *arguments):
        """A small run that several tests look at: made once, and copied for each of them."""
        if arguments not in self.shared:
            made = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(made.cleanup)
            own, self.path = self.path, Path(made.name)
            self.run_small("run", *arguments)
            self.path = own
            self.shared[arguments] = Path(made.name) / "run"
        shutil.copytree(self.shared[arguments], self.path / name)
        return json.loads((self.path / name / "summary.json").read_text())

    def assert_refused(self, result, *parts):
        """Exit code 2, one line that names the parts, and nothing written."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(self.files(), self.files_before, "a refused run wrote something")
