"""Ranks: functions, posts and memory of another process, beside MPI alone and UCX; two ranks of one worker each."""

import time
from collections.abc import Callable
from pathlib import Path

from measured import Measured, budget_figures, unjudged
from text import Progress

from .launch import UCX_KEY, Bench
from .plan import FAMILIES, Family, Part, parts
from .summary import Summary, budgets, wrong_directions
from .table import table_lines

REPETITIONS = 5
TIME_LIMIT = 240  # seconds, after which no further round begins


class Rounds:
    """What has been measured so far."""

    def __init__(self, bench: Bench, planned: list[Part], absent: dict[str, str]):
        families = [family for family in FAMILIES if family.name not in absent]
        self.bench = bench
        self.launches = [(family, part) for family in families for part in planned]
        self.has_ucx = UCX_KEY not in absent
        self.summary = Summary({family.name: {} for family in families}, [], planned)
        self.turns = 0
        self.progress = Progress()

    def run(self) -> None:
        """Every second round goes backwards."""
        repeated = [launch for launch in self.launches if not launch[1].once]
        for family, part in repeated if self.turns % 2 == 0 else repeated[::-1]:
            self.launch(family, part)
        if self.has_ucx:
            self.summary.ucx.append(self.try_to(lambda: run_ucx(self.bench, self.summary.parts)))
        self.turns += 1

    def run_once(self) -> None:
        """What is not repeated."""
        for family, part in self.launches:
            if part.once:
                self.launch(family, part)
        self.progress.show("")

    def launch(self, family: Family, part: Part) -> None:
        reports = self.summary.runs[family.name].setdefault((part.name, part.system), [])
        if reports and reports[-1] is None:
            return  # it would fail again, perhaps after minutes
        self.progress.show(f"round {self.turns + 1}: {family.title}, {part.name} by {part.system}")
        reports.append(self.try_to(lambda: self.bench.run(family, part)))

    def try_to(self, measure_part: Callable[[], dict]) -> dict | None:
        try:
            return measure_part()
        except RuntimeError as error:
            self.summary.failures.append(str(error))
            return None


def run_ucx(bench: Bench, planned: list[Part]) -> dict:
    """As many messages as MPI's ping-pong has."""
    latency = next(part for part in planned if part.name == "latency")
    return bench.run_ucx(tuple(word for word in latency.words if not word.startswith(("part=", "idle="))))


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    begin = time.monotonic()
    bench = Bench(programs)
    absent = bench.absent()
    rounds = Rounds(bench, parts(quick), absent)
    most = repetitions or (1 if quick else REPETITIONS)
    while rounds.turns < most and (repetitions or time.monotonic() - begin < TIME_LIMIT):
        rounds.run()
    rounds.run_once()
    summary = rounds.summary
    judged = budgets(summary)
    if quick:
        judged = unjudged(judged)
    figures = {
        "budgets": budget_figures(judged),
        "absent": absent,
        "ucx": summary.ucx,
        "runs": [
            {"family": family, "part": part, "system": system} | report
            for family, runs in summary.runs.items()
            for (part, system), reports in runs.items()
            for report in reports
            if report
        ],
    }
    failures = summary.failures + wrong_directions(summary)
    extent = f"{rounds.turns} round{'s' if rounds.turns > 1 else ''} in {time.monotonic() - begin:.0f} s"
    return Measured(1, extent, table_lines(summary, absent, judged), figures, failures)
