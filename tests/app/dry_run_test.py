"""Contract: --dry-run tells what a run would take and write, as the run then does, and writes nothing; --print-config
prints a CASE.toml of the same run; a run whose refinement makes more point updates than the uniform grid says so."""

import json
import shutil
import subprocess
import unittest

from command_case import CASES, KUMIKO, SMALL, VORTEX, ZALESAK, CommandTest

# It leaves most keys to their defaults.
PLAIN = CASES / "zalesak" / "zalesak_100.toml"
BURGERS = CASES / "burgers" / "burgers.toml"
BY_CFL = ["--set", "grid.base=32", "--set", "time.cfl=0.8"]
# One base step: the mesh of its state is the first one.
ONE = ["--set", "time.stop_step=1", "--workers", "2"]
OFTEN = [
    *["--set", "time.stop_step=13", "--set", "output.every=5", "--set", "diagnostics.every=4"],
    *["--set", "checkpoint.every=2", "--set", "checkpoint.keep=99"],
]
BY_TIME = [
    *["--set", "output.interval=0.3", "--set", "output.times=[0, 0.123]", "--set", "checkpoint.interval=0.17"],
    *["--set", "checkpoint.keep=99", "--set", "diagnostics.interval=0.25"],
]
# Every patch is refined, which takes 1 + 1/8 + 1/64 of the uniform grid.
WASTEFUL = ["--set", "grid.base=16", "--set", "time.steps=160", "--set", "amr.threshold=1e-9", "--set", "amr.buffer=16"]


