"""Contract: the command line of the user guide: what it writes, what it refuses, how it exits."""

import collections
import csv
import ctypes
import errno
import json
import os
import platform
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from datetime import datetime, timezone
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
THESIS = CASES / "zalesak" / "thesis.toml"
VORTEX = CASES / "vortex" / "vortex_t2.toml"
GAUSSIAN = CASES / "gaussian" / "gaussian.toml"
DYES = CASES / "dyes" / "dyes.toml"
HAS_VTK = os.environ["KUMIKO_HAS_VTK"] == "1"
# GCC's OpenMP library is not built for ThreadSanitizer, which reports what it does not see.
HAS_OPENMP = os.environ["KUMIKO_SANITIZER"] != "thread"

# A coarse, short run of the flagship case: three levels, a few regrids.
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640", "--set", "time.stop_step=12"]


LIBC = ctypes.CDLL(None)


def without_rights_of_root():
    """Between fork and exec: a program that root starts may read and write only what it is allowed to."""
    drop_from_bounding_set, dac_override, dac_read_search = 24, 1, 2
    for capability in (dac_override, dac_read_search):
        LIBC.prctl(drop_from_bounding_set, capability, 0, 0, 0)


class CommandTest(unittest.TestCase):
    shared = {}  # folders that hold a small run each, by its options

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def kumiko(self, *arguments, **more):
        self.files_before = self.files()
        return subprocess.run(
            [KUMIKO, *map(str, arguments)],
            cwd=self.path,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=600,
            **more,
        )

    def files(self):
        return sorted(str(file) for file in self.path.rglob("*"))

    def run_small(self, name, *arguments):
        result = self.kumiko("run", ZALESAK, *SMALL, "--output", name, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads((self.path / name / "summary.json").read_text())

    def copy_of_small(self, name, *arguments):
        """A small run that several tests look at: made once, and copied for each of them."""
        if arguments not in self.shared:
            made = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(made.cleanup)
            own, self.path = self.path, Path(made.name)
            self.run_small("run", *arguments)
            self.path = own
            self.shared[arguments] = Path(made.name) / "run"
        shutil.copytree(self.shared[arguments], self.path / name)
        return json.loads((self.path / name / "summary.json").read_text())

    def assert_refused(self, result, *parts):
        """Exit code 2, one line that names the parts, and nothing written."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(self.files(), self.files_before, "a refused run wrote something")


class Run(CommandTest):
    def test_given_a_short_run_then_its_folder_is_complete(self):
        summary = self.copy_of_small("here", "--set", "diagnostics.every=5", "--workers", "2")
        files = {file.name for file in (self.path / "here").iterdir()}
        expected = {"summary.json", "manifest.json", "effective.toml", "diagnostics.csv", "load.csv"}
        expected |= {"state_000012.hdf", "state_000012.run.json", "states.hdf.series"}
        if HAS_VTK:
            expected |= {"field_start.png", "field_end.png"}
        self.assertEqual(files, expected)
        manifest = json.loads((self.path / "here" / "manifest.json").read_text())
        listed = {file["name"]: file for file in manifest["files"]}
        self.assertEqual(set(listed), expected - {"manifest.json"})
        for name, file in listed.items():
            self.assertEqual(file["bytes"], (self.path / "here" / name).stat().st_size)
            self.assertGreater(len(file["content"]), 10)
        for key in (
            "case solver backend workers steps wall_s error mass_drift updates "
            "updates_per_core_s balance_efficiency steals load longest_waits memory patches peak_rss_bytes state_hash config"
        ).split():
            self.assertIn(key, summary)
        self.assertEqual(set(summary["error"]), {"rms", "l1_relative", "l1", "linf", "min", "max"})
        self.assertEqual(summary["steps"], 12)
        self.assertEqual(summary["workers"], 2)
        self.assertEqual(len(summary["patches"]["per_level"]), 3)
        self.assertEqual(sum(summary["updates"]["per_level"]), summary["updates"]["total"])
        uniform = 64 * 64 * 12 * 64
        self.assertAlmostEqual(
            summary["updates"]["fraction_of_uniform"], summary["updates"]["total"] / uniform
        )

    def test_given_a_run_then_its_summary_says_where_when_and_by_what_it_was_computed(self):
        before = datetime.now(timezone.utc).replace(microsecond=0)
        summary = self.run_small("here")
        date = datetime.strptime(summary["date"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        self.assertLessEqual(before, date)
        self.assertLessEqual(date, datetime.now(timezone.utc))
        self.assertEqual(summary["host"], platform.node())
        self.assertTrue(summary["cpu"])
        models = re.findall(r"(?m)^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text())
        if models:
            self.assertEqual(summary["cpu"], models[0].strip())
        self.assertEqual(f"kumiko {summary['version']}", self.kumiko("--version").stdout.splitlines()[0])
        self.assertRegex(summary["compiler"], r"^(g\+\+|clang) \d+\.\d+")
        # What two equal runs write stays equal.
        for file in (self.path / "here").iterdir():
            if file.name.endswith(".run.json"):
                beside = json.loads(file.read_text())
                for key in ("host", "cpu", "version", "compiler"):
                    self.assertEqual(beside[key], summary[key])
                continue
            for key in ("date", "compiler", "cpu"):
                held = summary[key].encode() in file.read_bytes()
                self.assertEqual(held, file.name == "summary.json", f"{key} in {file.name}")

    def test_given_a_short_run_then_the_diagnostics_add_up_to_the_summary(self):
        summary = self.copy_of_small("here", "--set", "diagnostics.every=5", "--workers", "2")
        with open(self.path / "here" / "diagnostics.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["step"]) for row in rows], [0, 5, 10, 12])
        updates = sum(int(row["updates_0"]) + int(row["updates_1"]) for row in rows)
        self.assertEqual(updates, summary["updates"]["total"])
        self.assertEqual(float(rows[-1]["max"]), summary["error"]["max"])
        drift = float(rows[-1]["mass"]) / float(rows[0]["mass"]) - 1.0
        self.assertAlmostEqual(drift, summary["mass_drift"], places=14)
        self.assertTrue(summary["open_domain"])

    def test_given_a_short_run_then_the_load_of_every_step_adds_up_to_the_summary(self):
        summary = self.copy_of_small("here", "--set", "diagnostics.every=5", "--workers", "2")
        with open(self.path / "here" / "load.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        places = [(int(row["step"]), int(row["worker"])) for row in rows]
        self.assertEqual(places, [(step, worker) for step in range(12) for worker in range(2)])
        for worker, load in enumerate(summary["load"]):
            own = [row for row in rows if int(row["worker"]) == worker]
            self.assertEqual(sum(int(row["updates"]) for row in own), load["updates"])
            self.assertAlmostEqual(
                sum(float(row["busy_s"]) for row in own), load["busy_s"], places=6
            )
        self.assertEqual(sum(load["updates"] for load in summary["load"]), summary["updates"]["total"])
        self.assertLessEqual(summary["memory"]["bytes_per_point"], 60)

    def test_given_every_backend_then_the_state_hash_is_the_same(self):
        backends = [("serial", 1), ("threads", 3), ("pthread", 2)]
        if HAS_OPENMP:
            backends.append(("openmp", 2))
        hashes = {
            self.run_small(f"{backend}{workers}", "--backend", backend, "--workers", workers)[
                "state_hash"
            ]
            for backend, workers in backends
        }
        self.assertEqual(len(hashes), 1)

    def test_given_the_effective_configuration_then_it_computes_the_same(self):
        first = self.copy_of_small("here")
        again = self.kumiko("run", self.path / "here" / "effective.toml", "--output", "again")
        self.assertEqual(again.returncode, 0, again.stderr)
        summary = json.loads((self.path / "again" / "summary.json").read_text())
        self.assertEqual(summary["state_hash"], first["state_hash"])

    def test_given_output_every_then_states_are_written_on_the_way(self):
        self.run_small("here", "--set", "output.every=5")
        states = sorted(file.name for file in (self.path / "here").glob("*.hdf"))
        self.assertEqual(states, ["state_000005.hdf", "state_000010.hdf", "state_000012.hdf"])

    def test_given_a_trace_window_then_it_has_every_step_of_a_patch_and_nothing_changes(self):
        plain = self.run_small("plain", "--set", "amr.levels=1")
        self.assertFalse(list((self.path / "plain").glob("trace.*")))
        window = ["--set", "amr.levels=1", "--set", "trace.from=3", "--set", "trace.steps=2"]
        ways = [("threads", "dataflow"), ("threads", "level"), ("pthread", "level")]
        if HAS_OPENMP:
            ways.append(("openmp", "level"))
        for backend, schedule in ways:
            name = f"{backend}_{schedule}"
            way = ["--backend", backend, "--set", f"step.schedule={schedule}", "--workers", 2]
            traced = self.run_small(name, *window, *way, "--set", "runtime.idle=spin_pause")
            self.assertEqual(traced["state_hash"], plain["state_hash"])
            self.assertTrue((self.path / name / "trace.hdf").exists())
            trace = json.loads((self.path / name / "trace.json").read_text())
            about = {"case": "zalesak", "backend": backend, "schedule": schedule, "workers": 2}
            self.assertLessEqual(about.items(), trace["otherData"].items())
            advances = collections.Counter(
                (event["name"], event["args"]["base step"])
                for event in trace["traceEvents"]
                if event["ph"] == "X" and event["cat"] == "advance"
            )
            expected = {
                (f"L0 ({i}, {j})", step): 1 for i in range(4) for j in range(4) for step in (3, 4)
            }
            self.assertEqual(advances, expected, name)

    def test_given_every_idle_policy_then_the_state_hash_is_the_same(self):
        hashes = {
            self.run_small(idle, "--set", f"runtime.idle={idle}", "--workers", 2)["state_hash"]
            for idle in ["adaptive", "spin", "spin_pause", "yield", "sleep", "pressure"]
        }
        self.assertEqual(len(hashes), 1)

    def test_given_more_workers_than_cores_then_a_warning_says_so_and_they_stand(self):
        cores = len(os.sched_getaffinity(0))
        done = self.kumiko("run", ZALESAK, *SMALL, "--workers", cores + 1, "--output", "many", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"kumiko: warning: {cores + 1} workers share ", done.stderr)
        summary = json.loads((self.path / "s.json").read_text(encoding="utf-8"))
        self.assertEqual(summary["workers"], cores + 1)
        quiet = self.kumiko("run", ZALESAK, *SMALL, "--workers", cores + 1, "--output", "quiet", "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout), (0, ""))
        self.assertNotIn("warning", quiet.stderr)
        alone = self.kumiko("run", ZALESAK, *SMALL, "--workers", 1, "--output", "one")
        self.assertNotIn("share", alone.stderr)

    @unittest.skipUnless(HAS_OPENMP, "not with ThreadSanitizer")
    def test_given_openmp_that_binds_its_first_thread_then_workers_are_as_many_as_without(self):
        def workers(name, **variables):
            summary = ["--output", name, "--summary", f"{name}.json"]
            done = self.kumiko("run", GAUSSIAN, "--set", "time.stop_step=1", *summary, env=os.environ | variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads((self.path / f"{name}.json").read_text(encoding="utf-8"))["workers"]

        self.assertEqual(workers("bound", OMP_PROC_BIND="true"), workers("free"))
        self.assertEqual(workers("places", OMP_PLACES="cores", OMP_PROC_BIND="spread"), workers("again"))

    @unittest.skipUnless(HAS_OPENMP, "not with ThreadSanitizer")
    def test_given_an_openmp_schedule_that_is_not_one_then_backend_openmp_refuses_it(self):
        for schedule in ("statc", "", "dynamic,-1"):
            done = self.kumiko(
                "run", ZALESAK, *SMALL, "--backend", "openmp", env=os.environ | {"OMP_SCHEDULE": schedule}
            )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"OMP_SCHEDULE is '{schedule}'; write static, dynamic", done.stderr)

    def test_given_a_wrong_value_in_the_environment_then_each_backend_refuses_it_and_spares_the_earlier_run(self):
        self.copy_of_small("earlier")
        wrong = {"KUMIKO_STEALING": "nobody", "KUMIKO_IO_ENGINE": "steam", "KUMIKO_CHAOS_SEED": "tea"}
        for backend in ("threads", "pthread", "serial", *(["openmp"] if HAS_OPENMP else [])):
            for name, value in wrong.items():
                words = ["--backend", backend, "--output", "earlier", "--overwrite"]
                with self.subTest(f"{backend}, {name}"):
                    done = self.kumiko("run", ZALESAK, *SMALL, *words, env=os.environ | {name: value})
                    self.assert_refused(done, f"{name} is '{value}'; give ")
        self.assertEqual(self.kumiko("inspect", "earlier").returncode, 0)

    def test_given_an_unknown_idle_policy_then_the_error_lists_all(self):
        done = self.kumiko("run", ZALESAK, "--set", "runtime.idle=doze")
        names = ("adaptive", "spin", "spin_pause", "yield", "sleep", "pressure")
        self.assert_refused(done, "runtime.idle", *(f"'{name}'" for name in names))

    def test_given_a_trace_that_cannot_be_then_the_run_is_refused(self):
        def refused(*arguments):
            return self.kumiko("run", ZALESAK, *SMALL, "--output", "here", *arguments)

        self.assert_refused(refused("--set", "trace.from=12"), "trace.from", "0 .. 11")

    def test_given_a_restart_after_the_traced_steps_then_a_trace_that_is_missing_is_named(self):
        def words(folder, *keys):
            keys = ("trace.from=2", "trace.steps=2", *keys)
            sets = [part for key in keys for part in ("--set", key)]
            return ["run", ZALESAK, *SMALL, *sets, "--output", folder, "--quiet"]

        def restarted(*arguments):
            result = self.kumiko(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stderr

        first = words("here", "checkpoint.every=6", "time.stop_step=7")
        self.assertEqual(self.kumiko(*first).returncode, 0)
        (self.path / "copy").mkdir()
        checkpoint = self.path / "here" / "checkpoint_000006.hdf"
        for file in (checkpoint, checkpoint.with_suffix(".run.json")):
            (self.path / "copy" / file.name).write_bytes(file.read_bytes())
        self.assertEqual(restarted(*words("other"), "--restart", checkpoint), "")
        self.assertEqual(restarted(*words("here", "time.stop_step=9"), "--restart", "latest"), "")
        self.assertEqual(self.traced_steps("here"), [2, 3])
        alone = ["--restart", self.path / "copy" / checkpoint.name]
        self.assertEqual(restarted(*words("none", "trace.from=-1"), *alone), "")
        errors = restarted(*words("lost"), *alone)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        for part in ("warning", "trace.hdf", "trace.from", "'lost'"):
            self.assertIn(part, errors)

    def test_given_summary_and_quiet_then_the_figures_go_to_the_file_alone(self):
        result = self.kumiko(
            "run", ZALESAK, *SMALL, "--output", "here", "--summary", "copy.json", "--quiet"
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        copy = (self.path / "copy.json").read_text()
        self.assertEqual(copy, (self.path / "here" / "summary.json").read_text())

    def test_given_patches_that_do_not_nest_then_their_number_is_told_with_the_remedy(self):
        keys = ["--set", "amr.buffer=0"]
        done = self.kumiko("run", ZALESAK, *SMALL, *keys, "--output", "here")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads((self.path / "here" / "summary.json").read_text())
        unnested = summary["patches"]["unnested"]
        self.assertGreater(unnested, 1)
        self.assertIn(
            f"patches left out     {unnested} tagged ones that would not nest; "
            "a larger amr.buffer lets them in\n",
            done.stdout,
        )

    def test_given_one_of_a_kind_then_it_is_told_in_the_singular(self):
        one_of_all = ["grid.base=16", "time.steps=64", "time.stop_step=2", "amr.levels=2", "amr.interval=1"]
        words = [word for key in one_of_all for word in ("--set", key)]
        done = self.kumiko("run", ZALESAK, *words, "--workers", "1", "--output", "here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(1 regrid)\n", done.stdout)
        self.assertIn("; 0 steals)\n", done.stdout)
        told = self.kumiko("inspect", "here/state_000002.hdf").stdout
        self.assertRegex(told, r"so far .* s, 1 worker, 0 steals\n")
        self.assertRegex(told, r"level 0 +1 patch, ")

    def test_given_the_keys_of_refinement_then_each_of_them_acts(self):
        def patches(name, *settings):
            settings = ("time.stop_step=60", *settings)
            sets = [part for setting in settings for part in ("--set", setting)]
            return self.run_small(name, *sets)["patches"]["per_level"]

        usual = patches("usual")
        self.assertEqual(patches("same", "amr.derefine_threshold=0.1"), usual)
        self.assertNotEqual(patches("gradient", "amr.criterion=gradient"), usual)
        self.assertGreater(sum(patches("lower", "amr.derefine_threshold=0.01")), sum(usual))
        self.assertGreater(sum(patches("lag", "amr.hysteresis=9")), sum(usual))
        self.assertGreater(sum(patches("life", "amr.min_lifetime=99")), sum(usual))
        patches("auto", "amr.interval=0", "amr.check_finite=1", "amr.memory_limit=1000")

    def test_given_regions_then_the_mesh_the_summary_and_the_state_know_them(self):
        regions = """
[[amr.region]]
x = [0, 1]
y = [0, 1]
max_level = 1

[[amr.region]]
x = [0.0, 0.1]
y = [0.0, 0.1]
min_level = 2
max_level = 2
"""
        (self.path / "regions.toml").write_text(ZALESAK.read_text() + regions)
        result = self.kumiko("run", "regions.toml", *SMALL, "--output", "here")
        self.assertEqual(result.returncode, 0, result.stderr)
        summary = json.loads((self.path / "here" / "summary.json").read_text())
        # Level 2 patches are 1/16 wide: 2 × 2 of them have points in the second box.
        self.assertEqual(summary["patches"]["per_level"][2], 4)
        self.assertEqual(summary["config"]["amr"]["region[1]"]["min_level"], 2)

    def test_given_a_memory_limit_then_the_run_ends_with_what_it_asked_for(self):
        settings = ["--set", "amr.memory_limit=1", "--set", "amr.levels=5"]
        result = self.kumiko("run", ZALESAK, *SMALL, *settings)
        self.assertEqual(result.returncode, 1, result.stderr)
        for part in ("level ", " patches", "bytes", "amr.memory_limit"):
            self.assertIn(part, result.stderr)

    def interrupt(self, *arguments):
        """Ends a run by SIGINT after some base steps."""
        run = subprocess.Popen(
            [KUMIKO, "run", ZALESAK, *arguments, "--output", "here", "--quiet"],
            cwd=self.path,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(run.kill)
        part = self.path / "here" / "diagnostics.csv.part"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not part.exists():
            time.sleep(0.02)
        # The handler stands by the time a second row does.
        while time.monotonic() < deadline and part.read_text().count("\n") < 3:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 1, errors)
        self.assertIn("signal 2", errors)

    def traced_steps(self, folder):
        """Base steps of which the trace of a run has pieces."""
        self.assertTrue((self.path / folder / "trace.hdf").exists())
        trace = json.loads((self.path / folder / "trace.json").read_text())
        pieces = [event for event in trace["traceEvents"] if event.get("cat") == "advance"]
        return sorted({event["args"]["base step"] for event in pieces if event["ph"] == "X"})

    def test_given_a_signal_then_the_run_ends_as_failed_and_looks_unfinished(self):
        self.interrupt("--set", "grid.base=256")
        self.assertFalse((self.path / "here" / "summary.json").exists())
        self.assertFalse((self.path / "here" / "diagnostics.csv").exists())

    def test_given_a_signal_within_the_traced_steps_then_those_taken_are_kept(self):
        window = ["trace.from=3", "trace.steps=9000"]
        keys = ["grid.base=256", "time.steps=10000", "amr.levels=1", *window]
        self.interrupt(*(word for key in keys for word in ("--set", key)))
        steps = self.traced_steps("here")
        self.assertEqual(steps, list(range(3, 3 + len(steps))))
        self.assertGreater(len(steps), 5)
        self.assertEqual(
            self.kumiko("simulate", "here", "--workers", "2").returncode, 0, "it cannot be read"
        )

    def test_given_a_time_limit_within_the_traced_steps_then_those_taken_are_kept(self):
        keys = ["grid.base=64", "time.steps=99999", 'time.wall_limit="0.5 s"', "amr.levels=1"]
        window = ["trace.from=0", "trace.steps=99000"]
        words = [word for key in keys + window for word in ("--set", key)]
        run = self.kumiko("run", ZALESAK, *words, "--output", "here")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("time.wall_limit", run.stderr)
        steps = self.traced_steps("here")
        self.assertEqual(steps, list(range(len(steps))))
        self.assertGreater(len(steps), 0)


class WithoutSys(CommandTest):
    def test_given_a_sandbox_without_sys_then_nothing_is_said_of_it_and_the_bits_are_the_same(self):
        hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys && exec "$@"', "sh"]
        if subprocess.run([*hidden, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine allows no mounts")
        words = [KUMIKO, "run", GAUSSIAN, "--set", "grid.base=64", "--set", "time.stop_step=4", "--quiet", "--workers", "2"]
        hashes = []
        for launch in ([], hidden):
            done = subprocess.run([*launch, *map(str, words), "--summary", "s.json"], cwd=self.path,
                                  capture_output=True, text=True)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            hashes.append(json.loads((self.path / "s.json").read_text())["state_hash"])
            shutil.rmtree(self.path / "out")
        self.assertEqual(*hashes)


class NobodyListens(CommandTest):
    """What happens where not even an error can be told."""

    def test_given_a_full_stderr_then_the_exit_code_says_what_went_wrong(self):
        for words in (["run", "nofile.toml"], ["--nonsense"], ["inspect", "nofile"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([KUMIKO, *words], cwd=self.path, stderr=full, check=False)
                self.assertEqual(done.returncode, 2)


class Words(CommandTest):
    """What a message shows of the words that it was given."""

    def test_given_control_characters_then_the_terminal_gets_them_as_text(self):
        done = self.kumiko("inspect", "no\x1b[31mfile\n\x07")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'no\\x1b[31mfile \\x07'", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class Folder(CommandTest):
    """What a run's folder holds, and whose it is."""

    def test_given_a_folder_that_never_held_a_run_then_nothing_of_it_is_replaced(self):
        mine = self.path / "mine"
        mine.mkdir()
        for name in ("summary.json", "report.html", "trace.json", "field_end.png"):
            (mine / name).write_text("mine")
        for more in ([], ["--overwrite"]):
            done = self.kumiko("run", ZALESAK, *SMALL, "--output", "mine", *more)
            self.assert_refused(done, "'mine' holds other files and no run", "--output")
        self.assertEqual({file.read_text() for file in mine.iterdir()}, {"mine"})

    def test_given_a_folder_that_holds_a_run_then_it_is_replaced_on_demand_only(self):
        self.run_small("run")
        (self.path / "run" / "notes.txt").write_text("mine")
        done = self.kumiko("run", ZALESAK, *SMALL, "--output", "run")
        self.assert_refused(done, "'run' holds a run", "--overwrite", "--restart latest", "--output")
        self.assertNotIn("in use", done.stderr)
        self.run_small("run", "--overwrite")
        self.assertEqual((self.path / "run" / "notes.txt").read_text(), "mine")

    def test_given_the_folder_as_it_was_written_then_inspect_says_so(self):
        self.run_small("run")
        done = self.kumiko("inspect", "run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("run: whole", done.stdout)
        self.assertIn("summary.json", done.stdout)
        report = json.loads(self.kumiko("inspect", "run", "--json").stdout)
        self.assertTrue(report["whole"])
        listed = {file["name"] for file in report["files"]}
        self.assertEqual(listed | {"manifest.json"}, set(os.listdir(self.path / "run")))

    def test_given_bits_that_flip_then_inspect_names_the_file_wherever_they_are(self):
        self.run_small("run", "--set", "trace.from=0")
        rng = random.Random(5)
        for file in sorted((self.path / "run").iterdir()):
            whole = file.read_bytes()
            for sample in range(4):
                at = rng.randrange(len(whole))
                changed = bytearray(whole)
                changed[at] ^= 1 << rng.randrange(8)
                file.write_bytes(changed)
                done = self.kumiko("inspect", "run", "--json")
                self.assertEqual(done.returncode, 1, f"{file.name}, byte {at}")
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(f"'run' is not as the run has written it: {file.name} ", done.stderr)
                altered = [each for each in json.loads(done.stdout)["files"] if not each["whole"]]
                self.assertIn(file.name, [each["name"] for each in altered])
            file.write_bytes(whole)
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
        (self.path / "run" / "load.csv").unlink()
        self.assertIn("load.csv is missing", self.kumiko("inspect", "run").stderr)

    def test_given_bits_that_flip_then_report_refuses_the_run_or_says_so(self):
        self.run_small("run")
        if "KUMIKO_WITH_REPORT" in self.kumiko("report", "run").stderr:
            self.skipTest("this build makes no report pages")
        page = self.path / "run" / "report.html"
        rng = random.Random(6)
        for name in ("summary.json", "diagnostics.csv"):
            file = self.path / "run" / name
            whole = file.read_bytes()
            for sample in range(12):
                at = rng.randrange(len(whole))
                changed = bytearray(whole)
                changed[at] ^= 1 << rng.randrange(8)
                file.write_bytes(changed)
                done = self.kumiko("report", "run")
                self.assertIn(name, done.stderr, f"byte {at}")
                if done.returncode == 0:
                    self.assertIn(f"warning: 'run' is not as the run has written it: {name}", done.stderr)
                    self.assertIn("are not as the run has written them", page.read_text())
                else:
                    self.assertEqual(done.returncode, 1, done.stderr)
            file.write_bytes(whole)
        done = self.kumiko("report", "run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("are not as the run has written them", page.read_text())

    def test_given_a_folder_without_a_finished_run_then_inspect_refuses_it(self):
        (self.path / "mine").mkdir()
        self.assert_refused(self.kumiko("inspect", "mine"), "'mine' does not hold a finished run")


class Unreadable(CommandTest):
    """What may not be read or written is a wrong request, told with the remedy before work starts."""

    def setUp(self):
        super().setUp()
        self.copy_of_small("run", "--set", "trace.from=0")
        self.closed = self.path / "closed"
        shutil.copytree(self.path / "run", self.closed)
        self.closed.chmod(0)
        self.addCleanup(self.closed.chmod, 0o700)
        listed = subprocess.run(
            ["ls", self.closed], preexec_fn=without_rights_of_root, capture_output=True, check=False
        )
        self.can_be_restricted = listed.returncode != 0

    def restricted(self, *arguments):
        if not self.can_be_restricted:
            self.skipTest("root's rights cannot be given up here: folders without permission are NOT tested")
        return self.kumiko(*arguments, preexec_fn=without_rights_of_root)

    def reading_commands(self, name):
        yield ["inspect", name]
        yield ["inspect", name, "--json"]
        yield ["simulate", name]
        for form in ("plotfile", "chrome", "csv"):
            yield ["export", name, "--format", form]
        if HAS_VTK:
            yield ["export", name, "--format", "png"]
        if "KUMIKO_WITH_REPORT" not in self.kumiko("report", "run").stderr:
            yield ["report", name]

    def test_given_a_folder_that_may_not_be_read_then_every_command_says_so(self):
        for words in self.reading_commands("closed"):
            with self.subTest(words):
                done = self.restricted(*words)
                self.assert_refused(done, "'closed", os.strerror(errno.EACCES), "let this user read it")
        for words in (["inspect"], ["export"], ["export", "--format", "csv"]):
            with self.subTest(words):
                done = self.restricted(*words, "closed/state_000012.hdf")
                self.assert_refused(done, "'closed/state_000012.hdf'", "let this user read it")
        done = self.restricted("run", "--restart", "latest", "--output", "closed")
        self.assert_refused(done, "'closed'", os.strerror(errno.EACCES))

    def test_given_a_file_that_may_not_be_read_then_the_request_is_wrong(self):
        (self.path / "state.hdf").write_bytes((self.path / "run" / "state_000012.hdf").read_bytes())
        (self.path / "state.hdf").chmod(0)
        for words in (["inspect"], ["export"], ["run", "--output", "new", "--restart"]):
            with self.subTest(words):
                done = self.restricted(*words, "state.hdf")
                self.assert_refused(done, "'state.hdf' cannot be read", "let this user read it")

    def test_given_a_newest_state_that_may_not_be_read_then_latest_names_the_remedy(self):
        (self.path / "run" / "state_000012.hdf").chmod(0)
        done = self.restricted("run", "--restart", "latest", "--output", "run")
        self.assert_refused(done, "'run/state_000012.hdf' cannot be read", "let this user read it")

    def test_given_a_file_of_a_run_that_may_not_be_read_then_the_request_is_wrong(self):
        inspect = [["inspect", "run"], ["inspect", "run", "--json"]]
        report = [words for words in self.reading_commands("run") if words[0] == "report"]
        picture = [["export", "run", "--format", "png"]] if HAS_VTK else []
        trace = [["simulate", "run"], ["export", "run", "--format", "csv"]]
        for name, commands in (
            ("manifest.json", inspect),
            ("summary.json", inspect + report),
            ("effective.toml", inspect + report),
            ("diagnostics.csv", inspect + report),
            ("load.csv", inspect + report),
            ("state_000012.hdf", inspect + picture + (report if HAS_VTK else [])),
            ("trace.hdf", inspect + trace + report),
        ):
            file = self.path / "run" / name
            file.chmod(0)
            for words in commands:
                with self.subTest(name, words=words):
                    done = self.restricted(*words)
                    self.assert_refused(done, f"'run/{name}' cannot be read", "let this user read it")
            file.chmod(0o600)

    def test_given_a_state_that_may_not_be_read_and_is_not_shown_then_the_report_is_made(self):
        if not HAS_VTK or "KUMIKO_WITH_REPORT" in self.kumiko("report", "run").stderr:
            self.skipTest("this build draws no pictures for reports")
        hidden = self.path / "run" / "state_000006.hdf"
        hidden.write_bytes((self.path / "run" / "state_000012.hdf").read_bytes())
        hidden.chmod(0)
        done = self.restricted("report", "run", "--output", "page.html", "--times", "9999")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_given_links_in_a_circle_then_every_command_says_so(self):
        (self.path / "loop").symlink_to("loop")
        for words in (*self.reading_commands("loop"), ["run", "--restart", "loop"]):
            with self.subTest(words):
                self.assert_refused(
                    self.kumiko(*words), "'loop'", os.strerror(errno.ELOOP), "name another"
                )
        for name in ("manifest.json", "summary.json", "trace.hdf"):
            (self.path / "run" / name).unlink()
            (self.path / "run" / name).symlink_to(name)
        self.assert_refused(self.kumiko("inspect", "run"), "run/manifest.json", "name another")
        self.assert_refused(self.kumiko("simulate", "run"), "run/trace.hdf", "name another")

    def test_given_the_other_kind_of_file_then_the_request_is_wrong(self):
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        (self.path / "text.hdf").write_text("neither\n")
        for words, message in (
            (["simulate", state], f"'{state}' is a checkpoint or a state, not a trace; name the run's trace.hdf"),
            (["export", state, "--format", "csv"], f"'{state}' is a checkpoint or a state, not a trace"),
            (["inspect", trace], f"'{trace}' is a trace, not a checkpoint; export it with --format"),
            (["export", trace], f"'{trace}' is a trace, not a checkpoint"),
            (["run", "--restart", trace], f"'{trace}' is a trace, not a checkpoint"),
            (["inspect", "text.hdf"], "'text.hdf' is not a checkpoint: it does not begin as an HDF5 file; name one"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), message)

    def test_given_a_folder_that_may_not_be_written_then_nothing_is_begun(self):
        self.closed.chmod(0o500)
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        exports = [[state], [trace, "--format", "csv"]] + ([[state, "--format", "png"]] if HAS_VTK else [])
        for words in exports:
            for output in ("closed", "closed/below"):
                with self.subTest(words=words, output=output):
                    done = self.restricted("export", *words, "--output", output)
                    self.assert_refused(
                        done, f"'{output}'", "no permission to write to '", "/closed'", "--output"
                    )
        done = self.restricted("solver", "new", "mine", "--output", "closed/mine")
        self.assert_refused(done, "'closed/mine'", "no permission to write to '", "--output")

    def test_given_a_folder_that_may_be_written_but_not_listed_then_exports_are_put_there(self):
        state, trace = "run/state_000012.hdf", "run/trace.hdf"
        (self.path / "blind").mkdir()
        for words, made in (
            ([state], "plt_000012"),
            ([trace, "--format", "chrome"], "trace.json"),
            ([trace, "--format", "csv"], "trace.csv"),
            *([([state, "--format", "png"], "frame_000012.png")] if HAS_VTK else []),
        ):
            with self.subTest(words):
                (self.path / "blind").chmod(0o333)
                done = self.restricted("export", *words, "--output", "blind")
                (self.path / "blind").chmod(0o700)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, f"blind/{made}\n")
                self.assertTrue((self.path / "blind" / made).exists())

    def test_given_nothing_of_that_name_then_it_is_said_what_to_name(self):
        for words in self.reading_commands("nofile"):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), "there is no ", "'nofile'; ")
        self.assert_refused(
            self.kumiko("inspect", "nofile"),
            "there is no file 'nofile'; name a checkpoint, a state, or the folder of a finished run",
        )
        self.assert_refused(self.kumiko("inspect", "/dev/null"), "'/dev/null' is not a file; name ")
        self.assert_refused(
            self.kumiko("run", "--restart", "latest", "--output", "nowhere"),
            "there is no folder 'nowhere'; name the folder of the run with --output",
        )
        done = self.kumiko("run", "--restart", "nofile.hdf")
        self.assert_refused(done, "there is no file 'nofile.hdf'; name ")
        self.assertNotIn("no earlier checkpoint", done.stderr)


