"""Waiting on cores of one's own and on shared ones: every policy, beside its peers."""

import time
from dataclasses import asdict
from pathlib import Path

from measured import Measured, budget_figures, unjudged
from text import Progress

from . import direction
from .measure import Bench, Outcome
from .plan import PARTS, Case, Plan, cases
from .quota import refusal
from .summary import Summary, budgets
from .table import table_lines

REPETITIONS = 5


def measure_rounds(bench: Bench, repetitions: int, again: bool) -> dict[Case, list[Outcome]]:
    """What others have disturbed runs again at once if `again`; what had to be stopped does not run any more."""
    outcomes: dict[Case, list[Outcome]] = {}
    progress = Progress()
    for turn in range(repetitions):
        for case in cases(bench.plan, turn):
            runs = outcomes.setdefault(case, [])
            if any(run.stopped for run in runs):
                continue
            progress.show(f"round {turn + 1}: {case.program}, {case.situation}, {case.system}")
            runs.append(bench.run(case, turn))
            if again and runs[-1].disturbed:
                runs.append(bench.run(case, turn))
    progress.show("")
    return outcomes


def measure(folder: Path, repetitions: int | None, quick: bool, only: list[str] | None = None) -> Measured:
    """`only` names parts; all unless given."""
    refused = refusal()
    plan = Plan.of(quick, [part for part in only or PARTS if part != "quotas" or not refused])
    bench = Bench(folder, plan)
    begin = time.monotonic()
    outcomes = measure_rounds(bench, repetitions or (1 if quick else REPETITIONS), again=not quick)
    seconds = time.monotonic() - begin
    summary = Summary(outcomes, plan, bench.cores)
    judged = budgets(summary)
    if quick:
        judged = unjudged(judged)
    lines = table_lines(summary, judged)
    if refused:
        lines = ["", f"no tables of quotas: {refused}", *lines]
    failures = summary.differences()
    if quick and bench.cores > 1 and "copies" in plan.parts:
        ratio = direction.spin_over_sleep(folder)
        lines = direction.lines(ratio) + lines
        failures += direction.faults(ratio)
    rounds = 1 + max((run.turn for runs in outcomes.values() for run in runs), default=-1)
    figures = {
        "budgets": budget_figures(judged),
        "quota_refusal": refused,
        "steps_per_us": bench.steps_per_us,
        "runs": [asdict(case) | asdict(outcome) for case, runs in outcomes.items() for outcome in runs],
    }
    failures += [
        f"{case.program}, {case.situation}, {case.system}: {run.error}"
        for case, runs in outcomes.items()
        for run in runs[:1]
        if run.error and not run.error.startswith("absent")
    ]
    extent = f"{rounds} round{'s' if rounds != 1 else ''} in {seconds:.0f} s"
    return Measured(bench.cores, extent, lines, figures, failures)
