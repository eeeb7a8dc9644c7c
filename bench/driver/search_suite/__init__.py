"""Searches with one workspace: beside their serial elision, and beside tasks that copy the workspace at every node.
And searches whose parts go to other processes: see processes.py.

The programs are examples/search. Each runs serially and as a search in turn, so that ratios are of the same moment.
The papers' figures are of Hiraishi, Kono, Yasugi, Umatani and Yuasa (2010): Tascell with its handlers that are cheap to
keep, and Cilk, on an UltraSPARC T2 Plus, one worker.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from children import explain
from measured import Budget, Measured, Spread, budget_figures, unjudged
from text import Progress, budget_lines, number, spread, whole

from . import processes

PARTS = ("workspaces", "processes")
REPETITIONS = 5
TIME_LIMIT = 120  # seconds, of a program
WORKERS = 2
GCC, CLANG = "g++", "clang++"
SUFFIXES = {GCC: "", CLANG: "-clang"}


@dataclass(frozen=True)
class Program:
    size: int
    quick: int
    one: float | None = None  # one worker over serial, at most
    two: float | None = None  # serial over two workers, at least
    tascell: float | None = None  # the paper's one worker over serial
    cilk: float | None = None


PROGRAMS = {
    "nqueens": Program(14, 9, 1.25, 1.55, 1.47, 7.17),
    "pentomino": Program(12, 10, 1.10, 1.75, 1.10, 2.81),
    "lu": Program(2000, 150, 1.02, 1.7, 1.00, 0.98),
    "comp": Program(40000, 1000, 1.05, 1.85, 1.10, 1.98),
    "grav": Program(200, 20, 1.03, 1.9, 1.14, 2.29),
    "fib": Program(38, 20, tascell=1.45, cilk=6.28),
    "knapsack": Program(100, 40),
}
COPYING = {"nqueens": "copying_queens", "pentomino": "copying_pieces"}
SYSTEMS = {"tbb": "oneTBB", "libgomp": "GCC OpenMP", "kumiko": "Kumiko's groups"}
LEAST_OVER_COPYING = {("tbb", "nqueens"): 2.5, ("tbb", "pentomino"): 1.8, ("kumiko", "nqueens"): 1.7}


@dataclass
class Rounds:
    """What was measured, by program, compiler and workers; and by system and program."""

    quick: bool
    searches: dict[tuple[str, str, int], list[dict]] = field(default_factory=dict)
    copies: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def size(self, name: str) -> int:
        program = PROGRAMS[name]
        return program.quick if self.quick else program.size

    def seconds(self, name: str, compiler: str, workers: int, kind: str) -> Spread:
        return Spread.of([run[kind] for run in self.searches[name, compiler, workers]])

    def over_serial(self, name: str, compiler: str) -> Spread:
        """One worker's time over the serial one, of the same run."""
        return Spread.of([run["search_s"] / run["serial_s"] for run in self.searches[name, compiler, 1]])

    def speed_up(self, name: str, compiler: str) -> Spread:
        return Spread.of([run["serial_s"] / run["search_s"] for run in self.searches[name, compiler, WORKERS]])

    def count(self, name: str, key: str) -> Spread:
        return Spread.of([run[key] for run in self.searches[name, GCC, WORKERS]])

    def more_memory(self, name: str) -> Spread:
        """Of two workers beyond that of one, in KiB."""
        pairs = zip(self.searches[name, GCC, WORKERS], self.searches[name, GCC, 1], strict=True)
        return Spread.of([two["peak_kib"] - one["peak_kib"] for two, one in pairs])

    def over_search(self, system: str, name: str) -> Spread | None:
        """The time of copying over that of the search of the same round, one worker each."""
        times = self.copies.get((system, name))
        if not times:
            return None
        pairs = zip(times, self.searches[name, GCC, 1], strict=True)
        return Spread.of([seconds / run["search_s"] for seconds, run in pairs])


def run_program(command: list[str]) -> str:
    environment = os.environ | {"OMP_STACKSIZE": "64M"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name}: {explain(done.returncode, done.stderr)}")
    return done.stdout


def search(programs: Path, name: str, compiler: str, workers: int, size: int) -> dict:
    """Runs a program for one round. It fails where a result is wrong, or undos are not redos."""
    printed = run_program([str(programs / f"search_{name}{SUFFIXES[compiler]}"), str(size), str(workers), "1"])
    words = dict(line.split() for line in printed.splitlines())
    return {key: float(value) for key, value in words.items() if key != "n"}


def copying(programs: Path, name: str, system: str, size: int) -> float | None:
    program = programs / f"{COPYING[name]}_{system}"
    if not program.exists():
        return None
    return json.loads(run_program([str(program), f"n={size}", "workers=1"]))["seconds"]


def row(title: str, cells: list[str]) -> str:
    return f"  {title:<18}" + "".join(f"{cell:>22}" for cell in cells)


