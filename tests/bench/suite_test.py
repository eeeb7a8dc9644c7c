"""Contract: a suite runs its cases in rounds whose order favours none; a value of its tables or its budgets that is
missing or not finite is a fault and named; a part that a machine cannot have is named as skipped instead."""

import json
import math
import re
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from stand_ins import ROOT, Failed, Lacking, Programs, Report, load, measure, replayed
from programs import GO, Absent, Expected
from results import Outcome, Results
from suite import AT_END, AT_ONCE, SUITES, Budget, Suite, order, table
from suites import amr_figures

SLOW, FAST, ONCE = ("slow",), ("fast",), ("once",)


class Small(Suite):
    """Two cases that are compared, and one that is measured once."""

    seconds = {SLOW: 4.0, FAST: 2.0, ONCE: 1.0}

    def __init__(self, quick: bool = False, **failures):
        super().__init__(Programs(Path("/")), quick)
        self.failing = failures
        self.ran: list[str] = []

    def comparisons(self):
        return [[SLOW, FAST], [ONCE]]

    def is_single(self, key):
        return key == ONCE

    def measure(self, key, turn):
        self.ran.append(key[0])
        if key[0] in self.failing:
            raise self.failing[key[0]]
        return {"wall_s": self.seconds[key] * (turn + 1)}

    def tables(self, r):
        rows = [("seconds", r.spread(SLOW), r.spread(FAST)), ("over fast", r.ratio(SLOW, FAST), "-")]
        rows.append(("once", r.spread(ONCE), "-"))
        yield table("two programs; s", ("what", "slow", "fast"), rows)

    def budgets(self, r):
        yield Budget("slow over fast", 3.0, True, r.ratio(SLOW, FAST).median)


def report_of(suite: Suite, repetitions: int = 2) -> Report:
    return Report(suite, measure(suite, repetitions))


class Rounds(unittest.TestCase):
    def test_every_second_round_goes_backwards_and_each_begins_elsewhere(self):
        suite = Small()
        measure(suite, 3)
        self.assertEqual(suite.ran, ["slow", "fast", "once", "slow", "fast", "slow", "fast"])
        cases = [[("a",), ("b",), ("c",)]]
        firsts = [order(cases, turn)[0][0] for turn in range(3)]
        self.assertEqual(firsts, ["a", "a", "c"])
        self.assertEqual(len({tuple(order(cases, turn)) for turn in range(3)}), 3)

    def test_cases_can_be_chosen_by_a_part_of_their_name(self):
        suite = Small()
        found = measure(suite, 2, "as")
        self.assertEqual(suite.ran, ["fast", "fast"])
        self.assertEqual(found.spread(SLOW).why, "not measured")

    def test_a_case_that_failed_is_not_tried_again(self):
        suite = Small(slow=Failed("no memory"))
        measure(suite, 3)
        self.assertEqual(suite.ran.count("slow"), 1)
        self.assertEqual(suite.ran.count("fast"), 3)

    def test_a_case_that_was_stopped_is_not_repeated(self):
        suite = Small()
        suite.measure = lambda key, turn: suite.ran.append(key[0]) or {"wall_s": 5.0, "stopped": key == SLOW}
        measure(suite, 3)
        self.assertEqual((suite.ran.count("slow"), suite.ran.count("fast")), (1, 3))

    def test_disturbed_runs_are_repeated_when_the_suite_says(self):
        for again, ran in (("", 2), (AT_ONCE, 4), (AT_END, 3)):
            suite = Small()
            suite.again = again
            with mock.patch("machine.busy_seconds", iter(range(0, 10**6, 1000)).__next__):
                measure(suite, 2)
            self.assertEqual(suite.ran.count("slow"), ran, again)

    def test_a_case_that_takes_long_is_not_repeated(self):
        suite = Small()
        suite.case_seconds = 0.0
        measure(suite, 3)
        self.assertEqual(suite.ran.count("slow"), 1)

    def test_the_number_of_rounds_ends_with_the_time_unless_it_is_told(self):
        suite = Small()
        suite.all_seconds = 0.0
        self.assertEqual(measure(suite, None).rounds(), 1)
        self.assertEqual(measure(suite, 2).rounds(), 2)

    def test_a_long_case_that_is_measured_once_leaves_time_for_rounds(self):
        suite = Small()
        suite.all_seconds = 0.95
        suite.measure = lambda key, turn: time.sleep(0.5 if key == ONCE else 0.0) or {"wall_s": 1.0}
        self.assertEqual(measure(suite, None).rounds(), suite.repetitions)


