"""Figures of what `kumiko simulate` predicts, from its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from .figure import Axes, Chart, Line, Reference, draw
from .program import Record, counted
from .study import draw_all


def _line(name: str, records: list[Record], x: str, value: Callable[[Record], float]) -> Line:
    line = Line(name)
    for record in records:
        line.add(float(record[x]), value(record))
    return line


def _axes(what: str, title: str, lines: list[Line], references: tuple[Reference, ...] = ()) -> Chart:
    return Chart(Axes(what, is_log=True, counts=True), Axes(title, is_log=True), lines, references)


def _schedules(found: Record) -> dict[str, Callable[[Path], None]]:
    predictions = found["predictions"]
    schedules = list(dict.fromkeys(record["schedule"] for record in predictions))

    def lines(value: Callable[[Record], float]) -> list[Line]:
        def of(schedule: str) -> list[Record]:
            return [record for record in predictions if record["schedule"] == schedule]

        return [_line(schedule, of(schedule), "workers", value) for schedule in schedules]

    # The bound and the ideal are the same for all schedules.
    one = [record for record in predictions if record["schedule"] == schedules[0]]
    bound = _line("bound: max(T1/P, Tinf)", one, "workers", lambda p: found["static_one_worker_s"] / p["bound_s"])
    ideal = _line("ideal: P", one, "workers", lambda p: float(p["workers"]))
    bound.has_markers = ideal.has_markers = False
    run = found["recorded"]
    caption = (
        f"Predicted from a trace: backend {run['backend']}, schedule {run['schedule']}, "
        f"{counted(run['workers'], 'worker')}, {counted(run['base_steps'], 'base step')}"
    )

    def speed_up(p: Record) -> float:
        return float(p["speed_up_over_static"])

    title = "speed-up over static on one worker"
    gain = [_axes("workers", title, [*lines(speed_up), bound, ideal])]
    charts = [
        _axes("workers", "imbalance: largest over mean work (1 is perfect)", lines(lambda p: float(p["imbalance"]))),
        _axes("workers", "speed-up per worker (1 is perfect)", lines(lambda p: speed_up(p) / p["workers"])),
    ]
    return {
        "speed_up.svg": lambda file: draw(gain, file, f"Predicted speed-up: case {found['case']}", caption),
        "efficiency.svg": lambda file: draw(charts, file, f"Predicted efficiency: case {found['case']}", caption),
    }


def _ranks(found: Record) -> dict[str, Callable[[Path], None]]:
    def line(column: str) -> list[Line]:
        return [_line(found["partition"], found["predictions"], "ranks", lambda p: float(p[column]))]

    charts = [
        _axes("ranks", "speed-up per rank (1 is perfect)", line("efficiency")),
        _axes("ranks", "seconds", line("seconds")),
    ]
    caption = f"{counted(found['workers'], 'worker')} each, network {found['network']['name']}"
    return {"ranks.svg": lambda file: draw(charts, file, f"Predicted for ranks: case {found['case']}", caption)}


def draw_predictions(file: str) -> None:
    """Draws speed_up.svg and efficiency.svg next to simulate.json, or ranks.svg next to ranks.json. Prints a note
    instead where there is no matplotlib."""
    path = Path(file)
    found = json.loads(path.read_text(encoding="utf-8"))
    figures = _ranks(found) if path.stem == "ranks" else _schedules(found)
    draw_all({path.parent / name: draw_it for name, draw_it in figures.items()})
