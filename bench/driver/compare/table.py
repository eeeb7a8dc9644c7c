"""The comparison as text and as figures."""

from statistics import median

from text import number

from .interval import Interval
from .session import AGAIN, BASE, HEAD, Row

LEGEND = """
time ratio: HEAD's time over BASE's for the same work, below 1 HEAD is faster; the median of the pairs' ratios, and
the interval that holds the median with at least 95 %. A/A: the same of BASE over BASE itself, from the same turns.
instructions: HEAD's over BASE's, counted only where the times do not decide."""


def interval_text(interval: Interval) -> str:
    return f"{interval.middle:.3f} ({interval.low:.3f}..{interval.high:.3f})"


def row_lines(row: Row) -> list[str]:
    metric = row.metric
    title = f"{metric.title:<34} {metric.unit:<22}"
    if row.verdict is None:
        return [f"{title} not compared: {row.failure}"]
    base, head = (number(median(row.values(side)), 4) for side in (BASE, HEAD))
    counted = row.instructions()
    cells = f"{base:>10} {head:>10} {interval_text(row.ratio()):>22} {interval_text(row.base_again()):>22}"
    cells += f" {'-' if counted is None else f'{counted:.4f}':>12}  {row.verdict.word}"
    lines = [f"{title}{cells}"]
    if row.verdict.reason == "instructions":
        lines[0] += " (instructions)"
    elif row.verdict.reason != "time":
        lines.append(f"{'':<34} {row.verdict.reason}")
    if not row.same_work():
        lines.append(f"{'':<34} note: the results of the two differ, so they may not do the same work")
    return lines


def table_lines(rows: list[Row], limit: float, pairs: int) -> list[str]:
    head = f"{'':<34} {'unit':<22}{'BASE':>10} {'HEAD':>10} {'time ratio':>22} {'A/A':>22}"
    head += f" {'instructions':>12}  verdict"
    lines = ["", f"{pairs} pairs, limit {100 * limit:g} %", head]
    for row in rows:
        lines += row_lines(row)
    return [*lines, LEGEND]


def interval_figures(interval: Interval) -> dict:
    return {
        "median": interval.middle,
        "low": interval.low,
        "high": interval.high,
        "coverage": interval.coverage,
    }


def row_figures(row: Row) -> dict:
    figures: dict = {
        "suite": row.metric.suite,
        "metric": row.metric.title,
        "unit": row.metric.unit,
        "program": row.metric.program,
        "more_is_better": row.metric.rate,
        **{side: row.values(side) for side in (BASE, HEAD, AGAIN)},
    }
    if row.verdict is None:
        return figures | {"verdict": None, "reason": row.failure}
    figures |= {
        "time_ratio": interval_figures(row.ratio()),
        "base_over_base": interval_figures(row.base_again()),
        "same_work": row.same_work(),
        "verdict": row.verdict.word,
        "reason": row.verdict.reason,
    }
    if row.counts:
        figures["instructions"] = row.counts | {"counter": row.metric.counter}
    return figures
