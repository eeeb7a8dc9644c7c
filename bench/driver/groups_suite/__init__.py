"""Aggregation groups: threads that share blocks of data, on one worker; and on two, where groups may be published.

The best case of Yamada and Kusakabe (2010): the threads of a group write its block from end to end and yield after each
pass. Aggregated is beside first in, first out, and beside one group after another, which whoever knew all would choose.
"""

import json
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from children import explain
from measured import Budget, Measured, Spread, budget_figures, unjudged
from text import Progress, budget_lines, spread

REPETITIONS = 9
TIME_LIMIT = 60  # seconds, of a program
KIB, MIB = 2**10, 2**20
FIFO, AGGREGATED, PUBLISHED, APART = "fifo", "aggregated", "published", "apart"
ORDERS = (FIFO, AGGREGATED, APART)
LINES, WORDS = 64, 8  # bytes from one word that a pass changes to the next
SIZES = {LINES: tuple(32 * KIB << shift for shift in range(10)), WORDS: (512 * KIB, 2 * MIB, 8 * MIB)}
MOST_GROUPS, THREADS = 64, 16
SPAN = 256 * MIB  # all blocks together, at most
SWEPT = {False: {LINES: 16 * 2**30, WORDS: 4 * 2**30}, True: {LINES: 2**30, WORDS: 2**30}}  # by quick: bytes of a run
FITTING = 8, 32 * KIB  # groups and blocks that one core's cache holds
LONERS, LONERS_BLOCK, SHARED_BLOCK = 4, 4 * MIB, 512 * KIB
BESIDE = {"read": (8 * MIB, 16 * MIB, 24 * MIB, 32 * MIB), "written": (2 * MIB, 24 * MIB)}  # blocks of two workers
GROUPS_BESIDE, THREADS_BESIDE, PASSES_BESIDE = 4, 8, 32
TUNED_LONGER = 6  # times as many passes


