"""The runtime beside its peers."""

import time
from dataclasses import asdict
from pathlib import Path

from measured import Measured, budget_figures, unjudged
from text import Progress

from .measure import Outcome, run, run_breakdown, run_case
from .plan import Case, cases
from .summary import Summary, breakdown, budgets
from .table import table_lines

REPETITIONS = 5
CASE_BUDGET = 12  # seconds after which a case is not repeated again
TIME_BUDGET = 240  # seconds for all


def available_workers(programs: Path) -> int:
    """As many as the runtime itself would take."""
    outcome = run([str(programs / "fib_kumiko"), "n=1", "workers=0"], {})
    if outcome.report is None:
        raise RuntimeError(f"fib_kumiko: {outcome.error}")
    return outcome.report["workers"]


def measure_rounds(plan: list[Case], programs: Path, repetitions: int):
    """Every case once, then every case again, so that a disturbance hits all alike."""
    outcomes: dict[Case, list[Outcome]] = {case: [] for case in plan}
    spent = dict.fromkeys(plan, 0.0)
    parts = []
    progress = Progress()
    begin = time.monotonic()
    for repetition in range(repetitions):
        round_begin = time.monotonic()
        for case in plan:
            if spent[case] >= CASE_BUDGET:
                continue
            progress.show(f"round {repetition + 1}: {' '.join(map(str, case.key))}")
            case_begin = time.monotonic()
            outcomes[case].append(run_case(case, programs))
            spent[case] += time.monotonic() - case_begin
        part = run_breakdown(programs)
        if part is not None:
            parts.append(part)
        now = time.monotonic()
        if now - begin + now - round_begin > TIME_BUDGET:
            break
    progress.show("")
    return outcomes, parts


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    workers = available_workers(programs)
    begin = time.monotonic()
    repetitions = repetitions or (1 if quick else REPETITIONS)
    outcomes, raw_parts = measure_rounds(cases(workers, quick), programs, repetitions)
    seconds = time.monotonic() - begin
    summary = Summary(outcomes, workers)
    parts = breakdown(summary, raw_parts)
    limits = budgets(summary)
    if quick:
        limits = unjudged(limits)
    rounds = max(len(runs) for runs in outcomes.values())
    figures = {
        "summary": [asdict(entry) for entry in summary.entries.values()],
        "breakdown_ns": parts,
        "budgets": budget_figures(limits),
        "runs": [
            asdict(case) | asdict(outcome) for case, runs in outcomes.items() for outcome in runs
        ],
    }
    extent = f"{rounds} round{'s' if rounds > 1 else ''} in {seconds:.0f} s"
    return Measured(workers, extent, table_lines(summary, parts, limits), figures)
