"""A comparison's runs, and their tables, notes, JSON and figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from . import errors
from .contender import Contender
from .errors import PublishedValue
from .figure import Axes, Chart, Line, Reference, draw
from .measurement import Spread, repetitions_text
from .program import Record, counted
from .table import Column, Table


@dataclass
class ComparedRun:
    """A run of a contender at a resolution."""

    contender: Contender
    points: int  # of level 0 in x
    points_y: int
    finest_points: int  # in x, of the finest level
    points_per_length: int  # of the finest level, as PublishedValue.points counts
    steps_in_proportion: int  # base steps that keep the file's CFL number; 0: the run chooses its steps
    steps: int  # the same, or as many as the solver's CFL limit asks for
    wall_s: list[float] = field(default_factory=list)  # of each repetition
    summary: Record = field(default_factory=dict)  # of the fastest repetition
    failure: str = ""  # the reason that ended the repetitions

    @property
    def wall(self) -> Spread:
        return Spread.of(self.wall_s)

    @property
    def leaf_points(self) -> int:
        return errors.leaf_points(self.summary["patches"]["per_level"])

    @property
    def mesh(self) -> str:
        """ "64", or "64 to 256" with finer levels."""
        return str(self.points) if self.finest_points == self.points else f"{self.points} to {self.finest_points}"

    @property
    def has_finest_patches(self) -> bool:
        """True if the finest level was needed: else its spacing is nowhere."""
        return self.summary["patches"]["per_level"][-1] > 0

    @property
    def went_to_the_end(self) -> bool:
        return self.steps == 0 or self.summary["steps"] == self.steps

    def add(self, summary: Record) -> None:
        if not self.wall_s or summary["wall_s"] < min(self.wall_s):
            self.summary = summary
        self.wall_s.append(summary["wall_s"])


@dataclass
class Comparison:
    """Solvers with their runs, and the results so far."""

    case_name: str
    norm: str
    levels: int
    repetitions: int
    contenders: list[Contender]
    runs: list[ComparedRun] = field(default_factory=list)  # contender by contender, from coarse to fine
    complete: bool = False

    def measured(self) -> list[ComparedRun]:
        return [run for run in self.runs if run.wall_s]

    def error_of(self, run: ComparedRun) -> float | None:
        return errors.error_of(run.summary, self.norm)

    def order_of(self, run: ComparedRun) -> float | None:
        """The order of convergence from the contender's coarser run to this one."""
        at = self.runs.index(run)
        coarse = self.runs[at - 1] if at > 0 else None
        if coarse is None or coarse.contender is not run.contender or not coarse.wall_s or not run.wall_s:
            return None
        return errors.order(self.error_of(coarse), self.error_of(run), run.points / coarse.points)

    @property
    def is_open(self) -> bool:
        """True if mass may enter and leave."""
        return any(run.summary.get("open_domain") for run in self.runs)

    def published(self) -> list[PublishedValue]:
        """The published errors of all contenders' cases, each once."""
        all_values: list[PublishedValue] = []
        for contender in self.contenders:
            for value in errors.published_values(contender.description):
                if value.norm and not any(value.is_as(other) for other in all_values):
                    all_values.append(value)
        return all_values

    def comparable_run(self, contender: Contender, value: PublishedValue) -> ComparedRun | None:
        """The contender's run to compare with a published error: to the end, with its spacing on the finest level."""
        if not any(value.is_as(own) for own in errors.published_values(contender.description)):
            return None
        return next(
            (
                run
                for run in self.measured()
                if run.contender is contender
                and run.points_per_length == value.points
                and run.went_to_the_end
                and run.has_finest_patches
            ),
            None,
        )

    def has_comparable_run(self, value: PublishedValue) -> bool:
        return any(self.comparable_run(contender, value) for contender in self.contenders)

    def failures(self) -> list[str]:
        return [f"{run.contender.label} at {run.points} failed: {run.failure}" for run in self.runs if run.failure]


def backend_text(comparison: Comparison) -> str:
    measured = comparison.measured()
    if not measured:
        return "no run is done"
    workers = sorted({run.summary["workers"] for run in measured})
    counts = counted(workers[0], "worker") if len(workers) == 1 else f"{' or '.join(map(str, workers))} workers"
    return f"{measured[0].summary['backend']}, {counts}"


def drift_name(comparison: Comparison) -> str:
    """In an open domain mass may enter and leave without an error."""
    return "mass change" if comparison.is_open else "mass drift"


