"""The runtime's I/O beside its peers."""

import os
import time
from dataclasses import asdict
from pathlib import Path

from measured import Measured, budget_figures, unjudged
from text import Progress

from .measure import Bench, Outcome
from .plan import Case, cases, marks
from .summary import Summary, goals
from .table import table_lines

REPETITIONS = 3  # of the points that goals are about
TIME_BUDGET = 245  # seconds for all, beside the wait for calm and the build


class Rounds:
    """Every point once, then those with goals again; then those that others have disturbed, as long
    as there is time."""

    def __init__(self, bench: Bench, quick: bool):
        self.bench = bench
        self.quick = quick
        self.outcomes: dict[Case, list[Outcome]] = {}
        self.progress = Progress()
        self.end = time.monotonic() + TIME_BUDGET

    def run(self, repetitions: int) -> dict[Case, list[Outcome]]:
        for turn in range(repetitions):
            for case in cases(self.quick, turn):
                self.run_case(case, turn)
        if not self.quick:
            self.repeat_disturbed(repetitions)
        self.progress.show("")
        return self.outcomes

    def repeat_disturbed(self, turn: int) -> None:
        for case, runs in self.outcomes.items():
            if all(run.disturbed for run in runs):
                self.run_case(case, turn)

    def run_case(self, case: Case, turn: int) -> None:
        runs = self.outcomes.setdefault(case, [])
        if time.monotonic() > self.end:
            if not runs:
                runs.append(Outcome(error="no time was left", turn=turn))
            return
        size = " ".join(f"{name}={value}" for name, value in case.point.size)
        self.progress.show(f"round {turn + 1}: {case.point.benchmark} {case.system} {size}")
        runs.append(self.bench.run(case, turn))


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    workers = len(os.sched_getaffinity(0))
    begin = time.monotonic()
    repetitions = repetitions or (1 if quick else REPETITIONS)
    outcomes = Rounds(Bench(programs, workers), quick).run(repetitions)
    seconds = time.monotonic() - begin
    summary = Summary(outcomes)
    judged = goals(summary, marks(quick))
    if quick:
        judged = unjudged(judged)
    rounds = 1 + max(run.turn for runs in outcomes.values() for run in runs)
    figures = {
        "goals": budget_figures(judged),
        "runs": [
            asdict(case) | asdict(outcome) for case, runs in outcomes.items() for outcome in runs
        ],
    }
    extent = f"{rounds} round{'s' if rounds > 1 else ''} in {seconds:.0f} s"
    return Measured(workers, extent, table_lines(summary, judged), figures)
