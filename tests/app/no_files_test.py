"""Contract: kumiko run --no-files computes what a run with files does, and leaves nothing; --solver takes another solver
with its defaults in place of the configuration's."""

import json
import unittest

from command_case import GAUSSIAN, SMALL, ZALESAK, CommandTest


class NoFiles(CommandTest):
    SHORT = ("--set", "grid.base=32", "--set", "time.steps=112", "--set", "time.stop_step=4")

    def test_given_no_files_then_the_state_is_the_same_and_the_folder_stays_empty(self):
        done = self.kumiko("run", ZALESAK, *SMALL, "--no-files", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), [])
        summary = json.loads(done.stdout)
        with_files = self.run_small("run")
        self.assertEqual(summary["state_hash"], with_files["state_hash"])
        self.assertEqual(summary["error"], with_files["error"])
        self.assertEqual(summary["updates"], with_files["updates"])

    def test_given_text_or_a_summary_then_the_results_are_there_alone(self):
        done = self.kumiko("run", ZALESAK, *SMALL, "--no-files", "--summary", "found.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("RMS error", done.stdout)
        self.assertEqual(self.files(), [str(self.path / "found.json")])

    def test_given_a_summary_in_the_folder_that_a_run_would_make_then_nothing_of_it_is_touched(self):
        done = self.kumiko("run", GAUSSIAN, *self.SHORT, "--no-files", "--quiet", "--summary", "out/gaussian/s.json")
        self.assert_refused(done, "out/gaussian")
        self.assertEqual(self.kumiko("run", GAUSSIAN, *self.SHORT, "--quiet").returncode, 0)
        before = (self.path / "out/gaussian/summary.json").read_bytes()
        done = self.kumiko("run", GAUSSIAN, *self.SHORT, "--no-files", "--summary", "out/gaussian/summary.json")
        self.assert_refused(done, "is the summary of another run")
        self.assertEqual((self.path / "out/gaussian/summary.json").read_bytes(), before)
        # Nor is a restart refused because of what lies there.
        done = self.kumiko("run", "--restart", "out/gaussian", "--set", "time.stop_step=6", "--no-files", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["steps"], 6)

    def test_given_a_run_that_fails_then_it_leaves_no_checkpoint_and_names_none(self):
        done = self.kumiko("run", GAUSSIAN, "--set", "time.wall_limit=0.001 s", "--no-files", "--json")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ended by time.wall_limit", done.stderr)
        self.assertNotIn("--restart", done.stderr)
        self.assertEqual(self.files(), [])

    def test_given_options_that_it_contradicts_then_they_are_named(self):
        for words in (["--output", "run"], ["--overwrite"], ["--quiet"]):
            self.assert_refused(self.kumiko("run", GAUSSIAN, "--no-files", *words), "--no-files", words[0])


class Solver(CommandTest):
    def config_of(self, *words):
        done = self.kumiko("run", GAUSSIAN, "--set", "time.stop_step=1", "--no-files", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["config"]["solver"]

    def test_given_a_solver_then_the_files_keys_go_with_the_files_solver_alone(self):
        # The file's own, which is not the default.
        self.assertEqual(self.config_of("--solver", "semi_lagrangian_cubic")["departure"], "second_order")
        self.assertEqual(self.config_of("--solver", "thinc", "--set", "time.steps=2000")["name"], "thinc")

    def test_given_a_wrong_solver_then_the_option_is_named(self):
        done = self.kumiko("run", GAUSSIAN, "--solver", "thinck")
        self.assert_refused(done, "--solver thinck: there is no solver 'thinck'", "thinc")
        self.assert_refused(self.kumiko("run", "--restart", "run", "--solver", "thinc"), "--solver", "--restart")
        named = self.kumiko("run", GAUSSIAN, "--solver", "thinc", "--set", "solver.name=upwind1")
        self.assert_refused(named, "--solver thinc", "solver.name=upwind1")


if __name__ == "__main__":
    unittest.main()
