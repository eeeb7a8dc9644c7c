"""Contract: states, checkpoints and rows of diagnostics can be asked for by the case's time. Each comes from the base
step that is nearest and carries that step's time; no bit of the run depends on them, and a restart from any checkpoint
leaves the same files. With output.exact base steps end at these times to the bit, and checkpoints keep them."""

import csv
import json
import unittest

from command_case import VORTEX, ZALESAK, CommandTest

# Some 190 steps of unequal length on two levels, to t = 2.
RUN = [VORTEX, "--set", "grid.base=32", "--set", "amr.levels=2", "--set", "time.cfl=0.9", "--quiet"]
BY_TIME = ["--set", "output.interval=0.3", "--set", "output.times=[0, 0.123, 1.5]", "--set",
           "checkpoint.interval=0.17", "--set", "checkpoint.keep=99", "--set", "diagnostics.interval=0.25"]  # fmt: skip
TIMES = sorted({0.123, 1.5, *(0.3 * count for count in range(1, 7))})


class OutputTimes(CommandTest):
    def run_well(self, *arguments):
        done = self.kumiko("run", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def summary(self, folder):
        return json.loads((self.path / folder / "summary.json").read_text())

    def rows(self, folder):
        with open(self.path / folder / "diagnostics.csv", newline="") as file:
            return list(csv.DictReader(file))

    def times_of_states(self, folder):
        series = json.loads((self.path / folder / "states.hdf.series").read_text())
        return [state["time"] for state in series["files"]]

    def field_files(self, folder):
        return {file.name: file.read_bytes() for file in (self.path / folder).glob("*.hdf")}

    def test_given_times_then_the_nearest_steps_are_written_and_no_bit_changes(self):
        self.run_well(*RUN, "--set", "diagnostics.every=1", "--output", "run")
        steps = [(float(row["time"]), float(row["dt"])) for row in self.rows("run")]
        self.run_well(*RUN, *BY_TIME, "--output", "by_time")
        self.assertEqual(self.summary("by_time")["state_hash"], self.summary("run")["state_hash"])
        self.assertEqual(self.summary("by_time")["steps"], self.summary("run")["steps"])

        def nearest(wanted):
            """The first step that is nearer than half its length, or that has passed the time."""
            return next(time for time, dt in steps[1:] if time + 0.5 * dt >= wanted)

        self.assertEqual(self.times_of_states("by_time"), [0.0, *map(nearest, TIMES), 2.0])
        for wanted in TIMES:
            least = min(abs(time - wanted) for time, _ in steps)
            self.assertLessEqual(abs(nearest(wanted) - wanted), 1.5 * least + 1e-12)
        self.assertEqual([float(row["time"]) for row in self.rows("by_time")],
                         [0.0, *(nearest(0.25 * count) for count in range(1, 8)), 2.0])  # fmt: skip
        checkpoints = sorted((self.path / "by_time").glob("checkpoint_*.hdf"))
        # Of 11 times, two have a state at the same step.
        self.assertEqual(len(checkpoints), 9)

        # A restart leaves what the run would have left.
        wanted = self.field_files("by_time")
        for number, file in enumerate(checkpoints[1::4]):
            folder = f"again{number}"
            self.run_well("--restart", file, "--output", folder, "--quiet", "--workers", "2")
            found = self.field_files(folder)
            late = {name for name in wanted if name[-10:] > file.name[-10:]}
            self.assertEqual(set(found), late)
            for name in late:
                self.assertEqual(found[name], wanted[name], name)
        # In place, the rows of both parts are those of one.
        rows = [row["step"] for row in self.rows("by_time")]
        self.run_well("--restart", checkpoints[4], "--output", "by_time", "--overwrite", "--quiet")
        self.assertEqual([row["step"] for row in self.rows("by_time")], rows)

    def test_given_a_number_of_steps_then_times_between_them_go_to_the_nearer(self):
        words = [ZALESAK, "--set", "grid.base=32", "--set", "amr.levels=1", "--set", "time.steps=200", "--quiet",
                 "--set", "time.end=2", "--set", "time.stop_step=60"]  # fmt: skip
        self.run_well(*words, "--set", "output.times=[0.1, 0.254, 0.256, 9]", "--output", "run")
        self.assertEqual([round(time, 9) for time in self.times_of_states("run")], [0.1, 0.25, 0.26, 0.6])

    def test_given_exact_then_steps_end_there_and_checkpoints_keep_it(self):
        exact = [*BY_TIME, "--set", "output.exact=true"]
        self.run_well(*RUN, *exact, "--output", "run")
        self.assertEqual(self.times_of_states("run"), [0.0, *TIMES, 2.0])
        wanted = self.field_files("run")
        checkpoints = sorted((self.path / "run").glob("checkpoint_*.hdf"))
        # Without the sidecar, the file itself knows of the times.
        (self.path / "run" / checkpoints[5].name.replace(".hdf", ".run.json")).unlink()
        for number, file in enumerate((checkpoints[2], checkpoints[5])):
            self.run_well("--restart", file, "--output", f"again{number}", "--quiet")
            found = self.field_files(f"again{number}")
            for name in found:
                if name.startswith("state_"):
                    self.assertEqual(found[name], wanted[name], name)
            self.assertEqual(self.times_of_states(f"again{number}")[-1], 2.0)
        # Other times are another course, which the lineage tells.
        done = self.run_well("--restart", checkpoints[2], "--set", "output.times=[1.0]", "--output", "other")
        self.assertIn("output.times: [0.0, 0.123, 1.5] -> [1.0]", done.stdout)
        self.assertIn(1.0, self.times_of_states("other"))
        last = sorted((self.path / "other").glob("state_*.hdf"))[-1]
        lineage = json.loads(self.kumiko("inspect", "--json", last).stdout)["lineage"]
        self.assertEqual(len(lineage), 1)

    def test_given_an_interval_and_a_time_that_differ_by_rounding_then_they_count_as_one(self):
        # 3 x 0.1 is not 0.3.
        words = ["--set", "output.interval=0.1", "--set", "output.times=[0.3, 0.6]", "--set", "output.exact=true",
                 "--set", "time.end=0.7", "--set", "diagnostics.interval=0.3"]  # fmt: skip
        self.run_well(*RUN, *words, "--output", "run")
        self.assertEqual([round(time, 12) for time in self.times_of_states("run")],
                         [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])  # fmt: skip
        self.assertEqual([round(float(row["time"]), 12) for row in self.rows("run")], [0.0, 0.3, 0.6, 0.7])

    def test_given_times_that_cannot_be_then_the_remedy_is_named(self):
        for words, parts in (
            (["output.exact=true"], ("'output.exact' needs times", "output.interval or output.times")),
            (["output.exact=true", "output.interval=0.1", "time.steps=300", "time.cfl=0"],
             ("'output.exact' needs steps that the run chooses", "time.steps, which is 300")),
            (["output.times=[0.1, -0.2]"], ("'output.times' is -0.2", "at least 0")),
            (["output.interval=-1"], ("'output.interval' is -1", "at least 0")),
            (["output.times=[0.1, nan]"], ("output.times",)),
        ):  # fmt: skip
            sets = [part for word in words for part in ("--set", word)]
            self.assert_refused(self.kumiko("run", *RUN, *sets, "--output", "run"), *parts)
        done = self.run_well(*RUN, "--set", "time.stop_step=3", "--set", "output.times=2.5", "--output", "run")
        self.assertIn("output.times has 2.5, but the run ends at t = 2", done.stderr)
        words = ["--set", "time.stop_step=3", "--set", "output.interval=2.5", "--output", "run", "--overwrite"]
        done = self.run_well(*RUN, *words)
        self.assertIn("output.interval is 2.5, but the run ends at t = 2", done.stderr)

    def test_given_times_before_a_restart_then_new_ones_are_warned_of_and_those_of_the_run_are_not(self):
        short = ["--set", "output.times=0.01", "--set", "time.cfl=0.9", "--quiet"]
        self.run_well(*RUN, *short, "--set", "time.stop_step=4", "--output", "run")
        for time, warnings in (("0.01", 0), ("0.02", 1), ("[0.02, 1.5]", 0)):
            done = self.run_well("--restart", "run/state_000004.hdf", "--set", f"output.times={time}", "--set",
                                 "time.stop_step=5", "--output", f"at {time}")  # fmt: skip
            self.assertEqual(done.stderr.count("output.times has no time after the restart's, t = "), warnings, done.stderr)


if __name__ == "__main__":
    unittest.main()
