"""Measures Kumiko beside its peers and against its budgets, prints the table and writes the figures as JSON."""

import argparse
import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path

import amr_suite
import checkpoint_suite
import io_suite
import machine
import predict_suite
import runtime_suite

ROOT = Path(__file__).resolve().parents[2]
SUITES = {
    "amr": amr_suite,
    "checkpoint": checkpoint_suite,
    "io": io_suite,
    "predict": predict_suite,
    "runtime": runtime_suite,
}
CALM_WAIT = 60  # seconds
PR_SET_PDEATHSIG = 1


def parse_arguments() -> argparse.Namespace:
    """scripts/bench explains them and refuses wrong ones, before it builds."""
    parser = argparse.ArgumentParser(prog="bench/driver", description=__doc__, allow_abbrev=False)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--programs", type=Path, default=ROOT / "build/bench/bin")
    arguments = parser.parse_args()
    if arguments.repetitions is not None and arguments.repetitions < 1:
        parser.error("--repetitions must be 1 or more")
    if arguments.json is None:
        arguments.json = ROOT / f"build/bench/{arguments.suite}.json"
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


def main() -> None:
    arguments = parse_arguments()
    end_with_caller()
    most_load = len(os.sched_getaffinity(0)) / 2
    if not arguments.quick:
        wait_for_calm(most_load)
    description = machine.describe(ROOT)
    suite = SUITES[arguments.suite]
    measured = suite.measure(arguments.programs.resolve(), arguments.repetitions, arguments.quick)
    sizes = ", small sizes" if arguments.quick else ""
    load = description["load_average"][0]
    print(
        f"{description['processor']}, {measured.workers} workers,"
        f" {description['compilers']['g++']}\n"
        f"commit {description['commit']}, load average {load:.2f} at the start,"
        f" {measured.extent}{sizes}: median (least..most)"
    )
    if load > most_load:
        print(
            f"warning: the load average is above {most_load:g}, half the cores:"
            " the figures are not reliable"
        )
    print("\n".join(measured.lines))
    path = arguments.json
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"machine": description, "quick": arguments.quick, "workers": measured.workers}
    path.write_text(json.dumps(head | measured.figures, indent=1))
    print(f"\nfigures: {path}")
    if measured.failures:
        sys.exit("\n".join(f"error: {failure}" for failure in measured.failures))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
