"""Contract: what a run records is whole and free of contradictions, and every export says the same."""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import h5py
import numpy as np

import chrome_trace

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
TRACE_FILES = os.environ["KUMIKO_TRACE_FILES"]
HAS_OTF2 = os.environ["KUMIKO_HAS_OTF2"] not in ("", "0", "OFF")

KINDS = ("advance", "blend", "finish")
CAUSES = ("sibling", "coarser", "parent", "child", "level")
NO_PIECE = 2**32 - 1


def kumiko(*arguments):
    return subprocess.run([KUMIKO, *map(str, arguments)], capture_output=True, text=True)


class Piece:
    """A piece as h5py reads it."""

    def __init__(self, columns, phases, patches, at):
        for name, values in columns.items():
            setattr(self, name, int(values[at]))
        self.at = at
        self.patch_id = tuple(int(patches[name][self.patch]) for name in ("level", "i", "j"))
        self.base_step = int(phases["base_step"][self.phase])
        self.number = int(phases["number"][self.phase])
        self.kind = KINDS[phases["kind"][self.phase]]

    @property
    def name(self):
        return "L{} ({}, {})".format(*self.patch_id)


class Recorded:
    """A trace as h5py reads it."""

    def __init__(self, path):
        with h5py.File(path) as file:
            table = {name: {k: v[:] for k, v in file[name].items()} for name in file}
            self.attributes = dict(file.attrs)
        self.ranges, self.spans = table["stretches"], table["spans"]
        columns = table["pieces"]
        self.pieces = [
            Piece(columns, table["phases"], table["patches"], at) for at in range(len(columns["phase"]))
        ]
        begin, after = table["successors"]["begin"], table["successors"]["piece"]
        self.edges = [
            (p, int(s)) for p in range(len(self.pieces)) for s in after[begin[p] : begin[p + 1]]
        ]
        self.workers = int(self.attributes["workers"])
        self.blocks = table["patches"].get("block")

    def of_worker(self, worker):
        return sorted(
            (p for p in self.pieces if p.worker == worker), key=lambda p: (p.begin_ns, p.end_ns)
        )

    def stretch_of(self, piece):
        return int(np.searchsorted(self.ranges["end_phase"], piece.phase, side="right"))

    def waits(self):
        """By piece: since its worker's last piece, or since the stretch began."""
        waits = {}
        for worker in range(self.workers):
            end = 0
            for piece in self.of_worker(worker):
                since = max(end, int(self.ranges["begin_ns"][self.stretch_of(piece)]))
                waits[piece.at] = max(piece.begin_ns - since, 0)
                end = piece.end_ns
        return waits


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def export(self, file, form):
        done = kumiko("export", file, "--format", form, "--output", self.path / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return Path(done.stdout.strip())

    def refusal(self, *arguments):
        """The one line of a refusal."""
        done = kumiko(*arguments)
        self.assertIn(done.returncode, (1, 2), done)
        self.assertRegex(done.stderr, r"\Akumiko: error: [^\n]+\n\Z")
        return done.stderr

    def check_exports(self, file):
        recorded = Recorded(file / "trace.hdf" if file.is_dir() else file)
        self.check_chrome(recorded, chrome_trace.read(self.export(file, "chrome")))
        self.check_csv(recorded, self.export(file, "csv"))
        if HAS_OTF2:
            self.check_otf2(recorded, self.export(file, "otf2"))
        return recorded

    def check_chrome(self, recorded, trace):
        waits = recorded.waits()
        slice_of = {}
        for worker in range(recorded.workers):
            pieces, slices = recorded.of_worker(worker), trace.row(f"worker {worker}")
            self.assertEqual(
                [(s.begin, s.end, s.name) for s in slices],
                [(p.begin_ns, p.end_ns, p.name) for p in pieces],
            )
            for piece, one in zip(pieces, slices):
                slice_of[piece.at] = one
                self.assertEqual(one.arg("kind"), piece.kind)
                self.assertEqual(one.arg("base step"), piece.base_step)
                self.assertEqual(one.arg("number"), piece.number)
                block = None if recorded.blocks is None else recorded.blocks[piece.patch]
                self.assertEqual(one.arg("block"), block)
                self.assertEqual(chrome_trace.nanoseconds(one.arg("waited us")), waits[piece.at])
                if piece.awaited != NO_PIECE:
                    self.assertEqual(one.arg("cause"), CAUSES[piece.cause])
                    self.assertEqual(one.arg("awaited"), recorded.pieces[piece.awaited].name)
                else:
                    self.assertIsNone(one.arg("cause"))
        self.assertEqual(
            Counter(trace.arrows),
            Counter(
                (CAUSES[p.cause], slice_of[p.awaited], slice_of[p.at])
                for p in recorded.pieces
                if p.awaited != NO_PIECE
            ),
        )
        self.assertEqual(
            sorted((time, args["threads"]) for _, time, _, args in trace.instants),
            sorted((p.begin_ns, p.steals) for p in recorded.pieces if p.steals),
        )
        self.check_run_row(recorded, trace.row("base steps"))
        self.check_counters(recorded, trace.counters)

    def check_run_row(self, recorded, slices):
        times = lambda table: list(zip(table["begin_ns"].tolist(), table["end_ns"].tolist()))
        expected = times(recorded.ranges) + times(recorded.spans)
        self.assertEqual([(s.begin, s.end) for s in slices], sorted(expected))
        names = [s.name for s in slices if s.category == "between"]
        self.assertEqual(names, [what.decode() for what in recorded.spans["what"]])

    def check_counters(self, recorded, counters):
        by_time = sorted(recorded.pieces, key=lambda p: (p.begin_ns, p.end_ns, p.at))
        ready, expected, stretch = {}, {}, 0
        for piece in by_time:
            if recorded.stretch_of(piece) != stretch:
                ready = {}
                stretch = recorded.stretch_of(piece)
            if piece.runnable >= 0:
                ready[piece.worker] = piece.runnable
                expected[piece.begin_ns] = sum(ready.values())
        values = counters["ready threads"]
        # The counter holds its value until the next one.
        at, value = 0, None
        for time, wanted in expected.items():
            while at < len(values) and values[at][0] <= time:
                value = values[at][1]
                at += 1
            self.assertEqual(value, wanted, time)
        if expected:
            self.assertEqual(values[-1][1], 0)
        # The latest of one moment.
        known = list({p.begin_ns: p.io_in_flight for p in by_time if p.io_in_flight >= 0}.values())
        changes = [v for v, before in zip(known, [None, *known]) if v != before]
        self.assertEqual([v for _, v in counters["I/O in flight"]], changes)

    def check_csv(self, recorded, path):
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        waits = recorded.waits()
        self.assertEqual(len(rows), len(recorded.pieces))
        optional = lambda value: "" if value < 0 else str(value)
        for row, piece in zip(rows, recorded.pieces):
            level, i, j = piece.patch_id
            expected = {
                "base_step": piece.base_step, "level": level, "i": i, "j": j, "kind": piece.kind,
                "number": piece.number, "worker": piece.worker,
                "begin_s": f"{piece.begin_ns / 1e9:.9f}", "end_s": f"{piece.end_ns / 1e9:.9f}",
                "waited_s": f"{waits[piece.at] / 1e9:.9f}", "steals": piece.steals,
                "runnable": optional(piece.runnable), "io_in_flight": optional(piece.io_in_flight),
            }  # fmt: skip
            awaited = {"cause": "", "awaited_level": "", "awaited_i": "", "awaited_j": ""}
            awaited |= {"awaited_kind": "", "awaited_number": ""}
            if piece.awaited != NO_PIECE:
                other = recorded.pieces[piece.awaited]
                awaited = dict(zip(awaited, (CAUSES[piece.cause], *other.patch_id, other.kind, other.number)))
            self.assertEqual(row, {k: str(v) for k, v in (expected | awaited).items()})

    def check_otf2(self, recorded, folder):
        """By the program that comes with the library; it also finds what is out of order."""
        anchor = folder / "traces.otf2"
        printed = lambda *options: subprocess.run(
            ["otf2-print", "-Werror", *options, anchor], capture_output=True, text=True, check=True
        ).stdout
        definitions = printed("--show-global-defs")
        self.assertIn("Ticks per Seconds: 1000000000", definitions)
        places = re.findall(r'^LOCATION +(\d+) +Name: "([^"]+)"', definitions, re.M)
        workers = [(str(w), f"worker {w}") for w in range(recorded.workers)]
        self.assertEqual(places, [*workers, (str(recorded.workers), "run")])
        levels = range(int(recorded.attributes["levels"]))
        regions = set(re.findall(r'^REGION +\d+ +Name: "(L[^"]+)"', definitions, re.M))
        self.assertEqual(regions, {f"L{level} {kind}" for level in levels for kind in KINDS})

        events = re.sub(r"\n +ADDITIONAL ATTRIBUTES:", " ATTRIBUTES:", printed())
        found = []
        metrics = Counter()
        open_at = {}
        for line in events.splitlines():
            words = line.split()
            if not words or words[0] not in ("ENTER", "LEAVE", "METRIC"):
                continue
            place, time = int(words[1]), int(words[2])
            if words[0] == "METRIC":
                name, value = re.search(r'\("([^"]+)" <\d+>; INT64; (-?\d+)\)', line).groups()
                metrics[place, time, name, int(value)] += 1
            elif words[0] == "ENTER":
                self.assertNotIn(place, open_at)
                open_at[place] = (time, line)
            else:
                begin, enter = open_at.pop(place)
                region = re.search(r'Region: "([^"]+)"', enter)[1]
                self.assertEqual(re.search(r'Region: "([^"]+)"', line)[1], region)
                values = dict(re.findall(r'\("([^"]+)" <\d+>; \w+; "?([^)"]+)"?(?: <\d+>)?\)', enter))
                found.append((place, begin, time, region, values))
        self.assertEqual(open_at, {})
        self.compare_otf2(recorded, found, metrics)

    def compare_otf2(self, recorded, found, metrics):
        def attributes(piece):
            values = {"i": piece.patch_id[1], "j": piece.patch_id[2], "base step": piece.base_step}
            values["number"] = piece.number
            if piece.steals:
                values["steals"] = piece.steals
            if piece.awaited != NO_PIECE:
                values["cause"] = CAUSES[piece.cause]
            return {name: str(value) for name, value in values.items()}

        key = lambda event: event[:4]
        of_workers = sorted((e for e in found if e[0] < recorded.workers), key=key)
        expected = [
            (p.worker, p.begin_ns, p.end_ns, f"L{p.patch_id[0]} {p.kind}", attributes(p))
            for p in recorded.pieces
        ]
        self.assertEqual(of_workers, sorted(expected, key=key))
        of_run = [e[1:4] for e in found if e[0] == recorded.workers]
        spans, stretches = recorded.spans, recorded.ranges
        names = [what.decode() for what in spans["what"]] + ["base steps"] * len(stretches["steps"])
        begins = np.concatenate([spans["begin_ns"], stretches["begin_ns"]]).tolist()
        ends = np.concatenate([spans["end_ns"], stretches["end_ns"]]).tolist()
        self.assertEqual(sorted(of_run), sorted(zip(begins, ends, names)))
        known = Counter()
        for p in recorded.pieces:
            for name, value in (("ready threads", p.runnable), ("I/O in flight", p.io_in_flight)):
                if value >= 0:
                    known[p.worker, p.begin_ns, name, value] += 1
        self.assertEqual(metrics, known)


class MadeByHand(ExportTest):
    """Traces with some of everything, which no short run is sure to have."""

    def setUp(self):
        super().setUp()
        subprocess.run([TRACE_FILES, self.path], check=True)

    def test_given_a_trace_with_some_of_everything_then_the_exports_say_the_same(self):
        recorded = self.check_exports(self.path / "small.hdf")
        self.assertEqual({p.kind for p in recorded.pieces}, set(KINDS))

    def test_given_a_long_trace_then_the_exports_say_the_same(self):
        self.check_exports(self.path / "long.hdf")

    def test_given_a_trace_without_pieces_then_the_exports_are_empty(self):
        self.check_exports(self.path / "empty.hdf")

    def test_given_no_trace_then_the_remedy_is_named(self):
        (self.path / "run").mkdir()
        self.assertIn("trace.from", self.refusal("export", self.path / "run", "--format", "chrome"))
        self.assertIn("trace.from", self.refusal("export", self.path / "none.hdf", "--format", "csv"))

    def test_given_a_trace_and_the_format_of_states_then_its_own_formats_are_named(self):
        for form in ("plotfile", "png"):
            line = self.refusal("export", self.path / "small.hdf", "--format", form)
            if "KUMIKO_WITH_VTK" not in line:
                self.assertIn("chrome, otf2 or csv", line)
        self.assertIn("chrome", self.refusal("export", self.path))

    def test_given_a_trace_cut_short_or_foreign_files_then_each_is_refused_in_a_line(self):
        whole = (self.path / "small.hdf").read_bytes()
        for length in (0, 1, 7, 8, 100, len(whole) // 2, len(whole) - 41, len(whole) - 1):
            (self.path / "cut.hdf").write_bytes(whole[:length])
            self.assertIn("cut.hdf", self.refusal("export", self.path / "cut.hdf", "--format", "csv"))
        (self.path / "page.json").write_text("{}")
        line = self.refusal("export", self.path / "page.json", "--format", "chrome")
        self.assertIn("is not a trace", line)
        with h5py.File(self.path / "other.hdf", "w") as file:
            file["x"] = 1
        line = self.refusal("export", self.path / "other.hdf", "--format", "chrome")
        self.assertIn("another program wrote it", line)

    def test_given_a_file_of_somebody_elses_under_the_name_then_it_stays(self):
        for form, name in (("chrome", "trace.json"), ("csv", "trace.csv")):
            mine = self.path / "mine" / name
            mine.parent.mkdir(exist_ok=True)
            words = ["export", self.path / "small.hdf", "--format", form, "--output", mine.parent]
            mine.write_text("mine")
            self.assertIn("is not an exported trace", self.refusal(*words))
            self.assertEqual(mine.read_text(), "mine")
            mine.write_text("")
            for _ in range(2):  # those of an earlier export are replaced
                self.assertEqual(kumiko(*words).returncode, 0)

    def test_given_two_traces_then_they_are_not_written_to_one_name(self):
        line = self.refusal("export", *[self.path / "small.hdf"] * 2, "--format", "chrome")
        self.assertIn("one trace at a time", line)

    @unittest.skipUnless(HAS_OTF2, "this build has no OTF2")
    def test_given_a_folder_in_use_then_otf2_leaves_it_alone(self):
        kept = self.path / "out" / "trace_otf2" / "mine"
        kept.parent.mkdir(parents=True)
        kept.write_text("mine")
        arguments = ("export", self.path / "small.hdf", "--format", "otf2", "--output", self.path / "out")
        self.assertIn("already exists", self.refusal(*arguments))
        self.assertEqual([file.name for file in kept.parent.iterdir()], ["mine"])

    @unittest.skipIf(HAS_OTF2, "this build has OTF2")
    def test_given_a_build_without_otf2_then_the_option_is_named(self):
        line = self.refusal("export", self.path / "small.hdf", "--format", "otf2")
        self.assertIn("KUMIKO_WITH_OTF2", line)

    def test_given_no_room_then_it_is_said_and_nothing_is_left(self):
        for form in ("chrome", "csv") + (("otf2",) if HAS_OTF2 else ()):
            out = self.path / form
            command = f'ulimit -f 1; trap "" XFSZ; exec "$@"'
            done = subprocess.run(
                ["bash", "-c", command, "-", KUMIKO, "export", self.path / "long.hdf"]
                + ["--format", form, "--output", out],
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 1, form)
            self.assertRegex(done.stderr, r"\Akumiko: error: cannot write [^\n]+\n\Z")
            self.assertFalse(out.exists(), form)


class RunsOfBackends(ExportTest):
    """What runs record."""

    def run_traced(self, *arguments):
        keys = ["grid.base=64", "amr.levels=3", "time.steps=640", "time.stop_step=8"]
        keys += ["trace.from=2", "trace.steps=5"]
        settings = [word for key in keys for word in ("--set", key)]
        done = kumiko("run", ZALESAK, *settings, "--output", self.path / "run", "--quiet", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.path / "run"

    def check_run(self, *arguments):
        folder = self.run_traced(*arguments)
        recorded = self.check_exports(folder)
        self.assertEqual({p.base_step for p in recorded.pieces}, {2, 3, 4, 5, 6})
        for before, after in recorded.edges:
            self.assertLessEqual(recorded.pieces[before].end_ns, recorded.pieces[after].begin_ns)
        whole = (folder / "trace.json").read_bytes()
        self.assertEqual(whole, self.export(folder, "chrome").read_bytes())
        return recorded

    def test_given_threads_then_the_exports_say_what_was_recorded(self):
        recorded = self.check_run("--backend", "threads", "--workers", "2")
        self.assertEqual(recorded.attributes["schedule"], b"dataflow")

    def test_given_serial_then_the_exports_say_what_was_recorded(self):
        self.assertEqual(self.check_run("--backend", "serial").workers, 1)

    def test_given_pthread_then_the_exports_say_what_was_recorded(self):
        recorded = self.check_run("--backend", "pthread", "--workers", "2")
        self.assertEqual(recorded.attributes["schedule"], b"level")

    def test_given_a_state_then_it_is_no_trace(self):
        state = self.run_traced() / "state_000008.hdf"
        line = self.refusal("export", state, "--format", "chrome")
        self.assertIn("is a checkpoint or a state, not a trace", line)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
