"""Results of runs that are stored here, with the tables that an earlier version of Kumiko made of them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kumiko.comparison import ComparedRun, Comparison
from kumiko.contender import Contender
from kumiko.scaling import Scaling, ScalingPoint
from kumiko.table import Column, Table

FOLDER = Path(__file__).parent / "stored"


def only(table: Table, shown: Callable[[Column], str], names: list[str]) -> Table:
    """The columns that an earlier version had, by their names or headings: stored summaries lack what others show."""
    return replace(table, columns=[column for column in table.columns if shown(column) in names])


def stored_comparison(name: str, levels: int) -> Comparison:
    """The runs had step.time_interpolation = "auto": each solver's own is the file's."""
    record = json.loads((FOLDER / f"{name}_compare.json").read_text())
    contenders = {}
    for solver in record["solvers"]:
        run = {"cfl": 0.0, "time_interpolation": solver["time_interpolation"]}
        description = {"solver": solver, "run": run, "case": {"published_values": record["published"]}}
        contenders[solver["label"]] = Contender(
            "--solvers", solver["label"], solver["solver"], tuple(solver["keys"]), description, 0.0,
            solver["time_interpolation"],
        )  # fmt: skip
    comparison = Comparison(
        record["case"], record["norm"], levels, record["repetitions"], list(contenders.values()), complete=True
    )
    for run in record["runs"]:
        comparison.runs.append(
            ComparedRun(
                contenders[run["solver"]],
                run["points"],
                run["points_y"],
                run["finest_points"],
                run["finest_points"],
                run["steps_in_proportion"],
                run["steps"],
                run["wall_s"]["all"],
                run["summary"],
            )
        )
    return comparison


def stored_scaling() -> Scaling:
    record = json.loads((FOLDER / "scaling.json").read_text())
    points = [
        ScalingPoint(
            run["backend"], 0, run["workers"], run["wall_s"]["all"], list(run["imbalance"].values()), run["summary"]
        )
        for run in record["runs"]
    ]
    return Scaling(record["case"], record["solver"], record["cores"], record["repetitions"], points)
