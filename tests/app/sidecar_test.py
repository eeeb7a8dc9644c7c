"""Contract: the files of a run are equal to the byte whatever took it there; what differs is in their sidecars."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from restart_case import KEYS, RestartTest, SANITIZER, ZALESAK, settings


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

    def test_given_a_complete_run_without_its_last_sidecar_then_its_other_files_serve(self):
        first = self.whole()
        file = self.sidecar("state_000060", "whole")
        before = json.loads(file.read_text())
        for content in (None, file.read_text()[:100]):
            shutil.copytree(self.path / "whole", self.path / "run", dirs_exist_ok=True)
            self.sidecar("state_000060").unlink()
            if content is not None:
                self.sidecar("state_000060").write_text(content)
            effective = (self.path / "run" / "effective.toml").read_text()
            done = self.kumiko("run", "--restart", "run")
            self.assertEqual(done.returncode, 0, done.errors)
            for told in ("are those of 'run/summary.json'", "are those of 'run/effective.toml'"):
                self.assertIn(told, done.errors)
            self.assertEqual(self.summary(), first)
            self.assertEqual((self.path / "run" / "effective.toml").read_text(), effective)
            told = dict(line.split(maxsplit=1) for line in done.output.splitlines() if " " in line)
            self.assertEqual(told["imbalance"].split()[0], f"{first['imbalance']:.3f}")
            self.assertIn(f"wall time            {first['wall_s']:.2f} s", done.output)
            after = json.loads(self.sidecar("state_000060").read_text())
            self.assertEqual(after["wall_s"], first["wall_s"])
            for key in ("load", "keys"):
                self.assertEqual(after[key], before[key])
            self.assertEqual(self.kumiko("inspect", "run").returncode, 0)

    def test_given_the_last_sidecar_lost_then_a_longer_run_counts_and_keeps_its_keys(self):
        first = self.whole()
        shutil.copytree(self.path / "whole", self.path / "run")
        self.sidecar("state_000060").unlink()
        longer = self.run_well(*settings("time.stop_step=70"), "--restart", "run")
        self.assertGreater(longer["wall_s"], first["wall_s"])
        self.assertEqual(sum(load["updates"] for load in longer["load"]), longer["updates"]["total"])
        self.assertEqual(longer["config"]["checkpoint"]["keep"], 9)

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
        self.assertIn("not known: 'whole/state_000060.run.json' is missing; a restart from here", told.output)
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


if __name__ == "__main__":
    unittest.main()
