"""The median of ratios with its interval, and what may be said from it."""

from dataclasses import dataclass
from math import comb
from statistics import median

CONFIDENCE = 0.95
LEAST_PAIRS = 6  # with fewer not even the least and the most hold the median with that confidence

SAME, FASTER, SLOWER = "same", "faster", "slower"
NOT_SLOWER, CANNOT_TELL = "not slower", "cannot tell"


@dataclass(frozen=True)
class Interval:
    """Of the median of some ratios."""

    middle: float
    low: float
    high: float
    coverage: float  # the probability that it holds the median, at least CONFIDENCE


def rank_and_coverage(count: int, confidence: float = CONFIDENCE) -> tuple[int, float]:
    """The largest rank k, from 1 on, for which the k-th least and the k-th most of `count` independent values hold
    their distribution's median with at least this probability, whatever the distribution: of n coin tosses, fewer
    than k, or more than n - k, show heads with the remaining one. k is 0 where there are too few values.
    """
    rank, coverage, outside = 0, 0.0, 0.0
    for k in range(1, (count + 1) // 2 + 1):
        outside += 2 * comb(count, k - 1) / 2**count
        if 1 - outside < confidence:
            break
        rank, coverage = k, 1 - outside
    return rank, coverage


def interval_of(ratios: list[float]) -> Interval:
    rank, coverage = rank_and_coverage(len(ratios))
    if rank == 0:
        raise ValueError(f"{len(ratios)} ratios are too few for an interval: at least {LEAST_PAIRS} are needed")
    ordered = sorted(ratios)
    return Interval(median(ordered), ordered[rank - 1], ordered[-rank], coverage)


@dataclass(frozen=True)
class Verdict:
    word: str
    reason: str  # "time", "instructions", or why it cannot be told


def by_times(ratio: Interval, base_again: Interval, limit: float) -> str | None:
    """From the intervals of HEAD's time over BASE's and of BASE's over its own; None where that does not decide."""
    if ratio.low > max(1 + limit, base_again.high):
        return SLOWER
    if ratio.low >= 1 - limit and ratio.high <= 1 + limit:
        return SAME
    if ratio.high < min(1, base_again.low):
        return FASTER
    return None


def by_instructions(instructions: float, times: float, limit: float) -> str | None:
    """From ratios of counts and of times. None where the times' median is beyond the limit on the other side: code
    without vectors, e.g., executes more instructions in less time."""
    if instructions > 1 + limit:
        return SLOWER if times >= 1 - limit else None
    if instructions < 1 - limit:
        return FASTER if times <= 1 + limit else None
    return SAME


def judge(ratio: Interval, base_again: Interval, instructions: float | None, limit: float) -> Verdict:
    """bench/README.md states this rule. The limit is a share, e.g. 0.03."""
    word = by_times(ratio, base_again, limit)
    if word is not None:
        return Verdict(word, "time")
    if instructions is not None:
        word = by_instructions(instructions, ratio.middle, limit)
        if word is not None:
            return Verdict(word, "instructions")
        return Verdict(CANNOT_TELL, f"instructions, {instructions:.3f} of BASE's, and times contradict each other")
    if ratio.high <= 1 + limit:
        return Verdict(NOT_SLOWER, "time")
    width = 100 * (ratio.high - ratio.low)
    return Verdict(CANNOT_TELL, f"the interval is {width:.1f} % wide")
