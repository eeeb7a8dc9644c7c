"""Contract: kumiko compare runs solvers side by side; neither a signal nor a failing run loses what was
found."""

import csv
import json
import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

from command_case import KUMIKO, CASES, VORTEX, GAUSSIAN, CommandTest


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
            self.assertLessEqual(row.keys(), run.keys())
            self.assertIn(f"{run['error']:.4e}", text)
        page = (CASES.parent / "docs" / "reference" / "files.md").read_text()
        self.assertEqual([name for name in rows[0] if f"`{name}`" not in page], [])
        table = (self.path / "out" / "compare.md").read_text()
        lines = [line for line in table.splitlines() if line.startswith("|")]
        self.assertEqual(len(lines), 2 + 4)
        self.assertEqual(len({line.count("|") for line in lines}), 1)
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

    def test_given_a_cfl_number_then_every_run_chooses_its_steps_within_the_solvers_limit(self):
        done = self.kumiko(
            "compare", GAUSSIAN, "--solvers", "semi_lagrangian_cubic,upwind1", "--resolutions", "32,64",
            "--set", "amr.levels=1", "--set", "time.cfl=0.9", "--output", "both",
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = json.loads((self.path / "both" / "compare.json").read_text())["runs"]
        steps = [run["steps"] for run in runs]
        self.assertEqual(len(steps), 4)
        # Twice the points, twice the steps; and upwind1 is stable up to 1, but in both directions together.
        for coarse, fine in (steps[:2], steps[2:]):
            self.assertAlmostEqual(fine / coarse, 2.0, delta=0.1)
        # The file's own solver, where none is named.
        done = self.kumiko("compare", GAUSSIAN, "--resolutions", "32,64", "--set", "amr.levels=1", "--output", "own")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = json.loads((self.path / "own" / "compare.json").read_text())["runs"]
        self.assertEqual({run["solver"] for run in runs}, {"semi_lagrangian_cubic"})

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
        self.assertIn(f" {found['runs'][0]['error']:.4e}", line)
        self.assertNotIn(f" {found['runs'][1]['error']:.4e}", line)

    def test_given_an_open_domain_then_the_table_and_the_note_call_it_a_change_of_mass(self):
        channel = CASES / "channel" / "channel.toml"
        words = ["--solvers", self.CELLS, "--resolutions", "32", "--set", "time.stop_step=4", "--set", "amr.levels=1"]
        text, found = self.compare(channel, *words)
        self.assertTrue(found["runs"][0]["summary"]["open_domain"])
        page = (self.path / "out" / "compare.md").read_text()
        for shown in (text, page, "\n".join(found["notes"])):
            self.assertIn("mass change: the domain is open, so that mass may enter and leave", shown)
            self.assertNotIn("mass drift", shown)
        self.assertIn("| mass change |", page)

    def test_given_published_errors_then_ours_stand_beside_them_with_norm_and_source(self):
        words = ["--solvers", self.CELLS, "--resolutions", "32", "--norm", "l1"]
        text, found = self.compare(VORTEX, *words, "--set", "amr.levels=1")
        line = next(line for line in text.splitlines() if "2.3600e-03" in line)
        self.assertRegex(line, rf"l1 +32 .* {found['runs'][0]['error']:.4e}")
        self.assertIn("Rider", text)
        # Those of 64 and 128 have no run, and no line.
        self.assertNotIn("5.8500e-04", text)
        self.assertIn("2 published errors are not shown", text)
        self.assertIn("1/64 or 1/128", text)
        drawing = (self.path / "out" / "work_precision.svg").read_text()
        self.assertEqual(drawing.count('id="reference"'), 2, "one line in both panels")

    def test_given_a_mesh_that_was_never_refined_then_no_published_error_of_the_finest_spacing_stands_beside_it(self):
        words = ["--resolutions", "32", "--norm", "l1", "--set", "amr.levels=2", "--set", "amr.threshold=0.99"]
        text, found = self.compare(VORTEX, *words)
        self.assertEqual(found["runs"][0]["summary"]["patches"]["per_level"][1], 0)
        self.assertNotIn("5.8500e-04", text)

    def test_given_a_part_of_the_run_then_no_published_error_stands_beside_it(self):
        words = ["--solvers", self.CELLS, "--resolutions", "32", "--norm", "l1"]
        keys = ["--set", "amr.levels=1", "--set", "time.stop_step=20"]
        text, _ = self.compare(VORTEX, *words, *keys)
        self.assertNotIn("2.3600e-03", text)
        self.assertIn("3 published errors are not shown", text)
        drawing = (self.path / "out" / "work_precision.svg").read_text()
        self.assertEqual(drawing.count('id="reference"'), 0)

    def test_given_a_run_that_fails_then_the_others_are_reported_and_the_exit_code_is_1(self):
        limited = f"{self.CUBIC},time.wall_limit=0.001 s"
        words = ["--solver", limited, "--solver", self.CUBIC, "--resolutions", "32,64"]
        result = self.kumiko("compare", GAUSSIAN, *words, "--summary", "found.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 of 4 runs failed", result.stderr)
        self.assertIn("at 64 failed: ended by time.wall_limit", result.stdout)
        runs = json.loads((self.path / "found.json").read_text())["runs"]
        self.assertEqual(["summary" in run for run in runs], [False, False, True, True])

    def test_given_quiet_then_what_is_found_is_in_the_files_alone(self):
        words = ["compare", GAUSSIAN, *self.UNIFORM, "--solver", self.CUBIC, "--resolutions", "32", "--quiet"]
        for kept in (["--output", "out"], ["--summary", "found.json"]):
            done = self.kumiko(*words, *kept)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertTrue((self.path / kept[1]).exists())
        done = self.kumiko(*words, "--summary", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(json.loads(done.stdout)["runs"]), 1)

    def test_given_quiet_and_no_file_then_it_is_refused(self):
        for command in ("compare", "scaling"):
            done = self.kumiko(command, GAUSSIAN, "--quiet")
            self.assert_refused(done, "--quiet", "name a folder by --output, or a file by --summary")
        self.assert_refused(self.kumiko("table", GAUSSIAN, "--quiet"), "--quiet", "name a file by --summary")

    def test_given_quiet_and_a_run_that_fails_then_a_warning_says_why(self):
        words = ["--solver", f"{self.CUBIC},time.wall_limit=0.001 s", "--solver", self.CUBIC, "--resolutions", "64"]
        done = self.kumiko("compare", GAUSSIAN, *words, "--summary", "found.json", "--quiet")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        why, error = done.stderr.splitlines()
        self.assertRegex(why, "^kumiko: warning: .* at 64 failed: ended by time.wall_limit")
        self.assertIn("1 of 2 runs failed; see the warnings", error)

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
        refused("--solvers", f"{cubic},cubik", parts=["cubik", cells])
        refused("--solvers", f"{cubic},{cubic}", parts=[cubic, "twice"])
        refused("--solver", f"{cubic},departure", parts=["departure", "KEY=VALUE"])
        refused("--solver", f"{cubic},dparture=exact", parts=["solver.departure"])
        refused("--solver", f"{cubic},case.sigma=-1", parts=["case.sigma"])
        refused("--solver", f"{cubic},case.name=vortex", parts=["case.name"])
        refused("--solvers", cubic, "--set", "solver.departure=exact", parts=["--solver NAME"])
        refused("--solvers", cubic, "--resolutions", "64,100", parts=["100", "16"])
        refused("--resolutions", "32,32", parts=["--resolutions", "32 is named twice"])
        refused("--resolutions", "32", "--set", "grid.base=48", parts=["--set grid.base=48", "--resolutions"])
        refused("--solvers", cubic, "--resolutions", "8", parts=["--resolutions", "16"])
        refused("--solvers", cubic, "--norm", "l2", parts=["l1_relative"])
        refused("--solvers", cubic, "--repetitions", "0", parts=["--repetitions"])
        refused("--solvers", cubic, "--set", "amr.levls=1", parts=["amr.levels"])
        interpolation = "step.time_interpolation=characteristic"
        refused("--solver", f"{cells},{interpolation}", parts=[cells, "quadratic"])
        two = ["--workers", "1", "--solver", f"{cubic},runtime.workers=2"]
        refused(*two, parts=["--workers 1", "runtime.workers=2"])

    def test_given_a_key_of_a_contender_that_the_command_line_sets_too_then_it_replaces_that_in_silence(self):
        keys = ["--set", "amr.levels=3", "--set", "amr.levels=1"]
        words = ["--solver", f"{self.CUBIC},amr.levels=2", "--resolutions", "32", "--workers", "1", "--summary", "a.json"]
        done = self.kumiko("compare", GAUSSIAN, *keys[2:], *words, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (run,) = json.loads((self.path / "a.json").read_text())["runs"]
        self.assertEqual(len(run["summary"]["patches"]["per_level"]), 2)
        done = self.kumiko("compare", GAUSSIAN, *keys, *words, "--solver", self.CUBIC, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "kumiko: warning: --set amr.levels=1 replaces --set amr.levels=3\n")

    def test_given_a_key_of_files_then_a_warning_says_that_none_are_written(self):
        done = self.kumiko("compare", GAUSSIAN, "--resolutions", "32", "--set", "output.every=10", "--set",
                           "amr.levels=1", "--summary", "a.json", "--quiet")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "kumiko: warning: --set output.every=10 has no effect: the runs of a comparison "
                                      "write no files of their own\n")  # fmt: skip

    def test_given_a_sweep_then_each_value_is_a_contender_that_computes_what_run_does(self):
        words = ["--sweep", "amr.buffer=1,4", "--sweep", "solver.departure=second_order,exact", "--resolutions", "32"]
        text, found = self.compare(GAUSSIAN, *words)
        keys = [solver["keys"] for solver in found["solvers"]]
        self.assertEqual(keys, [[f"amr.buffer={buffer}", f"solver.departure={scheme}"]
                                for buffer in (1, 4) for scheme in ("second_order", "exact")])  # fmt: skip
        for run in found["runs"]:
            self.assertIn(run["solver"], text)
        done = self.kumiko("run", GAUSSIAN, "--no-files", "--json", "--quiet", "--set", "amr.buffer=4", "--set",
                           "solver.departure=exact", "--set", "grid.base=32", "--set", "time.steps=112")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["state_hash"], found["runs"][3]["summary"]["state_hash"])
        self.assert_refused(self.kumiko("compare", GAUSSIAN, "--sweep", "amr.bufer=2,4"), "amr.bufer", "amr.buffer")

    def test_given_an_output_folder_then_the_latex_table_compiles_as_booktabs_and_has_the_same_numbers(self):
        _, found = self.compare(GAUSSIAN, "--resolutions", "32", "--set", "amr.levels=1", "--format", "pdf")
        text = (self.path / "out" / "compare.tex").read_text()
        self.assertIn(r"semi\_lagrangian\_cubic", text)
        self.assertIn(f"{found['runs'][0]['error']:.4e}", text)
        self.assertEqual((self.path / "out" / "work_precision.pdf").read_bytes()[:4], b"%PDF")

    def test_given_a_python_without_matplotlib_or_none_then_it_is_named_with_its_package(self):
        bare = self.path / "bare"
        bare.write_text('#!/bin/sh\nexec python3 -I -S "$@"\n')
        bare.chmod(0o755)
        words = ["compare", GAUSSIAN, "--resolutions", "32", "--set", "amr.levels=1", "--output", "out"]
        done = self.kumiko(*words, env={**os.environ, "KUMIKO_PYTHON": str(bare)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"kumiko: note: work_precision.svg is left out, .*python3-matplotlib")
        self.assertEqual(len(list((self.path / "out").iterdir())), 4)
        done = self.kumiko(*words, "--overwrite", env={**os.environ, "KUMIKO_PYTHON": "/nowhere/python3"})
        self.assert_refused(done, "/nowhere/python3", "(Debian: python3)", "KUMIKO_PYTHON")

    def test_given_a_folder_that_another_comparison_writes_into_then_it_is_refused(self):
        first, _ = self.comparing(output="out")
        done = self.kumiko("compare", GAUSSIAN, "--resolutions", "32", "--set", "amr.levels=1", "--output", "out", "--overwrite")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another study is writing into 'out'", done.stderr)
        first.terminate()

    def test_given_a_summary_that_is_a_file_of_its_own_then_it_is_refused(self):
        (self.path / "out").mkdir()
        done = self.kumiko("compare", GAUSSIAN, "--output", "out", "--summary", "out/compare.csv")
        self.assert_refused(done, "'out/compare.csv' is the name of another file of the comparison")

    def test_given_runs_that_end_at_different_times_then_a_note_says_so(self):
        words = ["--resolutions", "32,64", "--set", "time.stop_step=5", "--set", "amr.levels=1"]
        text, found = self.compare(GAUSSIAN, *words)
        self.assertNotEqual(*(run["summary"]["time"] for run in found["runs"]))
        self.assertIn("the runs end at different times, t = ", text)
        text, found = self.compare(GAUSSIAN, "--resolutions", "32,64", "--set", "amr.levels=1", "--overwrite")
        self.assertNotIn("different times", text)

    def test_given_a_warning_of_a_run_then_it_is_handed_on_once(self):
        words = ["--set", "amr.interval=0", "--set", "amr.buffer=1", "--set", "time.stop_step=6", "--workers", "1"]
        done = self.kumiko("compare", VORTEX, *words, "--repetitions", "2", "--quiet", "--summary", "b.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (warning,) = done.stderr.splitlines()
        self.assertIn("further than amr.buffer", warning)

    def test_given_a_solver_that_fails_in_its_first_step_then_the_others_are_compared(self):
        words = ["--plugin-path", os.environ["KUMIKO_TEST_PLUGINS"] + "/faulty.so", "--set", "grid.base=32"]
        words += ["--set", "time.stop_step=2", "--solvers", "upwind1", "--solver", "faulty_solver,fault=fail_in_advance"]
        done = self.kumiko("compare", GAUSSIAN, *words, "--summary", "found.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 of 2 runs failed", done.stderr)
        runs = json.loads((self.path / "found.json").read_text())["runs"]
        self.assertEqual(["summary" in run for run in runs], [True, False])

    def comparing(self, *before, output=None):
        """A comparison whose first run has begun, and the process of that run."""
        command = [*before, KUMIKO, "compare", str(GAUSSIAN), "--resolutions", "1024", "--set", "amr.levels=1"]
        command += ["--output", output] if output else []
        process = subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                try:
                    words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
                except OSError:  # it has ended meanwhile
                    continue
                if words[1:2] == ["run"] and "--no-files" in words and "--dry-run" not in words:
                    return process, int(child)
            time.sleep(0.01)
        self.fail("no run began")

    def assert_ends(self, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if Path(f"/proc/{process}/stat").read_text().split()[2] == "Z":
                    return
            except OSError:
                return
            time.sleep(0.02)
        self.fail("the run goes on alone")

    def test_given_a_comparison_that_is_killed_then_its_run_ends_too(self):
        comparison, run = self.comparing()
        comparison.kill()
        comparison.communicate()
        self.assert_ends(run)

    def test_given_a_second_ctrl_c_then_the_run_ends_at_once(self):
        comparison, run = self.comparing()
        os.kill(run, signal.SIGSTOP)
        comparison.send_signal(signal.SIGINT)
        self.assertIn("Ctrl-C once more", comparison.stderr.readline())
        comparison.send_signal(signal.SIGINT)
        # A line that came with the first one is in the stream already, where communicate() does not look.
        self.assertEqual(comparison.stderr.read(), "kumiko: error: ended by signal 2 (SIGINT)\n")
        comparison.wait(timeout=60)
        self.assert_ends(run)

    def test_given_nohup_then_a_hangup_does_not_end_the_comparison_but_the_limit_of_time_does(self):
        comparison, _ = self.comparing("nohup")
        comparison.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(comparison.poll())
        comparison.send_signal(signal.SIGXCPU)
        _, errors = comparison.communicate(timeout=60)
        self.assertIn("ended by signal 24 (SIGXCPU)", errors)

    def test_given_an_earlier_summary_then_an_interrupted_comparison_does_not_leave_it(self):
        (self.path / "old.json").write_text('{"runs": []}')
        words = ["--resolutions", "1024", "--set", "amr.levels=1", "--summary", "old.json"]
        process = subprocess.Popen([KUMIKO, "compare", str(GAUSSIAN), *words], cwd=self.path, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while (self.path / "old.json").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.terminate()
        process.communicate(timeout=60)
        self.assertFalse((self.path / "old.json").exists())

    def test_given_modules_in_the_folder_then_a_study_does_not_take_them_for_its_own(self):
        for name in ("json", "kumiko", "statistics"):
            (self.path / f"{name}.py").write_text("raise SystemExit('taken')\n")
        done = self.kumiko("compare", GAUSSIAN, "--resolutions", "32", "--set", "amr.levels=1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_given_an_earlier_comparison_then_overwrite_is_asked_for(self):
        words = [GAUSSIAN, "--solvers", self.CUBIC, "--resolutions", "32"]
        self.compare(*words)
        again = self.kumiko("compare", *words, "--output", "out")
        self.assert_refused(again, "out/compare.csv", "--overwrite")
        self.compare(*words, "--overwrite")


if __name__ == "__main__":
    unittest.main()
