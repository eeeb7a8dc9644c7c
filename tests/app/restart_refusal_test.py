"""Contract: what a run cannot continue from is refused, damaged files are named, and nothing of a run is lost."""

import json
import os
import shutil
import subprocess
import unittest

from restart_case import KEYS, RestartTest, ZALESAK, settings


class Refusal(RestartTest):
    def setUp(self):
        super().setUp()
        self.copy_of_run(ZALESAK, *settings(*KEYS, "checkpoint.every=10", "checkpoint.keep=9"))
        (self.path / "run" / "state_000060.hdf").unlink()

    def damage(self, name, at):
        file = self.path / "run" / name
        content = bytearray(file.read_bytes())
        content[at] ^= 0x10
        file.write_bytes(content)

    def test_given_files_that_were_damaged_before_a_restart_then_inspect_still_names_them(self):
        damaged = ["checkpoint_000020.hdf", "checkpoint_000030.run.json"]
        damaged += ["field_start.png"] if (self.path / "run" / "field_start.png").exists() else []
        for name in damaged:
            self.damage(name, -20)
        self.run_well(ZALESAK, *settings(*KEYS, "checkpoint.every=10", "checkpoint.keep=9"), "--restart", "latest")
        seen = self.kumiko("inspect", "run")
        self.assertEqual(seen.returncode, 1, seen.output)
        self.assertEqual([name for name in damaged if f"{name} has changed" not in seen.errors], [])
        self.assertEqual(seen.errors.count("has changed"), len(damaged), seen.errors)

    def test_given_a_table_that_was_altered_before_a_restart_then_a_warning_names_it(self):
        words = ["run", ZALESAK, *settings(*KEYS, "checkpoint.every=10", "checkpoint.keep=9"), "--output", "run"]
        whole = self.kumiko(*words, "--restart", "latest", "--quiet")
        self.assertEqual((whole.returncode, whole.errors), (0, ""))
        self.damage("diagnostics.csv", -3)
        done = self.kumiko(*words, "--restart", "latest", "--quiet")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("warning: 'run/diagnostics.csv' is not as the run left it: it has changed", done.errors)

    def test_given_other_numerics_then_the_keys_are_named(self):
        done = self.kumiko(
            "run", ZALESAK, *settings(*KEYS, "step.subcycling=false", "grid.base=96"),
            "--restart", "latest", "--output", "run",
        )  # fmt: skip
        self.assert_refused(done, "step.subcycling", "grid.base", "checkpoint_000050.hdf")
        for key, told in (("solver.name=upwind1", 'solver.name was "semi_lagrangian_cubic" and is now "upwind1"'),
                          ("case.variant=vof200", "case.variant was")):  # fmt: skip
            done = self.kumiko("run", "--restart", "latest", "--output", "run", *settings(key))
            self.assert_refused(done, told, "restore these values")
        done = self.kumiko("run", "--restart", "latest", "--output", "run", *settings("case.name=vortex"))
        self.assert_refused(done, 'case.name was "zalesak" and is now "vortex"')
        for key in ("case.variant", "case.drift"):
            self.assertNotIn(key, done.errors)

    def test_given_later_files_then_they_are_given_up_on_demand_only(self):
        whole = self.summary()
        early = self.path / "run" / "checkpoint_000020.hdf"
        link = self.path / "link.hdf"
        link.symlink_to(early)
        done = self.kumiko("run", "--restart", link, "--output", "run")
        self.assert_refused(done, "has already reached 'checkpoint_000050.hdf'", "--overwrite")
        self.assertEqual(len(self.checkpoints()), 5)
        done = self.kumiko(
            "run", "--restart", link, "--output", "run", "--overwrite",
            *settings("time.stop_step=25", "checkpoint.every=0"),
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertEqual([file.name[-8:-4] for file in self.checkpoints()], ["0010", "0020"])
        self.run_well("--restart", "latest", *settings("time.stop_step=60"))
        self.assertEqual(self.summary()["state_hash"], whole["state_hash"])
        self.assertEqual({int(row["step"]) for row in self.rows("load.csv")}, set(range(60)))

    def test_given_a_folder_with_checkpoints_alone_then_none_is_lost(self):
        copied = self.path / "copied"
        copied.mkdir()
        shutil.copy(self.path / "run" / "checkpoint_000020.hdf", copied)
        for more in ([], ["--overwrite"]):
            again = self.run_well(
                "--restart", "latest", *more, *settings("time.stop_step=60"), folder="copied"
            )
            self.assertTrue((copied / "checkpoint_000020.hdf").exists())
            self.assertEqual(again["state_hash"], self.summary()["state_hash"])

    def test_given_tables_that_have_lost_rows_then_a_warning_says_so(self):
        def resumed(change, step):
            change(self.path / "run" / "load.csv")
            done = self.kumiko("run", "--restart", "latest", "--output", "run", *settings(f"time.stop_step={step}"))
            self.assertEqual(done.returncode, 0, done.errors)
            return done.errors

        def without_the_middle(table):
            lines = table.read_text().splitlines(keepends=True)
            table.write_text("".join(line for line in lines if line.split(",")[0] not in ("10", "11", "12", "13")))

        self.assertNotIn("load.csv", resumed(lambda table: None, 70))
        self.assertIn("lacks the rows of 4 base steps before this restart", resumed(without_the_middle, 80))
        errors = resumed(os.remove, 90)
        self.assertIn("load.csv' has no rows of the run's part before this restart", errors)
        self.assertNotIn("are kept", errors)

    def test_given_diagnostics_that_have_lost_rows_then_the_warnings_say_so(self):
        self.run_well(ZALESAK, *settings(*KEYS, "grid.base=32", "time.stop_step=40"), folder="own")
        table = self.path / "own" / "diagnostics.csv"
        until_30 = table.read_text().rpartition("\n40,")[0] + "\n"
        lost = "lacks the rows between base step 30 and this restart; the new one lacks them too"
        changed = f"is not as the run left it: it has {len(until_30)} bytes instead of {table.stat().st_size}; the rows that it has are kept"
        for text, warned in (
            (until_30, [lost, changed]),
            ("", ["is lost: it has no rows, and no base steps are left that would give it any; bring back a copy, or "
                  "run the case again"]),
        ):
            table.write_text(text)
            done = self.kumiko("run", "--restart", "own", "--quiet")
            self.assertEqual(done.returncode, 0, done.errors)
            self.assertEqual(done.errors.splitlines(), [f"kumiko: warning: 'own/diagnostics.csv' {what}" for what in warned])
            shutil.rmtree(self.path / "own")
            self.run_well(ZALESAK, *settings(*KEYS, "grid.base=32", "time.stop_step=40"), folder="own")

    def test_given_names_that_lie_then_latest_does_not_believe_them(self):
        run = self.path / "run"
        shutil.copy(run / "checkpoint_000020.hdf", run / "checkpoint_000099.hdf")
        before = self.files()
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "checkpoint_000099.hdf' is of base step 20")
        self.assertEqual(self.files(), before)

    def test_given_another_runs_checkpoint_in_the_folder_then_it_is_refused(self):
        self.run_well(
            ZALESAK, *settings(*KEYS, "amr.levels=2", "time.stop_step=57"), folder="other"
        )
        shutil.copy(self.path / "other" / "state_000057.hdf", self.path / "run")
        before = self.files()
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "the run in 'run'", "amr.levels")
        self.assertEqual(self.files(), before)

    def test_given_a_version_to_come_then_latest_stops_and_renames_nothing(self):
        newest = self.path / "run" / "checkpoint_000050.hdf"
        newest.write_bytes(newest.read_bytes()[:-1] + b"2")  # of the seal
        before = self.files()
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "checkpoint_000050.hdf", "use a newer version")
        self.assertEqual(self.files(), before)

    def test_given_empty_values_then_they_are_no_defaults(self):
        for option in ("--restart", "--output"):
            before = self.files()
            done = self.kumiko("run", ZALESAK, option, "", *settings(*KEYS), "--overwrite")
            self.assert_refused(done, option)
            self.assertEqual(self.files(), before)

    def test_given_a_folder_to_restart_then_its_latest_checkpoint_is_meant(self):
        done = self.kumiko("run", "--restart", "run", *settings("time.stop_step=55"))
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("base step 50", done.output)

    def test_given_a_summary_that_would_replace_a_file_of_the_run_then_it_is_refused(self):
        done = self.kumiko(
            "run", "--restart", "latest", "--output", "run",
            "--summary", "run/checkpoint_000050.hdf",
        )  # fmt: skip
        self.assert_refused(done, "--summary", "another file of a run")

    def test_given_a_step_beyond_the_end_then_it_is_refused(self):
        done = self.kumiko(
            "run", "--restart", "latest", "--output", "run", *settings("time.stop_step=30")
        )
        self.assert_refused(done, "base step 50", "raise time.stop_step")

    def test_given_a_file_in_no_runs_folder_then_a_folder_is_asked_for(self):
        lonely = self.path / "lonely"
        lonely.mkdir()
        shutil.copy(self.path / "run" / "checkpoint_000020.hdf", lonely)
        self.assert_refused(
            self.kumiko("run", "--restart", "lonely/checkpoint_000020.hdf"), "--output"
        )
        # Nothing is left to do, but the state is wanted there.
        self.run_well(
            "--restart", "lonely/checkpoint_000020.hdf", *settings("time.stop_step=20"),
            folder="new",
        )  # fmt: skip
        self.assertTrue((self.path / "new" / "state_000020.hdf").exists())

    def test_given_a_used_folder_of_another_run_then_it_is_spared(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=1"), folder="other")
        done = self.kumiko(
            "run", "--restart", "run/checkpoint_000020.hdf", "--output", "other"
        )
        self.assert_refused(done, "'other' holds a run")

    def test_given_a_damaged_file_then_the_message_says_which_one_is_whole(self):
        self.damage("checkpoint_000050.hdf", 70_000)
        done = self.kumiko("run", "--restart", "run/checkpoint_000050.hdf")
        self.assert_refused(done, "is damaged between bytes", "checkpoint_000040.hdf' is whole")

    def test_given_damaged_files_then_latest_takes_the_newest_whole_one_and_says_so(self):
        whole = self.summary()
        self.damage("checkpoint_000050.hdf", -10)
        (self.path / "run" / "checkpoint_000040.hdf").write_bytes(b"")
        (self.path / "run" / "checkpoint_000055.hdf").write_text("not ours")
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertEqual(done.errors.count("trying an older one"), 3, done.errors)
        self.assertNotIn("name a checkpoint", done.errors)
        names = {file.name for file in (self.path / "run").iterdir()}
        self.assertIn("checkpoint_000055.hdf.damaged", names)
        self.assertNotIn("checkpoint_000055.hdf", names)
        self.assertIn("checkpoint_000030.hdf, base step 30", done.output)
        self.assertEqual(self.summary()["state_hash"], whole["state_hash"])

    def spoil(self, name):
        """Puts a value that is not a number into a file that stays whole otherwise."""
        file = self.path / "run" / name
        good = self.path / "good.hdf"
        file.rename(good)
        subprocess.run([os.environ["KUMIKO_SPOIL_STATE"], good, file], check=True, timeout=60)
        self.assertEqual(self.kumiko("inspect", file).returncode, 0, "it is whole")

    def test_given_values_that_are_not_finite_then_the_newest_good_file_is_taken_and_named(self):
        whole = self.summary()
        for name in ("checkpoint_000040.hdf", "checkpoint_000050.hdf"):
            self.spoil(name)
        done = self.kumiko("run", "--restart", "run/checkpoint_000050.hdf")
        self.assert_refused(
            done, "values that are not finite ('u' in ", "is nan", "checkpoint_000030.hdf' is whole"
        )
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assertEqual(done.returncode, 0, done.errors)
        for name in ("checkpoint_000050.hdf", "checkpoint_000040.hdf"):
            self.assertIn(f"warning: 'run/{name}' holds values that are not finite", done.errors)
        self.assertIn("the restart is from 'run/checkpoint_000030.hdf', the newest whole one", done.errors)
        self.assertIn("checkpoint_000030.hdf, base step 30", done.output)
        self.assertEqual(self.summary()["state_hash"], whole["state_hash"])

    def test_given_no_whole_checkpoint_then_the_folder_is_named(self):
        for file in self.checkpoints():
            file.unlink()
        done = self.kumiko("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "'run' has no whole checkpoint")
        for more in ([], ["--no-files"]):
            self.assert_refused(self.kumiko("run", "--restart", "latest", *more), "name the run's folder: --restart FOLDER")
        self.assert_refused(self.kumiko("run"), "name CASE.toml")

    def test_given_a_trace_that_begins_in_the_past_then_the_run_warns_and_has_none(self):
        done = self.kumiko(
            "run", "--restart", "latest", "--output", "run", *settings("trace.from=20")
        )
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("set trace.from to 50 or later", done.errors)
        self.assertFalse((self.path / "run" / "trace.hdf").exists())

    def test_given_intervals_that_are_none_then_the_key_and_the_ways_are_named(self):
        for key, value in (
            ("checkpoint.every", "often"),
            ("checkpoint.every", "-3"),
            ("checkpoint.every", "2.5"),
            ("checkpoint.every", "10 minutes"),
            ("time.wall_limit", "5"),
            ("checkpoint.on_failure", "despair"),
        ):
            done = self.kumiko("run", ZALESAK, *settings(f"{key}={value}"), "--output", "new")
            self.assert_refused(done, key, value)

    def test_given_a_file_then_inspect_says_what_it_holds(self):
        done = self.kumiko("inspect", "run/checkpoint_000020.hdf")
        self.assertEqual(done.returncode, 0, done.errors)
        for part in ("whole", "base step            20", "level 2", "u from", "[amr]"):
            self.assertIn(part, done.output)
        done = self.kumiko("inspect", "run/checkpoint_000020.hdf", "--json")
        report = json.loads(done.output)
        row = next(row for row in self.rows("diagnostics.csv") if row["step"] == "20")
        self.assertEqual(report["step"], 20)
        self.assertEqual(report["time"], float(row["time"]))
        for level, patches in enumerate(report["levels"]):
            self.assertEqual(patches["patches"], int(row[f"patches_{level}"]))
        lowest = min(level["components"]["u"]["min"] for level in report["levels"])
        self.assertLessEqual(lowest, float(row["min"]))

    def test_given_a_damaged_file_then_inspect_fails_and_says_where(self):
        self.damage("checkpoint_000020.hdf", 5000)
        done = self.kumiko("inspect", "run/checkpoint_000020.hdf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged between bytes", done.errors)
        self.assertEqual(done.output, "")
        done = self.kumiko("inspect", "run/checkpoint_000020.hdf", "--json")
        self.assertEqual(done.returncode, 1)
        report = json.loads(done.output)
        self.assertFalse(report["whole"])
        self.assertIn("is damaged", report["error"])


if __name__ == "__main__":
    unittest.main()
