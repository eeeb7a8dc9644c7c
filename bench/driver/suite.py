"""A suite of benchmarks, which its module in `suites` declares, and the rounds that measure it.

A module defines a class `Declared(Suite)`. comparisons() lists the cases, measure() runs one, tables() and budgets()
say what follows from the results; text, JSON and the check follow from these.
"""

import importlib
import math
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import machine
from kumiko.measurement import Budget, Missing, Spread, extreme
from kumiko.program import Failed, counted
from kumiko.study import Progress
from kumiko.table import Column, Format, Table, significant
from programs import Expected, Programs
from results import Figure, Key, Outcome, Results, title_of

# A file whose name has an underscore belongs to the suite that its name begins with.
SUITES = tuple(sorted(f.stem for f in (Path(__file__).parent / "suites").glob("*.py") if "_" not in f.stem))


AT_ONCE, AT_END = "at once", "at the end"


class Suite:
    """The base of a declaration: a suite says what differs from this."""

    about = ""  # a line of the help
    program = ""  # that a build with this suite has
    parts: tuple[str, ...] = ()  # that --only can choose
    fields: tuple[str, ...] = ("case",)  # the names of a case's parts
    figure: Figure = "wall_s"  # of a report
    repetitions = 5  # rounds
    case_seconds = math.inf  # after which a case is not repeated again
    all_seconds = math.inf  # after which no further round begins, unless the number of rounds is told
    drop_disturbed = False  # runs, where a case has others
    again = ""  # when disturbed runs are repeated, except with small sizes: AT_ONCE or AT_END, if time is left
    may_fail = False  # whether a program that fails leaves the measurement valid
    budgets_title = "budgets (medians)"

    def __init__(self, programs: Programs, quick: bool, parts: Iterable[str] = ()):
        self.programs = programs
        self.quick = quick
        self.chosen = tuple(parts) or self.parts
        self.cores = len(os.sched_getaffinity(0))
        self.workers = self.cores
        self.counts = sorted({1, self.workers})

    def comparisons(self) -> list[list[Key]]:
        """Lists of cases; a list has those that are compared with each other."""
        raise NotImplementedError

    def is_single(self, key: Key) -> bool:
        """Whether a case is measured in the first round alone."""
        return False

    def measure(self, key: Key, turn: int) -> dict:
        """Runs the programs of a case in a round. Returns what they report. Raises Failed."""
        raise NotImplementedError

    def tables(self, r: Results) -> Iterator[Table | str]:
        """Yields the tables, and legends as strings."""
        raise NotImplementedError

    def budgets(self, r: Results) -> Iterator[Budget]:
        yield from ()

    def failures(self, r: Results) -> list[str]:
        """Reasons why the measurement is void, apart from programs that fail."""
        return []

    def figures(self, r: Results) -> dict:
        """Entries of the JSON in addition to the tables, the budgets and the runs."""
        return {}


def load(name: str) -> type[Suite]:
    return importlib.import_module(f"suites.{name}").Declared


@dataclass(frozen=True)
class Row:
    title: str
    cells: tuple


def table(title: str, columns: Iterable[str | tuple[str, Format]], rows: Iterable[tuple]) -> Table:
    """Rows are their titles and their values. Columns begin with that of the titles; each is its heading, perhaps with
    the format of its numbers, which have three significant digits otherwise."""
    named, *others = [(column, significant) if isinstance(column, str) else column for column in columns]
    declared = [Column(lambda row: row.title, named[0], named[0], is_key=True)]
    for at, (heading, form) in enumerate(others):
        earlier = sum(other == heading for other, _ in others[:at])  # names are unique, headings need not be
        name = f"{heading} {earlier + 1}" if earlier else heading
        declared.append(Column(lambda row, at=at: row.cells[at], name, heading, form))
    return Table(declared, [Row(first, tuple(cells)) for first, *cells in rows], title)


def whole(value: float) -> str:
    """A count."""
    return f"{value:.0f}"


def order(comparisons: list[list[Key]], turn: int) -> list[Key]:
    """The cases in the order of a round: each comparison begins with another case in each round, and every second
    round goes backwards, so that no case always follows the same one."""
    result: list[Key] = []
    for index, cases in enumerate(comparisons):
        first = (index + turn) % len(cases)
        result += cases[first:] + cases[:first]
    return result if turn % 2 == 0 else result[::-1]


def outcome_of(suite: Suite, key: Key, turn: int) -> Outcome:
    begin, busy, own = time.monotonic(), machine.busy_seconds(), machine.children_seconds()
    report, error, expected = None, "", False
    try:
        report = suite.measure(key, turn)
    except Failed as failure:
        error, expected = str(failure), isinstance(failure, Expected) and failure.is_expected
    wall = time.monotonic() - begin
    others = (machine.busy_seconds() - busy - (machine.children_seconds() - own)) / wall / os.cpu_count()
    return Outcome(turn, report, error, expected, wall, others)


def is_done(suite: Suite, key: Key, runs: dict[Key, list[Outcome]], turn: int) -> bool:
    """A case that failed, or was stopped, would do so again, perhaps after minutes."""
    if key not in runs:
        return turn > 0 and suite.is_single(key)
    last = runs[key][-1].report
    spent = sum(run.wall_s for run in runs[key])
    return suite.is_single(key) or last is None or last.get("stopped", False) or spent >= suite.case_seconds


def cases_of(suite: Suite, text: str = "") -> list[list[Key]]:
    """The comparisons, with those cases alone whose title contains a text. Raises Failed."""
    for key in (key for cases in suite.comparisons() for key in cases):
        if not isinstance(key, tuple) or len(key) != len(suite.fields):
            raise Failed(f"the case {key!r} is not a tuple with a part for each of the fields, {suite.fields!r}")
    named = ([key for key in cases if text in title_of(key)] for cases in suite.comparisons())
    return [cases for cases in named if cases]


def measure(suite: Suite, repetitions: int | None, text: str = "") -> Results:
    """All cases whose title contains the text once, then all again, so that a disturbance hits all alike."""
    comparisons = cases_of(suite, text)
    results = Results(suite.figure, suite.drop_disturbed, [key for cases in suite.comparisons() for key in cases])
    progress = Progress(quiet=False)
    again = "" if suite.quick else suite.again
    end = time.monotonic() + suite.all_seconds

    def run(key: Key, turn: int) -> Outcome:
        progress.show(f"round {turn + 1}: {title_of(key)}")
        outcome = outcome_of(suite, key, turn)
        results.runs.setdefault(key, []).append(outcome)
        return outcome

    for turn in range(repetitions or (1 if suite.quick else suite.repetitions)):
        to_come = [key for key in order(comparisons, turn) if not is_done(suite, key, results.runs, turn)]
        seconds = sum(results.runs[key][-1].wall_s for key in to_come if key in results.runs)
        if not repetitions and turn > 0 and time.monotonic() + seconds > end:
            break
        for key in to_come:
            if run(key, turn).disturbed and again == AT_ONCE:
                run(key, turn)
    for key, runs in results.runs.items() if again == AT_END else ():
        if all(outcome.disturbed for outcome in runs) and time.monotonic() < end:
            run(key, results.rounds())
    progress.show("")
    return results


__all__ = [
    "AT_END", "AT_ONCE", "Budget", "Missing", "Spread", "Suite", "cases_of", "counted", "extreme", "load", "measure",
    "order", "table", "whole",
]
