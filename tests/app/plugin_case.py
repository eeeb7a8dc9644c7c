"""What the tests of plugins share: the program, the plugins of the tests, small runs with them."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
SHIPPED = Path(os.environ["KUMIKO_SHIPPED"])
PLUGINS = Path(os.environ["KUMIKO_TEST_PLUGINS"])
SANITIZER = os.environ["KUMIKO_SANITIZER"]

FAULTY = PLUGINS / "faulty.so"
SEVERAL = PLUGINS / "several.so"

# A run with what is shipped, for any solver to take part in.
SHIPPED_RUN = """
[case]
name = "zalesak"
[solver]
name = "upwind1"
[grid]
base = 32
[time]
steps = 320
stop_step = 2
[amr]
levels = 1
"""

# Two levels; the step k begins at the time k / 16, and the fault of a run shows in the step 9.
FAULTY_RUN = """
[case]
name = "faulty_case"
[solver]
name = "faulty_solver"
[grid]
base = 32
[amr]
levels = 2
[time]
steps = 16
[step]
time_interpolation = "linear"
[checkpoint]
every = 3
"""
FAULT_TIME = 9 / 16


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


class PluginTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.config = self.path / "faulty.toml"
        self.config.write_text(FAULTY_RUN)
        self.shipped_config = self.path / "shipped.toml"
        self.shipped_config.write_text(SHIPPED_RUN)

    def kumiko(self, *arguments, plugin_path=None, program=KUMIKO, **more):
        environment = {name: text for name, text in os.environ.items() if name != "KUMIKO_PLUGIN_PATH"} | more
        if plugin_path is not None:
            environment["KUMIKO_PLUGIN_PATH"] = plugin_path
        return subprocess.run(
            [program, *map(str, arguments)],
            cwd=self.path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def run_faulty(self, *keys, folder="run", more=()):
        return self.kumiko(
            "run", self.config, "--plugin-path", FAULTY, "--output", folder, "--quiet",
            *settings(*keys), *more,
        )  # fmt: skip

    def run_shipped(self, *arguments, **more):
        return self.kumiko("run", self.shipped_config, "--quiet", *arguments, **more)

    def assert_told(self, done, code, *parts):
        """The exit code, and one line on stderr that names the parts."""
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("kumiko: error: "), lines[0])
        for part in parts:
            self.assertIn(str(part), lines[0])

    def assert_done(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def summary(self, folder="run"):
        return json.loads((self.path / folder / "summary.json").read_text())

    def copied(self, *names):
        """A folder with copies of the test plugins."""
        folder = self.path / "plugins"
        folder.mkdir(exist_ok=True)
        for name in names:
            shutil.copy(PLUGINS / name, folder)
        return folder
