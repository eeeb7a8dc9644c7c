"""Contract: the figures of the tables and of the budgets are those that follow from what the programs said. The raw
outputs are of two rounds of the short forms; the expected values are computed here, without the driver."""

import tempfile
import unittest
from pathlib import Path
from statistics import median

from stand_ins import NOT_STORED, cells_of, replayed


def ratios(over: list[dict], above: str, under: list[dict], below: str) -> list[float]:
    """Round by round."""
    return [one[above] / other[below] for one, other in zip(over, under, strict=True)]


class Replayed(unittest.TestCase):
    suite = ""
    parts: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            recorded, cls.report = replayed(cls.suite, Path(folder), cls.parts)
        cls.said, cls.unused = recorded.said, recorded.said.keys() - recorded.asked.keys()
        cls.cells = cells_of(cls.report)
        cls.budget = {budget.title: budget for budget in cls.report.budgets}

    def assert_cell(self, title: str, row: str, column: str, values: list[float]) -> None:
        table = next(rows for name, rows in self.cells.items() if name.startswith(title))
        found = table[row][column]
        if isinstance(found, float):
            found = {"least": found, "median": found, "most": found}
            values = [median(values)]
        for name, value in (("least", min(values)), ("median", median(values)), ("most", max(values))):
            self.assertAlmostEqual(found[name] / value, 1, places=9, msg=f"{row}, {column}, {name}")

    def assert_budget(self, title: str, values: list[float]) -> None:
        self.assertAlmostEqual(self.budget[title].measured / median(values), 1, places=9)
        self.assertEqual(self.budget[title].verdict, "not judged")

    def assert_whole(self) -> None:
        skipped = [reason for reason in self.report.skipped() if not reason.startswith(NOT_STORED)]
        self.assertEqual((self.report.failures(), self.report.faults(), skipped, self.unused), ([], [], [], set()))


class Checkpoint(Replayed):
    suite = "checkpoint"

    def test_figures_are_those_of_the_raw_outputs(self):
        without, with_them = self.said["kumiko checkpoint.every=0"], self.said["kumiko checkpoint.every=100"]
        states = [self.said[f"checkpoint_write patches_x=32 turn={turn}"][0] for turn in (0, 1)]
        run, state = "Zalesak's disk, 200 base steps", "a state of 1 MiB"
        self.assert_cell(run, "seconds without", "median", [report["wall_s"] for report in without])
        slowdown = ratios(with_them, "wall_s", without, "wall_s")
        self.assert_cell(run, "with over without, round by round", "median", slowdown)
        self.assert_cell(run, "bytes per point", "median", [1421611 / (256 * (256 + 113 + 255))])
        self.assert_cell(state, "checking it", "median", [1e-6 * each["bytes"] / each["verify_s"] for each in states])
        over_plain = ratios(states, "plain_s", states, "checkpoint_s")
        self.assert_cell(state, "checkpoint over plain", "median", over_plain)
        self.assert_budget("run with checkpoints over without", slowdown)
        self.assert_budget("checkpoint over plain write", over_plain)
        self.assert_whole()


class Cluster(Replayed):
    suite = "cluster"

    def of(self, program: str, *words: str) -> list[dict]:
        """The reports of Open MPI's ranks."""
        wanted = {"mpirun.openmpi", program, *words}
        return next(said for key, said in self.said.items() if wanted <= set(key.split()))

    def test_figures_are_those_of_the_raw_outputs(self):
        ours, theirs = self.of("ranks_kumiko", "part=latency", "idle=spin"), self.of("ranks_openmpi", "part=latency")
        latency = "an empty function there and back, beside eight bytes"
        self.assert_cell(latency, "Open MPI: invoke", "us", [report["invoke_ns"] / 1e3 for report in ours])
        over = ratios(ours, "invoke_ns", theirs, "send_ns")
        self.assert_cell(latency, "Open MPI: MPI_Send, MPI_Recv", "invoke/it", over)
        self.assert_budget("invoke over MPI's ping-pong, Open MPI", over)
        writes, sends = self.of("ranks_kumiko", "size=2048"), self.of("ranks_openmpi", "size=2048")
        self.assert_cell("bandwidth", "Open MPI, 2 KiB", "write", [2048 / report["write_ns"] for report in writes])
        bandwidths = ratios(sends, "send_ns", writes, "write_ns")  # of times, turned round
        self.assert_cell("bandwidth", "Open MPI, 2 KiB", "write/send", bandwidths)
        self.assert_budget("write of 2 KiB over MPI_Send, Open MPI", bandwidths)
        idle = self.of("ranks_kumiko", "part=idle")[0]  # in one round alone
        self.assert_budget("idle, % of a core, Open MPI", [100 * max(idle["waiting_share"], idle["sleeping_share"])])
        self.assert_whole()


class Search(Replayed):
    suite = "search"
    parts = ("workspaces",)

    def of(self, program: str) -> list[dict]:
        return [{key: float(value) for key, value in map(str.split, said.split(";"))} for said in self.said[program]]

    def test_figures_are_those_of_the_raw_outputs(self):
        one, two = self.of("search_nqueens 9 1 1"), self.of("search_nqueens 9 2 1")
        searches = "searches; one worker over serial"
        self.assert_cell(searches, "nqueens(9)", "1/serial", ratios(one, "search_s", one, "serial_s"))
        self.assert_cell(searches, "nqueens(9)", "serial/2", ratios(two, "serial_s", two, "search_s"))
        copies = ratios(self.said["copying_queens_tbb n=9 workers=1"], "seconds", one, "search_s")
        self.assert_cell("a copy of the workspace", "oneTBB", "nqueens", copies)
        self.assert_budget("nqueens: copies on oneTBB over this", copies)
        by_clang = self.of("search_nqueens-clang 9 1 1")
        worst = max(median(ratios(runs, "search_s", runs, "serial_s")) for runs in (one, by_clang))
        self.assert_budget("nqueens: one worker over serial, both compilers", [worst])
        more = [many["peak_kib"] - alone["peak_kib"] for many, alone in zip(two, one, strict=True)]
        given = self.cells["what two workers give away; counts, and KiB beyond one worker"]
        self.assertEqual(given["nqueens"]["KiB more"], {"least": min(more), "median": median(more), "most": max(more)})
        self.assert_whole()


del Replayed  # has no tests of its own


if __name__ == "__main__":
    unittest.main()
