"""Contract: a run continues from its checkpoints, whatever stopped it; no failed write harms an earlier one."""

import csv
import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from restart_case import KEYS, KUMIKO, RestartTest, SANITIZER, VORTEX, ZALESAK, settings


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

    def test_given_a_signal_within_the_steps_to_trace_then_the_advice_works(self):
        run = self.long_run("trace.from=2", "trace.steps=600")
        self.wait_for_step(3)
        run.send_signal(signal.SIGTERM)
        _, errors = run.communicate(timeout=120)
        advice = re.search(r"continue with (--restart \S+)\n", errors)[1].split()
        (self.path / "run" / "trace.hdf").unlink()
        done = self.kumiko("run", *advice, *settings(f"time.stop_step={int(advice[-1][-10:-4]) + 4}"), "--quiet")
        self.assertEqual(done.returncode, 0, done.errors)
        self.assertIn("warning: the base steps to trace are partly done, but there is no trace.hdf in 'run'", done.errors)

    def test_given_a_folder_whose_name_has_a_blank_then_the_advice_quotes_it(self):
        (self.path / "a run").mkdir()
        (self.path / "a run" / "effective.toml").touch()
        done = self.kumiko("run", "--restart", "a run")
        self.assertIn("kumiko run 'a run/effective.toml' --overwrite --output 'a run'", done.errors)

    def test_given_a_regrid_that_exceeds_the_memory_limit_then_a_run_with_more_goes_on_from_before_it(self):
        small = ["grid.base=128", "time.stop_step=40"]
        for case, keys in (
            (ZALESAK, [*small, "amr.interval=5"]),
            (ZALESAK, [*small, "amr.interval=0"]),
            (ZALESAK, [*small, "time.cfl=0.5", "time.steps=0"]),
            # Its mesh grows late, with patches that are there although unwanted.
            (VORTEX, ["time.stop_step=240", "amr.hysteresis=1"]),
        ):
            keys = settings(*keys)
            whole = self.run_well(case, *keys, "--overwrite", folder="whole")
            done = self.kumiko("run", case, *keys, *settings("amr.memory_limit=2"), "--output", "run", "--overwrite")
            self.assertEqual(done.returncode, 1, done.errors)
            last = re.search(r"'amr\.memory_limit' is .*; continue with --restart (run/\S+\.hdf)\n", done.errors)
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
        self.assertEqual(errors.count("'run' was removed during the run"), 1, errors)
        last = self.checkpoints()[-1].name
        self.assertIn(f"continue with --restart run/{last}", errors)
        end = int(last[-10:-4]) + 2
        more = settings(f"time.stop_step={end}")
        self.assertEqual(self.run_well("--restart", f"run/{last}", *more, folder="next")["steps"], end)

    def test_given_a_run_that_lost_its_tables_at_its_end_then_it_is_continued_and_reported(self):
        self.run_well(ZALESAK, *settings("grid.base=32", "time.stop_step=4"))
        for name in ("load.csv", "diagnostics.csv", "summary.json", "manifest.json"):
            (self.path / "run" / name).unlink()
        self.assertIn("nothing is left to do", self.kumiko("run", "--restart", "run").output)
        report = self.kumiko("report", "run", "--output", "page.html", "--csv", "tables")
        self.assertEqual(report.returncode, 0, report.errors)
        self.assertFalse((self.path / "tables" / "busy_worker.csv").exists())
        self.assertTrue((self.path / "tables" / "patches_level.csv").exists())

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
