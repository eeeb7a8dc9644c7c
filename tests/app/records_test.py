"""Contract: records are tables of values over time, at points, on a line, over a box, and of extremes. Their bytes do
not depend on backend, workers, ranks, kills and restarts, and a record that cannot be taken is refused before the run."""

import csv
import os
import shutil
import signal
import subprocess
import time
import unittest

from command_case import HAS_OPENMP, KUMIKO, SMALL, VORTEX, ZALESAK, CommandTest

MPIRUN = os.environ.get("KUMIKO_MPIRUN_MPICH", "")

RECORDS = """
[[record]]
name = "probes"
points = [[0.5, 0.88], [0.25, 0.5], [0, 0], [1.0, 1.0], [0.4999, 0.751]]
[[record]]
name = "line"
line = { from = [0.3, 0.75], to = [0.7, 0.75], n = 9 }
every = 5
[[record]]
name = "box"
box = [0, 0, 1, 1]
interval = 0.03
[[record]]
name = "range"
extremes = true
component = "u"
every = 2
"""
NAMES = ["box", "line", "probes", "range"]


def settings(*keys):
    return [word for key in keys for word in ("--set", key)]


class RecordsTest(CommandTest):
    def case(self, records=RECORDS, of=ZALESAK):
        (self.path / "case.toml").write_text(of.read_text() + records)
        return "case.toml"

    def run_well(self, *arguments):
        done = self.kumiko("run", *arguments, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def bytes_of(self, folder):
        return {name: (self.path / folder / f"record_{name}.csv").read_bytes() for name in NAMES}

    def rows(self, name, folder="run"):
        with open(self.path / folder / f"record_{name}.csv", newline="") as file:
            return list(csv.DictReader(file))


class Records(RecordsTest):
    def test_given_each_kind_then_its_rows_agree_with_the_diagnostics_and_the_exact_initial_state(self):
        self.run_well(self.case(), *SMALL, *settings("diagnostics.every=1"), "--output", "run")
        with open(self.path / "run" / "diagnostics.csv", newline="") as file:
            diagnostics = {row["step"]: row for row in csv.DictReader(file)}
        self.assertEqual([row["step"] for row in self.rows("probes")], [str(step) for step in range(13)])
        self.assertEqual([row["step"] for row in self.rows("line")], ["0", "5", "10"])
        first = self.rows("probes")[0]
        self.assertEqual(list(first), ["step", "time [T]", "u(0.5;0.88) [U]", "u(0.25;0.5) [U]", "u(0;0) [U]",
                                       "u(1;1) [U]", "u(0.4999;0.751) [U]"])  # fmt: skip
        # Above the slot, far from the disk, and in the slot.
        self.assertAlmostEqual(float(first["u(0.5;0.88) [U]"]), 1, delta=0.2)
        self.assertEqual(float(first["u(0.25;0.5) [U]"]), 0)
        self.assertAlmostEqual(float(first["u(0.4999;0.751) [U]"]), 0, delta=0.2)
        for row in self.rows("box"):
            self.assertEqual(row["integral of u(0;0 to 1;1) [U L^2]"], diagnostics[row["step"]]["mass"])
        for row in self.rows("range"):
            self.assertEqual(row["time [T]"], diagnostics[row["step"]]["time"])
            self.assertEqual(row["min of u [U]"], diagnostics[row["step"]]["min"])
            self.assertEqual(row["max of u [U]"], diagnostics[row["step"]]["max"])
            self.assertTrue(0 <= float(row["x of max of u [L]"]) <= 1)

    def test_given_any_backend_workers_or_ranks_then_the_bytes_are_the_same(self):
        case = self.case()
        self.run_well(case, *SMALL, "--backend", "serial", "--output", "serial")
        expected = self.bytes_of("serial")
        ways = [("threads", 1), ("threads", 2), ("pthread", 2)] + ([("openmp", 2)] if HAS_OPENMP else [])
        for backend, workers in ways:
            self.run_well(case, *SMALL, "--backend", backend, "--workers", workers, "--output", "other", "--overwrite")
            self.assertEqual(self.bytes_of("other"), expected, (backend, workers))
        if MPIRUN:
            words = [MPIRUN, "-n", "2", KUMIKO, "run", case, *SMALL, "--output", "ranks", "--quiet"]
            done = subprocess.run(words, capture_output=True, text=True, cwd=self.path, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.bytes_of("ranks"), expected, "two ranks")

    def test_given_cells_and_steps_by_a_cfl_number_then_a_restart_writes_the_same_bytes(self):
        keys = settings("grid.base=64", "time.cfl=0.9", "solver.name=finite_volume_upwind3", "time.end=0.2",
                        "checkpoint.every=4", "checkpoint.keep=99")  # fmt: skip
        self.run_well(self.case(of=VORTEX), *keys, "--output", "run")
        whole = self.bytes_of("run")
        times = [float(row["time [T]"]) for row in self.rows("box")]
        self.assertEqual(len(times), 7)
        for number, reached in enumerate(times):
            self.assertAlmostEqual(reached, 0.03 * number, delta=0.01)
        for step in (4, 8):
            shutil.copytree(self.path / "run", self.path / f"from{step}")
            for file in (self.path / f"from{step}").glob("state_*"):
                file.unlink()
            self.run_well("--restart", f"from{step}/checkpoint_{step:06}.hdf", "--output", f"from{step}", "--overwrite")
            self.assertEqual(self.bytes_of(f"from{step}"), whole, step)

    def test_given_a_kill_then_the_rows_are_whole_and_a_restart_writes_the_bytes_of_an_undisturbed_run(self):
        keys = settings("grid.base=64", "time.steps=640", "checkpoint.every=7", "checkpoint.keep=99")
        case = self.case()
        with subprocess.Popen([KUMIKO, "run", case, *keys, "--output", "run", "--quiet"], cwd=self.path) as run:
            part = self.path / "run" / "record_probes.csv.part"
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not (part.exists() and part.read_text().count("\n") > 30):
                time.sleep(0.002)
            run.send_signal(signal.SIGKILL)
        rows = part.read_text().splitlines()
        self.assertGreater(len(rows), 30)
        self.assertEqual({row.count(",") for row in rows}, {6})
        # Not from the newest checkpoint, so that rows are cut.
        newest = max(self.path.glob("run/checkpoint_*.hdf"))
        later = newest.stem.split("_")[1]
        earlier = f"run/checkpoint_{int(later) - 14:06}.hdf"
        stop = int(later) + 20
        self.run_well("--restart", earlier, "--overwrite", *settings(f"time.stop_step={stop}"))
        self.run_well(case, *keys, *settings(f"time.stop_step={stop}"), "--output", "whole")
        self.assertEqual(self.bytes_of("run"), self.bytes_of("whole"))
        listed = self.kumiko("inspect", "run")
        self.assertIn("record_probes.csv", listed.stdout)
        self.assertEqual(listed.returncode, 0, listed.stderr)

    def test_given_a_restart_with_other_records_then_new_ones_begin_there_and_left_out_ones_end(self):
        keys = [*SMALL[:4], *settings("checkpoint.every=4", "checkpoint.keep=99")]
        self.run_well(self.case(), *keys, *settings("time.stop_step=8"), "--output", "run")
        line = (self.path / "run" / "record_line.csv").read_text()
        changed = '[[record]]\nname = "new"\nextremes = true\n[[record]]\nname = "probes"\nevery = 3\npoints = '
        same = "[[0.5, 0.88], [0.25, 0.5], [0, 0], [1.0, 1.0], [0.4999, 0.751]]\n"
        warned = self.run_well(self.case(changed + same), *keys, *settings("time.stop_step=12"),
                               "--restart", "latest", "--output", "run")  # fmt: skip
        self.assertIn("record_new.csv' has no rows of the run's part before this restart", warned)
        self.assertEqual([row["step"] for row in self.rows("new")], ["9", "10", "11", "12"])
        self.assertEqual([row["step"] for row in self.rows("probes")], [*map(str, range(9)), "9", "12"])
        self.assertEqual((self.path / "run" / "record_line.csv").read_text(), line)
        other = self.kumiko("run", self.case(changed + "[[0.5, 0.8]]"), *keys, *settings("time.stop_step=16"),
                            "--restart", "latest", "--output", "run")  # fmt: skip
        self.assertNotEqual(other.returncode, 0)
        self.assertIn("record_probes.csv': its columns are those of another record; give this record another name",
                      other.stderr)  # fmt: skip
        self.assertEqual([row["step"] for row in self.rows("new")], ["9", "10", "11", "12"])

    def test_given_a_complete_run_that_has_lost_a_record_then_a_restart_and_inspect_say_so(self):
        self.run_well(self.case(), *SMALL, "--output", "run")
        (self.path / "run" / "record_box.csv").unlink()
        warned = self.run_well("--restart", "run/state_000012.hdf", "--output", "run")
        self.assertIn("record_box.csv' is lost", warned)
        inspected = self.kumiko("inspect", "run")
        self.assertEqual(inspected.returncode, 1)
        self.assertIn("record_box.csv is missing", inspected.stderr)

    def test_given_the_effective_configuration_or_overrides_then_the_records_follow(self):
        case = self.case()
        printed = self.kumiko("run", case, *settings("record[1].every=7", "record[0].points=[[0.5, 0.5]]"),
                              "--print-config")  # fmt: skip
        self.assertIn("points = [[0.5, 0.5]]", printed.stdout)
        (self.path / "again.toml").write_text(printed.stdout)
        self.assertEqual(self.kumiko("run", "again.toml", "--print-config").stdout, printed.stdout)
        self.run_well("again.toml", *SMALL, "--output", "run")
        self.assertEqual([row["step"] for row in self.rows("line")], ["0", "7"])
        self.assertEqual(list(self.rows("probes")[0]), ["step", "time [T]", "u(0.5;0.5) [U]"])

    def test_given_a_record_that_cannot_be_taken_then_it_is_refused_before_the_run(self):
        lines = ZALESAK.read_text().count("\n")
        for record, line, what in (
            ('name = "a"\npoints = [[0.5, 0.5], [2, 0.5]]', 3, "has the point [2, 0.5], which lies outside the domain"),
            ('name = "a"\npoints = [[0.5, nan]]', 3, "'record.points' is nan; it must be finite"),
            ('name = "a"\npoints = [0.5, 0.5]', 3, "must be a list of points [x, y], not [0.5, 0.5]"),
            ('name = "a"\npoints = []', 3, "must be a list of points [x, y], not []"),
            ('name = "a"', 2, "a record with none of points, line, box and extremes = true"),
            ('name = "a"\nextremes = true\nbox = [0, 0, 1, 1]', 2, "with several of points"),
            ('name = "a"\nbox = [0, 0, 1]', 3, "has 3 elements; it must be a list of 4 numbers"),
            ('name = "a"\nbox = [0.5, 0, 0.5, 1]', 3, "with x0 below x1 and y0 below y1"),
            ('name = "a"\nbox = [0, 0, 1, 1.5]', 3, "has the point [1, 1.5], which lies outside"),
            ('name = "a"\nline = {from = [0, 0], to = [1, 1], n = 1}', 3, "'record.line.n' is 1; it must be 2 to"),
            ('name = "a"\nline = {from = [0, 0], n = 5}', 2, "a record whose line is incomplete"),
            ('name = "a"\nline = {from = [0, 0], to = [0, 0], n = 5}', 3, "at which the line begins"),
            ('name = "a"\nextremes = true\ncomponent = "v"', 4, "'record.component' is \"v\"; the case's components are u"),
            ('name = "a"\nextremes = true\nevery = 0', 4, "'record.interval' too"),
            ('name = "a/b"\nextremes = true', 2, "must be made of letters, digits"),
            ('name = "a"\nextremes = true\n[[record]]\nname = "a"\nextremes = true', 5, "as that of an earlier record"),
            ('extremes = true', 1, "'record.name' is missing"),
            ('name = "a"\npoint = [[0, 0]]', 3, "unknown key 'record.point'; did you mean 'record.points'?"),
        ):  # fmt: skip
            done = self.kumiko("run", self.case("[[record]]\n" + record + "\n"), *SMALL, "--output", "run")
            self.assertEqual(done.returncode, 2, record)
            self.assertIn(what, done.stderr, record)
            self.assertIn(f"case.toml:{lines + line}:", done.stderr, record)
            self.assertFalse((self.path / "run").exists())
        absent = self.kumiko("run", self.case(""), *SMALL, *settings("record[0].every=2"), "--output", "run")
        self.assertIn("the file has no 'record[0]'; add a [[record]] there", absent.stderr)


if __name__ == "__main__":
    unittest.main()