def runs_table(comparison: Comparison) -> Table[ComparedRun]:
    def norm(name: str) -> Callable[[ComparedRun], float | None]:
        return lambda run: errors.error_of(run.summary, name)

    columns: list[Column[ComparedRun]] = [
        Column(lambda run: run.contender.label, "solver", "solver", is_key=True),
        Column(lambda run: run.points, "points"),
        Column(lambda run: run.finest_points, "finest_points"),
        Column(lambda run: run.mesh, "", "N", is_key=True),
        Column(lambda run: run.contender.description["solver"]["centring"], "centring"),
        Column(lambda run: run.summary["steps"] if run.steps == 0 else run.steps, "steps"),
        Column(lambda run: f"{run.summary['steps']}{'*' * (run.steps > run.steps_in_proportion)}", "", "steps"),
        Column(lambda run: run.steps_in_proportion, "steps_in_proportion"),
        Column(lambda run: run.leaf_points, "leaf_points", "points"),
        Column(norm("rms"), "rms", "RMS", ".4e"),
        Column(norm("l1_relative"), "l1_relative", "rel. L1", ".4e"),
        Column(norm("l1"), "l1", "L1", ".4e"),
        Column(norm("linf"), "linf", "Linf", ".4e"),
        Column(comparison.order_of, "order", "order", ".2f"),
        Column(lambda run: run.summary["error"]["min"], "min", "min", "#.5g"),
        Column(lambda run: run.summary["error"]["max"], "max", "max", "#.5g"),
        Column(lambda run: run.summary["mass_drift"], "mass_drift", drift_name(comparison), ".1e"),
        Column(lambda run: run.wall.least, "wall_least_s", "least s", ".4g"),
        Column(lambda run: run.wall.median, "wall_median_s", "median s", ".4g"),
        Column(lambda run: run.wall.most, "wall_most_s"),
        Column(lambda run: len(run.wall_s), "repetitions"),
        Column(lambda run: run.summary["updates"]["total"], "updates", "updates"),
        Column(lambda run: run.summary["updates_per_core_s"] or 0.0, "updates_per_core_s", "updates/s/core", ".3g"),
    ]
    return Table(columns, comparison.measured())


def published_table(comparison: Comparison) -> Table[PublishedValue]:
    def ours(contender: Contender) -> Callable[[PublishedValue], float | None]:
        def value(published: PublishedValue) -> float | None:
            run = comparison.comparable_run(contender, published)
            return errors.error_of(run.summary, published.norm) if run else None

        return value

    columns: list[Column[PublishedValue]] = [
        Column(lambda value: value.title, "", "published", is_key=True),
        Column(lambda value: value.norm, "", "norm", is_key=True),
        Column(lambda value: value.points, "", "N", is_key=True),
        Column(lambda value: value.value, "", "value", ".4e", is_key=True),
        *(Column(ours(contender), "", contender.label, ".4e") for contender in comparison.contenders),
        Column(lambda value: value.source, "", "source of the published value"),
    ]
    return Table(columns, [value for value in comparison.published() if comparison.has_comparable_run(value)])


def unmatched_note(comparison: Comparison) -> str:
    """A note on the published errors without a run to compare with; empty if all have one."""
    left = [value for value in comparison.published() if value.points and not comparison.has_comparable_run(value)]
    if not left:
        return ""
    spacings = " or 1/".join(str(points) for points in sorted({value.points for value in left}))
    count = "1 published error is" if len(left) == 1 else f"{len(left)} published errors are"
    return (
        f"{count} not shown: to compare with, a run must last the case's whole time, and its finest level must have "
        f"the spacing 1/{spacings}"
    )


def steps_note(comparison: Comparison, contender: Contender) -> str:
    """A note on a contender's runs with more steps than by the file's CFL number; empty if there are none."""
    limit = contender.description["solver"]["cfl_limit"]
    file_cfl = contender.description["run"]["cfl"]
    if contender.cfl < file_cfl:
        return f"{contender.label}: it takes CFL numbers only up to {limit:g}; the file's is {file_cfl:g}"
    raised = [
        f"{run.steps} instead of {run.steps_in_proportion} at {run.points}"
        for run in comparison.runs
        if run.contender is contender and run.steps != run.steps_in_proportion
    ]
    if not raised:
        return ""
    return f"* {contender.label}: it takes CFL numbers only up to {limit:g}; base steps: {', '.join(raised)}"


def interpolation_note(comparison: Comparison, contender: Contender) -> str:
    """A note on a contender's interpolation in time, if contenders differ in it, or it is not the file's."""
    of_file = contender.description["run"]["time_interpolation"]
    text = f"{contender.label}: step.time_interpolation is {contender.interpolation}"
    if contender.interpolation != of_file:
        return f"{text}; the file's, {of_file}, does not suit the solver"
    differ = len({other.interpolation for other in comparison.contenders}) > 1
    return text if comparison.levels > 1 and differ else ""


def times_note(comparison: Comparison) -> str:
    """A note on runs that end at different times, so that errors and orders mean little; empty if there are none."""
    times = [run.summary["time"] for run in comparison.measured() if run.summary.get("time") is not None]
    if not times or max(times) - min(times) <= 1e-9 * max(times):
        return ""
    return (
        f"the runs end at different times, t = {min(times):.6g} to {max(times):.6g}, since each ends after whole base "
        "steps: compare errors and orders with care, or set time.end in place of time.stop_step"
    )


def disturbed_notes(comparison: Comparison) -> list[str]:
    return [
        f"{run.contender.label} at {run.points}: {run.wall.disturbed_text()}"
        for run in comparison.measured()
        if run.wall.is_disturbed
    ]


