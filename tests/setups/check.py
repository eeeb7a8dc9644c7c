"""Runs the project's set-ups: against their stored hashes, or by two programs against each other."""

import argparse
import csv
import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setups import COUNT, RunFailed, all_set_ups, hash_of

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests/setups/hashes.csv"
CASES = ROOT / "cases"


def stored():
    with STORED.open(newline="") as file:
        return {int(row["set-up"]): row["state_hash"] for row in csv.DictReader(file)}


def store(hashes):
    with STORED.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["set-up", "state_hash"])
        rows.writerows(sorted(hashes.items()))


def results(set_ups, programs, plugin, launcher):
    """What each program makes of each set-up: hashes, or what it says where it fails."""

    def of(work):
        setup, program = work
        try:
            return hash_of(setup, program, plugin, CASES, launcher)
        except RunFailed as failed:
            return f"failed: {failed}"

    work = [(setup, program) for setup in set_ups for program in programs]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = list(pool.map(of, work))
    return [tuple(made[at : at + len(programs)]) for at in range(0, len(made), len(programs))]


def told(setup, what):
    """One line that lets a reader run the set-up."""
    words = " ".join(str(word) for word in setup.words(setup.stop))
    more = f", gone on with at step {setup.restart}" if setup.restart else ""
    print(f"set-up {setup.name}: {what}\n    {words}{more}", flush=True)


def check(form, arguments):
    """Of set-ups in plain arithmetic."""
    plain = [setup for setup in all_set_ups() if setup.is_plain][: arguments.some]
    found = [made for (made,) in results(plain, [arguments.kumiko], arguments.plugin, arguments.launcher)]
    failed = [(setup, made) for setup, made in zip(plain, found) if made.startswith("failed")]
    for setup, made in failed:
        told(setup, made)
    if arguments.write:
        if arguments.some is not None or failed:
            form.error("--write stores all hashes, of runs that all end")
        store({setup.number: made for setup, made in zip(plain, found)})
        print(f"{len(plain)} hashes are in {STORED}")
        return 0
    known = stored()
    other = [(setup, made) for setup, made in zip(plain, found) if made != known.get(setup.number)]
    for setup, made in other:
        if (setup, made) not in failed:
            told(setup, f"{made}, stored is {known.get(setup.number)}")
    print(f"{len(plain) - len(other)} of {len(plain)} set-ups have their stored hash")
    return 1 if other else 0


def compare(form, arguments):
    """Of all set-ups; every one of them runs, by both programs."""
    every = all_set_ups()[: arguments.some]
    programs = [program_of(arguments.base), arguments.kumiko]
    made = results(every, programs, arguments.plugin, arguments.launcher)
    other = [(setup, base, head) for setup, (base, head) in zip(every, made)
             if base != head or head.startswith("failed")]  # fmt: skip
    for setup, base, head in other:
        told(setup, f"{base} became {head}" if base != head else f"both programs {head}")
    print(f"{len(every) - len(other)} of {len(every)} set-ups have the same bits")
    return 1 if other else 0


def program_of(commit):
    """That of a commit, which is built beside those of scripts/bench compare."""
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench/driver")]
    from compare import builds

    if commit == "stored":
        commit = builds.git(ROOT, "log", "-1", "--format=%H", "--", str(STORED))
    return builds.build(ROOT, builds.commit_of(ROOT, commit), ["all"]).programs / "kumiko"


def main():
    form = argparse.ArgumentParser(description=__doc__)
    form.add_argument("kumiko", help="the program")
    form.add_argument("plugin", help="the folder of patterns.so")
    form.add_argument("--base", metavar="COMMIT",
                      help="compare with the program of this commit, 'stored' for the one that stored the hashes last")
    form.add_argument("--some", type=int, metavar="N", help=f"the first N of those there are (of {COUNT})")
    form.add_argument("--write", action="store_true", help="store the hashes")
    form.add_argument("--launcher", type=shlex.split, default=[], help="what starts ranks; their number is added")
    arguments = form.parse_args()
    return (compare if arguments.base else check)(form, arguments)


if __name__ == "__main__":
    sys.exit(main())
