"""Medians, ratios and goals of what was measured."""

from statistics import median

from measured import Budget, Spread

from .measure import Outcome
from .plan import ALL, OURS, SERVERS, THREADS, Case, Marks

Key = tuple[str, str, int | None]  # figure, system, connections where they vary


def key_of(case: Case) -> Key:
    point = case.point
    return point.figure, case.system, point.connections if point.benchmark == "pingpong" else None


class Summary:
    def __init__(self, outcomes: dict[Case, list[Outcome]]):
        self.outcomes = {key_of(case): runs for case, runs in outcomes.items()}

    def good(self, key: Key) -> list[Outcome]:
        """Those with figures, without the disturbed ones unless there are no others."""
        runs = [run for run in self.outcomes.get(key, []) if run.figures is not None]
        return [run for run in runs if not run.disturbed] or runs

    def disturbed(self) -> tuple[int, int]:
        """How many runs were, and of how many."""
        runs = [run for runs in self.outcomes.values() for run in runs]
        return sum(run.disturbed for run in runs), len(runs)

    def connections(self, figure: str) -> list[int]:
        return sorted({key[2] for key in self.outcomes if key[0] == figure})

    def spread(
        self, name: str, figure: str, system: str, connections: int | None = None
    ) -> Spread | None:
        """Of one of the figures that an outcome has."""
        runs = self.good((figure, system, connections))
        values = [run.figures[name] for run in runs if name in run.figures]
        return Spread.of(values) if values else None

    def middle(self, name: str, *key) -> float | None:
        spread = self.spread(name, *key)
        return spread.middle if spread is not None else None

    def ratio(self, name: str, above: Key, below: Key) -> float | None:
        """The median of the rounds' ratios, for what is measured in one round shares disturbances;
        the ratio of the medians where the two have no good round in common."""
        over, under = (
            {run.turn: run.figures[name] for run in self.good(key)} for key in (above, below)
        )
        if not over or not under:
            return None
        both = over.keys() & under.keys()
        if not both:
            return median(over.values()) / median(under.values())
        return median(over[turn] / under[turn] for turn in both)

    def speed(self, ours: str, peer: str, figure: str, connections: int) -> float | None:
        """Kumiko's transactions per second over the peer's."""
        return self.ratio("per_second", (figure, ours, connections), (figure, peer, connections))

    def errors(self) -> dict[Key, str]:
        """The latest of each, where there was one."""
        return {
            key: [run.error for run in runs if run.error][-1]
            for key, runs in self.outcomes.items()
            if any(run.error for run in runs)
        }


def goals(summary: Summary, marks: Marks) -> list[Budget]:
    """Go stands beside Kumiko in the tables, but its speed changes with its version: no goal depends on it."""
    result = []
    for ours in OURS:
        title = SERVERS[ours].title
        over_threads = summary.speed(ours, THREADS, ALL, marks.goal)
        growth = summary.ratio("per_second", (ALL, ours, marks.large), (ALL, ours, marks.small))
        p99 = summary.middle("p99_us", "load", ours)
        kept = summary.middle("kept_per_cpu_second", "load", ours)
        result += [
            Budget(f"{title}: over OS threads at {marks.goal}", 1.6, False, over_threads),
            Budget(f"{title}: {marks.large} over {marks.small}", 0.85, False, growth),
            Budget(f"{title}: p99 under load, us", 1000, True, p99),
            Budget(f"{title}: patches kept per CPU", 0.95, False, kept),
        ]
    return result
