"""Contract: what a run of the command writes, what it says, and how it exits."""

import collections
import csv
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

from command_case import KUMIKO, CASES, ZALESAK, GAUSSIAN, DYES, HAS_VTK, HAS_OPENMP, SMALL, CommandTest

CHANNEL = CASES / "channel" / "channel.toml"


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
            "updates_per_core_s imbalance balance_efficiency steals load longest_waits memory patches peak_rss_bytes state_hash config"
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
        self.assertEqual(quiet.stderr, done.stderr)
        alone = self.kumiko("run", ZALESAK, *SMALL, "--workers", 1, "--output", "one")
        self.assertNotIn("share", alone.stderr)

    def test_given_a_key_twice_then_the_last_counts_and_a_warning_says_so(self):
        again = ["--set", "time.stop_step=2", "--set", "grid.base=64"]
        done = self.kumiko("run", ZALESAK, *SMALL, *again, "--workers", 1, "--output", "run", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "kumiko: warning: --set time.stop_step=2 replaces --set time.stop_step=12\n")
        self.assertEqual(json.loads((self.path / "run" / "summary.json").read_text())["steps"], 2)
        further = ["--set", "time.stop_step=3", "--set", "time.stop_step=4"]
        done = self.kumiko("run", "--restart", "run", *further, "--workers", 1)
        self.assertEqual(done.stderr, "kumiko: warning: --set time.stop_step=4 replaces --set time.stop_step=3\n")

    def test_given_two_numbers_of_workers_on_the_command_line_then_they_are_refused(self):
        def run(workers, *more):
            words = ["--workers", workers, *more, "--output", "run", "--overwrite"]
            return self.kumiko("run", ZALESAK, *SMALL, *words)

        for more in (["--set", "runtime.workers=2"], ["--set", "runtime.workers=1", "--set", "runtime.workers=0"]):
            self.assert_refused(run(1, *more), "--workers 1 and ", more[-1])
        done = run(1, "--set", "runtime.workers=1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_given_another_number_of_workers_in_the_file_then_the_command_lines_counts(self):
        (self.path / "own.toml").write_text(ZALESAK.read_text() + "\n[runtime]\nworkers = 2\n")
        done = self.kumiko("run", "own.toml", *SMALL, "--workers", 1, "--output", "run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.path / "run" / "summary.json").read_text())["workers"], 1)

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
            self.assertIn(f"OMP_SCHEDULE is '{schedule}'; set it to static, dynamic", done.stderr)

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
        def words(folder, *keys, stop=12, trace=2):
            keys = ("grid.base=64", "time.steps=640", f"time.stop_step={stop}", f"trace.from={trace}", "trace.steps=2", *keys)
            sets = [part for key in keys for part in ("--set", key)]
            return ["run", ZALESAK, *sets, "--output", folder, "--quiet"]

        def restarted(*arguments):
            result = self.kumiko(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stderr

        first = words("here", "checkpoint.every=6", stop=7)
        self.assertEqual(self.kumiko(*first).returncode, 0)
        (self.path / "copy").mkdir()
        checkpoint = self.path / "here" / "checkpoint_000006.hdf"
        for file in (checkpoint, checkpoint.with_suffix(".run.json")):
            (self.path / "copy" / file.name).write_bytes(file.read_bytes())
        self.assertEqual(restarted(*words("other"), "--restart", checkpoint), "")
        self.assertEqual(restarted(*words("here", stop=9), "--restart", "latest"), "")
        self.assertEqual(self.traced_steps("here"), [2, 3])
        alone = ["--restart", self.path / "copy" / checkpoint.name]
        self.assertEqual(restarted(*words("none", trace=-1), *alone), "")
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

    def test_given_the_help_of_any_command_then_quiet_means_the_same(self):
        for command in ("run", "table", "compare", "scaling", "export", "report"):
            words = " ".join(self.kumiko(command, "--help").stdout.split())
            self.assertIn(
                "--quiet show no progress, results or names of files, only warnings and errors ", words, command
            )

    def test_given_quiet_then_summary_on_stdout_is_printed_and_the_text_nowhere(self):
        for words in (["--json"], ["--summary", "-"]):
            done = self.kumiko("run", ZALESAK, *SMALL, "--workers", 1, "--overwrite", "--quiet", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(json.loads(done.stdout)["case"], "zalesak")

    def test_given_quiet_then_warnings_of_the_configuration_are_printed(self):
        keys = ["--set", "output.figures=true", "--workers", 1]
        done = self.kumiko("run", ZALESAK, *SMALL, *keys, "--output", "here", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^kumiko: warning: .*'output.figures' is called 'output.extras' now\n$")

    def test_given_quiet_then_export_and_report_name_no_files_but_what_is_wrong(self):
        self.copy_of_small("run", "--set", "output.every=12")
        if HAS_VTK and "KUMIKO_WITH_REPORT" not in self.kumiko("report", "run").stderr:
            done = self.kumiko("report", "run", "--csv", "tables", "--output", "page.html", "--quiet")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertTrue((self.path / "page.html").exists())
        (self.path / "notes.txt").write_text("a letter to a friend")
        done = self.kumiko("export", "run/state_000012.hdf", "notes.txt", "--output", "made", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(list((self.path / "made").iterdir())), 1)
        (line,) = done.stderr.splitlines()
        self.assertIn("notes.txt", line)

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

    def test_given_a_first_mesh_above_the_memory_limit_then_the_request_is_wrong(self):
        settings = ["--set", "amr.memory_limit=1", "--set", "amr.levels=5"]
        result = self.kumiko("run", ZALESAK, *SMALL, *settings)
        dry = self.kumiko("run", ZALESAK, *SMALL, *settings, "--dry-run")
        self.assertEqual((dry.returncode, dry.stderr), (2, result.stderr))
        self.assertEqual((result.returncode, self.files()), (2, []), result.stderr)
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
        self.assertIn("with a checkpoint; Ctrl-C once more ends at once", errors)
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


class MassDrift(CommandTest):
    BURGERS = CASES / "burgers" / "burgers.toml"

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
        line, summary = self.run_case(CHANNEL, "time.stop_step=20")
        self.assertGreater(summary["mass_drift"], 0.1)
        self.assertTrue(summary["open_domain"])
        self.assertTrue(line.startswith("mass change"), line)
        self.assertIn("the domain is open", line)


class Walls(CommandTest):
    def test_given_a_solver_for_nodes_then_the_key_of_the_walls_is_named(self):
        nodes = ["--set", "solver.name=semi_lagrangian_cubic"]
        self.assert_refused(self.kumiko("run", CHANNEL, *nodes), "reflecting wall on its bottom side", "case.walls")
        done = self.kumiko("run", CHANNEL, *nodes, "--set", "case.walls=outflow", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)


class Digits(CommandTest):
    def test_given_small_values_or_small_differences_then_they_are_told_apart(self):
        small = [CHANNEL, "--set", "case.inflow=1e-7", "--set", "case.height=1e-7"]
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


class ShippedCases(CommandTest):
    def test_given_any_of_their_files_then_it_runs(self):
        files = sorted(CASES.glob("*/*.toml"))
        self.assertGreater(len(files), 9)
        for file in files:
            folder = f"{file.parent.name}_{file.stem}"
            done = self.kumiko("run", file, "--set", "time.stop_step=2", "--output", folder)
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
        keys = ["--set", "time.stop_step=4", "--set", "output.extras=true"]
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


if __name__ == "__main__":
    unittest.main()
