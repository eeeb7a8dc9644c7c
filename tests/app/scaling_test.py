"""Contract: kumiko scaling runs a case over workers and backends; its figures follow from its runs."""

import csv
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path
from statistics import median

KUMIKO = os.environ["KUMIKO"]
CASES = Path(os.environ["KUMIKO_CASES"])
ZALESAK = CASES / "zalesak" / "zalesak.toml"
GAUSSIAN = CASES / "gaussian" / "gaussian.toml"
# GCC's OpenMP library is not built for ThreadSanitizer, which reports what it does not see.
BACKENDS = ["threads", "pthread", "serial"]
if os.environ["KUMIKO_SANITIZER"] != "thread":
    BACKENDS.append("openmp")
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640", "--set", "time.stop_step=12"]


class ScalingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def kumiko(self, *arguments, command="scaling"):
        return subprocess.run(
            [KUMIKO, command, *map(str, arguments)],
            cwd=self.path,
            capture_output=True,
            text=True,
            timeout=600,
        )

    def rows(self, name):
        return list(csv.DictReader((self.path / name).read_text().splitlines()))

    def test_given_a_range_of_workers_then_they_are_doubled_and_the_last_is_among_them(self):
        _, scaling = self.scale("--workers", "1..3", "--backends", "pthread")
        self.assertEqual([run["workers"] for run in scaling["runs"]], [1, 2, 3])

    def test_given_a_first_run_that_fails_then_no_file_bars_the_next_try(self):
        launcher = ["--ranks", "1..2", "--launcher", "false {ranks}", "--output", "sweep"]
        for _ in range(2):
            done = self.kumiko(ZALESAK, *SMALL, *launcher)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("ended with status 1", done.stderr)
        self.assertFalse((self.path / "sweep").exists())

    def test_given_a_signal_to_it_alone_then_its_ranks_end_too_and_leave_nothing(self):
        for ending in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(ending=ending):
                launcher = f"sh -c 'touch {self.path}/began; sleep 300' {{ranks}}"
                sweep = subprocess.Popen(
                    [KUMIKO, "scaling", ZALESAK, *SMALL, "--ranks", "1,2", "--launcher", launcher, "--output", "sweep"],
                    cwd=self.path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
                self.addCleanup(sweep.kill)
                deadline = time.monotonic() + 120
                while not (self.path / "began").exists() and time.monotonic() < deadline:
                    time.sleep(0.01)
                (self.path / "began").unlink()
                sweep.send_signal(ending)
                _, errors = sweep.communicate(timeout=120)
                self.assertEqual(sweep.returncode, 1, errors)
                self.assertIn(f"kumiko: error: ended by signal {ending.value} ({ending.name})\n", errors)
                self.assertFalse((self.path / "sweep").exists())

    def scale(self, *arguments, case=ZALESAK):
        result = self.kumiko(case, *SMALL, "--output", "sweep", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result, json.loads((self.path / "sweep" / "scaling.json").read_text())

    def test_given_backends_and_workers_then_each_point_runs_and_the_reference_with_them(self):
        _, scaling = self.scale("--workers", "2,1", "--backends", ",".join(BACKENDS))
        points = [(run["backend"], run["workers"]) for run in scaling["runs"]]
        expected = {(b, w) for b in BACKENDS for w in (1, 2) if (b, w) != ("serial", 2)}
        self.assertEqual(set(points), expected)
        self.assertEqual(len(points), len(expected))
        self.assertEqual(points[0], ("pthread", 1))
        self.assertEqual(scaling["reference"], {"backend": "pthread", "workers": 1})
        self.assertTrue(scaling["complete"])
        for run in scaling["runs"]:
            self.assertEqual(run["summary"]["workers"], run["workers"])
            self.assertEqual(run["summary"]["backend"], run["backend"])

    def test_given_no_pthread_then_the_reference_runs_in_any_case(self):
        _, scaling = self.scale("--workers", "2", "--backends", "threads")
        points = [(run["backend"], run["workers"]) for run in scaling["runs"]]
        self.assertEqual(points, [("pthread", 1), ("threads", 2)])

    def test_given_repetitions_then_the_figures_follow_from_them(self):
        result, scaling = self.scale("--workers", "1,2", "--backends", "threads,pthread",
                                     "--repetitions", "3")
        reference = median(scaling["runs"][0]["wall_s"]["all"])
        uneven = [f"{run['backend']}, {run['workers']} worker" for run in scaling["runs"]
                  if 3 * run["wall_s"]["most"] > 4 * run["wall_s"]["least"]]  # fmt: skip
        self.assertEqual(len(scaling["notes"]), len(uneven))
        for note, label in zip(scaling["notes"], uneven):
            self.assertTrue(note.startswith(label), note)
            self.assertIn(note, result.stdout)
        picture = (self.path / "sweep/speed_up.svg").read_text()
        self.assertEqual("runs differ much" in picture, bool(uneven))
        rows = self.rows("sweep/scaling.csv")
        self.assertEqual(len(rows), len(scaling["runs"]))
        for run, row in zip(scaling["runs"], rows):
            times = run["wall_s"]["all"]
            self.assertEqual(len(times), 3)
            self.assertEqual(run["wall_s"]["least"], min(times))
            self.assertEqual(run["wall_s"]["median"], median(times))
            self.assertEqual(run["wall_s"]["most"], max(times))
            speed_up = reference / median(times)
            self.assertAlmostEqual(run["speed_up"]["median"], speed_up)
            self.assertAlmostEqual(run["speed_up"]["least"], reference / max(times))
            self.assertAlmostEqual(run["speed_up"]["most"], reference / min(times))
            self.assertAlmostEqual(run["parallel_efficiency"], speed_up / run["workers"])
            self.assertEqual(float(row["wall_median_s"]), median(times))
            self.assertEqual((row["backend"], int(row["workers"])),
                             (run["backend"], run["workers"]))
            self.assertAlmostEqual(float(row["speed_up_median"]), speed_up)
            self.assertEqual(row["state_hash"], run["summary"]["state_hash"])
        self.assertEqual(len({row["state_hash"] for row in rows}), 1)

    def test_given_strips_then_the_balance_is_that_of_a_run_and_counted_from_updates(self):
        _, scaling = self.scale("--workers", "1,2", "--backends", "pthread")
        alone = self.kumiko(ZALESAK, *SMALL, "--backend", "pthread", "--workers", "2", "--output",
                            "run", command="run")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        # Strips are fixed: so are each worker's updates of each base step.
        largest, total = 0, 0
        steps = {}
        for row in self.rows("run/load.csv"):
            steps.setdefault(row["step"], []).append(int(row["updates"]))
        for updates in steps.values():
            largest += max(updates)
            total += sum(updates)
        one, two = scaling["runs"]
        self.assertEqual(one["imbalance"]["median"], 1.0)
        self.assertAlmostEqual(two["imbalance"]["median"], largest / (total / 2))

    def test_given_an_output_folder_then_charts_and_tables_are_there_and_well_formed(self):
        result, _ = self.scale("--workers", "1,2", "--backends", "threads")
        names = sorted(file.name for file in (self.path / "sweep").iterdir())
        self.assertEqual(names, ["efficiency.svg", "scaling.csv", "scaling.json", "scaling.tex", "speed_up.svg"])
        for name in ("efficiency.svg", "speed_up.svg"):
            text = (self.path / "sweep" / name).read_text()
            xml.etree.ElementTree.fromstring(text)
            for word in ("workers", "threads", "pthread", "zalesak"):
                self.assertIn(word, text)
        self.assertRegex(result.stdout, r"threads +2 +[\d.]+ +[\d.]+ +[\d.]+")
        self.assertIn("files in sweep/", result.stdout)

    def test_given_an_earlier_sweep_then_it_is_replaced_only_on_request(self):
        self.scale("--workers", "1", "--backends", "pthread")
        result = self.kumiko(ZALESAK, *SMALL, "--workers", "1", "--output", "sweep")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--overwrite", result.stderr)
        self.scale("--workers", "1", "--backends", "pthread", "--overwrite")

    def test_given_more_workers_than_cores_then_a_warning_says_what_that_means(self):
        many = len(os.sched_getaffinity(0)) + 3
        result, scaling = self.scale("--workers", many, "--backends", "threads")
        self.assertRegex(result.stderr, rf"^kumiko: warning: {many} workers share \d+ cores?: ")
        self.assertEqual(scaling["runs"][1]["summary"]["workers"], many)
        quiet, _ = self.scale("--workers", many, "--backends", "threads", "--overwrite", "--quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", result.stderr))
        few, _ = self.scale("--workers", "1", "--backends", "threads", "--overwrite")
        self.assertEqual(few.stderr, "")

    def test_given_a_launcher_that_prints_then_the_summary_is_read_all_the_same(self):
        launcher = "echo modules loaded; RANKS={ranks}"
        result = self.kumiko(ZALESAK, *SMALL, "--ranks", "1", "--launcher", launcher, "--output", "sweep")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(path.suffix for path in (self.path / "sweep").iterdir()),
                         [".csv", ".json", ".svg", ".svg", ".tex"])

    def test_given_a_launcher_that_fails_then_its_words_are_the_error(self):
        for launcher, word in (("false {ranks}", "it printed no message"), ("echo no {ranks} hosts >&2; false", "no 2 hosts"),
                               ("true {ranks}", "no summary")):
            result = self.kumiko(ZALESAK, *SMALL, "--ranks", "2", "--launcher", launcher)
            self.assertEqual(result.returncode, 1, result.stderr)
            (line,) = result.stderr.splitlines()
            self.assertIn("2 ranks, 1 worker each, by", line)
            self.assertIn(word, line)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_given_a_wrong_request_then_it_is_refused_before_the_first_run(self):
        for arguments, word in (
            (["--workers", "0"], "--workers"),
            (["--workers", "two"], "--workers"),
            (["--backends", "gpu"], "--backends"),
            (["--set", "amr.level=2"], "amr.levels"),
            (["--set", "time.steps=10"], "time.steps"),
            (["--set", "runtime.workers=2"],
             "--set runtime.workers=2: 'kumiko scaling' sets this key itself; name the numbers of workers with "
             "--workers N1,N2,..."),
            (["--ranks", "0"], "--ranks"),
            (["--ranks", "1", "--backends", "threads"], "--backends"),
            (["--ranks", "1", "--launcher", "mpirun -n 2"], "{ranks}"),
            (["--launcher", "mpirun -n {ranks}"], "needs --ranks"),
        ):
            result = self.kumiko(ZALESAK, *arguments, "--output", "none")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(len(re.findall("error", result.stderr)), 1, result.stderr)
            self.assertIn(word, result.stderr)
            self.assertFalse((self.path / "none").exists())


if __name__ == "__main__":
    unittest.main()
