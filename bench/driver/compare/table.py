"""The comparison as text and as figures."""

from dataclasses import asdict
from statistics import median

from kumiko.measurement import Missing, Spread
from kumiko.table import NOTHING, significant
from suite import table

from .interval import Interval
from .session import AGAIN, BASE, HEAD, Row

LEGEND = """
time ratio: HEAD's time over BASE's for the same work, below 1 HEAD is faster; the median of the
pairs' ratios, and the interval that holds the median with at least 95 %. A/A: the same of BASE over
BASE itself, from the same turns. instructions: HEAD's over BASE's, counted only where the times do
not decide."""
COLUMNS = ("metric", "unit", "BASE", "HEAD", ("time ratio", ".3f"), ("A/A", ".3f"), ("instructions", ".4f"), "verdict")


def four_digits(value: float) -> str:
    return significant(value, 4)


def cells(row: Row) -> list:
    if row.verdict is None:
        return [Missing(f"not compared: {row.failure}")] * (len(COLUMNS) - 1)
    ratios = [Spread(found.low, found.middle, found.high) for found in (row.ratio(), row.base_again())]
    counted = row.instructions()
    by = " (instructions)" if row.verdict.reason == "instructions" else ""
    values = (median(row.values(side)) for side in (BASE, HEAD))
    return [row.metric.unit, *values, *ratios, NOTHING if counted is None else counted, row.verdict.word + by]


def notes(row: Row) -> list[str]:
    found = []
    if row.verdict is not None and row.verdict.reason not in ("time", "instructions"):
        found.append(f"{row.metric.title}: {row.verdict.reason}")
    if not row.same_work():
        found.append(f"{row.metric.title}: the results of the two differ, so they may not do the same work")
    return found


def text(rows: list[Row], limit: float, pairs: int) -> str:
    columns = [(column, four_digits) if column in (BASE.upper(), HEAD.upper()) else column for column in COLUMNS]
    lines = [(row.metric.title, *cells(row)) for row in rows]
    shown = table(f"{pairs} pairs, limit {100 * limit:g} %", columns, lines).text()
    return "\n".join([shown, *(note for row in rows for note in notes(row)), LEGEND])


def interval_figures(interval: Interval) -> dict:
    figures = asdict(interval)
    return {"median": figures.pop("middle"), **figures}


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