@dataclass(frozen=True)
class Case:
    """One program to run, again and again."""

    order: str
    block: int
    stride: int = LINES
    groups: int = MOST_GROUPS
    loners: int = 0
    loners_on: int = 1
    tuned: int = 0
    limit: int = 1000
    threads: int = THREADS
    workers: int = 1
    writes: int = 1

    def words(self, quick: bool) -> list[str]:
        swept = SWEPT[quick][self.stride]
        passes = max(2, swept // (self.block * self.groups * self.threads)) * (TUNED_LONGER if self.tuned else 1)
        if self.workers > 1:
            passes = 2 if quick else PASSES_BESIDE
        return [
            f"order={self.order}", f"bytes={self.block}", f"stride={self.stride}", f"groups={self.groups}",
            f"threads={self.threads}", f"workers={self.workers}", f"writes={self.writes}", f"passes={passes}", f"loners={self.loners}", f"loner_bytes={LONERS_BLOCK}", f"loners_on={self.loners_on}",
            f"tuned={self.tuned}", f"limit={self.limit}",
        ]


def case(order: str, block: int, stride: int) -> Case:
    return Case(order, block, stride, min(MOST_GROUPS, SPAN // block))


def fitting(order: str) -> Case:
    return Case(order, FITTING[1], groups=FITTING[0])


def beside(order: str, block: int, done: str) -> Case:
    """By two workers, each with an equal part of every group's threads."""
    writes = int(done == "written")
    return Case(order, block, groups=GROUPS_BESIDE, threads=THREADS_BESIDE, workers=2, writes=writes)


CONTROL = {
    "first in, first out": Case(FIFO, SHARED_BLOCK, loners=LONERS),
    "all on": Case(AGGREGATED, SHARED_BLOCK, loners=LONERS),
    "loners off": Case(AGGREGATED, SHARED_BLOCK, loners=LONERS, loners_on=0),
    # In shorter rows, so that all groups have their turns while they are tried, which takes some seconds.
    "by the tuner": Case(AGGREGATED, SHARED_BLOCK, loners=LONERS, tuned=1, limit=100),
}


class Rounds:
    """What was measured, round by round."""

    def __init__(self, quick: bool):
        self.quick = quick
        swept = [case(order, block, stride) for stride in SIZES for block in SIZES[stride] for order in ORDERS]
        every = [*swept, fitting(FIFO), fitting(AGGREGATED), *CONTROL.values()]
        every += [beside(order, block, done) for done in BESIDE for block in BESIDE[done] for order in (*ORDERS, PUBLISHED)]
        self.runs: dict[Case, list[dict]] = {case: [] for case in every}

    def milliseconds(self, of: Case) -> Spread:
        return Spread.of([1e3 * run["seconds"] for run in self.runs[of]])

    def ratio(self, of: Case, over: Case) -> Spread:
        """Of the same round."""
        pairs = zip(self.runs[of], self.runs[over], strict=True)
        return Spread.of([run["seconds"] / other["seconds"] for run, other in pairs])

    def over_fifo(self, of: Case, kind: str) -> Spread:
        """The time of one pass of this kind, over that of the same round without groups."""
        pairs = zip(self.runs[of], self.runs[CONTROL["first in, first out"]], strict=True)
        return Spread.of([run["result"][kind] / fifo["result"][kind] for run, fifo in pairs])


def size(block: int) -> str:
    return f"{block // KIB} KiB" if block < MIB else f"{block // MIB} MiB"


def row(title: str, cells: list[str]) -> str:
    return f"  {title:<20}" + "".join(f"{cell:>23}" for cell in cells)


def ratios(rounds: Rounds, block: int, stride: int) -> tuple[Spread, Spread]:
    aggregated = case(AGGREGATED, block, stride)
    return tuple(rounds.ratio(aggregated, case(order, block, stride)) for order in (FIFO, APART))


def sweep_lines(rounds: Rounds, stride: int, what: str) -> list[str]:
    lines = ["", f"one worker, {THREADS} threads a group, a pass changes {what}; ms"]
    lines.append(row("", [*ORDERS, f"{AGGREGATED}/{FIFO}", f"{AGGREGATED}/{APART}"]))
    for block in SIZES[stride]:
        times = [rounds.milliseconds(case(order, block, stride)) for order in ORDERS]
        lines.append(row(size(block), [spread(cell) for cell in (*times, *ratios(rounds, block, stride))]))
    return lines


def control_lines(rounds: Rounds) -> list[str]:
    lines = ["", f"{LONERS} of {MOST_GROUPS} groups share nothing; time of a pass over first in, first out"]
    lines.append(row("", ["of those that share", "of the loners"]))
    for title, of in CONTROL.items():
        if of.order != FIFO:
            lines.append(row(title, [spread(rounds.over_fifo(of, kind)) for kind in ("sharing_ns", "loner_ns")]))
    tuned = [run["result"] for run in rounds.runs[CONTROL["by the tuner"]]]
    on = [spread(Spread.of([float(run[kind]) for run in tuned])) for kind in ("sharing_on", "loners_on")]
    return [*lines, row(f"left on, of {MOST_GROUPS - LONERS} and {LONERS}", on)]


def beside_lines(rounds: Rounds) -> list[str]:
    lines = ["", f"two workers, {GROUPS_BESIDE} groups of {THREADS_BESIDE} threads, a word of each cache line; over fifo"]
    lines.append(row("", [AGGREGATED, PUBLISHED, APART, f"{PUBLISHED}/{AGGREGATED}"]))
    for done, blocks in BESIDE.items():
        for block in blocks:
            of = {order: beside(order, block, done) for order in (*ORDERS, PUBLISHED)}
            cells = [rounds.ratio(of[order], of[FIFO]) for order in (AGGREGATED, PUBLISHED, APART)]
            cells.append(rounds.ratio(of[PUBLISHED], of[AGGREGATED]))
            lines.append(row(f"{size(block)}, {done}", [spread(cell) for cell in cells]))
    return lines


def table_lines(rounds: Rounds, judged: list[Budget]) -> list[str]:
    lines = sweep_lines(rounds, LINES, "a word of each cache line")
    lines += sweep_lines(rounds, WORDS, "every word")
    return lines + control_lines(rounds) + beside_lines(rounds) + budget_lines("budgets", judged)


def budgets(rounds: Rounds) -> list[Budget]:
    by_size = [ratios(rounds, block, LINES) for block in SIZES[LINES]]
    best = min(over_fifo.middle for over_fifo, _ in by_size)
    worst = max(over_apart.middle for _, over_apart in by_size)
    fits = rounds.ratio(fitting(AGGREGATED), fitting(FIFO)).middle
    loners = rounds.over_fifo(CONTROL["loners off"], "loner_ns").middle
    sharing = rounds.over_fifo(CONTROL["loners off"], "sharing_ns").middle
    return [
        Budget("aggregated over fifo, the best block", 0.7, True, best),
        Budget("aggregated over apart, the worst block", 1.05, True, worst),
        Budget("aggregated over fifo, where all blocks fit", 1.03, True, fits),
        Budget("loners that are off, over fifo", 1.02, True, loners),
        Budget("those that share, beside them", 0.7, True, sharing),
    ]


def run(program: Path, of: Case, quick: bool) -> dict:
    done = subprocess.run([str(program), *of.words(quick)], capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        raise RuntimeError(explain(done.returncode, done.stderr))
    return json.loads(done.stdout)


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    rounds = Rounds(quick)
    progress = Progress()
    begin = time.monotonic()
    turns = repetitions or (1 if quick else REPETITIONS)
    for turn in range(turns):
        for of, runs in rounds.runs.items():
            progress.show(f"round {turn + 1}: {of.order}, {size(of.block)}")
            runs.append(run(programs / "aggregation", of, quick))
    progress.show("")
    judged = budgets(rounds)
    if quick:
        judged = unjudged(judged)
    figures = {
        "budgets": budget_figures(judged),
        "runs": [asdict(of) | report for of, runs in rounds.runs.items() for report in runs],
    }
    extent = f"{turns} round{'s' if turns > 1 else ''} in {time.monotonic() - begin:.0f} s"
    return Measured(1, extent, table_lines(rounds, judged), figures)
