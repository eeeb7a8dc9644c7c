"""Contract: a run by time.cfl chooses its steps and comes to the case's end, with the same bits however it is taken; a
restart may change how the rest of the time is divided, and its files say so; a run whose step was too long leaves a
checkpoint from which more steps go on."""

import csv
import json
import math
import unittest

from command_case import CASES, VORTEX, ZALESAK, CommandTest

VORTEX_T8 = CASES / "vortex" / "vortex_t8.toml"
BURGERS = CASES / "burgers" / "burgers.toml"
# Some 200 steps on three levels.
BY_CFL = ["--set", "grid.base=32", "--set", "time.cfl=0.8"]


class Steps(CommandTest):
    def summary(self, folder):
        return json.loads((self.path / folder / "summary.json").read_text())

    def run_well(self, *arguments):
        done = self.kumiko("run", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def inspected(self, file):
        return json.loads(self.kumiko("inspect", "--json", file).stdout)

    def test_given_a_cfl_number_in_place_of_steps_then_the_run_ends_at_the_cases_end_below_it(self):
        # The vortex's flow comes to rest and sets out again: between two choices it exceeds what was asked for.
        for number, (case, limit) in enumerate(((VORTEX_T8, 1.0), (BURGERS, 0.5))):
            folder = f"run{number}"
            self.run_well(case, *BY_CFL, "--set", "time.cfl=0.45", "--output", folder)
            found = self.summary(folder)
            self.assertEqual(found["time"], found["end_time"])
            self.assertLessEqual(found["largest_cfl"], limit)
            self.assertGreater(found["largest_cfl"], 0.3)
            self.assertEqual(found["config"]["time"]["steps"], 0)
            with open(self.path / folder / "diagnostics.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            times = [float(row["time"]) for row in rows]
            self.assertEqual(times[-1], found["time"])
            self.assertEqual(times, sorted(times))
            self.assertEqual(float(rows[-1]["largest_cfl"]), found["largest_cfl"])
            series = json.loads((self.path / folder / "states.hdf.series").read_text())
            self.assertEqual(series["files"][-1]["time"], found["time"])

    def test_given_a_complete_run_that_goes_on_to_a_later_end_then_the_mesh_still_keeps_up(self):
        self.run_well(VORTEX, *BY_CFL, "--set", "amr.interval=0", "--set", "time.end=0.2", "--output", "run")
        done = self.run_well("--restart", "run", "--set", "time.end=0.5", "--output", "again")
        self.assertNotIn("warning", done.stderr)

    def test_given_outputs_backends_and_restarts_then_the_bits_are_the_same(self):
        self.run_well(VORTEX, *BY_CFL, "--output", "run")
        wanted = self.summary("run")
        often = ["--set", "output.every=7", "--set", "checkpoint.every=11", "--set", "diagnostics.every=3",
                 "--set", "checkpoint.keep=99"]  # fmt: skip
        self.run_well(VORTEX, *BY_CFL, *often, "--workers", "3", "--output", "often")
        self.run_well(VORTEX, *BY_CFL, "--backend", "pthread", "--output", "strips")
        for folder in ("often", "strips"):
            found = self.summary(folder)
            self.assertEqual((found["state_hash"], found["steps"]), (wanted["state_hash"], wanted["steps"]))
        same = [(self.path / folder / f"state_{wanted['steps']:06}.hdf").read_bytes() for folder in ("run", "often")]
        self.assertEqual(same[0], same[1])
        for number, file in enumerate(sorted((self.path / "often").glob("checkpoint_*.hdf"))[::3]):
            self.run_well("--restart", file, "--output", f"again{number}")
            found = self.summary(f"again{number}")
            self.assertEqual((found["state_hash"], found["updates"]), (wanted["state_hash"], wanted["updates"]))
            self.assertEqual(found["largest_cfl"], wanted["largest_cfl"])

    def test_given_both_or_a_number_above_the_solvers_then_the_remedy_is_named(self):
        file = self.path / "both.toml"
        file.write_text('[case]\nname = "zalesak"\n[time]\nsteps = 100\ncfl = 0.5\n')
        self.assert_refused(self.kumiko("run", file), "both.toml:5", "'time.cfl' is 0.5", "'time.steps', which is 100")
        file.write_text('[case]\nname = "zalesak"\n[time]\nsteps = 0\n')
        self.assert_refused(self.kumiko("run", file), "both.toml:4", "give 'time.cfl', or a number of steps")
        done = self.kumiko("run", ZALESAK, "--set", "time.cfl=1.5", "--output", "run")
        self.assert_refused(done, "time.cfl", "takes CFL numbers up to 1")
        # What the command line says counts.
        self.run_well(ZALESAK, "--set", "grid.base=32", "--set", "amr.levels=1", "--set", "time.cfl=0.9",
                      "--output", "run")  # fmt: skip
        self.run_well("--restart", "latest", "--output", "run")

    def test_given_an_end_that_no_steps_reach_then_the_remedy_is_named(self):
        words = ["run", ZALESAK, "--set", "grid.base=32"]
        self.assert_refused(self.kumiko(*words, "--set", "time.end=1e10"), "more than a run may have", "lower 'time.end'")
        done = self.kumiko(*words, "--set", "time.cfl=1e-10")
        self.assert_refused(done, "raise 'time.cfl', lower 'time.end'")

    def test_given_another_division_of_the_rest_then_the_lineage_tells(self):
        short = ["--set", "grid.base=64", "--set", "time.stop_step=30", "--set", "checkpoint.every=10"]
        self.run_well(ZALESAK, *short, "--set", "time.steps=640", "--set", "checkpoint.keep=9", "--output", "run")
        early = self.path / "run" / "checkpoint_000020.hdf"
        changes = ["--set", "amr.threshold=0.2", "--set", "time.steps=900"]
        done = self.run_well("--restart", early, *changes, "--set", "checkpoint.every=5", "--output", "changed")
        self.assertIn("amr.threshold: 0.1 -> 0.2; time.steps: 640 -> 900", done.stdout)
        before = self.inspected(early)
        found = self.inspected("changed/state_000030.hdf")
        self.assertEqual(before["lineage"], [])
        self.assertEqual([restart["step"] for restart in found["lineage"]], [20])
        self.assertAlmostEqual(found["dt"], (2 * math.pi - before["time"]) / 880, 15)
        self.assertAlmostEqual(found["time"], before["time"] + 10 * found["dt"], 13)
        # A restart of the changed run takes the same steps, and changes nothing.
        self.run_well("--restart", "changed/checkpoint_000025.hdf", "--output", "again")
        self.assertEqual(self.summary("again")["state_hash"], self.summary("changed")["state_hash"])
        self.assertEqual(self.inspected("again/state_000030.hdf")["lineage"], found["lineage"])
        # By a CFL number from there, to the end.
        self.run_well("--restart", "changed/checkpoint_000025.hdf", "--set", "time.cfl=0.9", "--set",
                      "time.stop_step=0", "--output", "by_cfl")  # fmt: skip
        chosen = self.summary("by_cfl")
        self.assertEqual(chosen["time"], chosen["end_time"])
        self.assertLessEqual(chosen["largest_cfl"], 1.0)
        self.assertEqual(len(self.inspected(f"by_cfl/state_{chosen['steps']:06}.hdf")["lineage"]), 2)
        # Of a complete run nothing is left to change, but a later end.
        done = self.kumiko("run", "--restart", "latest", "--set", "time.cfl=0.5", "--output", "by_cfl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing is left of its run that could change (time.cfl: 0.9 -> 0.5)", done.stderr)
        self.run_well("--restart", "latest", "--set", "time.end=6.5", "--output", "by_cfl")
        self.assertEqual(self.summary("by_cfl")["time"], 6.5)

    def test_given_half_of_what_a_complete_run_takes_to_go_on_then_the_other_half_is_named(self):
        small = ["--set", "grid.base=16", "--set", "amr.levels=1", "--set", "time.steps=160"]
        self.run_well(ZALESAK, *small, "--output", "run")
        for key, other in (
            ("time.end=8", "or also set time.steps to more than 160"),
            ("time.steps=200", "or also set time.end to a later time"),
            ("amr.buffer=3", "or set time.end to a later time and time.steps to more than 160"),
        ):
            done = self.kumiko("run", "--restart", "run", "--set", key)
            self.assertEqual(done.returncode, 2)
            self.assertIn(other, done.stderr)
        self.run_well("--restart", "run", "--set", "time.end=8", "--set", "time.steps=200")
        self.assertEqual(self.summary("run")["steps"], 200)

    def test_given_what_a_restart_cannot_change_so_then_it_says_where_the_run_stands(self):
        self.run_well(ZALESAK, "--set", "grid.base=32", "--set", "time.stop_step=40", "--output", "run")
        done = self.kumiko("run", "--restart", "run", "--set", "time.end=0.01")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is at t = 0.0981748, after the end of the run, t = 0.01; set time.end to a later", done.stderr)
        done = self.kumiko("run", "--restart", "run", "--set", "amr.levels=1", "--set", "time.stop_step=0")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith("'amr.levels' is 1; set it to as many or more\n"), done.stderr)
        # A folder's newest file, into another one.
        done = self.run_well("--restart", "run", "--set", "time.stop_step=44", "--output", "other")
        self.assertIn("restarts from run/state_000040.hdf, base step 40", done.stdout)
        self.assertEqual(self.summary("other")["steps"], 44)
        self.assertEqual(self.summary("run")["steps"], 40)

    def test_given_a_trace_that_would_be_longer_than_the_run_then_it_ends_with_it(self):
        words = [ZALESAK, "--set", "grid.base=32", "--set", "amr.levels=1", "--set", "time.cfl=0.9"]
        self.run_well(*words, "--set", "trace.from=90", "--set", "trace.steps=1000", "--output", "run")
        self.assertTrue((self.path / "run" / "trace.hdf").exists())
        done = self.run_well(*words, "--set", "trace.from=5000", "--output", "late")
        self.assertIn("there is no trace: the run has ended before base step 5000", done.stderr)

    def test_given_too_few_steps_for_what_is_left_then_it_is_refused(self):
        self.run_well(ZALESAK, "--set", "grid.base=32", "--set", "time.stop_step=40", "--output", "run")
        done = self.kumiko("run", "--restart", "latest", "--set", "time.steps=30", "--set", "time.stop_step=0",
                           "--output", "run")  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("is of base step 40, but the run ends at 30; raise time.steps", done.stderr)

    def test_given_a_step_that_becomes_too_long_then_more_steps_go_on_from_the_last_whole_state(self):
        # Half-way the vortex is at rest; the few steps that suffice there do not later.
        words = ["--set", "grid.base=32", "--set", "time.steps=256", "--set", "time.stop_step=128"]
        self.run_well(VORTEX_T8, *words, "--output", "run")
        few = ["--restart", "run/state_000128.hdf", "--set", "time.steps=160", "--set", "time.stop_step=0"]
        failed = self.kumiko("run", *few, "--output", "few")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertRegex(failed.stderr, r"; continue with --restart few/checkpoint_\d+\.hdf --set time\.steps=N")
        last = sorted((self.path / "few").glob("checkpoint_*.hdf"))[-1]
        self.assertGreater(self.inspected(last)["step"], 128)
        self.run_well("--restart", "latest", "--set", "time.cfl=0.8", "--output", "few")
        found = self.summary("few")
        self.assertEqual(found["time"], found["end_time"])
        # Unless it is told not to.
        failed = self.kumiko("run", *few, "--set", "checkpoint.when_run_fails=false", "--output", "none")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(list((self.path / "none").glob("checkpoint_*.hdf")), [])


if __name__ == "__main__":
    unittest.main()
