"""Repeated measurements: rounds that alternate, spreads, ratios, budgets, and the sign of a disturbed machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, TypeVar

Point = TypeVar("Point")

# On an idle machine, runs of a second or so differ by some percent.
DISTURBED = 4.0 / 3.0


@dataclass(frozen=True)
class Missing:
    """Stands for a value that was not measured. Arithmetic with it, and each end of it, gives it back."""

    why: str
    is_expected: bool = False  # as of a program that cannot be installed here; else it is a fault

    def same(self, *_: object) -> Missing:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = same
    plus = times = under = same
    __neg__ = same
    least = median = most = property(same)

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Spread:
    """Least, median and most of the repetitions."""

    least: float
    median: float
    most: float

    @staticmethod
    def of(values: Iterable[float]) -> Spread:
        """The spread of one value or more."""
        ordered = sorted(values)
        return Spread(ordered[0], median(ordered), ordered[-1])

    def plus(self, amount: float) -> Spread:
        return Spread(self.least + amount, self.median + amount, self.most + amount)

    def times(self, factor: float) -> Spread:
        """The spread of the values times a factor above 0."""
        return Spread(self.least * factor, self.median * factor, self.most * factor)

    def under(self, amount: float) -> Spread:
        """The spread of an amount above 0 divided by each of the values."""
        return Spread(amount / self.most, amount / self.median, amount / self.least)

    @property
    def is_disturbed(self) -> bool:
        """True if the repetitions differ by more than a third: other programs may have shared the machine."""
        return self.most > DISTURBED * self.least

    def disturbed_text(self) -> str:
        """Words on wall times in seconds that are disturbed."""
        return (
            f"its runs took {self.least:.3g} to {self.most:.3g} s; other programs may have shared the machine, or the "
            "runs are too short"
        )


def ratio(over: Sequence[float], under: Sequence[float]) -> Spread | None:
    """The spread of the ratios of values that were measured in the same round; None without values."""
    if not over or not under:
        return None
    return Spread.of(one / other for one, other in zip(over, under, strict=True))


def extreme(choose: Callable[[Iterable[float]], float], values: Iterable[float | Missing]) -> float | Missing:
    """The least or the most, by min or max, of those values that are there; without any, the first that is missing."""
    listed = list(values)
    known = [value for value in listed if not isinstance(value, Missing)]
    return choose(known) if known else listed[0] if listed else Missing("not measured")


def rounds(points: Sequence[Point], repetitions: int) -> Iterator[tuple[int, Point]]:
    """All points once, then all again, so that a slow minute of the machine slows no point more than others. Every
    other round goes backwards, so that no point always follows the same one."""
    for repetition in range(repetitions):
        for point in points if repetition % 2 == 0 else reversed(points):
            yield repetition, point


@dataclass(frozen=True)
class Budget:
    """A bound that a measured value should keep."""

    title: str
    bound: float
    at_most: bool  # else: at least
    measured: float | Missing | None
    judged: bool = True  # False for small sizes, measured once: they show that there is a value

    @property
    def verdict(self) -> str:
        if self.measured is None or isinstance(self.measured, Missing):
            return "not measured"
        if not self.judged:
            return "not judged"
        met = self.measured <= self.bound if self.at_most else self.measured >= self.bound
        return "met" if met else "MISSED"

    def unjudged(self) -> Budget:
        return replace(self, judged=False)

    def as_json(self) -> dict[str, Any]:
        measured = None if isinstance(self.measured, Missing) else self.measured
        return asdict(self) | {"measured": measured, "verdict": self.verdict}


def repetitions_text(counts: Iterable[int], asked: int) -> str:
    """The number of runs of each point: "3 runs", or "1 to 3 of 500 runs" where a signal has ended the study."""
    done = [count for count in counts if count > 0]
    whole = f"{asked} run{'' if asked == 1 else 's'}"
    if not done or min(done) == asked:
        return whole
    most = f" to {max(done)}" if max(done) > min(done) else ""
    return f"{min(done)}{most} of {whole}"
