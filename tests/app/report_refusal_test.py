"""Contract: a report that cannot be made whole is refused or says what it lacks, and replaces no file of others."""

import errno
import json
import os
import re
import shutil
import unittest

from report_case import CASES, HAS_VTK, ReportTest, SEARCH_RECORD, kumiko, pair, set_up


def setUpModule():
    set_up("search", runs=["threads", "each", "plain"])


class Refused(ReportTest):
    def refused(self, *arguments, code=2):
        result = kumiko("report", *arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        return result.stderr

    def test_given_no_run_or_half_a_run_then_the_remedy_is_told(self):
        (self.path / "empty").mkdir()
        self.assertIn("not a run's folder", self.refused(self.path / "empty"))
        self.assertIn("named twice", self.refused(self.path / "plain", self.path / "plain" / "."))
        half = self.path / "half"
        shutil.copytree(self.path / "plain", half)
        (half / "summary.json").unlink()
        self.assertIn("--restart", self.refused(half))

    def test_given_a_full_disk_then_another_file_or_folder_is_advised_by_its_option(self):
        fault = [f"LD_PRELOAD={os.environ['KUMIKO_FAULTS']}", "KUMIKO_FAULT=fsync", f"KUMIKO_ERRNO={errno.ENOSPC}"]
        for end, advice in ((".html.part", "a file elsewhere with --output"), (".csv.part", "a folder elsewhere with --csv")):
            result = kumiko("report", self.path / "plain", "--output", self.path / "page.html", "--csv", self.path / "csv",
                            launcher=["env", *fault, "KUMIKO_AFTER=0", f"KUMIKO_FAULT_END={end}"])  # fmt: skip
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(f"free space there, or name {advice}\n", result.stderr)

    def test_given_a_page_or_tables_that_cannot_be_written_then_no_run_is_read(self):
        unread = self.path / "unread"
        unread.mkdir()
        (unread / "summary.json").write_text("{")
        self.assertIn("is not a folder", self.refused(unread / "summary.json"))
        self.assertIn("no folder", self.refused(self.path / "nowhere"))
        message = self.refused(unread, "--output", self.path / "nowhere" / "page.html")
        self.assertIn("page.html", message)
        self.assertIn("make it with mkdir -p ", message)
        message = self.refused(unread, "--output", unread / "summary.json")
        self.assertIn("is not a report", message)
        self.assertEqual((unread / "summary.json").read_text(), "{")
        message = self.refused(unread, "--csv", unread / "summary.json")
        self.assertIn("--csv", message)

    @unittest.skipUnless(HAS_VTK, "this build draws no pictures")
    def test_given_times_and_steps_of_other_lengths_then_the_nearest_state_is_shown(self):
        folder = self.path / "own_steps"
        keys = ["time.steps=0", "time.cfl=0.9", "grid.base=32", "amr.levels=1", "output.every=8"]
        words = [word for key in keys for word in ("--set", key)]
        done = kumiko("run", CASES / "vortex" / "vortex.toml", *words, "--quiet", "--output", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        times = [file["time"] for file in json.loads((folder / "states.hdf.series").read_text())["files"]]
        (folder / "state_000001.hdf").write_text("somebody else's")
        done = kumiko("report", folder, "--times", "0,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("state_000001.hdf' is not a checkpoint", done.stderr)
        shown = set(re.findall(r"t = ([0-9.]+[0-9])", (folder / "report.html").read_text()))
        nearest = min(times, key=lambda time: abs(time - 2))
        self.assertTrue(any(abs(float(time) - nearest) < 1e-3 for time in shown), (nearest, shown))

    def test_given_a_table_of_somebody_elses_then_it_stays_and_no_page_is_written(self):
        folder, page = self.path / "tables", self.path / "page.html"
        folder.mkdir()
        (folder / "other.csv").write_text("other\n")
        for _ in range(2):  # tables of an earlier report are replaced
            self.assertEqual(kumiko("report", self.path / "each", "--csv", folder, "--output", page).returncode, 0)
        page.unlink()
        (folder / "balance_step.csv").write_text("mine\n")
        self.assertIn("is not a table of a report",
                      self.refused(self.path / "each", "--csv", folder, "--output", page))  # fmt: skip
        self.assertEqual((folder / "balance_step.csv").read_text(), "mine\n")
        self.assertFalse(page.exists())

    def test_given_a_summary_of_other_workers_than_the_traces_then_the_page_says_so(self):
        other = self.path / "other"
        shutil.copytree(self.path / "threads", other)
        summary = json.loads((other / "summary.json").read_text())
        summary["workers"] = 3
        (other / "summary.json").write_text(json.dumps(summary))
        for folder, says_so in ((other, True), (self.path / "threads", False)):
            result = kumiko("report", folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.browser.open(folder / "report.html")
            text = self.browser.run("return document.body.innerText")
            self.assertEqual("earlier part of the run" in text, says_so)
            altered = "The files of other have changed since the run wrote them"
            self.assertEqual(altered in text, says_so)
            self.assertEqual("have changed since the run wrote them: summary.json has" in result.stderr, says_so)

    def test_given_a_trace_that_was_cut_off_then_it_is_named(self):
        cut = self.path / "cut"
        shutil.copytree(self.path / "threads", cut)
        os.truncate(cut / "trace.hdf", (cut / "trace.hdf").stat().st_size // 2)
        self.assertIn("trace.hdf", self.refused(cut, code=1))

    def test_given_a_search_that_is_damaged_or_beside_runs_then_it_is_refused(self):
        damaged = self.path / "damaged"
        shutil.copytree(self.path / "search", damaged)
        record = {**SEARCH_RECORD, "pairs": [pair(0, 3)]}
        (damaged / "search.json").write_text(json.dumps(record))
        self.assertIn("'other' in 'pairs' is wrong", self.refused(damaged, code=1))
        self.assertIn("name this folder alone", self.refused(self.path / "threads", self.path / "search"))
        self.assertIn("--times", self.refused(self.path / "search", "--times", "1"))


if __name__ == "__main__":
    unittest.main()
