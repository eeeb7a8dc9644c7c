"""The AMR engine against its budgets, and its ways to step beside each other."""

import os
import time
from dataclasses import asdict
from pathlib import Path

from measured import Measured, budget_figures, unjudged
from text import Progress

from .measure import Bench, Outcome
from .plan import Case, cases, works
from .summary import Summary, budgets
from .table import differences, table_lines

ROOT = Path(__file__).resolve().parents[3]
REPETITIONS = 9
CASE_BUDGET = 60  # seconds after which a case is not repeated again
TIME_BUDGET = 400  # seconds for all, beside the wait for calm and the build


def measure_rounds(bench: Bench, all_workers: int, repetitions: int) -> dict[Case, list[Outcome]]:
    outcomes: dict[Case, list[Outcome]] = {}
    progress = Progress()
    begin = time.monotonic()
    for turn in range(repetitions):
        round_begin = time.monotonic()
        for case in cases(all_workers, turn):
            runs = outcomes.setdefault(case, [])
            if sum(run.wall_s for run in runs) >= CASE_BUDGET:
                continue
            progress.show(f"round {turn + 1}: {case.title}")
            runs.append(bench.run(case, turn))
        now = time.monotonic()
        if now - begin + now - round_begin > TIME_BUDGET:
            break
    progress.show("")
    return outcomes


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    workers = len(os.sched_getaffinity(0))
    begin = time.monotonic()
    repetitions = repetitions or (1 if quick else REPETITIONS)
    plan = works(quick)
    outcomes = measure_rounds(Bench(programs, ROOT, plan, quick, workers), workers, repetitions)
    seconds = time.monotonic() - begin
    summary = Summary(outcomes, plan, workers)
    judged = budgets(summary)
    if quick:
        judged = unjudged(judged)
    rounds = max(len(runs) for runs in outcomes.values())
    figures = {
        "budgets": budget_figures(judged),
        "state_hashes": summary.state_hashes(),
        "runs": [
            asdict(case) | asdict(outcome) for case, runs in outcomes.items() for outcome in runs
        ],
    }
    extent = f"{rounds} round{'s' if rounds > 1 else ''} in {seconds:.0f} s"
    failures = differences(summary) + [
        f"{title}: {error}" for title, error in summary.errors().items()
    ]
    return Measured(workers, extent, table_lines(summary, judged), figures, failures)