def notes_of(comparison: Comparison) -> list[str]:
    notes = [interpolation_note(comparison, contender) for contender in comparison.contenders]
    notes += [steps_note(comparison, contender) for contender in comparison.contenders]
    notes = [note for note in (*notes, times_note(comparison), unmatched_note(comparison)) if note]
    notes += comparison.failures()
    if comparison.is_open:
        notes.append("mass change: the domain is open, so that mass may enter and leave")
    missing = sum(not run.wall_s and not run.failure for run in comparison.runs)
    if missing:
        notes.append(f"{missing} of {len(comparison.runs)} runs are missing")
    return notes + disturbed_notes(comparison)


def report(comparison: Comparison, markdown: bool = False) -> str:
    """The tables and notes, for the terminal or for a page of documentation."""
    counts = [len(run.wall_s) for run in comparison.runs]
    wall = "one run of each"
    if comparison.repetitions > 1:
        wall = f"wall time of {repetitions_text(counts, comparison.repetitions)} of each"
    text = (
        f"case {comparison.case_name}, {backend_text(comparison)}, {wall}; orders of convergence in the "
        f"{errors.NORMS[comparison.norm]}" + (".\n\n" if markdown else "\n\n")
    )
    runs, published = runs_table(comparison), published_table(comparison)
    text += runs.markdown() if markdown else runs.text()
    if published.rows:
        text += "\nPublished errors, and ours with the same spacing, 1/N, on the finest level"
        text += ".\n\n" + published.markdown() if markdown else ":\n" + published.text()
    notes = notes_of(comparison)
    text += "\n" if notes else ""
    for note in notes:
        text += ("- " + ("\\" + note if note.startswith("*") else note) if markdown else note) + "\n"
    return text


def run_json(comparison: Comparison, run: ComparedRun) -> Record:
    """The columns of the runs' table that have a name, and what a table cannot show."""
    record: Record = {
        "solver": run.contender.label,
        "points": run.points,
        "points_y": run.points_y,
        "finest_points": run.finest_points,
        "steps": run.steps,
        "steps_in_proportion": run.steps_in_proportion,
        "failure": run.failure or None,
    }
    if not run.wall_s:
        return record
    (columns,) = replace(runs_table(comparison), rows=[run]).json()
    others = {"error": comparison.error_of(run), "wall_s": asdict(run.wall) | {"all": run.wall_s}}
    return record | columns | others | {"summary": run.summary}


def as_json(comparison: Comparison) -> Record:
    """Everything, with each run's summary as `kumiko run` writes it."""

    def contender_json(contender: Contender) -> Record:
        solver = contender.description["solver"]
        return {
            "label": contender.label,
            "solver": contender.solver,
            "keys": list(contender.settings),
            "centring": solver["centring"],
            "order": solver["order"],
            "cfl_limit": solver["cfl_limit"],
            "time_interpolation": contender.interpolation,
        }

    def published_json(value: PublishedValue) -> Record:
        points = value.points or None
        return {"name": value.name, "value": value.value, "norm": value.norm, "points": points, "source": value.source}

    return {
        "case": comparison.case_name,
        "norm": comparison.norm,
        "complete": comparison.complete,
        "repetitions": comparison.repetitions,
        "solvers": [contender_json(contender) for contender in comparison.contenders],
        "runs": [run_json(comparison, run) for run in comparison.runs],
        "published": [published_json(value) for value in comparison.published()],
        "notes": notes_of(comparison),
    }


def draw_work_precision(comparison: Comparison, file: Path) -> None:
    """Error against wall time, with the spread of the repetitions, and against point updates."""

    def chart(title: str, work: Callable[[ComparedRun], Spread], names_references: bool) -> Chart:
        lines = []
        for contender in comparison.contenders:
            line = Line(contender.label)
            for run in comparison.measured():
                error = comparison.error_of(run)
                if run.contender is contender and error and work(run).least > 0.0:
                    line.add(work(run), error, str(run.points))
            lines.append(line)
        references = []
        for value in comparison.published():
            if value.norm != comparison.norm or value.value <= 0.0:
                continue
            if value.points and not comparison.has_comparable_run(value):
                continue
            label = f"{value.title}, 1/{value.points}" if value.points else value.title
            references.append(Reference(value.value, label if names_references else ""))
        x, y = Axes(title, is_log=True), Axes(errors.NORMS[comparison.norm], is_log=True)
        return Chart(x, y, lines, references)

    def updates(run: ComparedRun) -> Spread:
        return Spread.of([float(run.summary["updates"]["total"])])

    charts = [
        chart(f"wall time in s ({backend_text(comparison)})", lambda run: run.wall, False),
        chart("point updates", updates, True),
    ]
    caption = "Numbers next to the markers: points of level 0 in x"
    if charts[0].references:
        caption += "; dashed lines: published errors, with the finest level's spacing"
    draw(charts, file, f"Work and precision: case {comparison.case_name}", caption)
