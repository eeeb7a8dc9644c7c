"""Contract: a table that lacks a row, a column, a unit or a verdict, or has a figure that is not finite, is refused,
and the fault is named; what a machine cannot have is named as skipped, and is not a fault."""

import tempfile
import unittest
from pathlib import Path

import tables
from tables import TABLES, with_text, without_lines

from check import check
from form import Report
from forms import FORMS, Host
from measured import Measured
from suites import LIST, SUITES, parts_of, suite_module

HOST = Host(tables.WORKERS)


def report_of(suite: str, measured: Measured, quick: bool = True, host: Host = HOST) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        return check(suite, measured, tables.written(measured, quick, Path(folder)), quick, host)


class List(unittest.TestCase):
    """bench/suites.txt, which nothing may know better."""

    bench = LIST.parent

    def test_nothing_is_there_that_the_list_lacks(self):
        packages = {folder.name.removesuffix("_suite") for folder in self.bench.glob("driver/*_suite")}
        forms = {file.stem for file in self.bench.glob("driver/forms/*.py")} - {"__init__", "host"}
        self.assertEqual(packages, set(SUITES))
        self.assertEqual(forms, set(SUITES))
        self.assertEqual(len(set(SUITES)), len(SUITES))

    def test_every_suite_measures_and_has_the_parts_that_the_list_names(self):
        for line in LIST.read_text().splitlines():
            if line.startswith("#"):
                continue
            name, program, parts, about = (word.strip() for word in line.split("|"))
            with self.subTest(suite=name):
                self.assertTrue(callable(suite_module(name).measure))
                self.assertEqual(parts_of(name), tuple(parts.split()))
                self.assertTrue(program and about)

    def test_the_page_has_a_line_for_every_suite(self):
        page = (self.bench / "README.md").read_text()
        for suite in SUITES:
            self.assertIn(f"\n    scripts/bench {suite} ", page)


