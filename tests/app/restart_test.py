"""Contract: a run goes on from its checkpoints as if it had never stopped, whatever stopped it, and
no failure to write one harms an earlier one."""

import csv
import errno
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
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


class Sidecar(RestartTest):
    """A file depends on case, keys and step; what the run took stands beside it."""

    KEYS = ["checkpoint.every=10", "checkpoint.keep=9", "output.every=25"]

    WAYS = [
        ["--backend", "serial"],
        ["--backend", "threads", "--workers", 1],
        ["--backend", "threads", "--workers", 2],
        ["--backend", "threads", "--workers", 3],
        ["--backend", "threads", "--workers", 2, *settings("step.schedule=level")],
        ["--backend", "pthread", "--workers", 2],
        ["--backend", "pthread", "--workers", 3],
    ] + ([] if SANITIZER == "thread" else [["--backend", "openmp", "--workers", 2]])

    def whole(self, *keys):
        return self.copy_of_run(ZALESAK, *settings(*KEYS, *self.KEYS, *keys), folder="whole")

    def states(self, folder):
        return {file.name: file for file in (self.path / folder).glob("*_0*.hdf")}

    def assert_equal_files(self, folder, other, least=1):
        """Of all that both have, as cmp compares them."""
        one, two = self.states(folder), self.states(other)
        both = sorted(set(one) & set(two))
        self.assertGreaterEqual(len(both), least)
        for name in both:
            done = subprocess.run(["cmp", one[name], two[name]], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def sidecar(self, name, folder="run"):
        return self.path / folder / f"{name}.run.json"

    def interrupted(self):
        """A run that ended at step 20, with what a later step would need."""
        self.whole()
        shutil.copytree(self.path / "whole", self.path / "run")
        for name in [name for name in self.states("run") if int(name[-8:-4]) > 20]:
            (self.path / "run" / name).unlink()

    def test_given_any_backend_and_workers_then_the_files_are_equal_to_the_byte(self):
        self.whole()
        for number, way in enumerate(self.WAYS):
            with self.subTest(way=way):
                # What they look for, when and where does not matter either.
                keys = [*KEYS, *self.KEYS, "amr.check_finite=7", "diagnostics.every=9"]
                self.run_well(ZALESAK, *settings(*keys), *way, folder=f"run{number}")
                self.assertEqual(set(self.states("whole")), set(self.states(f"run{number}")))
                self.assert_equal_files("whole", f"run{number}", 7)
        self.assertNotEqual(
            self.sidecar("state_000060", "run0").read_bytes(),
            self.sidecar("state_000060", "run1").read_bytes(),
        )

    def test_given_figures_a_trace_and_messages_then_the_checkpoints_are_the_same(self):
        self.whole()
        keys = [*KEYS, *self.KEYS, "output.extras=true", "trace.from=5", "trace.steps=30"]
        done = self.kumiko("run", ZALESAK, *settings(*keys), "--output", "run", "--summary", "more.json")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertTrue((self.path / "run" / "trace.hdf").exists())
        whole, run = self.checkpoints("whole"), self.checkpoints("run")
        self.assertGreaterEqual(len(whole), 4)
        self.assertEqual([file.name for file in whole], [file.name for file in run])
        for one, other in zip(whole, run):
            self.assertTrue(one.read_bytes() == other.read_bytes(), one.name)

    def test_given_compression_then_the_files_are_equal_to_the_byte(self):
        for number, way in enumerate(self.WAYS[:3:2]):
            keys = [*KEYS, *self.KEYS, "output.compression=deflate"]
            self.run_well(ZALESAK, *settings(*keys), *way, folder=f"run{number}")
        self.assert_equal_files("run0", "run1", 7)

    def test_given_a_crash_and_other_workers_then_the_files_are_equal_to_the_byte(self):
        keys = ["grid.base=128", "time.steps=1280", "time.stop_step=300", *self.KEYS, "checkpoint.keep=99"]
        self.run_well(ZALESAK, *settings(*keys), "--backend", "serial", folder="whole")
        for number, way in enumerate(self.WAYS):
            with self.subTest(way=way):
                folder = f"run{number}"
                run = self.start(
                    "run", ZALESAK, *settings(*keys), "--output", folder, "--quiet",
                    "--backend", "threads", "--workers", 1 + number % 3,
                )  # fmt: skip
                while run.poll() is None and len(self.checkpoints(folder)) < 3:
                    time.sleep(0.001)
                run.kill()
                run.communicate()
                self.assertEqual(run.returncode, -signal.SIGKILL, "it was done before the crash")
                self.run_well("--restart", "latest", *way, folder=folder)
                self.assert_equal_files("whole", folder, 36)

    def test_given_a_restart_then_seconds_and_work_go_on_where_they_were(self):
        self.interrupted()
        file = self.sidecar("checkpoint_000020")
        before = json.loads(file.read_text())
        file.write_text(json.dumps({**before, "wall_s": 1000.0}))
        again = self.run_well("--restart", "latest")
        self.assertGreater(again["wall_s"], 1000.0)
        self.assertEqual(again["updates"]["total"], self.summary("whole")["updates"]["total"])
        self.assertEqual(
            sum(load["updates"] for load in again["load"]), again["updates"]["total"]
        )
        self.assertEqual(again["config"]["time"]["stop_step"], 60)
        after = json.loads(self.sidecar("state_000060").read_text())
        self.assertGreater(after["wall_s"], 1000.0)
        self.assertEqual(after["paths"]["folder"], "run")
        self.assertEqual(after["keys"]["output.every"], 25)

    def test_given_no_sidecar_or_a_damaged_one_then_the_run_says_so_and_goes_on(self):
        self.interrupted()
        shutil.copytree(self.path / "run", self.path / "kept")
        file = self.sidecar("checkpoint_000020")
        text = file.read_text()
        for content, told in (
            (None, "is missing"),
            (text[:100], "is damaged"),
            (text.replace('"output.every": 25', '"output.every": "25"'), "'output.every'"),
            (text.replace('"step": 20', '"step": 30'), "is of base step 30"),
        ):
            for backend in ("threads", "serial"):
                with self.subTest(told=told, backend=backend):
                    shutil.rmtree(self.path / "run")
                    shutil.copytree(self.path / "kept", self.path / "run")
                    file.unlink()
                    if content is not None:
                        file.write_text(content)
                    done = self.kumiko(
                        "run", "--restart", "latest", "--output", "run", "--backend", backend,
                        *settings("time.stop_step=60", "output.every=25"),
                    )  # fmt: skip
                    self.assertEqual(done.returncode, 0, done.errors)
                    (warning,) = done.errors.splitlines()
                    for part in ("warning: 'run/checkpoint_000020.run.json'", told, "base step 20", "--set"):
                        self.assertIn(part, warning)
                    whole, again = self.summary("whole"), self.summary()
                    self.assertEqual(again["state_hash"], whole["state_hash"])
                    self.assertEqual(again["updates"], whole["updates"])
                    self.assert_equal_files("whole", "run", 3)
                    # The rows count every point update once all the same.
                    updates = sum(
                        int(value)
                        for row in self.rows("diagnostics.csv")
                        for name, value in row.items()
                        if name.startswith("updates_")
                    )
                    self.assertEqual(updates, whole["updates"]["total"])

    def test_given_a_case_and_no_sidecar_then_the_keys_are_the_cases(self):
        self.interrupted()
        self.sidecar("checkpoint_000020").unlink()
        done = self.kumiko("run", ZALESAK, *settings(*KEYS), "--restart", "latest", "--output", "run")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("is missing", done.errors)
        self.assertNotIn("--set", done.errors)

    def test_given_a_file_of_an_earlier_version_then_the_run_goes_on_from_it(self):
        self.interrupted()
        run = self.path / "run"
        file = run / "checkpoint_000020.hdf"
        subprocess.run(
            [os.environ["KUMIKO_OLDER_STATE"], file, self.path / "older.hdf", run / "effective.toml"],
            check=True,
        )
        shutil.move(self.path / "older.hdf", file)
        self.sidecar("checkpoint_000020").unlink()
        told = self.kumiko("inspect", file)
        self.assertEqual(told.returncode, 0, told.errors)
        self.assertIn("stop_step = 60", told.output)
        self.assertIn("steals", told.output)
        done = self.kumiko("run", "--restart", "latest", "--output", "run", "--quiet")
        self.assertEqual((done.returncode, done.errors), (0, ""))
        again, whole = self.summary(), self.summary("whole")
        self.assertEqual(again["state_hash"], whole["state_hash"])
        self.assertEqual(sum(load["updates"] for load in again["load"]), whole["updates"]["total"])
        (run / "checkpoint_000020.hdf").unlink()
        self.assert_equal_files("whole", "run", 5)

    def test_given_a_sidecar_then_inspect_shows_it_beside_the_file(self):
        self.whole()
        file = "whole/state_000060.hdf"
        told = self.kumiko("inspect", file).output
        for part in ("so far", "backend            threads", "host", "output.every = 25"):
            self.assertIn(part, told)
        report = json.loads(self.kumiko("inspect", file, "--json").output)
        self.assertEqual(report["sidecar"]["keys"]["checkpoint.keep"], 9)
        self.assertEqual(report["sidecar"]["wall_s"], self.whole_sidecar()["wall_s"])
        self.assertNotIn("stop_step", report["configuration"])
        self.sidecar("state_000060", "whole").unlink()
        told = self.kumiko("inspect", file)
        self.assertEqual(told.returncode, 0)
        self.assertIn("not known: 'whole/state_000060.run.json' is missing", told.output)
        report = json.loads(self.kumiko("inspect", file, "--json").output)
        self.assertIsNone(report["sidecar"])
        self.assertIn("is missing", report["sidecar_error"])

    def whole_sidecar(self):
        return json.loads(self.sidecar("state_000060", "whole").read_text())

    def test_given_measured_figures_then_they_alone_differ(self):
        # level and indicator follow from the state; worker and cost were measured.
        for number, way in enumerate(self.WAYS[:3:2]):
            self.run_well(
                ZALESAK, *settings(*KEYS, *self.KEYS, "output.extras=true"), *way, folder=f"run{number}"
            )
        for name in [name for name in self.states("run0") if name.startswith("state")]:
            (self.path / "run0" / name).unlink()
        self.assert_equal_files("run0", "run1", 4)

    def test_given_later_and_damaged_files_then_their_sidecars_go_with_them(self):
        self.whole()
        shutil.copytree(self.path / "whole", self.path / "run")
        run = self.path / "run"
        # As a run leaves them that is killed between a sidecar and its file.
        for name in ("checkpoint_000035", "state_000040"):
            shutil.copy(self.sidecar("checkpoint_000020"), self.sidecar(name))
        done = self.kumiko(
            "run", "--restart", run / "checkpoint_000020.hdf", "--overwrite", "--quiet",
            *settings("time.stop_step=22", "output.every=0"),
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertEqual(
            sorted(file.name for file in run.glob("*.run.json")),
            ["checkpoint_000010.run.json", "checkpoint_000020.run.json", "state_000022.run.json"],
        )
        newest = run / "state_000022.hdf"
        newest.write_bytes(newest.read_bytes()[:5000])
        done = self.kumiko("run", "--restart", "latest", "--output", "run", *settings("time.stop_step=25"))
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertTrue((run / "state_000022.hdf.damaged").exists())
        self.assertTrue((run / "state_000022.hdf.damaged.run.json").exists())
        self.assertFalse((run / "state_000022.run.json").exists())


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

    def test_given_a_trace_of_the_past_then_it_is_refused(self):
        done = self.kumiko(
            "run", "--restart", "latest", "--output", "run", *settings("trace.from=20")
        )
        self.assert_refused(done, "trace.from", "base step 50")

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
        self.assertEqual(done.returncode, 2)
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


class Interruption(RestartTest):
    LONG = ["grid.base=64", "time.steps=640", "time.stop_step=640"]

    def wait_for_row(self, rows):
        """Until the run has written as many rows: its signal handlers stand then."""
        deadline = time.monotonic() + 120
        part = self.path / "run" / "diagnostics.csv.part"
        while time.monotonic() < deadline:
            if part.exists() and part.read_text().count("\n") > rows:
                return
            time.sleep(0.005)
        self.fail("the run does not start")

    def wait_for_step(self, step):
        """Until the run has written a row of that base step or a later one."""
        deadline = time.monotonic() + 120
        part = self.path / "run" / "diagnostics.csv.part"
        while time.monotonic() < deadline:
            rows = part.read_text().splitlines()[1:] if part.exists() else []
            steps = [int(row.split(",")[0]) for row in rows if re.match(r"\d+,", row)]
            if steps and steps[-1] >= step:
                return
            time.sleep(0.005)
        self.fail("the run does not start")

    def is_writing(self):
        return any(name.endswith(".hdf.part") for name in os.listdir(self.path / "run"))

    def long_run(self, *keys):
        run = self.start("run", ZALESAK, *settings(*self.LONG, *keys), "--output", "run")
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def test_given_a_signal_before_the_first_step_then_the_program_ends_whatever_it_waits_for(self):
        os.mkfifo(self.path / "pipe")
        for ending in (signal.SIGTERM, signal.SIGINT):
            run = self.start("run", "pipe", "--output", "run")
            with open(self.path / "pipe", "w"):  # once the program has opened it, too
                run.send_signal(ending)
                _, errors = run.communicate(timeout=20)
            self.assertEqual(run.returncode, -ending)
            self.assertIn("ended by a signal before the first base step", errors)

    def test_given_signals_that_end_it_then_the_run_leaves_a_checkpoint_and_goes_on(self):
        keys = ["grid.base=128", "time.steps=1280"]
        run = self.long_run(*keys, "time.stop_step=1280")
        done = 0
        for ending in (signal.SIGTERM, signal.SIGINT):
            self.wait_for_step(done + 1)
            time.sleep(0.05)
            run.send_signal(ending)
            _, errors = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 1, errors)
            self.assertIn(f"ended by signal {int(ending)}", errors)
            last = self.checkpoints()[-1].name
            self.assertIn(f"continue with --restart run/{last}", errors)
            self.assertFalse((self.path / "run" / "summary.json").exists())
            # The first restart is ended as well; the second ends by itself, soon.
            done = int(last[-10:-4])
            end = done + 10
            more = settings(f"time.stop_step={end}") if ending == signal.SIGINT else []
            run = self.start("run", "--restart", "latest", "--output", "run", *more)
            self.assertIn("restarts from", run.stdout.readline())
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0)
        whole = self.run_well(ZALESAK, *settings(*keys, f"time.stop_step={end}"), folder="whole")
        self.assertEqual(self.summary()["state_hash"], whole["state_hash"])

    def test_given_a_regrid_that_exceeds_the_memory_limit_then_a_run_with_more_goes_on_from_before_it(self):
        for keys in (["amr.interval=5"], ["amr.interval=0"], ["time.cfl=0.5", "time.steps=0"]):
            keys = settings("grid.base=128", "time.stop_step=40", *keys)
            whole = self.run_well(ZALESAK, *keys, "--overwrite", folder="whole")
            done = self.kumiko("run", ZALESAK, *keys, *settings("amr.memory_limit=2"), "--output", "run", "--overwrite")
            self.assertEqual(done.returncode, 1, done.errors)
            last = re.search(r"'amr\.memory_limit' is .*; continue with --restart (run/checkpoint_\d+\.hdf)\n", done.errors)
            self.assertTrue(last, done.errors)
            again = self.run_well("--restart", last[1], *settings("amr.memory_limit=0"), "--overwrite", folder="more")
            self.assertEqual(again["state_hash"], whole["state_hash"])

    def test_given_a_folder_that_somebody_removes_then_the_next_checkpoint_makes_it_again(self):
        run = self.long_run("grid.base=128", "time.steps=12800", "time.stop_step=12800", "checkpoint.every=5")
        self.wait_for_step(10)
        gone = self.path / "gone"
        (self.path / "run").rename(gone)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not ((self.path / "run").exists() and len(self.checkpoints()) > 1):
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 1, errors)
        self.assertEqual(errors.count("somebody has removed 'run' during the run"), 1, errors)
        last = self.checkpoints()[-1].name
        self.assertIn(f"continue with --restart run/{last}", errors)
        end = int(last[-10:-4]) + 2
        more = settings(f"time.stop_step={end}")
        self.assertEqual(self.run_well("--restart", f"run/{last}", *more, folder="next")["steps"], end)

    def test_given_a_terminal_that_goes_then_the_run_leaves_a_checkpoint(self):
        for action, code in ((signal.SIG_DFL, 1), (signal.SIG_IGN, 0)):
            run = self.start(
                "run", ZALESAK,
                *settings("grid.base=128", "time.steps=1280", "time.stop_step=240"),
                "--output", "run", "--overwrite",
                preexec_fn=lambda: signal.signal(signal.SIGHUP, action),
            )  # fmt: skip
            self.addCleanup(run.wait)
            self.addCleanup(run.kill)
            self.wait_for_row(2)
            self.assertIsNone(run.poll(), "it was done before the signal")
            run.send_signal(signal.SIGHUP)
            _, errors = run.communicate(timeout=300)
            self.assertEqual(run.returncode, code, errors)
            self.assertEqual(len(self.checkpoints()), code)

    def test_given_sigusr1_then_a_checkpoint_is_written_and_the_run_goes_on(self):
        run = self.long_run()
        self.wait_for_row(2)
        run.send_signal(signal.SIGUSR1)
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, errors)
        self.assertEqual(len(self.checkpoints()), 1)

    def test_given_a_time_limit_then_the_run_ends_before_it_with_a_checkpoint(self):
        keys = ["grid.base=256", "time.steps=2560", "time.stop_step=2560"]
        run = self.kumiko(
            "run", ZALESAK, *settings(*keys, 'time.wall_limit="0.5 s"'), "--output", "run"
        )
        self.assertEqual(run.returncode, 1, run.errors)
        self.assertIn("ended by time.wall_limit", run.errors)
        # One at once, to know how long it takes, and one at the end; one where a part of the loop
        # takes longer than the limit.
        self.assertIn(len(self.checkpoints()), (1, 2))

    def test_given_thirty_kills_then_every_restart_goes_on_to_the_same_bits(self):
        """Each kill hits the run that the one before left. What has its name must be whole."""
        rounds, wanted = (30, 20) if not SANITIZER else (6, 0)
        keys = [*self.LONG, "checkpoint.every=1"]
        whole = self.run_well(ZALESAK, *settings(*self.LONG), folder="whole")
        rng = random.Random(7)
        kills = parts = 0
        # Where files are written at once, some more kills are needed to hit one.
        while kills < rounds or (parts < wanted and kills < 10 * rounds):
            if (self.path / "run").exists() and self.checkpoints():
                run = self.start("run", "--restart", "latest", "--output", "run", "--quiet")
            else:
                shutil.rmtree(self.path / "run", ignore_errors=True)
                run = self.start(
                    "run", ZALESAK, *settings(*keys), "--output", "run", "--quiet"
                )
            # Until it writes its own checkpoints, and a random while longer; most of them in the
            # middle of a file.
            seen = set(self.checkpoints())
            while run.poll() is None and set(self.checkpoints()) <= seen:
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.02))
            while kills % 5 > 0 and run.poll() is None and not self.is_writing():
                pass
            run.kill()
            run.communicate()
            if run.returncode == 0:  # it was done before the kill: begin again
                shutil.rmtree(self.path / "run")
                continue
            self.assertEqual(run.returncode, -signal.SIGKILL)
            kills += 1
            parts += self.is_writing()
            for file in self.checkpoints():
                done = self.kumiko("inspect", file)
                self.assertEqual(done.returncode, 0, done.errors)
        self.assertGreaterEqual(parts, wanted, "too few kills hit a file that was being written")
        self.run_well("--restart", "latest", *settings("checkpoint.every=0"))
        self.assertEqual(self.summary()["state_hash"], whole["state_hash"])
        load = self.rows("load.csv")
        self.assertEqual({int(row["step"]) for row in load}, set(range(640)))
        self.assertEqual(sum(int(row["updates"]) for row in load), whole["updates"]["total"])
        steps = [row["step"] for row in self.rows("diagnostics.csv")]
        self.assertEqual(steps, [str(step) for step in range(0, 641, 10)])