class Damaged(CommandTest):
    """A file that is damaged is not a wrong request: every command that is to read it has failed."""

    def setUp(self):
        super().setUp()
        self.copy_of_small("run", "--set", "trace.from=0")

    def damage(self, name):
        file = self.path / "run" / name
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2] ^= 1
        file.write_bytes(whole)

    def assert_failed(self, *words, name):
        done = self.kumiko(*words)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(name, done.stderr)

    def test_given_a_damaged_and_a_missing_file_then_their_order_does_not_decide_the_code(self):
        state = "run/state_000012.hdf"
        self.damage("state_000012.hdf")
        for form in ["plotfile"] + (["png"] if HAS_VTK else []):
            for files in ([state, "nofile"], ["nofile", state]):
                with self.subTest(format=form, files=files):
                    done = self.kumiko("export", *files, "--format", form)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)

    def has_report(self):
        return HAS_VTK and "KUMIKO_WITH_REPORT" not in self.kumiko("report", "run").stderr

    def test_given_a_damaged_state_then_all_end_with_1(self):
        state = "state_000012.hdf"
        commands = [["inspect", "run"], ["inspect", f"run/{state}"], ["export", f"run/{state}"]]
        if HAS_VTK:
            commands.append(["export", "run", "--format", "png"])
        if self.has_report():
            commands.append(["report", "run"])
        self.damage(state)
        for words in commands:
            with self.subTest(words):
                self.assert_failed(*words, name=state)
        # There another file may be named.
        done = self.kumiko("run", "--restart", f"run/{state}")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_given_a_damaged_trace_then_all_end_with_1(self):
        commands = [["simulate", "run"], ["export", "run", "--format", "csv"], ["inspect", "run"]]
        if self.has_report():
            commands.append(["report", "run"])
        self.damage("trace.hdf")
        for words in commands:
            with self.subTest(words):
                self.assert_failed(*words, name="trace.hdf")

    def test_given_a_damaged_table_then_all_end_with_1(self):
        if not self.has_report():
            self.skipTest("this build makes no report pages")
        (self.path / "run" / "load.csv").write_text("step\n")
        for words in (["inspect", "run"], ["report", "run"]):
            with self.subTest(words):
                self.assert_failed(*words, name="load.csv")


