"""What a suite gives back."""

from dataclasses import asdict, dataclass, field, replace
from statistics import median


@dataclass(frozen=True)
class Measured:
    workers: int
    extent: str  # e.g. "5 rounds in 200 s"
    lines: list[str]  # the tables
    figures: dict  # for the JSON file
    failures: list[str] = field(default_factory=list)  # what makes the measurement void


@dataclass(frozen=True)
class Spread:
    """Median, least and most of the repetitions."""

    middle: float
    least: float
    most: float

    @staticmethod
    def of(values: list[float]) -> "Spread":
        return Spread(median(values), min(values), max(values))

    def minus(self, amount: float) -> "Spread":
        return Spread(self.middle - amount, self.least - amount, self.most - amount)

    def times(self, factor: float) -> "Spread":
        return Spread(self.middle * factor, self.least * factor, self.most * factor)


@dataclass(frozen=True)
class Budget:
    """A bound that what was measured should keep."""

    title: str
    bound: float
    at_most: bool  # else: at least
    measured: float | None
    judged: bool = True  # small sizes, measured once, show that there is a figure, and judge nothing

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        if not self.judged:
            return "not judged"
        met = self.measured <= self.bound if self.at_most else self.measured >= self.bound
        return "met" if met else "MISSED"


def unjudged(budgets: list[Budget]) -> list[Budget]:
    return [replace(budget, judged=False) for budget in budgets]


def budget_figures(budgets: list[Budget]) -> list[dict]:
    """For the JSON file."""
    return [asdict(budget) | {"verdict": budget.verdict} for budget in budgets]