class Form(unittest.TestCase):
    def assert_fault(self, suite: str, measured: Measured, *words: str, quick: bool = True) -> None:
        """Exactly one fault, which names all of the words."""
        faults = report_of(suite, measured, quick).faults
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def test_every_suite_prints_what_its_form_asks_for(self):
        for suite, make in TABLES.items():
            for quick in (True, False):
                with self.subTest(suite=suite, quick=quick):
                    report = report_of(suite, make(quick), quick)
                    self.assertEqual((report.faults, report.skipped), ([], []))

    def test_a_missing_row_is_named(self):
        rows = {
            "amr": "pthread strips, 2 workers",
            "checkpoint": "checking it",
            "cluster": "MPICH, 2 KiB",
            "groups": "2 MiB",
            "idle": "strips",
            "io": "pool of 8",
            "predict": "openmp    ",
            "ranks": "seconds by two workers",
            "runtime": "Kumiko, handles",
            "search": "oneTBB",
        }
        for suite, row in rows.items():
            with self.subTest(suite=suite):
                faults = report_of(suite, without_lines(TABLES[suite](True), row)).faults
                self.assertTrue(faults)
                for fault in faults:
                    self.assertRegex(fault, f"row '{row.strip()}.*' is missing")

    def test_a_missing_line_of_connections_is_counted(self):
        faults = report_of("io", without_lines(TABLES["io"](True), "256 ", "8 ")).faults
        self.assertEqual(len([fault for fault in faults if "is missing" in fault]), 6)

    def test_a_row_too_many_is_a_fault(self):
        table = with_text(TABLES["runtime"](True), "oneTBB ", "oneFFF again 1.0\noneTBB ")
        self.assert_fault("runtime", table, "unexpected line 'oneFFF again 1.0'")

    def test_a_missing_column_is_named(self):
        table = with_text(TABLES["runtime"](True), "growth", "")
        self.assert_fault("runtime", table, "its columns are", "growth")
        table = with_text(TABLES["amr"](True), "% of peak", "")
        self.assert_fault("amr", table, "its columns are", "% of peak")

    def test_a_row_with_a_figure_less_is_a_fault(self):
        table = with_text(TABLES["checkpoint"](True), "checking it                         1074", "checking it")
        self.assert_fault("checkpoint", table, "checking it", "1 figures should be there, and there are 0")

    def test_a_missing_unit_is_a_fault(self):
        table = with_text(TABLES["checkpoint"](True), ", MB/s until it is on the disk", " until it is on the disk")
        self.assert_fault("checkpoint", table, "no table", "MB/s")
        table = with_text(TABLES["runtime"](True), "; ns per node", "")
        self.assert_fault("runtime", table, "no table", "ns per node")

    def test_a_figure_that_is_not_finite_is_named(self):
        for word in ("nan", "inf", "-", "1.2 (1.1..inf)"):
            with self.subTest(word=word):
                table = with_text(TABLES["checkpoint"](True), "seconds without                     2.00",
                                  f"seconds without                     {word}")
                self.assert_fault("checkpoint", table, "seconds without", f"'{word}'", "a finite number")

    def test_a_figure_that_is_not_finite_is_found_in_the_file(self):
        measured = TABLES["predict"](True)
        measured.figures["rounds"] = [{"seconds": float("nan")}]
        self.assert_fault("predict", measured, "figures.json", "NaN is not a finite number")

    def test_an_absent_program_is_named(self):
        lines = "\n".join(TABLES["runtime"](True).lines).split("\n")
        place = next(i for i, line in enumerate(lines) if line.startswith("LLVM OpenMP"))
        lines[place] = "LLVM OpenMP       absent: not installed when this was built"
        measured = TABLES["runtime"](True)
        table = Measured(measured.workers, measured.extent, lines, measured.figures)
        self.assert_fault("runtime", table, "LLVM OpenMP", "absent")

    def test_what_was_not_measured_is_a_fault(self):
        table = TABLES["io"](True)
        lines = [*table.lines[:-1], "", "not measured", "  OS threads: it failed (load)", "", *table.lines[-1:]]
        faults = report_of("io", Measured(2, "1 round", lines, table.figures)).faults
        self.assertIn("not measured: OS threads: it failed (load)", faults)

    def test_a_missing_verdict_or_budget_is_a_fault(self):
        table = with_text(TABLES["checkpoint"](True), "0.833   not judged", "0.833")
        self.assert_fault("checkpoint", table, "verdict is missing", "checkpoint over plain write")
        table = without_lines(TABLES["amr"](True), "balance of threads, 2 workers")
        self.assert_fault("amr", table, "budgets should have a line")
        table = with_text(TABLES["checkpoint"](False), "met", "not measured")
        self.assert_fault("checkpoint", table, "the verdict is 'not measured'", quick=False)

    def test_budgets_are_missed_in_the_file_too(self):
        measured = TABLES["io"](True)
        measured.figures["goals"].pop()
        self.assert_fault("io", measured, "figures.json", "12 budgets should be there, and there are 11")

    def test_full_sizes_must_be_judged(self):
        faults = report_of("checkpoint", TABLES["checkpoint"](True), quick=False).faults
        self.assertEqual(len([fault for fault in faults if "not judged" in fault or "lacks" in fault]), 4)

    def test_go_may_be_absent_where_it_is_not_installed(self):
        text = "\n".join(TABLES["runtime"](True).lines).split("\n")
        absent = "absent: not installed when this was built"
        lines = []
        for line in text:
            title = next((t for t in ("serial (Go)", "Go ") if line.startswith(t)), None)
            lines.append(f"{title:<17} {absent}" if title else line)
        measured = Measured(2, "1 round", lines, TABLES["runtime"](True).figures)
        without = report_of("runtime", measured, host=Host(2, has_go=False))
        self.assertEqual(without.faults, [])
        self.assertEqual(len(without.skipped), 11)
        self.assertEqual(len(report_of("runtime", measured).faults), 11)

    def test_io_uring_may_be_refused_by_the_system_and_is_named_then(self):
        measured = tables.io(True, refused="kumiko-io_uring")
        report = report_of("io", measured, host=Host(2, io_uring_refusal="io_uring is refused here: EPERM"))
        self.assertEqual(report.faults, [])
        self.assertEqual(len([skip for skip in report.skipped if "EPERM" in skip]), 4)  # its goals
        self.assertTrue(report_of("io", measured).faults)

    def test_peers_of_ranks_may_be_absent_and_are_named_then(self):
        absences = {"openmpi": "Open MPI is not installed here", "mpich": "MPICH is not installed here",
                    "ucx": "UCX is not installed here"}
        for absent in (("openmpi",), ("mpich",), ("ucx",), ("openmpi", "mpich", "ucx")):
            with self.subTest(absent=absent):
                measured = tables.cluster(True, absent)
                report = report_of("cluster", measured, host=Host(2, absent_peers=absent))
                self.assertEqual(report.faults, [])
                for name, why in absences.items():
                    self.assertEqual(any(why in skip for skip in report.skipped), name in absent)
                self.assertTrue(report_of("cluster", measured).faults)

    def test_mpis_that_carry_a_case_may_be_absent_and_are_named_then(self):
        for absent in (("openmpi",), ("openmpi", "mpich")):
            with self.subTest(absent=absent):
                measured = tables.ranks(True, absent)
                report = report_of("ranks", measured, host=Host(2, absent_peers=absent))
                self.assertEqual(report.faults, [])
                self.assertTrue(any("Open MPI is not installed here" in skip for skip in report.skipped))
                self.assertTrue(report_of("ranks", measured).faults)

    def test_mpis_that_carry_searches_may_be_absent_and_are_named_then(self):
        for absent in (("openmpi",), ("openmpi", "mpich")):
            with self.subTest(absent=absent):
                measured = tables.search(True, absent)
                report = report_of("search", measured, host=Host(2, absent_peers=absent))
                self.assertEqual(report.faults, [])
                self.assertTrue(any("Open MPI is not installed here" in skip for skip in report.skipped))
                self.assertTrue(report_of("search", measured).faults)

    def test_quotas_may_be_refused_by_the_system_and_are_named_then(self):
        for quick in (True, False):
            measured = tables.idle(quick, refused="no control groups")
            report = report_of("idle", measured, quick, Host(2, quota_refusal="no control groups"))
            self.assertEqual((report.faults, report.skipped), ([], ["quotas: no control groups"]))
            self.assertTrue(report_of("idle", measured, quick).faults)

    def test_a_processor_may_lack_avx512_and_it_is_named_then(self):
        measured = tables.amr(True, ("avx2",))
        report = report_of("amr", measured, host=Host(2, instructions=("avx2",)))
        self.assertEqual(report.faults, [])
        self.assertEqual(len([skip for skip in report.skipped if "lacks avx512" in skip]), 2)
        self.assertTrue(report_of("amr", measured).faults)

    def test_a_system_that_is_not_refused_must_be_measured(self):
        measured = tables.io(True, refused="kumiko-epoll")
        report = report_of("io", measured, host=Host(2, io_uring_refusal="io_uring is refused here: EPERM"))
        self.assertTrue([fault for fault in report.faults if "Kumiko, epoll" in fault])

    def test_no_budget_depends_on_go(self):
        for suite, make in TABLES.items():
            measured = make(False)
            for budget in measured.figures.get("budgets", []) + measured.figures.get("goals", []):
                with self.subTest(suite=suite, budget=budget["title"]):
                    self.assertNotRegex(budget["title"], r"\bGo\b")


if __name__ == "__main__":
    unittest.main()