@unittest.skipIf(os.environ["KUMIKO_SANITIZER"], "sanitizers need more than these limits allow")
class Limits(CommandTest):
    """Of the process: what is missing is named, and what was computed is not lost for want of it."""

    def limited(self, kind, amount, *arguments):
        return self.kumiko(
            *arguments, preexec_fn=lambda: resource.setrlimit(kind, (amount, amount))
        )

    def test_given_too_few_descriptors_then_they_are_what_is_named(self):
        for limit in (4, 6, 8):
            words = ["run", ZALESAK, *SMALL, "--output", f"run{limit}"]
            done = self.limited(resource.RLIMIT_NOFILE, limit, *words)
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn("ulimit -n", done.stderr)
            self.assertNotIn("is unknown", done.stderr)

    @unittest.skipUnless(HAS_VTK, "this build draws no pictures")
    def test_given_a_picture_that_cannot_be_written_then_the_run_is_complete_with_a_warning(self):
        self.run_small("run", "--set", "checkpoint.every=5")
        (self.path / "run" / "field_end.png").unlink()
        (self.path / "run" / "field_end.png.part").mkdir()
        words = ["run", ZALESAK, *SMALL, "--output", "run", "--restart", "run/checkpoint_000010.hdf"]
        done = self.kumiko(*words, "--overwrite", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: there is no picture field_end.png", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertTrue((self.path / "run" / "summary.json").exists())
        self.assertEqual(self.kumiko("inspect", "run").returncode, 0)

    def test_given_little_address_space_then_every_line_is_ours_and_a_done_run_is_complete(self):
        words = ["run", ZALESAK, *SMALL, "--workers", 1, "--quiet", "--overwrite", "--output", "run"]
        codes = set()
        for mebibytes in [*range(100, 420, 20), 4096]:  # the last one is enough on any machine
            done = self.limited(resource.RLIMIT_AS, mebibytes << 20, *words)
            # HDF5 reads a null pointer where it finds no memory as it begins; the report of that is ours.
            is_fault = done.returncode == -signal.SIGSEGV and "kumiko: SIGSEGV at" in done.stderr
            for line in done.stderr.splitlines() if not is_fault else ():
                if "error while loading shared libraries" not in line:
                    self.assertTrue(line.startswith("kumiko: "), f"{mebibytes} MiB: {done.stderr}")
            codes.add(done.returncode)
            if done.returncode == 0:
                self.assertTrue((self.path / "run" / "summary.json").exists())
                self.assertEqual(self.kumiko("inspect", "run").returncode, 0)
        self.assertIn(0, codes)


class Refusal(CommandTest):
    def test_given_a_missing_file_then_it_is_named(self):
        self.assert_refused(self.kumiko("run", "missing.toml"), "missing.toml", "No such file")

    def test_given_a_misspelled_key_then_place_and_nearest_key_are_named(self):
        text = ZALESAK.read_text().replace("levels = 3", "levls = 3")
        (self.path / "typo.toml").write_text(text)
        line = 1 + text[: text.index("levls")].count("\n")
        self.assert_refused(
            self.kumiko("run", "typo.toml"), f"typo.toml:{line}", "amr.levls", "amr.levels"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "amr.treshold=0.2"),
            "amr.treshold",
            "amr.threshold",
        )

    def test_given_values_out_of_range_then_key_and_range_are_named(self):
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "amr.levels=0"), "amr.levels", "1 to 8"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--set", "grid.base=100"), "grid.base", "100", "16"
        )

    def test_given_refinement_that_cannot_be_then_the_key_is_named(self):
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--set", "amr.criterion=user"), "amr.criterion"
        )
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--set", "amr.derefine_threshold=0.5"),
            "amr.derefine_threshold",
            "amr.threshold",
        )
        (self.path / "far.toml").write_text(
            ZALESAK.read_text() + "\n[[amr.region]]\nx = [2, 3]\ny = [0, 1]\n"
        )
        self.assert_refused(self.kumiko("run", "far.toml", *SMALL), "amr.region", "domain")

    def test_given_too_few_steps_then_the_smallest_number_that_would_do_is_named(self):
        base = ["run", ZALESAK, "--set", "grid.base=64", "--set", "time.stop_step=1"]
        self.assert_refused(
            self.kumiko(*base, "--set", "time.steps=100"), "CFL", "time.steps", "202"
        )
        self.assert_refused(self.kumiko(*base, "--set", "time.steps=201"), "CFL")
        done = self.kumiko(*base, "--set", "time.steps=202", "--output", "here")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_given_an_output_folder_that_cannot_be_written_then_it_is_named(self):
        (self.path / "file").write_text("mine")
        for output in ("file", "file/below", "/proc/kumiko"):
            self.assert_refused(self.kumiko("run", ZALESAK, *SMALL, "--output", output), output)
        self.assertEqual((self.path / "file").read_text(), "mine")
        (self.path / "closed").mkdir(mode=0o555)
        words = ["run", ZALESAK, *SMALL, "--output", "closed"]
        self.assert_refused(self.kumiko(*words, preexec_fn=without_rights_of_root), "closed")

    def test_given_a_used_folder_then_overwrite_is_asked_for_and_spares_foreign_files(self):
        self.copy_of_small("here")
        before = (self.path / "here" / "summary.json").read_text()
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--output", "here"), "here", "--overwrite"
        )
        self.assertEqual((self.path / "here" / "summary.json").read_text(), before)
        (self.path / "here" / "notes.txt").write_text("mine")
        (self.path / "here" / "state_999999.hdf").write_text("of an earlier run")
        self.run_small("here", "--overwrite")
        self.assertEqual((self.path / "here" / "notes.txt").read_text(), "mine")
        self.assertFalse((self.path / "here" / "state_999999.hdf").exists())

    def test_given_wrong_words_then_the_command_says_where_help_is(self):
        self.assert_refused(self.kumiko("fly"), "--help")
        self.assert_refused(self.kumiko("run"), "CASE.toml")
        self.assert_refused(self.kumiko("run", ZALESAK, "--backend", "mpi"), "mpi", "threads")
        self.assert_refused(self.kumiko("run", ZALESAK, "--workers", "0"), "--workers")
        self.assert_refused(
            self.kumiko("run", ZALESAK, "--backend", "serial", "--workers", "2"), "serial"
        )
        self.assert_refused(self.kumiko("run", ZALESAK, "--set", "case.name=foo"), "foo", "zalesak")
        self.assert_refused(
            self.kumiko("run", ZALESAK, *SMALL, "--summary", "no/such/folder.json"), "no/such"
        )

    def test_given_a_value_that_cannot_be_then_it_is_told_in_plain_words_what_it_can_be(self):
        for words, message in (
            (["run", ZALESAK, "--backend", "thread"],
             "--backend: 'thread' is unknown; it can be threads, pthread, openmp or serial; "
             "did you mean 'threads'?"),
            (["run", ZALESAK, "--backend", "mpi"],
             "--backend: 'mpi' is unknown; it can be threads, pthread, openmp or serial; "
             "see 'kumiko run --help'"),
            (["compare", GAUSSIAN, "--norm", "rsm"], "it can be rms, l1_relative, l1 or linf; did you mean 'rms'?"),
            (["scaling", ZALESAK, "--backends", "threads,pthred"], "did you mean 'pthread'?"),
            (["simulate", "run", "--models", "level,dataflw"], "did you mean 'dataflow'?"),
            (["export", "state.hdf", "--format", "pgn"], "did you mean 'png'?"),
            (["export", "state.hdf", "--quantity", "costs"], "did you mean 'cost'?"),
            (["run", ZALESAK, "--workers", "two"],
             "--workers: 'two' is not a whole number from 1 to 4096; see 'kumiko run --help'"),
            (["run", ZALESAK, "--workers", "-1"], "'-1' is not a whole number from 1 to 4096"),
            (["simulate", "run", "--seed", "x"], "--seed: 'x' is not a whole number from 0 to "),
            (["run", ZALESAK, "--workers", "010"],
             "--workers: '010' has a 0 in front; write '10'; see 'kumiko run --help'"),
            (["scaling", ZALESAK, "--workers", "1,08"], "--workers: '08' has a 0 in front; write '8'"),
            (["compare", GAUSSIAN, "--resolutions", "017"], "--resolutions: '017' has a 0 in front; write '17'"),
            (["simulate", "run", "--seed", "00"], "--seed: '00' has a 0 in front; write '0'"),
            (["run", ZALESAK, "--workers", "00"], "'00' is not a whole number from 1 to 4096"),
            (["report", "run", "--times", "1,x"], "--times: 'x' is not a number; see 'kumiko report --help'"),
            (["report", "run", "--times", "1,nan"], "--times: 'nan' is not a finite number; see "),
            (["report", "run", "--times", "1e400"], "--times: '1e400' is not a finite number; see "),
            (["solver", "new", "mine", "--output"], "--output needs a value; see 'kumiko solver new --help'"),
            (["run", ZALESAK, "--backend", "serial", "--backend", "threads"],
             "--backend is given twice; see 'kumiko run --help'"),
            (["inspect"], "FILE is required; see 'kumiko inspect --help'"),
            (["run"], "CASE.toml is required; see 'kumiko run --help'"),
            (["inspect", "one", "two"], "two; see 'kumiko inspect --help'"),
            (["solver"], "'kumiko solver' needs a command: list, new, check; see 'kumiko solver --help'"),
            ([], "'kumiko' needs a command: run, "),
        ):  # fmt: skip
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), message)

    def test_given_a_time_in_any_notation_of_numbers_then_it_is_not_what_is_refused(self):
        for time_ in ("+1.5", "1e-400", "-2", ".5", "1e3"):
            with self.subTest(time_):
                done = self.kumiko("report", "nofile", "--times", time_)
                self.assertNotIn("--times", done.stderr)

    def test_given_a_misspelled_solver_or_case_then_the_nearest_is_named(self):
        for words, meant in (
            (["run", ZALESAK, "--set", "case.name=zalesk"], "zalesak"),
            (["run", GAUSSIAN, "--set", "solver.name=thinz"], "thinc"),
            (["compare", GAUSSIAN, "--solvers", "semi_lagrangian_cubic,upwin1"], "upwind1"),
            (["compare", GAUSSIAN, "--solver", "upwin1,amr.levels=1"], "upwind1"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko(*words), f"did you mean '{meant}'?")

    def test_given_a_solver_to_compare_that_is_wrong_then_the_option_is_the_one_that_was_typed(self):
        for words, message in (
            (["--solvers", "upwind1,nope"], "--solvers nope: 'nope' is unknown"),
            (["--solvers", "upwind1,upwind1"], "--solvers upwind1: it is named twice"),
            (["--solvers", "upwind1", "--solver", "nope"], "--solver nope: 'nope' is unknown"),
            (["--solver", "nope,amr.levels=1"], "error: --solver nope,amr.levels=1: 'nope' is unknown"),
            (["--solvers", "upwind1,amr.levels=1"], "as in --solver NAME,amr.levels=1"),
        ):
            with self.subTest(words):
                self.assert_refused(self.kumiko("compare", GAUSSIAN, *words), message)

    def test_given_a_misspelled_option_then_the_nearest_of_its_command_is_named(self):
        for words, typo, meant in (
            (["run", ZALESAK, "--wrokers", "2"], "--wrokers", "--workers"),
            (["run", "--wrokers=2", ZALESAK], "--wrokers", "--workers"),
            (["run", "--output", "here", ZALESAK, "-quiet"], "-quiet", "--quiet"),
            (["table", THESIS, "--summray", "t.json"], "--summray", "--summary"),
            (["compare", GAUSSIAN, "--resoltions=32"], "--resoltions", "--resolutions"),
            (["scaling", ZALESAK, "--backend", "threads"], "--backend", "--backends"),
            (["simulate", "run", "--modles", "level"], "--modles", "--models"),
            (["inspect", "state.hdf", "--jsn"], "--jsn", "--json"),
            (["export", "state.hdf", "--fromat", "png"], "--fromat", "--format"),
            (["report", "run", "--titel", "A run"], "--titel", "--title"),
            (["solver", "list", "--plugin_path=here"], "--plugin_path", "--plugin-path"),
            (["solver", "new", "mine", "--ouput", "here"], "--ouput", "--output"),
            (["solver", "check", "mine.so", "--solvr", "mine"], "--solvr", "--solver"),
            (["case", "new", "mine", "--ouput", "here"], "--ouput", "--output"),
            (["--vrsion"], "--vrsion", "--version"),
        ):
            with self.subTest(words):
                message = f"unknown option '{typo}'; did you mean '{meant}'?"
                self.assert_refused(self.kumiko(*words), message)
        done = self.kumiko("run", ZALESAK, "--frobnicate", "--workers", "2")
        self.assert_refused(done, "unknown option '--frobnicate'", "'kumiko run --help'")
        # What stands for a value is not an option.
        self.assert_refused(self.kumiko("run", ZALESAK, "--set", "rnu"), "rnu", "KEY=VALUE")

    def test_given_the_help_of_export_then_it_says_what_each_format_is(self):
        words = " ".join(self.kumiko("export", "--help").stdout.split())
        choices, help_text = re.search(r"--format TEXT:\{([^}]*)\}(?:=| \[)plotfile\]? (.*?) --output TEXT", words).groups()
        of_states, of_traces = help_text.removeprefix("of a state: ").split(". Of a trace: ")
        named = [part.split(", ")[:-1] for part in f"{of_states}; {of_traces}".split("; ")]
        self.assertEqual(sum(named, []), choices.split(","))

    def test_given_a_picture_option_then_it_is_refused_for_all_formats_but_those_that_are_named(self):
        for option, value, formats in (("--width", "400", "png, mp4, gif and webm"), ("--fps", "5", "mp4, gif and webm")):
            for form in ("plotfile", "chrome", "otf2", "csv"):
                done = self.kumiko("export", "state.hdf", "--format", form, option, value)
                message = f"{option} does not go with --format {form}; it is for {formats}"
                with self.subTest(form):
                    self.assert_refused(done, message)

    def test_given_a_misspelled_command_then_the_nearest_is_named(self):
        for words, typo, meant in (
            (["rnu"], "rnu", "run"),
            (["rnu", ZALESAK, "--workers", "2"], "rnu", "run"),
            (["solver", "chek", "mine.so"], "chek", "check"),
            (["sovler", "list"], "sovler", "solver"),
            (["case", "lst"], "lst", "list"),
        ):
            with self.subTest(words):
                message = f"unknown command '{typo}'; did you mean '{meant}'?"
                self.assert_refused(self.kumiko(*words), message)
        self.assert_refused(self.kumiko("fly"), "unknown command 'fly'", "run", "'kumiko --help'")
        self.assert_refused(self.kumiko("solver", "fly"), "'fly'", "check", "'kumiko solver --help'")


@unittest.skipUnless(HAS_OPENMP, "the table's fine grid runs with OpenMP")
class Table(CommandTest):
    def test_given_a_small_thesis_case_then_both_tables_and_the_json_are_there(self):
        result = self.kumiko("table", THESIS, *SMALL, "--workers", "2", "--summary", "table.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("1.6 and 3.1", "0.82 and 0.71"):
            self.assertIn(part, result.stdout)
        # Errors after 12 of 640 steps on other grids are not what is printed.
        self.assertIn("are of all 640 base steps and of spacings 1/256 and 1/1024", result.stdout)
        for part in ("6.000e-02", "4.114e-02", "3.566e-02", " -"):
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

    def test_given_a_run_that_a_printed_error_is_of_then_it_stands_beside_it_alone(self):
        result = self.kumiko("table", THESIS, "--set", "amr.levels=1", "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        errors = result.stdout.split("Table 6.2")[0]
        rows = {line.split("  ")[0]: line.split() for line in errors.splitlines()}
        self.assertEqual(rows["coarse only (256)"][3], "6.000e-02")
        self.assertEqual(rows["AMR (256 to 256), threads"][5], "-")
        self.assertEqual(rows["NoAMR (256), OpenMP"][3], "-")

    def test_given_a_case_without_printed_values_then_there_is_no_column_for_them(self):
        small = ["--set", "grid.base=32", "--set", "time.steps=112", "--set", "time.stop_step=4"]
        result = self.kumiko("table", GAUSSIAN, *small, "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("thesis", result.stdout)
        self.assertNotIn(" -", result.stdout)


class Compare(CommandTest):
    CUBIC = "semi_lagrangian_cubic"
    CELLS = "finite_volume_upwind3"
    UNIFORM = ["--set", "amr.levels=1", "--set", "case.sigma=0.055", "--workers", "2"]

    def compare(self, *arguments):
        result = self.kumiko("compare", *arguments, "--output", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout, json.loads((self.path / "out" / "compare.json").read_text())

    def test_given_two_solvers_and_two_resolutions_then_orders_are_near_3_in_every_file(self):
        words = ["--solvers", f"{self.CUBIC},{self.CELLS}", "--resolutions", "192,96"]
        words += ["--set", "time.stop_step=112", "--repetitions", "2"]
        text, found = self.compare(GAUSSIAN, *words, *self.UNIFORM)
        runs = [(run["solver"], run["points"]) for run in found["runs"]]
        expected = [(solver, points) for solver in (self.CUBIC, self.CELLS) for points in (96, 192)]
        self.assertEqual(runs, expected)
        self.assertTrue(found["complete"])
        for run in found["runs"]:
            self.assertEqual(len(run["wall_s"]["all"]), 2)
            self.assertEqual(run["wall_s"]["least"], min(run["wall_s"]["all"]))
            self.assertAlmostEqual(run["wall_s"]["median"], sum(run["wall_s"]["all"]) / 2)
            self.assertEqual(run["leaf_points"], run["points"] ** 2)
            self.assertEqual(run["error"], run["summary"]["error"]["rms"])
        self.assertIsNone(found["runs"][0]["order"])
        for run in (found["runs"][1], found["runs"][3]):
            self.assertAlmostEqual(run["order"], 3.0, delta=0.25)
        with open(self.path / "out" / "compare.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["solver"], int(row["points"])) for row in rows], expected)
        for row, run in zip(rows, found["runs"]):
            self.assertEqual(float(row["rms"]), run["error"])
            self.assertIn(f"{run['error']:.4e}", text)
        table = (self.path / "out" / "compare.md").read_text()
        lines = [line for line in table.splitlines() if line.startswith("|")]
        self.assertEqual(len(lines), 2 + 4)
        self.assertEqual({line.count("|") for line in lines}, {17})
        drawing = xml.etree.ElementTree.parse(self.path / "out" / "work_precision.svg").getroot()
        names = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([names.count(name) for name in (self.CUBIC, "96", "192")], [1, 4, 4])

    def test_given_a_solver_with_a_smaller_limit_then_it_has_the_steps_it_needs(self):
        words = ["--solvers", f"{self.CUBIC},{self.CELLS}", "--resolutions", "32"]
        text, found = self.compare(GAUSSIAN, *words, "--set", "time.stop_step=400")
        cubic, cells = found["runs"]
        self.assertEqual([cubic["steps"], cells["steps_in_proportion"]], [112, 112])
        self.assertGreater(cells["steps"], 112)
        self.assertIn(f"{cells['steps']} instead of 112 at 32", text)
        self.assertIn("step.time_interpolation is quadratic", text)
        # The same share of the whole run.
        for run in (cubic, cells):
            self.assertAlmostEqual(run["summary"]["steps"], 400 / 447 * run["steps"], delta=0.5)

    def test_given_variants_of_a_solver_then_each_has_its_keys_and_computes_what_run_does(self):
        words = ["--solver", self.CUBIC, "--solver", f"{self.CUBIC}, departure=exact,amr.levels=1"]
        _, found = self.compare(GAUSSIAN, *words, "--resolutions", "32")
        plain, other = (run["summary"] for run in found["runs"])
        # The file's own key of [solver], which is not the default.
        self.assertEqual(plain["config"]["solver"]["departure"], "second_order")
        self.assertEqual(other["config"]["solver"]["departure"], "exact")
        keys = ["grid.base=32", "time.steps=112", "solver.departure=exact", "amr.levels=1"]
        keys = [word for key in keys for word in ("--set", key)]
        done = self.kumiko("run", GAUSSIAN, *keys, "--output", "alone", "--summary", "alone.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        alone = json.loads((self.path / "alone.json").read_text())
        self.assertEqual(alone["state_hash"], other["state_hash"])

    def test_given_a_smooth_field_on_levels_then_the_threshold_follows_the_grid_and_orders_hold(self):
        words = ["--solvers", self.CUBIC, "--resolutions", "64,128,256", "--workers", "2"]
        _, found = self.compare(GAUSSIAN, *words, "--set", "time.stop_step=224")
        orders = [run["order"] for run in found["runs"]]
        self.assertIsNone(orders[0])
        self.assertGreater(min(orders[1:]), 2.5, orders)
        # The refined part of the domain is the same, but for whole patches.
        shares = [run["summary"]["updates"]["fraction_of_uniform"] for run in found["runs"]]
        self.assertLess(max(shares), 1.5 * min(shares), shares)
        # Each run's configuration says which grid the threshold is given for.
        for run in found["runs"]:
            self.assertEqual(run["summary"]["config"]["amr"]["threshold_at"], 128)

    def test_given_keys_of_the_case_then_each_contender_has_its_own_problem(self):
        words = ["--solver", f"{self.CUBIC},case.sigma=0.1", "--solver", f"{self.CUBIC},case.sigma=0.05"]
        _, found = self.compare(GAUSSIAN, *words, *self.UNIFORM[:2], "--resolutions", "32")
        wide, narrow = found["runs"]
        self.assertEqual([run["summary"]["config"]["case"]["sigma"] for run in (wide, narrow)], [0.1, 0.05])
        self.assertLess(wide["error"], 0.5 * narrow["error"])

    def test_given_keys_of_the_case_then_printed_errors_stand_beside_the_runs_that_they_are_of(self):
        words = ["--solver", f"{self.CELLS},case.period=2.0", "--solver"]
        words += [f"{self.CELLS},case.period=1.9", "--resolutions", "32", "--norm", "l1"]
        text, found = self.compare(VORTEX, *words, "--set", "amr.levels=1")
        line = next(line for line in text.splitlines() if "2.3600e-03" in line)
        self.assertIn(f" {found['runs'][0]['error']:.4e} ", line)
        self.assertNotIn(f" {found['runs'][1]['error']:.4e} ", line)

    def test_given_published_errors_then_ours_stand_beside_them_with_norm_and_source(self):
        words = ["--solvers", self.CELLS, "--resolutions", "32", "--norm", "l1"]
        text, found = self.compare(VORTEX, *words, "--set", "amr.levels=1")
        line = next(line for line in text.splitlines() if "2.3600e-03" in line)
        self.assertRegex(line, rf"l1 +32 .* {found['runs'][0]['error']:.4e} .*Rider")
        # Those of 64 and 128 have no run, and no line.
        self.assertNotIn("5.8500e-04", text)
        self.assertIn("2 published errors have no run here", text)
        self.assertIn("1/64 or 1/128", text)
        drawing = (self.path / "out" / "work_precision.svg").read_text()
        self.assertEqual(drawing.count('stroke-dasharray="5 4"'), 2, "one line in both panels")

    def test_given_a_part_of_the_run_then_no_published_error_stands_beside_it(self):
        words = ["--solvers", self.CELLS, "--resolutions", "32", "--norm", "l1"]
        keys = ["--set", "amr.levels=1", "--set", "time.stop_step=20"]
        text, _ = self.compare(VORTEX, *words, *keys)
        self.assertNotIn("2.3600e-03", text)
        self.assertIn("3 published errors have no run here with all its time steps", text)
        drawing = (self.path / "out" / "work_precision.svg").read_text()
        self.assertEqual(drawing.count('stroke-dasharray="5 4"'), 0)

    def test_given_a_run_that_fails_then_the_others_are_reported_and_the_exit_code_is_1(self):
        limited = f"{self.CUBIC},time.wall_limit=0.001 s"
        words = ["--solver", limited, "--solver", self.CUBIC, "--resolutions", "32,64"]
        result = self.kumiko("compare", GAUSSIAN, *words, "--summary", "found.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 of 4 runs failed", result.stderr)
        self.assertIn("at 64 failed: ended by time.wall_limit", result.stdout)
        runs = json.loads((self.path / "found.json").read_text())["runs"]
        self.assertEqual(["summary" in run for run in runs], [False, False, True, True])

    def test_given_a_signal_then_what_is_done_is_reported(self):
        words = ["--solvers", self.CUBIC, "--resolutions", "32,1024", "--set", "amr.levels=1"]
        words += ["--workers", "2", "--output", "out"]
        command = [KUMIKO, "compare", str(GAUSSIAN), *words]
        figures = self.path / "out" / "compare.csv"
        with subprocess.Popen(
            command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            deadline = time.monotonic() + 120
            while not figures.exists() or len(figures.read_text().splitlines()) < 2:
                self.assertLess(time.monotonic(), deadline, "no run ended")
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            text, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertIn("signal 2", errors)
        self.assertIn("1 of 2 runs are missing", text)
        found = json.loads((self.path / "out" / "compare.json").read_text())
        self.assertFalse(found["complete"])
        self.assertEqual(["summary" in run for run in found["runs"]], [True, False])

    def test_given_wrong_requests_then_they_are_refused_before_the_first_run(self):
        def refused(*words, parts):
            self.assert_refused(self.kumiko("compare", GAUSSIAN, *words), *parts)

        cubic, cells = self.CUBIC, self.CELLS
        refused(parts=["--solvers"])
        refused("--solvers", f"{cubic},cubik", parts=["cubik", cells])
        refused("--solvers", f"{cubic},{cubic}", parts=[cubic, "twice"])
        refused("--solver", f"{cubic},departure", parts=["departure", "KEY=VALUE"])
        refused("--solver", f"{cubic},dparture=exact", parts=["solver.departure"])
        refused("--solver", f"{cubic},case.sigma=-1", parts=["case.sigma"])
        refused("--solver", f"{cubic},case.name=vortex", parts=["case.name"])
        refused("--solvers", cubic, "--set", "solver.departure=exact", parts=["--solver NAME"])
        refused("--solvers", cubic, "--resolutions", "64,100", parts=["100", "16"])
        refused("--solvers", cubic, "--resolutions", "8", parts=["--resolutions", "16"])
        refused("--solvers", cubic, "--norm", "l2", parts=["l1_relative"])
        refused("--solvers", cubic, "--repetitions", "0", parts=["--repetitions"])
        refused("--solvers", cubic, "--set", "amr.levls=1", parts=["amr.levels"])
        interpolation = "step.time_interpolation=characteristic"
        refused("--solver", f"{cells},{interpolation}", parts=[cells, "quadratic"])

    def test_given_an_earlier_comparison_then_overwrite_is_asked_for(self):
        words = [GAUSSIAN, "--solvers", self.CUBIC, "--resolutions", "32"]
        self.compare(*words)
        again = self.kumiko("compare", *words, "--output", "out")
        self.assert_refused(again, "out/compare.csv", "--overwrite")
        self.compare(*words, "--overwrite")


class MassDrift(CommandTest):
    BURGERS = CASES / "burgers" / "burgers.toml"
    CHANNEL = CASES / "channel" / "channel.toml"

    def run_case(self, file, *keys):
        words = [word for key in keys for word in ("--set", key)]
        done = self.kumiko("run", file, *words, "--output", "run", "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = next((line for line in done.stdout.splitlines() if line.startswith(("mass drift", "mass change"))), "")
        return line, json.loads((self.path / "run" / "summary.json").read_text())

    def test_given_a_mean_of_0_then_the_drift_is_what_a_conservative_solver_has(self):
        line, summary = self.run_case(self.BURGERS, "case.mean=0", "time.stop_step=40")
        self.assertLess(abs(summary["mass_drift"]), 1e-13)
        self.assertFalse(summary["open_domain"])
        self.assertTrue(line.startswith("mass drift"), line)

    def test_given_a_field_of_0_then_there_is_no_drift_to_tell(self):
        keys = ["case.mean=0", "case.amplitude=0", "time.stop_step=4"]
        line, summary = self.run_case(self.BURGERS, *keys)
        self.assertIsNone(summary["mass_drift"])
        self.assertEqual(line, "")

    def test_given_an_inflow_and_an_outflow_then_it_is_called_a_change(self):
        line, summary = self.run_case(self.CHANNEL, "time.stop_step=20")
        self.assertGreater(summary["mass_drift"], 0.1)
        self.assertTrue(summary["open_domain"])
        self.assertTrue(line.startswith("mass change"), line)
        self.assertIn("the domain is open", line)


class Equations(CommandTest):
    def warning(self, case, *keys):
        """What a short run says on stderr."""
        done = self.kumiko("run", CASES / case / f"{case}.toml", "--overwrite", "--output", "run",
                           *(word for key in ("time.stop_step=1", "amr.levels=1", *keys) for word in ("--set", key)))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_given_a_solver_of_another_equation_then_a_warning_says_so(self):
        told = self.warning("burgers", "solver.name=thinc")
        self.assertRegex(told, r"kumiko: warning: case 'burgers' .* burgers, but solver 'thinc' solves advection")
        told = self.warning("reacting_front", "solver.name=semi_lagrangian_cubic")
        self.assertIn("advection_reaction with rate = 8, but solver 'semi_lagrangian_cubic'", told)

    def test_given_other_constants_then_a_warning_names_both(self):
        told = self.warning("reacting_front", "case.rate=4")
        self.assertIn("with rate = 4, but solver 'advection_reaction' solves advection_reaction with rate = 8", told)
        self.assertIn("give case and solver the same constants", told)

    def test_given_the_same_equation_then_nothing_is_said(self):
        self.assertEqual(self.warning("burgers"), "")
        self.assertEqual(self.warning("reacting_front"), "")
        # Without a reaction it is advection, which other solvers solve too.
        self.assertEqual(self.warning("reacting_front", "case.rate=0", "solver.name=thinc", "time.steps=400"), "")

    def test_given_a_comparison_then_the_solver_of_another_equation_is_named(self):
        done = self.kumiko("compare", CASES / "burgers" / "burgers.toml", "--solvers", "burgers,upwind1",
                           "--resolutions", "32", "--set", "time.stop_step=4", "--set", "amr.levels=1")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("solver 'upwind1' solves advection", done.stderr)
        self.assertNotIn("solver 'burgers'", done.stderr)


class Digits(CommandTest):
    def test_given_small_values_or_small_differences_then_they_are_told_apart(self):
        small = [CASES / "channel" / "channel.toml", "--set", "case.inflow=1e-7", "--set", "case.height=1e-7"]
        near_one = [CASES / "burgers" / "burgers.toml", "--set", "case.mean=1", "--set", "case.amplitude=1e-6",
                    "--set", "time.steps=256"]
        for case in (small, near_one):
            result = self.kumiko("run", *case, "--set", "time.stop_step=20", "--overwrite", "--output", "here")
            self.assertEqual(result.returncode, 0, result.stderr)
            error = json.loads((self.path / "here" / "summary.json").read_text())["error"]
            least, most = re.search(r"^range +(\S+) \.\. (\S+)$", result.stdout, re.MULTILINE).groups()
            self.assertAlmostEqual((float(most) - float(least)) / (error["max"] - error["min"]), 1.0, places=3)
            if "linf" in error:
                (largest,) = re.search(r"^largest error +(\S+)$", result.stdout, re.MULTILINE).groups()
                self.assertAlmostEqual(float(largest) / error["linf"], 1.0, places=3)


class TimeInterpolation(CommandTest):
    def config_of(self, file, solver):
        keys = ["--set", f"solver.name={solver}", "--set", "time.stop_step=1", "--set", "grid.base=32"]
        keys += ["--set", "time.steps=1000"]
        done = self.kumiko("run", file, *keys, "--output", solver, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / solver / "summary.json").read_text())["config"]

    def test_given_another_solver_on_the_command_line_then_it_gets_the_interpolation_that_suits_it(self):
        suited = {
            "semi_lagrangian_cubic": "characteristic",
            "finite_volume_upwind3": "quadratic",
            "thinc": "linear",
        }
        for solver, interpolation in suited.items():
            config = self.config_of(GAUSSIAN, solver)
            self.assertEqual(config["step"]["time_interpolation"], interpolation, solver)

    def test_given_one_that_the_solver_cannot_do_then_auto_is_named(self):
        keys = ["solver.name=thinc", "step.time_interpolation=characteristic", "time.steps=2000"]
        keys = [word for key in keys for word in ("--set", key)]
        self.assert_refused(self.kumiko("run", GAUSSIAN, *keys), "linear", "auto")


class ShippedCases(CommandTest):
    def test_given_any_of_their_files_then_it_runs(self):
        files = sorted(CASES.glob("*/*.toml"))
        self.assertGreater(len(files), 9)
        for file in files:
            done = self.kumiko("run", file, "--set", "time.stop_step=2", "--output", file.stem)
            self.assertEqual(done.returncode, 0, f"{file}: {done.stderr}")


class SeveralComponents(CommandTest):
    """The dyes: three components, from the first step to what others read."""

    NAMES = ["disk", "cone", "hump"]
    KEYS = ["--set", "grid.base=64", "--set", "time.steps=320", "--set", "diagnostics.every=10"]

    def run_dyes(self, name, *arguments):
        done = self.kumiko("run", DYES, *self.KEYS, "--output", name, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.printed = done.stdout
        return json.loads((self.path / name / "summary.json").read_text())

    def test_given_a_run_then_summary_and_rows_name_each(self):
        summary = self.run_dyes("run", "--set", "time.stop_step=20")
        components = summary["components"]
        self.assertEqual(list(components), self.NAMES)
        squares = [component["rms"] ** 2 for component in components.values()]
        self.assertAlmostEqual(summary["error"]["rms"] ** 2, sum(squares) / 3, places=14)
        for extreme in (min, max):
            key = extreme.__name__
            of_all = extreme(component[key] for component in components.values())
            self.assertEqual(summary["error"][key], of_all)
        self.assertLess(components["hump"]["max"], 0.51)
        self.assertGreater(components["disk"]["rms"], components["cone"]["rms"])
        with open(self.path / "run" / "diagnostics.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        for name, component in components.items():
            for key in ("mass", "min", "max"):
                self.assertEqual(float(last[f"{key}_{name}"]), component[key])
            self.assertIn(f"  {name} ", self.printed)
        mass = sum(component["mass"] for component in components.values())
        self.assertAlmostEqual(float(last["mass"]), mass, places=15)

    def test_given_a_checkpoint_then_the_run_goes_on_to_the_same_bits(self):
        whole = self.run_dyes("whole", "--set", "time.stop_step=30")
        self.run_dyes("run", "--set", "time.stop_step=15", "--set", "checkpoint.every=10")
        file = "run/checkpoint_000010.hdf"
        again = self.run_dyes(
            "again", "--set", "time.stop_step=30", "--restart", file, "--backend", "pthread"
        )
        self.assertEqual(again["state_hash"], whole["state_hash"])
        self.assertEqual(again["components"], whole["components"])
        self.assertEqual(again["mass_drift"], whole["mass_drift"])
        on = self.run_dyes("run", "--set", "time.stop_step=30", "--restart", "latest")
        self.assertEqual(on["state_hash"], whole["state_hash"])
        with open(self.path / "run" / "diagnostics.csv", newline="") as rows:
            steps = [row["step"] for row in csv.DictReader(rows)]
        self.assertEqual(steps, ["0", "10", "15", "20", "30"])

    def test_given_a_state_then_inspect_and_export_name_each(self):
        keys = ["--set", "time.stop_step=4", "--set", "output.figures=true"]
        self.run_dyes("run", *keys)
        state = "run/state_000004.hdf"
        report = json.loads(self.kumiko("inspect", state, "--json").stdout)
        figures = ["level", "worker", "cost_s", "indicator"]
        for level in report["levels"]:
            self.assertEqual(list(level["components"]), self.NAMES + figures)
        # The case is not asked for: a folder of plugins that is missing would be an error.
        done = self.kumiko("export", state, "--format", "plotfile", "--output", "other",
                           env={**os.environ, "KUMIKO_PLUGIN_PATH": "missing"})
        self.assertEqual(done.returncode, 0, done.stderr)
        header = (self.path / "other" / "plt_000004" / "Header").read_text().splitlines()
        self.assertEqual(header[1:5], ["3", *self.NAMES])


class Help(CommandTest):
    def test_given_case_list_then_zalesak_is_there(self):
        result = self.kumiko("case", "list")
        self.assertEqual(result.returncode, 0)
        self.assertIn("zalesak", result.stdout)

    def test_given_a_summary_that_would_replace_something_else_then_it_is_refused(self):
        (self.path / "notes.txt").write_text("mine")
        done = self.kumiko("run", ZALESAK, *SMALL, "--summary", "notes.txt")
        self.assert_refused(done, "--summary", "'notes.txt'", "holds no summary")
        self.assertEqual((self.path / "notes.txt").read_text(), "mine")
        self.copy_of_small("one")
        done = self.kumiko("run", ZALESAK, *SMALL, "--output", "two", "--summary", "one/summary.json")
        self.assert_refused(done, "--summary", "another run")
        for _ in range(2):
            self.run_small("three", "--summary", "copy.json", "--overwrite")

    def test_given_a_summary_beside_the_run_by_a_link_then_it_is_the_runs_own(self):
        (self.path / "link").symlink_to(".")
        for _ in range(2):
            summary = self.run_small("run", "--summary", "link/run/summary.json", "--overwrite")
        self.assertEqual(summary["steps"], 12)

    def test_given_version_then_it_is_named(self):
        result = self.kumiko("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^kumiko \d+\.\d+\.\d+\n")

    def test_given_version_then_the_parts_are_those_that_the_program_has(self):
        parts = self.kumiko("--version").stdout.splitlines()[1]
        with_, _, without = parts.partition("; without ")
        self.assertTrue(with_.startswith("with "), parts)
        needed = subprocess.run(["ldd", KUMIKO], capture_output=True, text=True, check=True).stdout
        links = {link.stem for link in Path(KUMIKO).resolve().parent.parent.glob("lib*/kumiko/links/*.so")}
        known = {
            "hwloc": "libhwloc.so" in needed,
            "liburing": "liburing.so" in needed,
            "Open MPI": "kumiko_link_openmpi" in links,
            "MPICH": "kumiko_link_mpich" in links,
            "pictures (VTK)": HAS_VTK,
        }
        for part, is_there in known.items():
            with self.subTest(part):
                self.assertEqual(part in with_, is_there, parts)
                self.assertEqual(part in without, not is_there, parts)

    def test_given_help_then_keys_and_options_are_listed(self):
        result = self.kumiko("run", "--help")
        self.assertEqual(result.returncode, 0)
        for part in ("--backend", "--overwrite", "amr.threshold", "solver.departure"):
            self.assertIn(part, result.stdout)


if __name__ == "__main__":
    unittest.main()