class Failure(RestartTest):
    """The disk refuses: a run goes on or stops, as configured."""

    def setUp(self):
        super().setUp()
        if SANITIZER:
            self.skipTest("a sanitizer's library must be the first that is loaded")
        self.copy_of_run(ZALESAK, *settings(*KEYS, "time.stop_step=20", "checkpoint.every=10"))
        (self.path / "run" / "state_000020.hdf").unlink()
        self.good = (self.path / "run" / "checkpoint_000010.hdf").read_bytes()

    def go_on(self, on_failure, environment, *keys, engine="epoll", **more):
        return self.kumiko(
            "run", "--restart", "latest", "--output", "run", "--quiet",
            *settings("checkpoint.every=10", f"checkpoint.on_failure={on_failure}", *keys),
            env={**os.environ, "KUMIKO_IO_ENGINE": engine, **environment}, **more,
        )  # fmt: skip

    def for_each_engine(self, check):
        """Calls check(engine) for the ways that writes can go, each from the same folder."""
        kept = self.path / "kept"
        shutil.copytree(self.path / "run", kept)
        for engine in ("epoll", "io_uring"):
            shutil.rmtree(self.path / "run")
            shutil.copytree(kept, self.path / "run")
            with self.subTest(engine=engine):
                if engine == "io_uring" and not self.has_io_uring():
                    self.skipTest("the system refuses io_uring: its faults are NOT tested")
                check(engine)

    def has_io_uring(self):
        """Whether an ordinary run can use it."""
        words = ["run", ZALESAK, *settings(*KEYS, "time.stop_step=1"), "--output", "probe", "--overwrite"]
        return self.kumiko(
            *words, env={**os.environ, "KUMIKO_IO_ENGINE": "io_uring"}
        ).returncode == 0

    def fault(self, call, error, after=0):
        return {
            "LD_PRELOAD": os.environ["KUMIKO_FAULTS"],
            "KUMIKO_FAULT": call,
            "KUMIKO_ERRNO": str(error),
            "KUMIKO_AFTER": str(after),
        }

    def assert_earlier_is_whole(self):
        self.assertEqual((self.path / "run" / "checkpoint_000010.hdf").read_bytes(), self.good)
        self.assertEqual(list((self.path / "run").glob("*.hdf.part")), [])

    def test_given_short_writes_then_the_files_are_whole(self):
        def check(engine):
            done = self.go_on("stop", self.fault("pwritev", 0), engine=engine)
            self.assertEqual(done.returncode, 0, done.errors)
            for file in (self.path / "run").glob("*.hdf"):
                self.assertEqual(self.kumiko("inspect", file).returncode, 0)

        self.for_each_engine(check)

    def test_given_errors_and_stop_then_the_run_ends_with_the_cause(self):
        def check(engine):
            for call, error, after in (
                ("pwritev", errno.EIO, 0),
                ("pwritev", errno.ENOSPC, 3),
                ("fdatasync", errno.EIO, 0),
                ("rename", errno.EIO, 0),
            ):
                fault = self.fault(call, error, after)
                done = self.go_on("stop", fault, "time.stop_step=60", engine=engine)
                self.assertEqual(done.returncode, 1, done.errors)
                self.assertIn(os.strerror(error), done.errors)
                self.assertIn("checkpoint_000020.hdf", done.errors)
                self.assertIn("continue with --restart run/checkpoint_000010.hdf", done.errors)
                self.assert_earlier_is_whole()

        self.for_each_engine(check)

    def test_given_errors_and_continue_then_the_run_goes_on_and_says_so(self):
        # The state at the end is written too, and a run whose result cannot be written has failed.
        def check(engine):
            fault = self.fault("fdatasync", errno.EIO)
            done = self.go_on("continue", fault, "time.stop_step=60", engine=engine)
            self.assertEqual(done.returncode, 1, done.errors)
            self.assertEqual(done.errors.count("warning: no checkpoint"), 4, done.errors)
            self.assertIn("state_000060.hdf.part", done.errors)
            self.assert_earlier_is_whole()

        self.for_each_engine(check)

    def test_given_a_limit_on_files_then_the_error_names_it(self):
        def limit():
            # Python ignores the signal that ends a program that exceeds it.
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        def check(engine):
            done = self.go_on("stop", {}, "time.stop_step=60", engine=engine, preexec_fn=limit)
            self.assertEqual(done.returncode, 1, done.errors)
            for part in (os.strerror(errno.EFBIG), "checkpoint_000020.hdf.part", "ulimit -f"):
                self.assertIn(part, done.errors)
            self.assert_earlier_is_whole()

        self.for_each_engine(check)

    def test_given_new_folders_then_each_name_is_on_the_disk_before_the_run_begins(self):
        """A name that cannot be put there is an error."""
        (self.path / "there").mkdir()
        for parent in ("/there", "/there/new"):
            fault = {**self.fault("fsync", errno.EIO), "KUMIKO_FAULT_END": parent}
            done = self.kumiko(
                "run", ZALESAK, *settings(*KEYS), "--output", "there/new/run",
                env={**os.environ, **fault},
            )  # fmt: skip
            self.assert_refused(done, f"{parent}'", os.strerror(errno.EIO))
            self.assertEqual(list((self.path / "there" / "new" / "run").iterdir()), [])
            shutil.rmtree(self.path / "there" / "new")

    def test_given_a_full_disk_then_the_last_checkpoint_stays_and_the_run_ends_as_configured(self):
        keys = settings(*KEYS, "checkpoint.every=10", "checkpoint.keep=9", "checkpoint.on_failure=stop")
        done = self.on_disk_of(
            "700k",
            '"$0" run "$@" --output run; code=$?; '
            'for file in run/checkpoint_*.hdf; do "$0" inspect "$file" || exit 99; done; exit $code',
            ZALESAK, *keys,
        )  # fmt: skip
        self.assertIn(os.strerror(errno.ENOSPC), done.stderr)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertGreaterEqual(done.stdout.count("whole"), 1)

    def on_disk_of(self, size, script, *words):
        """Runs a script in a file system of its own, $0 being the command."""
        alone = ["unshare", "--user", "--map-root-user", "--mount"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no name spaces of users here")
        disk = self.path / "disk"
        disk.mkdir()
        script = f"mount -t tmpfs -o size={size} none '{disk}' && cd '{disk}' && {script}"
        return subprocess.run(
            [*alone, "sh", "-c", script, KUMIKO, *map(str, words)], capture_output=True, text=True
        )

    def test_given_a_disk_that_may_only_be_read_then_the_run_is_refused(self):
        done = self.on_disk_of(
            "20m",
            '"$0" run "$@" --set time.stop_step=20 --output run --quiet && '
            "mount -o remount,ro . && "
            '"$0" run --restart latest --output run --set time.stop_step=40; code=$?; '
            '"$0" inspect run/state_000020.hdf || exit 99; exit $code',
            ZALESAK, *settings(*KEYS),
        )  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(os.strerror(errno.EROFS), done.stderr)
        self.assertIn("whole", done.stdout)

    def test_given_a_folder_that_may_not_be_written_then_the_run_is_refused(self):
        if os.geteuid() == 0:
            self.skipTest("nothing is forbidden to root")
        (self.path / "run").chmod(0o500)
        self.addCleanup((self.path / "run").chmod, 0o700)
        self.assert_refused(self.go_on("stop", {}), "no permission")


if __name__ == "__main__":
    unittest.main()
