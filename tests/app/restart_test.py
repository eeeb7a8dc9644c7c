"""Contract: a run goes on from its checkpoints as if it had never stopped, and what it cannot go on from is refused."""

import json
import os
import random
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from restart_case import GAUSSIAN, KEYS, RestartTest, SANITIZER, ZALESAK, settings


class Restart(RestartTest):
    def test_given_any_backend_and_workers_then_the_run_goes_on_to_the_same_bits(self):
        whole = self.uninterrupted()
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=37", "checkpoint.every=17"))
        ways = [["--backend", "threads", "--workers", 4], ["--backend", "serial"]]
        ways += [["--backend", "pthread"]]
        if SANITIZER != "thread":
            ways += [["--backend", "openmp"]]
        for number, way in enumerate(ways):
            again = self.run_well(
                ZALESAK, *settings(*KEYS), *way,
                "--restart", "run/checkpoint_000034.hdf", folder=f"again{number}",
            )  # fmt: skip
            self.assertEqual(again["state_hash"], whole["state_hash"], way)
            self.assertEqual(again["updates"]["total"], whole["updates"]["total"], way)
            self.assertEqual(again["mass_drift"], whole["mass_drift"], way)
            first, *others = self.rows("diagnostics.csv", f"again{number}")
            self.assertEqual(first["step"], "34")
            self.assertEqual(
                {value for name, value in first.items() if name.startswith("updates_")}, {"0"}
            )
            self.assertEqual([row["step"] for row in others], ["40", "50", "60"])

    def test_given_a_threshold_that_follows_the_grid_and_auto_then_a_restart_keeps_what_they_gave(self):
        keys = ["grid.base=64", "time.steps=320", "time.stop_step=40", "solver.name=finite_volume_upwind3"]
        whole = self.run_well(GAUSSIAN, *settings(*keys), folder="whole")
        self.assertEqual(whole["config"]["step"]["time_interpolation"], "quadratic")
        self.assertEqual(whole["config"]["amr"]["threshold_at"], 128)
        self.run_well(GAUSSIAN, *settings(*keys, "time.stop_step=20", "checkpoint.every=10"))
        ways = [[], [GAUSSIAN, *settings(*keys)]]
        for number, way in enumerate(ways):
            again = self.run_well(
                *way, *settings("time.stop_step=40"),
                "--restart", "run/checkpoint_000010.hdf", folder=f"again{number}",
            )  # fmt: skip
            self.assertEqual(again["state_hash"], whole["state_hash"], way)
            self.assertEqual(again["patches"], whole["patches"], way)
            self.assertEqual(again["mass_drift"], whole["mass_drift"], way)
        effective = self.run_well("whole/effective.toml", folder="effective")
        self.assertEqual(effective["state_hash"], whole["state_hash"])

    def test_given_latest_then_the_folder_reads_as_that_of_one_run(self):
        whole = self.uninterrupted()
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=37", "checkpoint.every=10"))
        stale = self.path / "run" / "checkpoint_000050.hdf.part"
        stale.write_text("left by a run that was killed")
        again = self.run_well(ZALESAK, *settings(*KEYS), "--restart", "latest")
        self.assertEqual(again["state_hash"], whole["state_hash"])
        self.assertFalse(stale.exists())
        steps = [row["step"] for row in self.rows("diagnostics.csv")]
        self.assertEqual(steps, [row["step"] for row in self.rows("diagnostics.csv", "whole")][:4]
                         + ["37"] + ["40", "50", "60"])  # fmt: skip
        for name in ("time", "mass", "min", "max", "patches_2"):
            last = self.rows("diagnostics.csv")[-1][name]
            self.assertEqual(last, self.rows("diagnostics.csv", "whole")[-1][name])
        updates = sum(
            int(value)
            for row in self.rows("diagnostics.csv")
            for name, value in row.items()
            if name.startswith("updates_")
        )
        self.assertEqual(updates, whole["updates"]["total"])
        load = self.rows("load.csv")
        self.assertEqual({int(row["step"]) for row in load}, set(range(60)))
        self.assertEqual(sum(int(row["updates"]) for row in load), whole["updates"]["total"])

    def test_given_more_workers_than_before_then_the_tables_have_them_all(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=20"), "--workers", 1)
        self.run_well(ZALESAK, *settings(*KEYS), "--restart", "latest", "--workers", 3)
        rows = self.rows("diagnostics.csv")
        self.assertEqual([row["updates_2"] for row in rows[:3]], ["0", "0", "0"])
        self.assertEqual([row["step"] for row in rows], [str(10 * k) for k in range(7)])

    @unittest.skipIf(SANITIZER, "sanitizers keep memory that was freed")
    def test_given_a_long_table_then_a_restart_does_not_hold_it(self):
        most_kib = []
        for rows in (0, 500_000):
            shutil.rmtree(self.path / "run", ignore_errors=True)
            self.copy_of_run(ZALESAK, *settings(*KEYS, "time.stop_step=20"))
            table = self.path / "run" / "load.csv"
            last = table.read_text().splitlines(keepends=True)[-1]
            with open(table, "a") as file:
                file.write(last * rows)
            run = self.start("run", "--restart", "latest", "--output", "run", "--quiet", *settings("time.stop_step=21"))
            _, status, used = os.wait4(run.pid, 0)
            self.assertEqual(status, 0, run.stderr.read())
            run.stdout.close()
            run.stderr.close()
            run.returncode = 0
            most_kib.append(used.ru_maxrss)
            self.assertGreater(len(table.read_text().splitlines()), rows)
        self.assertLess(most_kib[1] - most_kib[0], 8 << 10, most_kib)

    def test_given_compression_then_the_files_are_smaller_and_the_bits_the_same(self):
        keys = ["checkpoint.every=30", "output.every=20", "output.extras=true"]
        whole = self.uninterrupted(*keys)
        for backend in ("threads", "serial"):
            packed = self.run_well(
                ZALESAK, *settings(*KEYS, *keys, "output.compression=deflate"),
                "--backend", backend, folder=backend,
            )  # fmt: skip
            self.assertEqual(packed["state_hash"], whole["state_hash"])
            state = Path("state_000060.hdf")
            plain = (self.path / "whole" / state).stat().st_size
            self.assertLess((self.path / backend / state).stat().st_size, plain / 2)
            for file in ("checkpoint_000030.hdf", "state_000040.hdf"):
                again = self.run_well(
                    "--restart", f"{backend}/{file}", folder=f"{backend}_{file}"
                )  # fmt: skip
                self.assertEqual(again["state_hash"], whole["state_hash"])
            exported = self.kumiko("export", backend / state, "--output", f"{backend}_plot")
            self.assertEqual(exported.returncode, 0, exported.errors)
            report = self.kumiko("inspect", backend / state, "--json")
            self.assertEqual(report.returncode, 0, report.errors)

    def test_given_no_case_then_the_checkpoints_own_configuration_serves(self):
        whole = self.uninterrupted()
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=20"))
        again = self.run_well(*settings("time.stop_step=60"), "--restart", "latest")
        self.assertEqual(again["state_hash"], whole["state_hash"])

    def test_given_a_run_that_was_done_then_a_restart_says_its_figures_again(self):
        first = self.copy_of_run(ZALESAK, *settings(*KEYS))
        done = self.kumiko("run", ZALESAK, *settings(*KEYS), "--restart", "latest", "--output", "run")
        self.assertEqual(done.returncode, 0, done.errors)
        first_line = done.output.splitlines()[0]
        self.assertEqual(first_line, "the run in 'run' is at time.stop_step, base step 60: nothing is left to do; set "
                                     "time.stop_step=0 to continue to the end")
        self.assertNotIn("updates/s", done.output)
        self.assertEqual(self.summary(), first)
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
        changed = self.kumiko("run", "--restart", "latest", "--output", "run", *settings("amr.buffer=3"))
        self.assert_refused(changed, "amr.buffer: 2 -> 3", "or set time.stop_step to more than 60")
        # Elsewhere nobody knows at what rate it went.
        again = self.run_well("--restart", "run/state_000060.hdf", folder="again")
        self.assertIsNone(again["updates_per_core_s"])
        self.assertEqual(again["state_hash"], first["state_hash"])

    def test_given_a_run_that_was_done_and_an_altered_summary_then_its_figures_are_not_said_again(self):
        first = self.copy_of_run(ZALESAK, *settings(*KEYS))
        altered = {**first, "error": {**first["error"], "rms": 0.5}}
        (self.path / "run" / "summary.json").write_text(json.dumps(altered))
        again = self.run_well(ZALESAK, *settings(*KEYS), "--restart", "latest")
        self.assertEqual(again["error"], first["error"])

    def test_given_keep_then_only_the_newest_checkpoints_stay(self):
        self.run_well(ZALESAK, *settings(*KEYS, "checkpoint.every=5", "checkpoint.keep=3"))
        self.assertEqual(
            [file.name for file in self.checkpoints()],
            ["checkpoint_000045.hdf", "checkpoint_000050.hdf", "checkpoint_000055.hdf"],
        )
        self.assertEqual(
            sorted(file.name for file in (self.path / "run").glob("*.run.json")),
            ["checkpoint_000045.run.json", "checkpoint_000050.run.json",
             "checkpoint_000055.run.json", "state_000060.run.json"],
        )  # fmt: skip

    def test_given_an_interval_of_time_then_checkpoints_come_by_the_clock(self):
        self.run_well(
            ZALESAK, *settings(*KEYS, 'checkpoint.every="0.001 s"', "checkpoint.keep=100")
        )
        self.assertGreaterEqual(len(self.checkpoints()), 2)


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
        self.assertIn("warning: 'run/diagnostics.csv' has changed since the run ended", done.errors)

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
        self.assert_refused(self.kumiko("run", "--restart", "latest"), "--output")
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


class Export(RestartTest):
    def test_given_states_then_plotfiles_are_made_of_them_and_never_replaced(self):
        self.run_well(ZALESAK, *settings(*KEYS, "output.every=20"))
        states = sorted((self.path / "run").glob("state_*.hdf"))
        done = self.kumiko("export", *states, "--output", "plots")
        self.assertEqual(done.returncode, 0, done.errors)
        names = [f"plots/plt_{step:06}" for step in (20, 40, 60)]
        self.assertEqual(done.output.splitlines(), names)
        for step, name in zip((20, 40, 60), names):
            header = (self.path / name / "Header").read_text().splitlines()
            row = next(row for row in self.rows("diagnostics.csv") if row["step"] == str(step))
            self.assertEqual(float(header[4]), float(row["time"]))
        done = self.kumiko("export", states[0], "--output", "plots")
        self.assert_refused(done, "'plots/plt_000020' already exists", "--output")
        shutil.copy(states[0], self.path / "copy.hdf")
        done = self.kumiko("export", states[0], "copy.hdf", "--output", "both")
        self.assertEqual(done.returncode, 1, done.errors)
        self.assertIn(f"'copy.hdf' has the same base step, 20, as '{states[0]}'", done.errors)

    def test_given_states_and_png_then_frames_are_drawn(self):
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=3"))
        done = self.kumiko(
            "export", "run/state_000003.hdf", "--format", "png", "--range", "0,1"
        )
        if os.environ["KUMIKO_HAS_VTK"] != "1":
            self.assert_refused(done, "KUMIKO_WITH_VTK", "plotfile")
            return
        self.assertEqual(done.returncode, 0, done.errors)
        # The run's own picture of the same state, whose colours are those of the first: 0 to 1.
        self.assertEqual(
            (self.path / "frame_000003.png").read_bytes(),
            (self.path / "run" / "field_end.png").read_bytes(),
        )

    def test_given_what_cannot_be_exported_then_it_is_named(self):
        self.run_well(ZALESAK, *settings("grid.base=64", "time.steps=640", "time.stop_step=4"))
        done = self.kumiko("export", "missing.hdf", "run/state_000004.hdf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.hdf", done.errors)
        self.assertIn("plt_000004", done.output)
        self.assertIn("--format", self.kumiko("export", "missing.hdf", "--format", "bmp").errors)


    def test_given_what_is_not_hdf5_then_every_command_calls_the_request_wrong(self):
        (self.path / "notes.txt").write_text("a letter to a friend\n" * 99)
        (self.path / "noise.hdf").write_bytes(random.Random(1).randbytes(5000))
        commands = [["inspect"], ["inspect", "--json"], ["export"], ["simulate"]]
        commands += [["export", "--format", form] for form in ("csv", "chrome")]
        if os.environ["KUMIKO_HAS_VTK"] == "1":
            commands += [["export", "--format", "png"]]
        for name in ("notes.txt", "noise.hdf"):
            for command, *options in commands:
                with self.subTest(name=name, command=command, options=options):
                    done = self.kumiko(command, name, *options)
                    self.assert_refused(done, f"'{name}' is not a ", "HDF5")


if __name__ == "__main__":
    unittest.main()