def table_lines(rounds: Rounds) -> list[str]:
    lines = ["", "searches; one worker over serial, and serial over two workers"]
    lines.append(row("", ["serial s", "1/serial", "1/serial clang++", "serial/2", "serial/2 clang++"]))
    for name in PROGRAMS:
        cells = [rounds.seconds(name, GCC, 1, "serial_s")]
        cells += [rounds.over_serial(name, compiler) for compiler in SUFFIXES]
        cells += [rounds.speed_up(name, compiler) for compiler in SUFFIXES]
        lines.append(row(f"{name}({rounds.size(name)})", [spread(cell) for cell in cells]))
    lines += ["", "what two workers give away; counts, and KiB beyond one worker"]
    lines.append(row("", ["parts", "undos", "redos", "most live", "KiB more"]))
    for name in PROGRAMS:
        cells = [rounds.count(name, key) for key in ("parts", "undos", "redos", "most_live")]
        lines.append(row(name, [whole(cell) for cell in (*cells, rounds.more_memory(name))]))
    lines += ["", "a copy of the workspace at every node, one worker; time over the search's"]
    lines.append(row("", list(COPYING)))
    for system, title in SYSTEMS.items():
        lines.append(row(title, [spread(rounds.over_search(system, name)) for name in COPYING]))
    lines += ["", "one worker over serial, beside the papers'"]
    lines.append(row("", ["ours", "Tascell", "Cilk"]))
    for name, program in PROGRAMS.items():
        if program.tascell is not None:
            ours = rounds.over_serial(name, GCC).middle
            lines.append(row(name, [number(cell) for cell in (ours, program.tascell, program.cilk)]))
    return lines


def budgets(rounds: Rounds) -> list[Budget]:
    result = []
    for name, program in PROGRAMS.items():
        if program.one is None:
            continue
        worst = max(rounds.over_serial(name, compiler).middle for compiler in SUFFIXES)
        result.append(Budget(f"{name}: one worker over serial, both compilers", program.one, True, worst))
        least = min(rounds.speed_up(name, compiler).middle for compiler in SUFFIXES)
        result.append(Budget(f"{name}: serial over two workers", program.two, False, least))
    for (system, name), bound in LEAST_OVER_COPYING.items():
        over = rounds.over_search(system, name)
        title = f"{name}: copies on {SYSTEMS[system]} over this"
        result.append(Budget(title, bound, False, over.middle if over is not None else None))
    parts = rounds.count("nqueens", "parts").middle
    result.append(Budget("nqueens: parts given away by two workers", 200, True, parts))
    most = max(rounds.more_memory(name).middle for name in PROGRAMS)
    return [*result, Budget("KiB that two workers take beyond one", 1024, True, most)]


def figures_of(rounds: Rounds) -> dict:
    return {
        "programs": {name: asdict(program) for name, program in PROGRAMS.items()},
        "searches": [
            {"program": name, "compiler": compiler, "workers": workers, "runs": runs}
            for (name, compiler, workers), runs in rounds.searches.items()
        ],
        "copies": [
            {"system": system, "program": name, "seconds": seconds}
            for (system, name), seconds in rounds.copies.items()
        ],
    }


def measure_round(programs: Path, rounds: Rounds, turn: int, show: Callable[[str], None]) -> None:
    for name in PROGRAMS:
        show(f"round {turn + 1}: {name}")
        for compiler in SUFFIXES:
            for workers in (1, WORKERS):
                runs = rounds.searches.setdefault((name, compiler, workers), [])
                runs.append(search(programs, name, compiler, workers, rounds.size(name)))
        for system in SYSTEMS if name in COPYING else ():
            seconds = copying(programs, name, system, rounds.size(name))
            if seconds is not None:
                rounds.copies.setdefault((system, name), []).append(seconds)


def summary(rounds: Rounds | None, between: processes.Rounds | None, quick: bool) -> tuple[list[str], dict]:
    """The tables, and what the file has, of those parts that were measured."""
    lines, judged, figures = [], [], {}
    if rounds is not None:
        lines, judged, figures = table_lines(rounds), budgets(rounds), figures_of(rounds)
    if between is not None:
        lines += processes.table_lines(between)
        judged += processes.budgets(between)
        figures |= processes.figures(between)
    if quick:
        judged = unjudged(judged)
    return lines + budget_lines("budgets", judged), {"budgets": budget_figures(judged)} | figures


def measure(programs: Path, repetitions: int | None, quick: bool, only: list[str] | None = None) -> Measured:
    """`only` names parts; all unless given."""
    parts = only or PARTS
    bench = processes.Bench(programs)
    rounds = Rounds(quick) if "workspaces" in parts else None
    between = processes.Rounds(quick, bench.absent()) if "processes" in parts else None
    progress = Progress()
    begin = time.monotonic()
    turns = repetitions or (1 if quick else REPETITIONS)
    for turn in range(turns):
        if rounds is not None:
            measure_round(programs, rounds, turn, progress.show)
        if between is not None:
            processes.measure_round(bench, between, turn, progress.show)
    progress.show("")
    extent = f"{turns} round{'s' if turns > 1 else ''} in {time.monotonic() - begin:.0f} s"
    lines, figures = summary(rounds, between, quick)
    return Measured(WORKERS, extent, lines, figures)