class Ratios(unittest.TestCase):
    def results(self, drop_disturbed: bool = False, **runs: list[tuple[int, float, float]]) -> Results:
        """By case: the round, the seconds and the share of others; no seconds are a failed run."""
        found = Results("wall_s", drop_disturbed)
        for name, outcomes in runs.items():
            found.runs[name,] = [
                Outcome(turn, {"wall_s": seconds}, others_share=share) if seconds else Outcome(turn, error="it failed")
                for turn, seconds, share in outcomes
            ]
        return found

    def test_they_are_of_the_same_round(self):
        found = self.results(a=[(0, 1, 0), (1, 4, 0), (2, 9, 0)], b=[(0, 2, 0), (1, 2, 0), (2, 3, 0)])
        ratio = found.ratio(("a",), ("b",))
        self.assertEqual((ratio.least, ratio.median, ratio.most), (0.5, 2.0, 3.0))

    def test_a_round_that_failed_counts_in_none(self):
        found = self.results(a=[(0, 1, 0), (1, 0, 0), (2, 9, 0)], b=[(0, 2, 0), (1, 2, 0), (2, 3, 0)])
        ratio = found.ratio(("a",), ("b",))
        self.assertEqual((ratio.least, ratio.most), (0.5, 3.0))

    def test_without_a_common_round_they_are_of_the_medians(self):
        ratio = self.results(a=[(0, 3, 0)], b=[(1, 2, 0)]).ratio(("a",), ("b",))
        self.assertEqual(ratio.median, 1.5)

    def test_a_disturbed_run_counts_where_its_round_has_no_better_one(self):
        runs = [(0, 5, 0.5), (0, 1, 0.0), (1, 2, 0.5)]
        self.assertEqual(self.results(a=runs).values(("a",)), {0: 1, 1: 2})
        self.assertEqual(self.results(drop_disturbed=True, a=runs).values(("a",)), {0: 1})
        self.assertEqual(self.results(drop_disturbed=True, a=[(0, 5, 0.5)]).values(("a",)), {0: 5})

    def test_what_depends_on_a_missing_value_is_missing_for_its_reason(self):
        found = self.results(a=[(0, 0, 0)], b=[(0, 2, 0)]).ratio(("a",), ("b",))
        self.assertEqual((100 * found.median / 2 - 1).why, "it failed")

    def test_a_case_that_no_comparison_has_is_named(self):
        suite = Small()
        suite.comparisons = lambda: [[SLOW, FAST]]
        self.assertEqual(measure(suite, 1).spread(ONCE).why, "no case ('once',) in comparisons()")

    def test_a_case_that_is_no_tuple_of_the_suites_fields_is_named_before_anything_runs(self):
        for key in ("once", ("once", "more")):
            suite = Small()
            suite.comparisons = lambda key=key: [[FAST], [key]]
            with self.assertRaisesRegex(Failed, re.escape(f"the case {key!r} is not a tuple")):
                measure(suite, 1)
            self.assertEqual(suite.ran, [])

    def test_results_that_differ_are_named(self):
        found = self.results(a=[(0, 1, 0)], b=[(0, 2, 0)]).different("wall_s", lambda key: "Zalesak")
        self.assertEqual(found, ["Zalesak: the runs differ: 1: a; 2: b"])


class Check(unittest.TestCase):
    def assert_fault(self, suite: Suite, *words: str) -> None:
        report = report_of(suite)
        faults = report.failures() + report.faults()
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def test_whole_tables_have_no_fault_and_are_judged(self):
        report = report_of(Small())
        self.assertEqual((report.failures(), report.faults(), report.skipped()), ([], [], []))
        self.assertRegex(report.text(), r"slow over fast +2\.00  <= 3\.00  met")
        self.assertRegex(report.text(), r"over fast +2\.00 +-\n")
        self.assertEqual(report.as_json()["tables"][0]["rows"][1]["slow"], {"least": 2.0, "median": 2.0, "most": 2.0})
        self.assertEqual(report.as_json()["runs"][0]["report"], {"wall_s": 4.0})

    def test_small_sizes_are_not_judged(self):
        self.assertRegex(report_of(Small(quick=True)).text(), r"slow over fast +2\.00  <= 3\.00  not judged")

    def test_a_program_that_fails_is_named_once(self):
        self.assert_fault(Small(slow=Failed("failed (SIGSEGV): no memory")), "no memory (slow)")

    def test_a_peer_that_fails_is_a_fault_of_the_check_alone(self):
        suite = Small(slow=Failed("no memory"))
        suite.may_fail = True
        self.assertEqual(report_of(suite).failures(), [])
        self.assert_fault(suite, "not measured: no memory (slow)")

    def test_a_program_that_was_not_built_is_a_fault(self):
        self.assert_fault(Small(fast=Absent("fast_program")), "absent: fast_program was not built; build bench_all")

    def test_what_this_machine_lacks_is_skipped(self):
        report = report_of(Small(fast=Expected("absent: Go is not installed here")))
        self.assertEqual((report.failures(), report.faults()), ([], []))
        self.assertEqual(report.skipped(), ["absent: Go is not installed here"])
        self.assertRegex(report.text(), r"over fast +absent: Go is not installed here")
        self.assertRegex(report.text(), r"slow over fast +-  <= 3\.00  not measured")

    def test_go_that_is_installed_must_have_been_built(self):
        with self.assertRaises(Absent) as raised:
            Programs(Path("/nowhere")).path("fib_go", replace(GO, needs=("sh",)))
        self.assertFalse(raised.exception.is_expected)
        with self.assertRaises(Absent) as raised:
            Programs(Path("/nowhere")).path("fib_go", replace(GO, needs=("/nowhere/go",)))
        self.assertTrue(raised.exception.is_expected)

    def test_a_figure_that_is_not_finite_is_named(self):
        for value in (math.nan, math.inf):
            suite = Small()
            suite.seconds = Small.seconds | {ONCE: value}
            faults = report_of(suite).faults()
            self.assertRegex("\n".join(faults), "row 'once', column 'slow': .* not a finite number")
            self.assertRegex("\n".join(faults), "the figures: .* not JSON compliant")

    def test_a_figure_that_a_report_lacks_is_named(self):
        suite = Small()
        suite.figure = "seconds"
        faults = report_of(suite).faults()
        self.assertIn("two programs; s: row 'seconds': the report lacks 'seconds'", faults)
        self.assertIn("budget 'slow over fast': the report lacks 'seconds'", faults)


