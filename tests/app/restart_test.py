"""Contract: a run continues from its checkpoints as if it had never stopped."""

import json
import os
import shutil
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

    def test_given_more_levels_then_the_uniform_grid_of_each_step_is_that_of_its_own_levels(self):
        keys = ["grid.base=32", "time.steps=160"]
        self.run_well(ZALESAK, *settings(*keys, "amr.levels=2", "time.stop_step=20"))
        more = settings("amr.levels=3", "time.stop_step=30")
        self.run_well(*more, "--restart", "run", folder="more")
        found = self.run_well(*settings("time.stop_step=50"), "--restart", "more", folder="most")["updates"]
        uniform = 32 * 32 * (20 * 8 + 30 * 8**2)
        self.assertAlmostEqual(found["fraction_of_uniform"], found["total"] / uniform, places=12)

    def test_given_a_complete_run_then_its_own_backend_and_workers_are_shown(self):
        self.run_well(ZALESAK, *settings(*KEYS), "--workers", "3")
        done = self.kumiko("run", "--restart", "run", "--workers", "1", "--backend", "serial")
        self.assertIn("nothing is left to do", done.output)
        self.assertIn("backend threads  workers 3", done.output)

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

    def test_given_a_run_that_was_done_then_a_restart_changes_none_of_its_files(self):
        """The last state has data of workers and costs that nobody could write again."""
        def contents():
            return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in (self.path / "run").iterdir()}

        self.run_well(ZALESAK, *settings(*KEYS, "output.extras=true"))
        before = contents()
        done = self.kumiko("run", "--restart", "latest", "--output", "run", "--summary", "copy.json")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("nothing is left to do", done.output)
        self.assertEqual(contents(), before)
        self.assertEqual(json.loads((self.path / "copy.json").read_text()), self.summary())
        # What is missing is written again, and the state stays.
        (self.path / "run" / "states.hdf.series").unlink()
        self.assertEqual(self.kumiko("run", "--restart", "latest", "--output", "run").returncode, 0)
        after = contents()
        for name in ("states.hdf.series", "state_000060.hdf", "state_000060.run.json", "load.csv", "diagnostics.csv"):
            self.assertEqual(after[name][0], before[name][0], name)
        self.assertEqual(after["state_000060.hdf"], before["state_000060.hdf"])
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)

    def test_given_a_run_that_was_done_and_a_lost_table_then_no_empty_one_hides_the_loss(self):
        first = self.copy_of_run(ZALESAK, *settings(*KEYS))
        for name, lose in (("load.csv", os.remove), ("diagnostics.csv", lambda table: table.write_text(""))):
            lose(self.path / "run" / name)
            for _ in range(2):
                done = self.kumiko("run", "--restart", "run")
                self.assertEqual(done.returncode, 0, done.errors)
                self.assertIn(f"warning: 'run/{name}' is lost: it has no rows", done.errors)
                self.assertNotIn("begins here", done.errors)
                self.assertFalse((self.path / "run" / name).exists())
                self.assertEqual(self.summary(), first)
                seen = self.kumiko("inspect", "run")
                self.assertEqual(seen.returncode, 1, seen.output)
                self.assertIn(f"{name} is missing", seen.errors)

    @unittest.skipUnless(os.environ["KUMIKO_HAS_VTK"] == "1", "this build draws no pictures")
    def test_given_a_restart_then_the_last_picture_has_the_colours_of_an_unbroken_run(self):
        self.run_well(ZALESAK, *settings(*KEYS), folder="whole")
        self.run_well(ZALESAK, *settings(*KEYS, "time.stop_step=30"), folder="parts")
        self.run_well("--restart", "latest", *settings("time.stop_step=60"), folder="parts")
        pictures = [(self.path / folder / "field_end.png").read_bytes() for folder in ("whole", "parts")]
        self.assertEqual(*pictures)

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


if __name__ == "__main__":
    unittest.main()
