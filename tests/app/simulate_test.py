"""Contract: kumiko simulate predicts from a run's trace, writes what it prints, and refuses what it cannot read."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
TRACE_FILES = os.environ["KUMIKO_TRACE_FILES"]
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640", "--set", "time.stop_step=12"]
SCHEDULES = ["dataflow", "level", "static", "openmp"]


class SimulateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        trace = ["--set", "trace.from=2", "--set", "trace.steps=8", "--quiet"]
        for name, workers in (("run", "1"), ("several", "2")):
            command = [KUMIKO, "run", ZALESAK, *SMALL, *trace, "--output", cls.path / name]
            subprocess.run([*command, "--workers", workers], check=True)

    def kumiko(self, *arguments, **environment):
        return subprocess.run(
            [KUMIKO, "simulate", *map(str, arguments)],
            cwd=self.path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def predictions(self, *arguments):
        result = self.kumiko(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def assert_refused(self, result, *parts):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_given_a_folder_or_its_trace_then_the_predictions_are_the_same(self):
        self.assertEqual(self.predictions("run"), self.predictions("run/trace.hdf"))

    def test_given_workers_then_each_schedule_keeps_the_bounds(self):
        figures = self.predictions("run", "--workers", "1,3,8..64")
        self.assertEqual(figures["case"], "zalesak")
        self.assertEqual(figures["recorded"]["base_steps"], 8)
        self.assertAlmostEqual(
            figures["average_parallelism"], figures["work_s"] / figures["critical_path_s"]
        )
        entries = figures["predictions"]
        expected = [(name, count) for name in SCHEDULES for count in (1, 3, 8, 16, 32, 64)]
        self.assertEqual([(e["schedule"], e["workers"]) for e in entries], expected)
        alone = {e["schedule"]: e["seconds"] for e in entries if e["workers"] == 1}
        for entry in entries:
            bound = max(figures["work_s"] / entry["workers"], figures["critical_path_s"])
            self.assertAlmostEqual(entry["bound_s"], bound)
            self.assertGreaterEqual(entry["seconds"], bound * 0.999999)
            self.assertAlmostEqual(entry["speed_up"], alone[entry["schedule"]] / entry["seconds"])
            self.assertAlmostEqual(
                entry["speed_up_over_static"], alone["static"] / entry["seconds"]
            )
            self.assertGreaterEqual(entry["imbalance"], 1.0)
            self.assertLessEqual(entry["utilisation"], 1.0)

    def test_given_a_folder_for_them_then_the_files_hold_what_is_printed(self):
        figures = self.predictions("run", "--workers", "1,2", "--output", "what-if")
        folder = self.path / "what-if"
        self.assertEqual(json.loads((folder / "simulate.json").read_text()), figures)
        with (folder / "simulate.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(figures["predictions"]))
        for row, entry in zip(rows, figures["predictions"], strict=True):
            self.assertEqual(set(row), set(entry))
            self.assertEqual(row["schedule"], entry["schedule"])
            for name in set(entry) - {"schedule"}:
                self.assertEqual(float(row[name]), entry[name])
        for name in ("speed_up.svg", "efficiency.svg"):
            text = (folder / name).read_text()
            xml.etree.ElementTree.fromstring(text)
            for schedule in SCHEDULES:
                self.assertIn(schedule, text)
        self.assert_refused(self.kumiko("run", "--output", "what-if"), "--overwrite")
        again = self.kumiko("run", "--output", "what-if", "--overwrite")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_given_no_python_then_it_is_refused_as_studies_are(self):
        done = self.kumiko("run", "--json", KUMIKO_PYTHON="/nowhere/python3")
        self.assert_refused(done, "kumiko simulate runs in Python", "/nowhere/python3", "KUMIKO_PYTHON")

    def test_given_files_of_earlier_predictions_then_it_is_refused_before_the_trace_is_read(self):
        for words, name in ((["--workers", "1"], "simulate.csv"), (["--ranks", "1"], "ranks.svg")):
            (self.path / "earlier").mkdir(exist_ok=True)
            (self.path / "earlier" / name).write_text("of an earlier one")
            self.assert_refused(self.kumiko("nowhere", *words, "--output", "earlier"), f"'earlier/{name}' already exists")

    def test_given_some_schedules_then_only_they_are_shown(self):
        result = self.kumiko("run", "--models", "static,dataflow", "--workers", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line.split()[0] for line in result.stdout.split("\n\n")[1].splitlines()[1:]]
        self.assertEqual(rows, ["dataflow", "static"])

    def ranks(self, *arguments):
        return self.predictions("run", "--ranks", *arguments)["predictions"]

    def test_given_ranks_then_messages_are_paid_for(self):
        rows = self.ranks("1..8", "--network", "100gb")
        self.assertEqual([row["ranks"] for row in rows], [1, 2, 4, 8])
        self.assertEqual((rows[0]["messages_per_step"], rows[0]["speed_up"]), (0, 1))
        for row in rows[1:]:
            self.assertLess(row["messages_per_step"], row["edges_per_step"])
            self.assertGreater(row["bytes_per_step"], 32 * row["edges_per_step"])
            self.assertGreaterEqual(row["imbalance"], 1)
            self.assertAlmostEqual(row["efficiency"], row["speed_up"] / row["ranks"])
        free = self.ranks("8", "--network", "0,0,0,0")[0]
        slow = self.ranks("8", "--network", "3000,20000,1000,0.32")[0]
        self.assertEqual(slow, self.ranks("8", "--network", "tcp")[0])
        self.assertLess(free["seconds"], rows[3]["seconds"])
        self.assertLess(rows[3]["seconds"], slow["seconds"])
        # Which of them it is depends on how busy the machine was when the trace was recorded.
        self.assertIn(slow["binds"], ("CPU per message", "network", "regrid", "balance"))
        random = self.ranks("8", "--partition", "random", "--seed", "3")[0]
        self.assertGreater(random["bytes_per_step"], 1.2 * rows[3]["bytes_per_step"])
        self.assertNotEqual(random, self.ranks("8", "--partition", "random", "--seed", "4")[0])

    def test_given_one_rank_then_it_is_dataflow_without_messages(self):
        threads = self.predictions("run", "--models", "dataflow", "--workers", "1")["predictions"][0]
        self.assertAlmostEqual(self.ranks("1")[0]["seconds"] / threads["seconds"], 1, places=3)
        row = self.ranks("1", "--workers", "2")[0]
        self.assertEqual((row["workers"], row["messages_per_step"]), (2, 0))

    def test_given_a_folder_for_ranks_then_the_files_hold_what_is_printed(self):
        figures = self.predictions("run", "--ranks", "1,2", "--output", "ranks")
        self.assertEqual(json.loads((self.path / "ranks" / "ranks.json").read_text()), figures)
        with (self.path / "ranks" / "ranks.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([set(row) for row in rows], [set(row) for row in figures["predictions"]])
        text = (self.path / "ranks" / "ranks.svg").read_text()
        xml.etree.ElementTree.fromstring(text)
        self.assertIn("zalesak", text)
        self.assert_refused(self.kumiko("run", "--ranks", "2", "--output", "ranks"), "--overwrite")

    def test_given_ranks_to_replay_then_each_waits_for_what_others_send(self):
        result = self.kumiko("run", "--ranks", "3", "--replay", "replay")
        self.assertEqual(result.returncode, 0, result.stderr)
        sent, awaited = Counter(), Counter()
        files = (self.path / "replay" / "ranks.txt").read_text().splitlines()
        for rank, file in enumerate(files):
            actions = [line.split() for line in Path(file).read_text().splitlines()]
            self.assertTrue(all(int(action[0]) == rank for action in actions))
            self.assertEqual((actions[0][1], actions[-1][1]), ("init", "finalize"))
            for _, what, *numbers in actions[1:-1]:
                if what == "compute":
                    self.assertGreater(int(numbers[0]), 0)
                elif what == "send":
                    sent[rank, int(numbers[0]), numbers[2]] += 1
                else:
                    awaited[int(numbers[0]), rank, numbers[2]] += 1
        self.assertEqual(len(files), 3)
        self.assertEqual(sent, awaited)
        self.assertGreater(sent.total(), 100)
        self.assert_refused(self.kumiko("run", "--ranks", "3", "--replay", "replay"), "--overwrite")

    def test_given_a_wrong_request_for_ranks_then_it_is_refused(self):
        for arguments, part in (
            (["--ranks", "2,x"], "--ranks: 'x' is not a whole number from 1 to "),
            (["--ranks", "8..2"], "--ranks: '8..2' begins above its end; write '2..8'"),
            (["--ranks", "0"], "from 1 to 65536"),
            (["--ranks", "2", "--network", "fast"], "'fast' is not a network; give shared, 100gb, tcp"),
            (["--ranks", "2", "--network", "1,2,3"], "OVERHEAD,LATENCY,GAP,PER_BYTE"),
            (["--ranks", "2", "--network", "1,2,3,-4"], "'1,2,3,-4' is not a network"),
            (["--ranks", "2", "--partition", "hilbert"], "hilbert"),
            (["--ranks", "2", "--workers", "1,2"], "one number"),
            (["--ranks", "2", "--models", "level"], "--models"),
            (["--network", "tcp"], "add --ranks"),
            (["--partition", "level"], "add --ranks"),
            (["--replay", "replay"], "add --ranks"),
            (["--ranks", "2,4", "--replay", "replay"], "one number of ranks"),
            (["--ranks", "2", "--workers", "2", "--replay", "replay"], "one worker"),
        ):
            self.assert_refused(self.kumiko("run", *arguments), part)

    def test_given_overheads_then_they_are_paid(self):
        without = [f"--overhead={name}=0" for name in ("piece.static", "phase.static")]
        base = self.predictions("run", "--models", "static", "--workers", "1", *without)
        paid = self.predictions(
            "run", "--models", "static", "--workers", "1", without[1], "--overhead=piece.static=1e6"
        )
        self.assertGreaterEqual(
            paid["predictions"][0]["seconds"] - base["predictions"][0]["seconds"],
            0.999e-3 * base["recorded"]["pieces"],
        )

    def test_given_a_trace_by_two_then_what_they_cost_each_other_is_from_there(self):
        figures = self.predictions("run", "--beside", "several", "--workers", "2")
        [times] = figures["piece_times"]
        self.assertEqual(times["schedule"], "dataflow")
        beside = figures["overheads"]["beside"]
        least = -figures["overheads"]["piece"]["dataflow"]["ns"]
        self.assertAlmostEqual(beside["dataflow"]["ns"], max(times["beside_ns"] - times["alone_ns"], least))
        self.assertTrue(beside["dataflow"]["from_trace"])
        self.assertFalse(beside["openmp"]["from_trace"])
        told = self.kumiko("run", "--beside", "several").stdout
        self.assertIn(f"(measured: {times['alone_ns']:.0f} ns alone, {times['beside_ns']:.0f} ns beside it", told)
        self.assert_refused(self.kumiko("run", "--beside", "run"), "--beside run", "two")
        twice = self.kumiko("run", "--beside", "several", "--beside", "several")
        self.assert_refused(twice, "--beside several", "'dataflow' was given before")
        given = self.kumiko("run", "--beside", "several", "--overhead", "beside.dataflow=-12").stdout
        self.assertIn("dataflow -12 ns (given);", given)
        self.assert_refused(self.kumiko("run", "--overhead", "piece.level=-1"), "'-1'", "from 0 to")
        self.assert_refused(self.kumiko("several", "--beside", "several"), "record it with one")

    def test_given_a_piece_that_took_far_too_long_then_its_share_is_disturbed(self):
        subprocess.run([TRACE_FILES, self.path], check=True)
        self.assertEqual(self.predictions("long.hdf", "--workers", "1")["disturbed_share"], 0.0)
        self.assertNotIn("note:", self.kumiko("long.hdf", "--workers", "1").stdout)
        # One of 1800 pieces: a millisecond, where the others take 8.04 ms together.
        share = self.predictions("disturbed.hdf", "--workers", "1")["disturbed_share"]
        self.assertAlmostEqual(share, 1 / 9.04, delta=1e-4)
        for way in ("--workers", "--ranks"):
            self.assertIn(
                "note: 11 % of the pieces' time is in pieces that took more than 20 times as long as usual; "
                "was the machine busy? Record the trace anew\n",
                self.kumiko("disturbed.hdf", way, "1").stdout,
            )

    def test_given_what_is_no_trace_then_it_is_refused(self):
        self.assert_refused(self.kumiko("nowhere"), "nowhere")
        (self.path / "foreign").mkdir(exist_ok=True)
        self.assert_refused(self.kumiko("foreign"), "foreign", "trace.from")
        (self.path / "text.hdf").write_text("no trace")
        self.assert_refused(self.kumiko("text.hdf"), "text.hdf")
        whole = (self.path / "run/trace.hdf").read_bytes()
        (self.path / "cut.hdf").write_bytes(whole[: len(whole) // 2])
        done = self.kumiko("cut.hdf")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cut.hdf", done.stderr)

    def test_given_wrong_lists_then_they_are_named(self):
        for wrong in ("", "0", "1,,2", "4..2", "1..", "two", "-1", "1.5", "99999999999", "65537"):
            self.assert_refused(self.kumiko("run", f"--workers={wrong}"), "--workers")
        self.assert_refused(self.kumiko("run", "--models", "magic"), "--models", "magic")
        for wrong in ("steal", "steal=", "steal=-1", "steal=nan", "phase.dataflow=1", "pieces=1"):
            self.assert_refused(self.kumiko("run", "--overhead", wrong), "--overhead")


if __name__ == "__main__":
    unittest.main()
