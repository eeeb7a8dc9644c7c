"""Contract: kumiko case check finds what is wrong with a case, names the check, and raises no false alarm."""

import json
import os
import re
import unittest
from pathlib import Path

from command_case import CASES, CommandTest

WRONG = Path(os.environ["KUMIKO_TEST_PLUGINS"]) / "wrong_case.so"

CONFIGURATION = """
[case]
name = "wrong_case"
[solver]
name = "semi_lagrangian_cubic"
[grid]
base = 32
[time]
cfl = 0.5
"""

# The checks that fail, by what is wrong.
CAUGHT_BY = {
    "none": set(),
    "stream_sign": {"stream"},
    "stream_scale": {"stream"},
    "divergence": {"divergence", "displacement"},
    "steady": {"steadiness"},
    "factor": {"factor"},
    "displacement": {"displacement"},
    "exact_at_0": {"exact_at_0"},
    "exact_speed": {"transport"},
    "sides": {"sides"},
    "seam": {"seam"},
    "corner": {"finite"},
    "end": {"finite"},
    "calls": {"determinism", "thread_safety", "exact_at_0"},
    "batch": {"determinism"},
    "threads": {"thread_safety"},
    "side_threads": {"thread_safety"},
    "rest": set(),
    "jump": set(),
}


class CaseCheck(CommandTest):
    def setUp(self):
        super().setUp()
        self.file = self.path / "wrong.toml"
        self.file.write_text(CONFIGURATION)

    def check(self, *arguments):
        return self.kumiko("case", "check", self.file, "--plugin-path", WRONG, *arguments)

    def failed(self, fault):
        done = self.check("--json", "--set", f"case.fault={fault}")
        findings = json.loads(done.stdout)
        failed = {finding["check"] for finding in findings if finding["verdict"] == "failed"}
        self.assertEqual(done.returncode, 1 if failed else 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return failed

    def test_given_a_wrong_case_then_the_right_checks_fail(self):
        for fault, checks in CAUGHT_BY.items():
            with self.subTest(fault):
                found = self.failed(fault)
                if fault == "calls":
                    self.assertTrue(found and found <= checks, found)
                else:
                    self.assertEqual(found, checks)

    def test_given_a_field_that_jumps_on_its_sides_then_it_is_noted(self):
        done = self.check("--set", "case.fault=jump")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"noted +sides +boundary_values\(\) at t = 0 and initial\(\) differ")
        self.assertRegex(done.stdout, r"noted +seam +the field on a periodic side")

    def test_given_a_shipped_case_then_nothing_is_wrong(self):
        files = sorted(CASES.glob("*/*.toml"))
        if os.environ["KUMIKO_HAS_MUPARSER"] != "1":
            files = [file for file in files if file.parent.name != "expression"]
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(file.name):
                done = self.kumiko("case", "check", file)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"conforms: \d+ passed, 0 failed, \d+ skipped, 0 noted")

    def test_given_a_finding_then_it_has_place_values_and_remedy(self):
        done = self.check("--set", "case.fault=stream_sign")
        self.assertEqual(done.returncode, 1, done.stderr)
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("  failed")]
        self.assertRegex(line, r"stream +\(d psi/dy, -d psi/dx\) and the velocity differ in \d+ of \d+ values, "
                               r"most at \(\S+, \S+\), t = \S+: -?\S+ and -?\S+; solvers take either")  # fmt: skip
        one, other = map(float, re.search(r"t = \S+: (\S+) and (\S+);", line).groups())
        self.assertAlmostEqual(one, -other, places=4)

    def test_given_wrong_input_then_it_is_refused(self):
        self.assert_refused(self.check("--set", "case.fault=nothing"), "case.fault")
        self.assert_refused(self.kumiko("case", "check", "nowhere.toml"), "nowhere.toml")
        self.assert_refused(self.kumiko("case", "check", self.file), "wrong_case")


if __name__ == "__main__":
    unittest.main()
