"""Measures the runtime beside its peers, prints the table and writes the figures as JSON."""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

import machine
from measure import Outcome, run, run_breakdown, run_case
from plan import BENCHMARKS, SYSTEMS, Case, cases
from summary import Summary, breakdown, budgets
from table import print_tables

ROOT = Path(__file__).resolve().parents[2]
REPETITIONS = 5
CASE_BUDGET = 12  # seconds after which a case is not repeated again
TIME_BUDGET = 240  # seconds for all
CALM_WAIT = 60  # seconds


def parse_arguments() -> argparse.Namespace:
    """scripts/bench explains them and refuses wrong ones, before it builds."""
    parser = argparse.ArgumentParser(prog="bench/driver", description=__doc__, allow_abbrev=False)
    parser.add_argument("suite", choices=["runtime"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--json", type=Path, default=ROOT / "build/bench/runtime.json")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/bench/bin")
    arguments = parser.parse_args()
    if arguments.repetitions is None:
        arguments.repetitions = 1 if arguments.quick else REPETITIONS
    if arguments.repetitions < 1:
        parser.error("--repetitions must be 1 or more")
    return arguments


def wait_for_calm(most_load: float) -> None:
    """The build that has just ended counts in the load average for a while."""
    end = time.monotonic() + CALM_WAIT
    if os.getloadavg()[0] <= most_load:
        return
    print(f"waiting until the load has fallen, {CALM_WAIT} s at most ...", flush=True)
    while os.getloadavg()[0] > most_load and time.monotonic() < end:
        time.sleep(1)


def available_workers(programs: Path) -> int:
    """As many as the runtime itself would take."""
    outcome = run([str(programs / "fib_kumiko"), "n=1", "workers=0"], {})
    if outcome.report is None:
        sys.exit(f"error: fib_kumiko: {outcome.error}")
    return outcome.report["workers"]


class Progress:
    """One line on the terminal, nothing elsewhere."""

    def show(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


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


def to_json(description: dict, outcomes: dict, summary: Summary, parts, limits) -> dict:
    return {
        "machine": description,
        "workers": summary.all_workers,
        "summary": [asdict(entry) for entry in summary.entries.values()],
        "breakdown_ns": parts,
        "budgets": [asdict(budget) | {"verdict": budget.verdict} for budget in limits],
        "runs": [
            asdict(case) | asdict(outcome) for case, runs in outcomes.items() for outcome in runs
        ],
    }


def main() -> None:
    arguments = parse_arguments()
    programs = arguments.programs.resolve()
    most_load = len(os.sched_getaffinity(0)) / 2
    if not arguments.quick:
        wait_for_calm(most_load)
    description = machine.describe(ROOT)
    workers = available_workers(programs)
    plan = cases(workers, arguments.quick)
    begin = time.monotonic()
    outcomes, raw_parts = measure_rounds(plan, programs, arguments.repetitions)
    summary = Summary(outcomes, workers)
    parts = breakdown(summary, raw_parts)
    limits = [] if arguments.quick else budgets(summary)
    sizes = ", small sizes" if arguments.quick else ""
    rounds = max(len(runs) for runs in outcomes.values())
    print(f"{description['processor']}, {workers} workers, {description['compilers']['g++']}")
    load = description["load_average"][0]
    print(
        f"commit {description['commit']}, load average {load:.2f} at the"
        f" start, {rounds} round{'s' if rounds > 1 else ''} in {time.monotonic() - begin:.0f} s{sizes}: median (least..most)"
    )
    if load > most_load:
        print(
            f"warning: the load average is above {most_load:g}, half the cores:"
            " the figures are not reliable"
        )
    print_tables(summary, parts, limits)
    path = arguments.json
    path.parent.mkdir(parents=True, exist_ok=True)
    figures = to_json(description, outcomes, summary, parts, limits) | {"quick": arguments.quick}
    path.write_text(json.dumps(figures, indent=1))
    print(f"\nfigures: {path}")


if __name__ == "__main__":
    main()