class Machines(unittest.TestCase):
    """Lack things, which the suites know."""

    def suite(self, name: str) -> Suite:
        return load(name)(Lacking(Path("/nowhere")), True)

    def test_mpis_may_be_absent_and_are_named_then(self):
        with tempfile.TemporaryDirectory() as folder:
            _, report = replayed("cluster", Path(folder), has_tools=False)
        self.assertEqual((report.failures(), report.faults()), ([], []))
        for title in ("Open MPI", "MPICH"):
            self.assertTrue(any(f"{title} is not installed here" in skip for skip in report.skipped()), title)

    def test_io_uring_may_be_refused(self):
        suite = self.suite("io")
        suite.refusal = "io_uring is refused here: EPERM"
        with self.assertRaisesRegex(Expected, "EPERM"):
            suite.measure(("load", "Kumiko, io_uring", ""), 0)
        with self.assertRaises(Absent):
            suite.measure(("load", "Kumiko, epoll", ""), 0)

    def test_quotas_may_be_refused(self):
        suite = self.suite("idle")
        suite.quota_refusal = "no control groups"
        with self.assertRaisesRegex(Expected, "no control groups"):
            suite.measure(("quotas", "Zalesak", "1.5 cores", "sleep"), 0)

    def test_a_processor_may_lack_avx512(self):
        with mock.patch.object(amr_figures, "instructions", lambda: ("avx2",)):
            figures = amr_figures.Figures(self.suite("amr"), Results("wall_s"))
            share = figures.of_peak("mixed", "avx512")
            self.assertEqual((share.median.why, share.is_expected), ("this processor lacks avx512", True))
            self.assertFalse(figures.of_peak("mixed", "avx2").is_expected)


class Suites(unittest.TestCase):
    def test_the_page_and_the_build_have_each(self):
        page = (ROOT / "bench/README.md").read_text()
        targets = "".join(file.read_text() for file in (ROOT / "bench").rglob("CMakeLists.txt"))
        for name in SUITES:
            with self.subTest(suite=name):
                line = f"    scripts/bench {name} "
                self.assertTrue(f"\n{line}" in page, f"bench/README.md has no line that begins with '{line}'")
                target = re.search(rf"add_custom_target\(bench_{name}\b", targets)
                self.assertTrue(target, f"no CMakeLists.txt in bench has add_custom_target(bench_{name} ...)")
                self.assertTrue(load(name).about and load(name).program)

    def test_without_programs_every_value_is_a_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in SUITES:
                for quick in (True, False):
                    with self.subTest(suite=name, quick=quick):
                        suite = load(name)(Lacking(Path(folder) / "bin"), quick)
                        report = report_of(suite, 1)
                        self.assertTrue(report.failures() + report.faults())
                        self.assertTrue(all(budget.verdict == "not measured" for budget in report.budgets))
                        self.assertNotIn("longer than", "".join(report.faults()))
                        json.dumps(report.as_json(), allow_nan=False)

    def test_no_budget_depends_on_go(self):
        for name in SUITES:
            suite = load(name)(Lacking(Path("/nowhere")), True)
            for budget in Report(suite, Results(suite.figure)).budgets:
                self.assertFalse(re.search(r"\bGo\b", budget.title), budget.title)


if __name__ == "__main__":
    unittest.main()
