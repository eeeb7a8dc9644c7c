"""Errors of runs against exact solutions, orders of convergence, and published values to compare with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# The norms of a summary's "error", with their titles.
NORMS = {
    "rms": "RMS error",
    "l1_relative": "relative L1 error",
    "l1": "L1 error (integral over the domain)",
    "linf": "largest error",
}

# Names of published values that say which runs they are of: the coarse grid, AMR, the finest level's grid; and ratios
# of two runs' wall times.
TITLES = {
    "rms.coarse": "error of the coarse grid",
    "rms.amr": "error with AMR",
    "rms.fine": "error of the finest grid everywhere",
    "wall.threads_over_pthread": "wall time: threads ÷ pthread, AMR",
    "wall.fine_over_amr": "wall time: finest grid everywhere ÷ AMR",
}


def error_of(summary: dict[str, Any], norm: str) -> float | None:
    """The error of a run; None if its case has no exact solution at its end, or for an unknown norm."""
    if norm not in NORMS:
        return None
    value = summary["error"].get(norm)
    return None if value is None else float(value)


def order(coarse_error: float | None, error: float | None, refinement: float) -> float | None:
    """The order of convergence between two grids, log(e_coarse / e) / log(h_coarse / h); None where an error is
    unknown or 0."""
    if not coarse_error or not error or coarse_error < 0.0 or error < 0.0:
        return None
    return math.log(coarse_error / error) / math.log(refinement)


@dataclass(frozen=True)
class PublishedValue:
    """A value that somebody published of a case."""

    name: str  # one of TITLES, or the scheme that it was computed with
    value: float
    norm: str = ""  # of an error; empty for other values
    points: int = 0  # of its grid, per unit of length; 0: not known
    source: str = ""

    def is_as(self, other: PublishedValue) -> bool:
        """True for the same value, whoever quotes it."""
        return (self.name, self.norm, self.points, self.value) == (other.name, other.norm, other.points, other.value)

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)


def published_values(description: dict[str, Any]) -> list[PublishedValue]:
    """The published values that a case declares, from what Kumiko.describe() returns."""
    return [
        PublishedValue(each["name"], each["value"], each["norm"], each["points"] or 0, each["source"])
        for each in description["case"]["published_values"]
    ]


def leaf_points(patches_per_level: Sequence[int]) -> int:
    """Points that no finer patch covers; a patch of 16 × 16 covers a quadrant of its parent."""
    patch = 16 * 16
    total = sum(patches_per_level)
    return total * patch - (total - patches_per_level[0]) * (patch // 4)