class Preview(CommandTest):
    def forecast(self, *arguments, text=False):
        before = self.contents()
        shown = [] if text else ["--json", "--quiet"]
        done = self.kumiko("run", *arguments, "--dry-run", *shown)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.contents(), before, "a dry run changed a file")
        return done.stdout if text else json.loads(done.stdout)

    def contents(self):
        return {file: file.read_bytes() if file.is_file() else None for file in sorted(self.path.rglob("*"))}

    def run_case(self, *arguments):
        done = self.kumiko("run", *arguments, "--json", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def sizes(self, folder, kind):
        return [file.stat().st_size for file in sorted((self.path / folder).glob(f"{kind}_*.hdf"))]

    def used(self, forecast):
        return {entry["key"]: entry["used"] for entry in forecast["keys"]}


class DryRun(Preview):
    def test_given_a_case_then_mesh_memory_step_and_sizes_are_those_of_its_run(self):
        for number, case in enumerate(([ZALESAK, *SMALL], [BURGERS], [VORTEX, "--set", "output.extras=true"])):
            with self.subTest(case[0].name):
                folder = f"run{number}"
                told = self.forecast(*case, *ONE, "--output", folder)
                run = self.run_case(*case, *ONE, "--output", folder)
                for key in ("case", "solver", "backend", "workers", "schedule", "end_time"):
                    self.assertEqual(told[key], run[key])
                self.assertEqual(told["patches"]["per_level"], run["patches"]["per_level"])
                self.assertEqual(told["memory"]["patch_bytes"], run["memory"]["patch_bytes"])
                self.assertEqual(told["memory"]["metadata_bytes"], run["memory"]["metadata_bytes"])
                self.assertAlmostEqual(told["first_step"]["length"], run["time"], places=15)
                self.assertEqual(told["first_step"]["largest_cfl"], run["largest_cfl"])
                self.assertEqual(told["updates_per_base_step"], run["updates"]["total"])
                self.assertAlmostEqual(told["fraction_of_uniform"], run["updates"]["fraction_of_uniform"])
                self.assertEqual(told["base_steps"], {"count": 1, "is_estimate": False})
                self.assertGreater(told["wall_s"], 0.0)
                [size] = self.sizes(folder, "state")
                self.assertLess(abs(told["files"]["states"]["bytes"] / size - 1.0), 0.01)

    def test_given_keys_of_files_then_so_many_are_written(self):
        for first in (0, 4):
            with self.subTest(first):
                words = [ZALESAK, *SMALL, *OFTEN, "--output", "run"]
                if first > 0:
                    words = ["--restart", f"run/checkpoint_{first:06}.hdf", "--output", "other"]
                told = self.forecast(*words)
                self.run_case(*words)
                folder = words[-1]
                self.assertEqual(told["step"], first)
                self.assertEqual(told["base_steps"]["count"], 13 - first)
                files = told["files"]
                for kind in ("state", "checkpoint"):
                    self.assertEqual(files[f"{kind}s"]["count"], len(self.sizes(folder, kind)), kind)
                # The mesh grows.
                self.assertLess(abs(files["checkpoints"]["bytes"] / self.sizes(folder, "checkpoint")[0] - 1.0), 0.1)
                rows = (self.path / folder / "diagnostics.csv").read_text().splitlines()[1:]
                self.assertEqual(files["diagnostics_rows"], len(rows))

    def test_given_times_of_files_then_so_many_are_written(self):
        words = [ZALESAK, "--set", "grid.base=32", "--set", "time.steps=320", "--set", "time.stop_step=60", *BY_TIME]
        told = self.forecast(*words, "--output", "run")
        self.run_case(*words, "--output", "run")
        for kind in ("state", "checkpoint"):
            self.assertEqual(told["files"][f"{kind}s"]["count"], len(self.sizes("run", kind)), kind)
        rows = (self.path / "run" / "diagnostics.csv").read_text().splitlines()[1:]
        self.assertEqual(told["files"]["diagnostics_rows"], len(rows))
        self.assertEqual(self.used(told)["diagnostics.every"], "0")

    def test_given_the_folder_of_a_run_then_it_is_refused_or_continued_as_by_a_run(self):
        self.copy_of_small("run")
        words = ["run", ZALESAK, *SMALL, "--output", "run", "--dry-run"]
        self.assert_refused(self.kumiko(*words), "'run' holds a run", "--overwrite", "--restart")
        self.assertIn("its run would be replaced", self.forecast(*words[1:-1], "--overwrite", text=True))
        told = self.forecast("--restart", "run", "--set", "time.stop_step=15", text=True)
        self.assertIn("restarts from run/state_000012.hdf, base step 12\n", told)
        self.assertIn("base steps           3\n", told)
        told = self.forecast("--restart", "run", text=True)
        self.assertIn("nothing is left to do", told)
        self.assertIn("base steps           0\n", told)

    def test_given_keys_that_leave_a_choice_then_it_is_told(self):
        told = self.used(self.forecast(ZALESAK, *BY_CFL, "--workers", "3", "--backend", "pthread"))
        self.assertEqual(told["runtime.workers"], "3")
        self.assertEqual(told["step.schedule"], "level")
        self.assertEqual(told["step.time_interpolation"], "characteristic")
        self.assertEqual(told["amr.derefine_threshold"], "0.1")
        self.assertEqual(told["time.end"], "6.283185307179586")
        self.assertRegex(told["time.steps"], r"^about \d+$")
        flow = ["--set", "amr.interval=0", "--set", "amr.threshold_order=2", "--set", "grid.base=128"]
        told = self.used(self.forecast(ZALESAK, *flow))
        self.assertGreaterEqual(int(told["amr.interval"]), 1)
        self.assertEqual(told["amr.threshold_at"], "256")
        self.assertEqual(told["amr.threshold"], "0.4")
        self.assertEqual(told["time.stop_step"], "2560")
        told = self.used(self.forecast(PLAIN, "--set", "amr.levels=3", "--set", "time.cfl=0.8"))
        self.assertEqual(told["amr.buffer"], "4")
        self.assertGreaterEqual(int(told["amr.interval"]), 1)
        told = self.used(self.forecast(PLAIN, "--set", "amr.levels=3", "--set", "amr.interval=0"))
        self.assertEqual(told["amr.buffer"], "4")
        plain = self.used(self.forecast(ZALESAK, *SMALL))
        for key in ("amr.interval", "amr.buffer", "amr.threshold", "amr.threshold_at", "time.steps", "time.stop_step"):
            self.assertNotIn(key, plain)

    def test_given_a_cfl_number_then_the_base_steps_are_an_estimate(self):
        words = [ZALESAK, *BY_CFL, "--set", "time.end=1"]
        told = self.forecast(*words)
        run = self.run_case(*words)
        self.assertTrue(told["base_steps"]["is_estimate"])
        self.assertLess(abs(told["base_steps"]["count"] / run["steps"] - 1.0), 0.2)
        self.assertIn("an estimate", self.forecast(*words, "--overwrite", text=True))

    def test_given_a_wrong_request_then_the_error_is_that_of_a_run(self):
        (self.path / "notes.txt").write_text("mine")
        for words in (
            ["--set", "amr.level=2"],
            ["--set", "time.steps=5"],
            ["--set", "step.time_interpolation=quadratic"],
            ["--output", "notes.txt"],
            ["--summary", "notes.txt"],
            ["--set", "trace.from=99"],
        ):
            with self.subTest(words):
                run = self.kumiko("run", ZALESAK, *SMALL, *words)
                dry = self.kumiko("run", ZALESAK, *SMALL, *words, "--dry-run")
                self.assert_refused(dry)
                self.assertEqual(dry.stderr, run.stderr)

    def test_given_a_complete_run_then_it_counts_no_state(self):
        self.copy_of_small("run")
        self.assertEqual(self.forecast("--restart", "run")["files"]["states"]["count"], 0)
        self.assertIn("states               none\n", self.forecast("--restart", "run", text=True))
        self.assertEqual(self.forecast("--restart", "run", "--output", "other")["files"]["states"]["count"], 1)

    def test_given_a_summary_to_write_then_the_earlier_one_stays(self):
        self.copy_of_small("run")
        (self.path / "run" / "summary.json").rename(self.path / "old.json")
        self.forecast(ZALESAK, *SMALL, "--summary", "old.json", text=True)
        self.forecast(ZALESAK, *SMALL, "--output", "new", "--summary", "new/copy.json", text=True)

    def test_given_options_that_contradict_each_other_then_the_error_names_both(self):
        for words in (
            ["--dry-run", "--print-config"],
            ["--dry-run", "--quiet"],
        ):
            self.assert_refused(self.kumiko("run", ZALESAK, *words), *words)


class PrintConfig(Preview):
    def printed(self, *arguments):
        done = self.kumiko("run", *arguments, "--print-config")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.files(), self.files_before, "the configuration was written")
        return done.stdout

    def test_given_a_configuration_then_what_is_printed_is_the_same_run(self):
        changes = [*SMALL, "--set", "amr.buffer=3"]
        text = self.printed(ZALESAK, *changes)
        self.assertIn('time_interpolation = "characteristic"', text)
        (self.path / "case.toml").write_text(text)
        first = self.run_case(ZALESAK, *changes, "--output", "first")
        second = self.run_case("case.toml", "--output", "second")
        self.assertEqual(first["state_hash"], second["state_hash"])
        self.assertEqual(first["config"], second["config"])
        self.assertEqual((self.path / "first/effective.toml").read_text(), text)
        self.assertEqual(self.printed("case.toml"), text)
        # The folder of an earlier run is none of its business.
        self.assertEqual(self.printed("case.toml", "--output", "first", "--quiet"), text)

    def test_given_json_then_the_configuration_and_what_case_and_solver_declare_are_printed(self):
        described = json.loads(self.printed(ZALESAK, "--solver", "thinc", "--set", "amr.buffer=3", "--json"))
        self.assertEqual(described["config"]["amr"]["buffer"], 3)
        self.assertEqual(described["config"]["solver"], {"name": "thinc"} | described["config"]["solver"])
        self.assertEqual((described["solver"]["centring"], described["solver"]["cfl_limit"]), ("cell", 1.0))
        self.assertEqual(described["run"]["points"], described["config"]["grid"]["base"])
        self.assertEqual(described["case"]["extent"], [1.0, 1.0])
        self.assertIn("rms.amr", [value["name"] for value in described["case"]["published_values"]])

    def test_given_a_cfl_number_then_what_it_chooses_is_printed(self):
        text = self.printed(PLAIN, "--set", "amr.levels=3", "--set", "time.cfl=0.8")
        for line in ("cfl = 0.8", "steps = 0", "interval = 0", "buffer = 4"):
            self.assertIn(f"\n{line}\n", text)
        (self.path / "case.toml").write_text(text)
        self.assertEqual(self.printed("case.toml"), text)

    def test_given_a_restart_then_it_is_the_configuration_that_it_has(self):
        self.copy_of_small("run")
        text = self.printed("--restart", "run", "--set", "time.stop_step=20")
        self.assertIn("\nstop_step = 20\n", text)
        (self.path / "case.toml").write_text(text)
        self.kumiko("run", "case.toml", "--output", "whole", "--quiet")
        self.kumiko("run", "--restart", "run", "--set", "time.stop_step=20", "--quiet")
        hashes = [json.loads((self.path / name / "summary.json").read_text())["state_hash"] for name in ("run", "whole")]
        self.assertEqual(hashes[0], hashes[1])

    def test_given_an_earlier_file_to_restart_then_later_ones_do_not_matter(self):
        self.run_case(ZALESAK, *SMALL, "--set", "checkpoint.every=5", "--output", "run")
        file, *_ = sorted((self.path / "run").glob("checkpoint_*.hdf"))
        self.files_before = self.files()
        self.assertEqual(self.printed("--restart", file), (self.path / "run" / "effective.toml").read_text())
        (self.path / "alone").mkdir()
        shutil.copy(file, self.path / "alone")
        self.files_before = self.files()
        done = self.kumiko("run", "--restart", f"alone/{file.name}", "--print-config")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_given_a_wrong_key_then_the_error_is_that_of_a_run(self):
        for key in ("amr.level=2", "amr.levels=nine", "step.time_interpolation=quadratic", "time.cfl=2", "grid.base=[32,64]"):
            with self.subTest(key):
                run = self.kumiko("run", ZALESAK, "--set", key)
                printed = self.kumiko("run", ZALESAK, "--set", key, "--print-config")
                self.assert_refused(printed)
                self.assertEqual(printed.stderr, run.stderr)
        self.assert_refused(self.kumiko("run", "--print-config"), "CASE.toml")

    def test_given_what_the_first_mesh_would_refuse_then_it_is_refused_too(self):
        (self.path / "case.toml").write_text(
            ZALESAK.read_text() + "\n[[amr.region]]\nx = [2, 3]\ny = [0, 1]\nmax_level = 1\n"
        )
        for words, told in (
            (["case.toml"], "'amr.region.x' is [2, 3]; the region lies outside the domain"),
            ([ZALESAK, "--set", "amr.criterion=user"], "'amr.criterion' is user; the case has no refinement_indicator()"),
        ):
            with self.subTest(words):
                for option in ("--dry-run", "--print-config"):
                    self.assert_refused(self.kumiko("run", *words, *SMALL, option), told)

    def test_given_a_full_stdout_then_it_fails(self):
        with open("/dev/full", "w") as full:
            for option in ("--print-config", "--dry-run"):
                done = subprocess.run(
                    [KUMIKO, "run", ZALESAK, *SMALL, option], cwd=self.path, stdout=full, stderr=subprocess.PIPE
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"stdout", done.stderr)


class MoreThanUniform(Preview):
    MESSAGE = r"kumiko: warning: the {} 1\.14 times the point updates of the uniform finest grid.*amr\.levels.*\n"

    def test_given_refinement_everywhere_then_a_run_and_a_dry_run_say_so(self):
        words = ["run", ZALESAK, *WASTEFUL, "--set", "time.stop_step=2"]
        told = self.kumiko(*words, "--dry-run")
        self.assertRegex(told.stderr, "^" + self.MESSAGE.format("first mesh makes") + "$")
        self.assertIn("114.06 % of the uniform finest grid", told.stdout)
        for more in ([], ["--quiet"]):
            done = self.kumiko(*words, *more, "--output", f"run{len(more)}")
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, "^" + self.MESSAGE.format("run made") + "$")

    def test_given_a_mesh_that_saves_work_or_is_uniform_then_nothing_is_said(self):
        for number, words in enumerate((["--set", "grid.base=64"], [*WASTEFUL, "--set", "amr.levels=1"])):
            for more in (["--dry-run"], ["--output", f"run{number}"]):
                done = self.kumiko("run", ZALESAK, *words, "--set", "time.stop_step=2", *more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
