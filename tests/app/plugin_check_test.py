"""Contract: kumiko solver check finds what is wrong with a plugin's solver, and names the check."""

import json
import re
import signal
import subprocess
import threading
import unittest
from pathlib import Path

from plugin_case import KUMIKO, SHIPPED, PLUGINS, SANITIZER, FAULTY, SEVERAL, settings, PluginTest


class Check(PluginTest):
    def check(self, file, *arguments):
        done = self.kumiko("solver", "check", file, "--json", *arguments)
        reports = json.loads(done.stdout) if done.stdout else []
        return done, reports

    CAUGHT_BY = {
        "changes_constants": {"constants"},
        "counts_calls": {"determinism", "thread_safety"},
        "depends_on_place": {"translation"},
        "faces_differ": {"fluxes"},
        "forgets_component": {"memory", "constants"},
        "hides_nan": {"nan_input"},
        "leans_right": {"symmetry"},
        "overstates_cfl": {"stability"},
        "overstates_order": {"order"},
        "reads_one_layer_more": {"ghost_width"},
        "state_cfl_of_square": {"state_cfl"},
        "writes_coefficients": {"memory"},
        "wrong_declaration": {"declaration"},
        "wrong_displacement": {"displacement"},
        "wrong_tendency": {"tendency"},
    }

    def test_given_broken_solvers_then_the_right_checks_fail(self):
        if SANITIZER:
            self.skipTest("the sanitizers end the program where a solver writes or races")
        done, reports = self.check(PLUGINS / "nonconforming.so")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "")
        failed = {
            report["solver"]: {
                finding["check"] for finding in report["findings"] if finding["verdict"] == "failed"
            }
            for report in reports
        }
        for report in reports:
            self.assertFalse(report["passed"], report["solver"])
            self.assertEqual(report["file"], str(PLUGINS / "nonconforming.so"))
        self.assertIn("order", failed.pop("throws_in_advance"))
        self.assertEqual(failed, self.CAUGHT_BY)

    def test_given_a_name_then_only_that_solver_is_checked(self):
        done, reports = self.check(PLUGINS / "nonconforming.so", "--solver", "wrong_declaration")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([report["solver"] for report in reports], ["wrong_declaration"])
        done, _ = self.check(PLUGINS / "nonconforming.so", "--solver", "another")
        self.assert_told(done, 2, PLUGINS / "nonconforming.so", "'another'")

    def test_given_a_good_solver_then_it_passes(self):
        done, reports = self.check(SHIPPED / "solver_upwind1.so")
        self.assert_done(done)
        self.assertTrue(reports[0]["passed"])

    def test_given_a_solver_that_cannot_be_made_then_its_declaration_fails(self):
        texts = {"refuse": "no such solver", "wide_ghosts": "9", "zero_limit": "CFL limit of 0",
                 "nan_limit": "CFL limit of nan", "infinite_limit": "CFL limit of inf",
                 "countless_coefficients": "1152921504606846976"}  # fmt: skip
        for fault, text in texts.items():
            done, reports = self.check(FAULTY, "--set", f"solver.fault={fault}")
            self.assertEqual(done.returncode, 1, done.stderr)
            finding = reports[0]["findings"][0]
            self.assertEqual((finding["check"], finding["verdict"]), ("declaration", "failed"))
            self.assertIn(text, finding["text"])

    def test_given_a_cfl_number_that_is_always_the_same_then_the_memory_check_says_so(self):
        done, reports = self.check(FAULTY, "--set", "solver.fault=constant_cfl")
        self.assertEqual(done.returncode, 1, done.stderr)
        findings = {finding["check"]: finding for finding in reports[0]["findings"]}
        self.assertEqual(findings["memory"]["verdict"], "failed")
        self.assertIn("gave 2", findings["memory"]["text"])

    def test_given_a_check_that_ends_the_program_then_solver_and_check_are_named(self):
        place = f"check declaration of solver 'faulty_solver' of '{FAULTY}'"
        told = {"exit_in_prepare": (1, f"a plugin called exit() in {place}; ")}
        if not SANITIZER:
            told["null_in_prepare"] = (-signal.SIGSEGV, f"\n  in {place}\n")
        for fault, (code, text) in told.items():
            with self.subTest(fault):
                done = self.kumiko("solver", "check", FAULTY, "--set", f"solver.fault={fault}")
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, f"solver faulty_solver of {FAULTY}\n", "what was known is out")

    def endless(self, words, **more):
        """A process that does not end by itself, for a minute at most."""
        run = subprocess.Popen([KUMIKO, *map(str, words)], stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        watchdog = threading.Timer(60, run.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        return run

    def test_given_a_first_mesh_that_never_ends_then_sigusr2_says_that_there_is_no_step_yet(self):
        words = ["run", self.config, "--plugin-path", FAULTY, *settings("solver.fault=never_return"), "--output", "run"]
        run = self.endless(words, cwd=self.path)
        # Until it has blocked the signal, which would end it before.
        bit = 1 << (signal.SIGUSR2 - 1)
        while not int(re.search(r"SigBlk:\s*(\w+)", Path(f"/proc/{run.pid}/status").read_text())[1], 16) & bit:
            self.assertIsNone(run.poll())
        for _ in range(2):
            run.send_signal(signal.SIGUSR2)
            self.assertRegex(run.stderr.readline(), r"\Akumiko: no base step yet: .*, for \S+ (us|ms|s)\n\Z")
        self.assertIsNone(run.poll())

    def test_given_a_check_that_never_ends_then_sigusr2_names_it(self):
        words = ["solver", "check", FAULTY, "--set", "solver.fault=never_return"]
        run = self.endless(words, stdout=subprocess.PIPE)
        self.assertIn("faulty_solver", run.stdout.readline())
        for _ in range(2):
            run.send_signal(signal.SIGUSR2)
            self.assertRegex(run.stderr.readline(),
                             r"\Akumiko: solver 'faulty_solver', check declaration: for \d+\.\d s\n\Z")  # fmt: skip
        self.assertIsNone(run.poll())

    def test_given_a_full_stdout_then_it_fails(self):
        for options in ([], ["--json"]):
            with self.subTest(options), open("/dev/full", "w") as full:
                done = subprocess.run([KUMIKO, "solver", "check", SHIPPED / "solver_upwind1.so", *options],
                                      stdout=full, stderr=subprocess.PIPE, text=True)  # fmt: skip
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.split(";")[0], "kumiko: error: cannot write to stdout")

    def test_given_a_parameter_out_of_range_then_the_request_is_wrong(self):
        done, _ = self.check(SEVERAL, "--solver", "still_nodes", "--set", "solver.weight=9")
        self.assert_told(done, 2, "solver.weight", "0.25 to 4")

    def test_given_a_parameter_twice_then_a_warning_says_which_counts(self):
        words = ["--solver", "still_nodes", "--set", "solver.weight=1", "--set", "solver.weight=2"]
        done, reports = self.check(SEVERAL, *words)
        self.assertEqual(len(reports), 1)
        self.assertIn("kumiko: warning: --set solver.weight=2 replaces --set solver.weight=1\n", done.stderr)

    def test_given_a_key_of_a_run_then_the_request_is_wrong(self):
        for key in ("amr.levels=2", "solver.name=still_cells"):
            with self.subTest(key):
                done, _ = self.check(SEVERAL, "--solver", "still_nodes", "--set", key)
                self.assert_told(done, 2, f"--set {key}", "solver.KEY=VALUE", "--solver")

    def test_given_a_default_out_of_its_range_then_file_and_key_are_named(self):
        done, _ = self.check(PLUGINS / "bad_default.so")
        self.assert_told(done, 2, PLUGINS / "bad_default.so", "solver.weight")

    def test_given_what_has_no_solver_then_the_request_is_wrong(self):
        case = SHIPPED / "case_zalesak.so"
        self.assert_told(self.check(case)[0], 2, case, "offers no solver")
        self.assert_told(self.check(PLUGINS)[0], 2, PLUGINS, "is not a file")
        missing = self.path / "missing.so"
        self.assert_told(self.check(missing)[0], 2, missing)
        for name in ("no_plugin.so", "other_version.so", "unresolved.so"):
            self.assert_told(self.check(PLUGINS / name)[0], 2, PLUGINS / name)


if __name__ == "__main__":
    unittest.main()
