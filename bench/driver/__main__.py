"""Compares Kumiko with its peers and with its budgets, prints the tables and writes the figures as JSON. Wants a
machine that is otherwise idle."""

import argparse
import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import machine  # noqa: E402
from compare import compare  # noqa: E402
from kumiko.program import Failed  # noqa: E402
from programs import Programs  # noqa: E402
from report import Report  # noqa: E402
from results import title_of  # noqa: E402
from suite import SUITES, cases_of, counted, load, measure  # noqa: E402

ALL, COMPARE = "all", "compare"
CALM_WAIT = 60  # seconds
PR_SET_PDEATHSIG = 1


def parse_arguments(words: list[str]) -> argparse.Namespace:
    lines = [f"  {name:<11} {load(name).about}" for name in SUITES]
    lines += [f"  {ALL:<11} the {len(SUITES)}, one after the other"]
    lines += [f"  {COMPARE:<11} whether commit HEAD is slower than commit BASE: scripts/bench compare --help"]
    parts = [f"{name}: {', '.join(load(name).parts)}" for name in SUITES if load(name).parts]
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="\n".join([__doc__, "suites:", *lines]), allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter, epilog="KUMIKO_JOBS sets how many jobs build at once.",
    )
    parser.add_argument("suite", metavar="SUITE", choices=(*SUITES, ALL), help="a suite, or all of them")
    parser.add_argument("--quick", action="store_true",
                        help="small sizes, once unless told: shows that everything works, not how fast it is")
    parser.add_argument("--check", action="store_true",
                        help="fails where a value of a table or of a budget is missing or not finite")
    parser.add_argument("--repetitions", type=int, metavar="N",
                        help="how many rounds; each suite has a number of its own")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="where the figures go, build/bench/SUITE.json unless told")
    parser.add_argument("--only", action="append", metavar="PART",
                        help=f"these parts of a suite; may be given several times ({'; '.join(parts)})")
    parser.add_argument("--case", default="", metavar="TEXT", help="the cases alone whose name contains TEXT")
    parser.add_argument("--programs", type=Path, metavar="FOLDER",
                        help="measures the programs there; nothing is installed or built then")
    # For scripts/bench: prints the target to build, nothing with --programs, and measures nothing.
    parser.add_argument("--target", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    refuse_wrong(parser, arguments)
    return arguments


def refuse_wrong(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    if arguments.repetitions is not None and arguments.repetitions < 1:
        parser.error(f"--repetitions is {arguments.repetitions}; it must be 1 or more")
    file = arguments.json
    if file is not None and arguments.suite == ALL:
        parser.error(f"--json names one file, and '{ALL}' writes one for each suite")
    if file is not None and (file.is_dir() or not os.access(file.absolute().parent, os.W_OK)):
        parser.error(f"--json is '{file}'; no file can be written there")
    parts = () if arguments.suite == ALL else load(arguments.suite).parts
    for part in arguments.only or ():
        if part not in parts:
            parser.error(f"--only is '{part}'; {arguments.suite} has {', '.join(parts) or 'no parts'}")
    if (arguments.only or arguments.case) and arguments.check:
        parser.error("--check wants all cases; leave out --only and --case")
    if arguments.case and arguments.suite == ALL:
        parser.error(f"--case is of one suite, not of '{ALL}'")
    for name in SUITES if arguments.suite == ALL else [arguments.suite]:
        program = load(name).program
        if arguments.programs is not None and not (arguments.programs / program).exists():
            parser.error(f"--programs is '{arguments.programs}'; no {program} is there")


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


def print_head(description: dict, workers: int, extent: str) -> None:
    most_load = len(os.sched_getaffinity(0)) / 2
    load_average = description["load_average"][0]
    print(
        f"{description['processor']}, {counted(workers, 'worker')}, {description['compilers']['g++']}\n"
        f"beside {machine.peers(description)}\n"
        f"commit {description['commit']}, load average {load_average:.2f} at the start,"
        f" {extent}: median (least..most)"
    )
    if load_average > most_load:
        print(f"warning: the load average is above {most_load:g}, half the cores: the figures are not reliable")


def run_suite(name: str, arguments: argparse.Namespace) -> list[str]:
    """Measures, prints, writes. Returns what is wrong."""
    if not arguments.quick:
        wait_for_calm(len(os.sched_getaffinity(0)) / 2)
    description = machine.describe(ROOT)
    programs = Programs((arguments.programs or ROOT / "build/bench/bin").resolve())
    begin = time.monotonic()
    try:
        suite = load(name)(programs, arguments.quick, arguments.only or ())
        chosen = cases_of(suite, arguments.case)
    except Failed as error:
        return [f"{name} could not be measured: {error}"]
    if not chosen:
        titles = sorted(title_of(key) for cases in suite.comparisons() for key in cases)
        return [f"--case is '{arguments.case}', which no name contains; {name} has the cases {'; '.join(titles)}"]
    results = measure(suite, arguments.repetitions, arguments.case)
    report = Report(suite, results)
    extent = f"{counted(results.rounds(), 'round')} in {time.monotonic() - begin:.0f} s"
    print_head(description, suite.workers, extent + (", small sizes" if arguments.quick else ""))
    print(f"\n{report.text()}")
    path = arguments.json or ROOT / f"build/bench/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"machine": description, "quick": arguments.quick, "workers": suite.workers}
    path.write_text(json.dumps(head | report.as_json(), indent=1))
    print(f"figures: {path}")
    faults = report.failures()
    if arguments.check:
        faults += report.faults()
        for skip in report.skipped():
            print(f"skipped: {skip}")
        if not faults:
            print(f"the tables of {name} have all that they should have")
    return [f"{name}: {fault}" for fault in faults]


def main() -> None:
    words = sys.argv[1:]
    end_with_caller()
    if words[:1] == [COMPARE]:
        sys.exit(compare(ROOT, words[1:]))
    arguments = parse_arguments(words)
    if arguments.target:
        print("" if arguments.programs else f"bench_{arguments.suite}")
        return
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
