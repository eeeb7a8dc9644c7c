"""Contract: kumiko table makes a case's runs and prints its tables next to published values."""

import json
import re
import shutil
import signal
import subprocess
import time
import unittest

from command_case import GAUSSIAN, HAS_OPENMP, KUMIKO, SMALL, THESIS, CommandTest


@unittest.skipUnless(HAS_OPENMP, "the table's fine grid runs with OpenMP")
class Table(CommandTest):
    def test_given_a_small_thesis_case_then_both_tables_and_the_json_are_there(self):
        result = self.kumiko("table", THESIS, *SMALL, "--workers", "2", "--summary", "table.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("1.6 and 3.1", "0.82 and 0.71"):
            self.assertIn(part, result.stdout)
        # Errors after 12 of 640 steps on other grids are not what is printed.
        self.assertIn("they are for the case's whole time and the spacings 1/256 and 1/1024", result.stdout)
        for part in ("6.000e-02", "4.114e-02", "3.566e-02", " -\n"):
            self.assertNotIn(part, result.stdout)
        table = json.loads((self.path / "table.json").read_text())
        runs = table["runs"]
        self.assertEqual(list(runs), ["coarse", "amr_threads", "amr_pthread", "fine"])
        self.assertEqual(runs["amr_threads"]["state_hash"], runs["amr_pthread"]["state_hash"])
        self.assertEqual(runs["fine"]["backend"], "openmp")
        self.assertEqual(runs["fine"]["updates"]["total"], 256 * 256 * 12 * 4)
        self.assertLess(runs["fine"]["error"]["rms"], runs["coarse"]["error"]["rms"])
        ratio = runs["fine"]["wall_s"] / runs["amr_threads"]["wall_s"]
        self.assertAlmostEqual(table["ratios"]["wall.fine_over_amr"], ratio)

    def test_given_a_signal_then_the_runs_that_have_ended_are_printed(self):
        command = [KUMIKO, "table", str(THESIS), "--set", "grid.base=128", "--set", "time.steps=1280", "--workers", "2",
                   "--summary", "table.json"]  # fmt: skip
        seconds = 0.2
        ended = None
        while ended is None:
            with subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                time.sleep(seconds)
                run.send_signal(signal.SIGINT)
                text, _ = run.communicate(timeout=120)
            self.assertNotEqual(run.returncode, 0, "it has ended before the signal")
            seconds *= 1.5
            ended = re.search(r"Runs that ended before\n +RMS error +seconds\n  coarse only \(128\) +\S+e-02 +\d", text)
        table = json.loads((self.path / "table.json").read_text())
        self.assertFalse(table["complete"])
        self.assertIn("coarse", table["runs"])
        self.assertNotIn("fine", table["runs"])

    def test_given_quiet_then_the_tables_are_in_the_json_alone(self):
        done = self.kumiko("table", THESIS, *SMALL, "--workers", "1", "--summary", "table.json", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(len(json.loads((self.path / "table.json").read_text())["runs"]), 4)

    def test_given_a_run_that_a_printed_error_is_of_then_it_stands_beside_it_alone(self):
        result = self.kumiko("table", THESIS, "--set", "amr.levels=1", "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        errors = result.stdout.split("Table 6.2")[0]
        rows = {line.strip().split("  ")[0]: line.split() for line in errors.splitlines()}
        self.assertEqual(rows["coarse only (256)"][3], "6.000e-02")
        self.assertEqual(rows["AMR (256 to 256), threads"][5], "-")
        self.assertEqual(rows["NoAMR (256), OpenMP"][3], "-")

    def test_given_a_table_beside_the_configuration_then_it_is_the_cases_own(self):
        shutil.copy(GAUSSIAN, self.path / "mine.toml")
        (self.path / "mine.table").write_text("""
[[run]]
name = "plain"
set = ["amr.levels=1"]
[[run]]
name = "deep"
set = ["amr.levels=2"]
[[table]]
title = "Errors"
rows = ["plain", "deep", { title = "gain", over = ["plain", "deep"] }]
columns = [
  { title = "largest", value = "error.linf", format = ".6e" },
  { title = "ratio", ratio = "error.linf", format = ".6f" },
]
""")
        done = self.kumiko("table", "mine.toml", "--set", "grid.base=32", "--set", "time.steps=112", "--summary", "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = json.loads((self.path / "t.json").read_text())["runs"]
        plain, deep = (runs[name]["error"]["linf"] for name in ("plain", "deep"))
        self.assertIn(f"{plain:.6e}", done.stdout)
        self.assertIn(f"{plain / deep:.6f}", done.stdout)
        (self.path / "mine.table").write_text("[[run]]\nname = 'a'\nmesh = 'fien'\n[[table]]\n")
        self.assert_refused(self.kumiko("table", "mine.toml"), "mine.table: run 1", "finest")

    def test_given_a_case_without_printed_values_then_there_is_no_column_for_them(self):
        small = ["--set", "grid.base=32", "--set", "time.steps=112", "--set", "time.stop_step=4"]
        result = self.kumiko("table", GAUSSIAN, *small, "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("thesis", result.stdout)
        self.assertNotIn(" -", result.stdout)


if __name__ == "__main__":
    unittest.main()
