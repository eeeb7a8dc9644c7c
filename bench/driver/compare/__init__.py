"""Whether one commit is slower than another: builds both, measures them in turn, and says what may be said."""

import argparse
import json
import sys
from pathlib import Path

import machine
from programs import Programs

from .builds import Build, BuildError, build, commit_of
from .interval import LEAST_PAIRS
from .metrics import SUITES, Side, all_workers, metrics_of, targets_of
from .session import BASE, HEAD, Session, exit_status
from .table import row_figures, text

PAIRS = 18  # three times each order
LIMIT = 3.0  # per cent
WRONG_REQUEST = 2
MEANINGS = {
    0: "nothing is slower than the limit",
    1: "something is slower than the limit",
    3: "it cannot be told whether something is slower than the limit",
}


def parse_arguments(words: list[str], root: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench compare", description=__doc__, allow_abbrev=False)
    parser.add_argument("base", metavar="BASE", help="the commit to compare with")
    parser.add_argument("head", metavar="HEAD", help="the commit that may be slower")
    parser.add_argument("suite", metavar="SUITE", nargs="?", choices=tuple(SUITES),
                        help=f"{', '.join(SUITES)}; all of them unless given")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="PERCENT",
                        help="how much slower is too much, %(default)g unless given")
    parser.add_argument("--pairs", type=int, default=PAIRS, metavar="N", help="%(default)s unless given")
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that it works")
    parser.add_argument("--json", type=Path, default=root / "build/compare/compare.json", metavar="FILE",
                        help="where the figures go, %(default)s unless given")
    arguments = parser.parse_args(words)
    if arguments.pairs < LEAST_PAIRS:
        parser.error(f"--pairs is {arguments.pairs}; fewer than {LEAST_PAIRS} have no interval of 95 %")
    if not 0 < arguments.limit < 100:
        parser.error(f"--limit is {arguments.limit:g}; it must be between 0 and 100 per cent")
    return arguments


def compare(root: Path, words: list[str]) -> int:
    """The exit status of scripts/bench compare."""
    arguments = parse_arguments(words, root)
    metrics = metrics_of(arguments.suite, arguments.quick)
    (root / "build/compare").mkdir(parents=True, exist_ok=True)
    try:
        base, head = (
            build(root, commit_of(root, name), targets_of(metrics))
            for name in (arguments.base, arguments.head)
        )
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_REQUEST
    description = machine.describe(root)
    cases = base.tree / "cases"
    sides = {name: Side(Programs(side.programs, cases), all_workers()) for name, side in ((BASE, base), (HEAD, head))}
    limit = arguments.limit / 100
    rows = Session(sides, metrics, limit).run(arguments.pairs)
    print(f"{description['processor']}, {all_workers()} workers, {description['compilers']['g++']}")
    print(f"load average {description['load_average'][0]:.2f} at the start")
    for name, side in (("BASE", base), ("HEAD", head)):
        print(f"{name} {side.commit.short} {side.commit.subject}")
    print(f"\n{text(rows, limit, arguments.pairs)}")
    status = exit_status(rows)
    figures = {
        "machine": description,
        "base": commit_figures(base),
        "head": commit_figures(head),
        "limit": limit,
        "pairs": arguments.pairs,
        "quick": arguments.quick,
        "rows": [row_figures(row) for row in rows],
        "exit_status": status,
    }
    arguments.json.write_text(json.dumps(figures, indent=1))
    print(f"\n{MEANINGS[status]}\nfigures: {arguments.json}")
    return status


def commit_figures(side: Build) -> dict:
    return {"name": side.commit.name, "sha": side.commit.sha, "subject": side.commit.subject}
