"""Measures Kumiko beside its peers and against its budgets, prints the table and writes the figures as JSON."""

import argparse
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import machine
from check import check
from compare import compare
from measured import Measured
from suites import SUITES, parts_of, suite_module

ROOT = Path(__file__).resolve().parents[2]
ALL, COMPARE = "all", "compare"
CALM_WAIT = 60  # seconds
PR_SET_PDEATHSIG = 1


def parse_arguments() -> argparse.Namespace:
    """scripts/bench explains them and refuses wrong ones, before it builds."""
    parser = argparse.ArgumentParser(prog="bench/driver", description=__doc__, allow_abbrev=False)
    parser.add_argument("suite", choices=(*SUITES, ALL))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", action="append")
    parser.add_argument("--programs", type=Path, default=ROOT / "build/bench/bin")
    arguments = parser.parse_args()
    if arguments.repetitions is not None and arguments.repetitions < 1:
        parser.error("--repetitions must be 1 or more")
    if arguments.json is not None and arguments.suite == ALL:
        parser.error(f"--json names one file, and '{ALL}' writes one for each suite")
    parts = () if arguments.suite == ALL else parts_of(arguments.suite)
    if arguments.only is not None and (arguments.check or not set(arguments.only) <= set(parts)):
        parser.error("--only chooses parts of a suite that has some, and --check wants all of them")
    return arguments


def end_with_caller() -> None:
    """SIGTERM, or the death of the script that started this, ends it with its programs."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def wait_for_calm(most_load: float) -> None:
    """The build that has just ended counts in the load average for a while."""
    end = time.monotonic() + CALM_WAIT
    if os.getloadavg()[0] <= most_load:
        return
    print(f"waiting until the load has fallen, {CALM_WAIT} s at most ...", flush=True)
    while os.getloadavg()[0] > most_load and time.monotonic() < end:
        time.sleep(1)


def print_head(description: dict, measured: Measured, quick: bool) -> None:
    most_load = len(os.sched_getaffinity(0)) / 2
    sizes = ", small sizes" if quick else ""
    load = description["load_average"][0]
    print(
        f"{description['processor']}, {measured.workers} workers,"
        f" {description['compilers']['g++']}\n"
        f"beside {machine.peers(description)}\n"
        f"commit {description['commit']}, load average {load:.2f} at the start,"
        f" {measured.extent}{sizes}: median (least..most)"
    )
    if load > most_load:
        print(
            f"warning: the load average is above {most_load:g}, half the cores:"
            " the figures are not reliable"
        )


def check_form(name: str, measured: Measured, figures: Path, quick: bool) -> list[str]:
    """Says what was not measured here with good reason, and gives back what is wrong."""
    report = check(name, measured, figures, quick)
    for skip in report.skipped:
        print(f"skipped: {skip}")
    if not report.faults:
        print(f"the tables of {name} have all that they should have")
    return report.faults


def run_suite(name: str, arguments: argparse.Namespace) -> list[str]:
    """Measures, prints, writes. Returns what is wrong."""
    if not arguments.quick:
        wait_for_calm(len(os.sched_getaffinity(0)) / 2)
    description = machine.describe(ROOT)
    programs = arguments.programs.resolve()
    parts = {"only": arguments.only} if arguments.only else {}
    try:
        measured = suite_module(name).measure(programs, arguments.repetitions, arguments.quick, **parts)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return [f"{name} could not be measured: {error}"]
    print_head(description, measured, arguments.quick)
    print("\n".join(measured.lines))
    path = arguments.json or ROOT / f"build/bench/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"machine": description, "quick": arguments.quick, "workers": measured.workers}
    path.write_text(json.dumps(head | measured.figures, indent=1))
    print(f"\nfigures: {path}")
    faults = list(measured.failures)
    if arguments.check:
        faults += check_form(name, measured, path, arguments.quick)
    return [f"{name}: {fault}" for fault in faults]


def main() -> None:
    if sys.argv[1:2] == [COMPARE]:
        end_with_caller()
        sys.exit(compare(ROOT, sys.argv[2:]))
    arguments = parse_arguments()
    end_with_caller()
    names = SUITES if arguments.suite == ALL else [arguments.suite]
    faults = []
    for name in names:
        if len(names) > 1:
            print(f"\n=== {name}", flush=True)
        faults += run_suite(name, arguments)
    if faults:
        sys.exit("\n".join(f"error: {fault}" for fault in faults))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
