"""Runs of several solvers on one case at several resolutions, with errors, orders, costs and published values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from . import errors
from .errors import PublishedValue
from .figure import Axes, Chart, Line, Reference, draw
from .measurement import Spread, repetitions_text, rounds
from .program import (
    NOTE_MARK,
    Failed,
    Interrupted,
    Job,
    Kumiko,
    Record,
    Refused,
    counted,
    steps_needed,
    to_stderr,
    warn,
)
from .study import Request, Study, as_text, key_of, refuse_stop_step, replaced
from .table import Column, Table

PATCH = 16  # points of a patch in each direction
MOST_STEPS = 2**31 - 1


@dataclass
class CompareRequest(Request):
    """The options of `kumiko compare`."""

    solvers: tuple[str, ...] = ()  # by name
    variants: tuple[str, ...] = ()  # NAME[,KEY=VALUE]...
    sweeps: tuple[str, ...] = ()  # KEY=VALUE,VALUE...
    resolutions: tuple[int, ...] = ()  # points of level 0 in x; none: the file's
    norm: str = "rms"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in errors.NORMS:
            raise Refused(f"the norm is '{self.norm}'; it can be {', '.join(errors.NORMS)}")


@dataclass
class Contender:
    """A solver to compare, with keys of its own."""

    option: str  # that names it
    label: str  # as the options give it: NAME[,KEY=VALUE]...
    solver: str
    settings: tuple[str, ...] = ()  # KEY=VALUE with full keys
    description: Record = field(default_factory=dict)  # what Kumiko.describe() returns of it
    cfl: float = 0.0  # of its runs, where they choose their steps: the file's, or the solver's limit
    interpolation: str = ""  # step.time_interpolation that it runs with
    swept: tuple[str, ...] = ()  # those of its settings that --sweep gave

    def sets(self, key: str) -> bool:
        return any(key_of(setting) == key for setting in self.settings)

    def as_asked(self) -> str:
        if not self.swept:
            return f"{self.option} {self.label}"
        sweeps = " ".join(f"--sweep {setting}" for setting in self.swept)
        if self.option == "solver.name":
            return sweeps
        own = self.label.removesuffix("," + ",".join(self.swept))
        return f"{self.option} {own} with {sweeps}"

    def with_setting(self, setting: str) -> Contender:
        return replace(
            self,
            label=f"{self.label},{setting}",
            settings=(*self.settings, full_setting(setting)),
            swept=(*self.swept, setting),
        )


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


def parts_of(text: str) -> list[str]:
    """Splits at commas outside brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "[") - (c == "]")
        if c == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def full_setting(setting: str) -> str:
    """A contender's KEY=VALUE by its full key: those without a table belong to [solver]."""
    return setting if "." in key_of(setting) else f"solver.{setting}"


def parse_contender(option: str, spec: str) -> Contender:
    """NAME[,KEY=VALUE]... of --solver, or a name alone, of --solvers. Raises Refused."""
    name, *settings = parts_of(spec)
    if not name:
        raise Refused(f"{option} '{spec}' has no solver's name; write it like --solver NAME,KEY=VALUE")
    for setting in settings:
        key = key_of(setting)
        if "=" not in setting or not key:
            raise Refused(
                f"--solver {spec}: '{setting}' is not of the form KEY=VALUE; write it like --solver NAME,KEY=VALUE"
            )
        if key in ("solver.name", "name", "case.name"):
            raise Refused(
                f"--solver {spec}: '{key}' cannot be set here; name the solver first, as in --solver NAME,KEY=VALUE, "
                "and the case in the file"
            )
    return Contender(option, ",".join((name, *settings)), name, tuple(full_setting(each) for each in settings))


def parse_sweep(spec: str) -> list[str]:
    """KEY=VALUE,VALUE... of --sweep as a list of KEY=VALUE. Raises Refused."""
    key, equals, values = spec.partition("=")
    key = key.strip()
    if not equals or not key or not all(parts_of(values)):
        raise Refused(
            f"--sweep {spec}: it is not of the form KEY=VALUE,VALUE,...; write it like --sweep amr.buffer=2,4"
        )
    if "." not in key or key in ("solver.name", "case.name"):
        raise Refused(
            f"--sweep {spec}: '{key}' cannot be swept; name a key in full, such as amr.threshold or solver.departure, "
            "and solvers by --solvers"
        )
    if key == "grid.base":
        raise Refused(f"--sweep {spec}: name the points of level 0 by --resolutions")
    settings = [f"{key}={value}" for value in parts_of(values)]
    twice = next((each for each in settings if settings.count(each) > 1), None)
    if twice:
        raise Refused(f"--sweep {spec}: {twice} is named twice")
    return settings


def parse_contenders(request: CompareRequest, of_file: str) -> list[Contender]:
    """The solvers to compare, each with every combination of the values of the sweeps. Raises Refused."""
    for name in request.solvers:
        if "=" in name:
            raise Refused(
                f"--solvers: '{name}' is not a solver's name; give keys of a solver as in --solver NAME,{name}"
            )
    contenders = [parse_contender("--solvers", name) for name in request.solvers]
    contenders += [parse_contender("--solver", spec) for spec in request.variants]
    contenders = contenders or [parse_contender("solver.name", of_file)]
    sweeps = [parse_sweep(spec) for spec in request.sweeps]
    swept = [key_of(values[0]) for values in sweeps]
    for contender in contenders:
        for key in swept:
            if contender.sets(key):
                raise Refused(f"--sweep {key}: {contender.as_asked()} sets this key, too; leave out one of them")
    for key in swept:
        if swept.count(key) > 1:
            raise Refused(f"--sweep {key}: another --sweep sets this key, too; leave out one of them")
        if request.setting_of(key):
            raise Refused(f"--sweep {key}: {request.setting_of(key)} sets this key, too; leave out one of them")
    all_contenders: list[Contender] = []
    for contender in contenders:
        for settings in itertools.product(*sweeps):
            own = contender
            for setting in settings:
                own = own.with_setting(setting)
            if any(other.label == own.label for other in all_contenders):
                raise Refused(
                    f"{own.as_asked()}: it is named twice; distinguish variants by keys, as in --solver "
                    f"{own.solver},KEY=VALUE"
                )
            all_contenders.append(own)
    return all_contenders


def refuse_solver_keys(settings: tuple[str, ...]) -> None:
    """Keys of a solver go with the solver's name, since no other solver may know them."""
    for setting in settings:
        key = key_of(setting)
        if key.startswith("solver."):
            own = "KEY" if key == "solver.name" else key.removeprefix("solver.")
            raise Refused(
                f"--set {setting}: set the keys of a solver together with its name, as in --solver NAME,{own}=VALUE"
            )


def points_y_of(points: int, file: Record) -> int:
    """Points in y in the file's proportion. Raises Refused where they are not whole patches."""
    points_x, points_y = file["run"]["points"]
    scaled = points * points_y
    if points % PATCH or scaled % points_x or (scaled // points_x) % PATCH:
        raise Refused(
            f"--resolutions {points}: the points must be multiples of {PATCH} in x and, in the file's proportion of "
            f"{points_x} to {points_y}, in y"
        )
    return int(scaled // points_x)


class CompareStudy(Study[Comparison]):
    """`kumiko compare`."""

    what = "comparison"
    text_files = ("compare.csv", "compare.json", "compare.md", "compare.tex")
    figure_files = ("work_precision",)

    request: CompareRequest

    def _job_of(self, contender: Contender, *changes: str) -> Job:
        """Keys of the contender's own replace the request's, and the changes replace both."""
        settings = replaced(replaced(tuple(self.request.settings), contender.settings), changes)
        solver = "" if contender.option == "solver.name" else contender.solver
        return self.request.job(settings=settings, solver=solver)

    def job_of(self, run: ComparedRun) -> Job:
        file = run.contender.description["run"]
        changes = [
            f"grid.base=[{run.points}, {run.points_y}]",
            f"step.time_interpolation={run.contender.interpolation}",
        ]
        if run.steps == 0:
            return self._job_of(run.contender, *changes, f"time.cfl={run.contender.cfl!r}")
        stop = math.floor(file["stop_step"] / file["steps"] * run.steps + 0.5)
        changes += [f"time.steps={run.steps}", f"time.stop_step={min(max(stop, 1), run.steps)}"]
        return self._job_of(run.contender, *changes)

    def describe(self, contender: Contender) -> None:
        """Fills in what the contender's solver and case declare."""
        contender.description = self.kumiko.describe(self._job_of(contender), relay=True)
        file = contender.description["run"]
        refuse_stop_step(contender.description)
        solver = contender.description["solver"]
        contender.cfl = min(file["cfl"], solver["cfl_limit"])
        contender.interpolation = file["time_interpolation"]
        suits = contender.interpolation in solver["time_interpolations"]
        if not suits and file["levels"] > 1 and not contender.sets("step.time_interpolation"):
            contender.interpolation = solver["suited_time_interpolation"]

    def run_at(self, contender: Contender, points: int) -> ComparedRun:
        file = contender.description["run"]
        finest = points << (file["levels"] - 1)
        extent = contender.description["case"]["extent"][0]
        # As many base steps as keep the CFL number, or one more.
        steps = min(-(-file["steps"] * points // file["points"][0]), MOST_STEPS)
        points_y = points_y_of(points, contender.description)
        return ComparedRun(contender, points, points_y, finest, math.floor(finest / extent + 0.5), steps, steps)

    def with_enough_steps(self, run: ComparedRun, attempt: Callable[[Job], Record]) -> Record:
        """Calls attempt() with as many steps as the solver needs. A later state may need more than the first one."""
        while True:
            try:
                return attempt(self.job_of(run))
            except (Refused, Failed) as error:
                needed = steps_needed(error)
                if needed is None or not run.steps < needed <= MOST_STEPS:
                    raise
                run.steps = needed

    def planned(self, contender: Contender, resolutions: list[int]) -> list[ComparedRun]:
        """The runs of a contender, whose first states have been tried. Raises Refused, which names it."""
        runs = []
        try:
            self.describe(contender)
            for points in resolutions:
                run = self.run_at(contender, points)
                runs.append(run)
                self.try_first_state(partial(self.with_enough_steps, run, self.kumiko.dry_run))
        except Refused as error:
            if contender.option == "solver.name" and not contender.swept:
                raise  # the file's own, and the only one
            why = str(error).removeprefix(f"--solver {contender.solver}: ")
            for setting in contender.settings:
                why = why.removeprefix(f"--set {setting}: ")
            raise Refused(f"{contender.as_asked()}: {why}") from None
        return runs

    def plan(self) -> Comparison:
        """Tries every run's first state, so that a wrong request is refused before the first run. Raises Refused."""
        request = self.request
        if request.solvers or request.variants:
            refuse_solver_keys(request.settings)
        # Errors of the file itself name no contender.
        file = self.kumiko.describe(request.job())
        base = request.setting_of("grid.base")
        if request.resolutions and base:
            raise Refused(
                f"{base} together with --resolutions changes what the file's time.steps and points in y are in "
                "proportion to; leave out one of them, or change grid.base in the file"
            )
        points_of_file = file["run"]["points"][0]
        for key in ("time.steps", "time.stop_step"):
            setting = request.setting_of(key)
            if request.resolutions and setting and file["run"]["steps"] > 0 and not setting.endswith("=0"):
                to_stderr(
                    f"{NOTE_MARK}{setting} is for grid.base {points_of_file} in x, as in the file; other "
                    "--resolutions take steps in proportion"
                )
        contenders = parse_contenders(request, file["solver"]["name"])
        for contender in contenders:
            if request.resolutions and contender.sets("grid.base"):
                raise Refused(
                    f"{contender.as_asked()}: grid.base together with --resolutions, which set it; leave out one of "
                    "them"
                )
            for key in ("time.steps", "time.stop_step"):
                if request.resolutions and contender.sets(key):
                    to_stderr(
                        f"{NOTE_MARK}{contender.as_asked()}: {key} is for grid.base {points_of_file} in x, as in the "
                        "file; other --resolutions take steps in proportion"
                    )
        resolutions = sorted(request.resolutions or [points_of_file])
        for points in resolutions:
            if resolutions.count(points) > 1:
                raise Refused(f"--resolutions: {points} is named twice")
            points_y_of(points, file)
        comparison = Comparison(
            file["case"]["name"], request.norm, file["run"]["levels"], request.repetitions, contenders
        )
        for contender in contenders:
            comparison.runs += self.planned(contender, resolutions)
        return comparison

    def measure(self, found: Comparison, after: Callable[[], None]) -> None:
        """A run that fails leaves its reason, and the comparison continues."""
        for _, run in rounds(found.runs, found.repetitions):
            if run.failure:
                continue
            self.progress.show(f"{run.contender.label} at {run.points}")
            try:
                run.add(self.with_enough_steps(run, self.kumiko.run))
            except Interrupted:
                raise
            except (Refused, Failed) as error:
                run.failure = str(error)
            after()
        found.complete = True

    def has_results(self, found: Comparison) -> bool:
        return bool(found.measured())

    def report(self, found: Comparison) -> str:
        return report(found)

    def record(self, found: Comparison) -> Record:
        return as_json(found)

    def texts(self, found: Comparison) -> tuple[str, ...]:
        table = runs_table(found)
        return table.csv(), as_text(as_json(found)), report(found, markdown=True), table.latex()

    def figures(self, found: Comparison) -> tuple[Callable[[Path], None], ...]:
        return (lambda file: draw_work_precision(found, file),)

    def end(self, found: Comparison) -> None:
        failures = found.failures()
        if self.request.quiet:
            for failure in failures:
                warn(failure)
        if failures:
            where = "warnings" if self.request.quiet else "lines below the table"
            raise Failed(f"{len(failures)} of {len(found.runs)} runs failed; see the {where}")


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
    if run.steps == 0:  # it has chosen them
        record["steps"] = run.summary["steps"]
    record["leaf_points"] = run.leaf_points
    record["error"] = comparison.error_of(run)
    record["order"] = comparison.order_of(run)
    record["wall_s"] = asdict(run.wall) | {"all": run.wall_s}
    record["summary"] = run.summary
    return record


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


def compare(request: CompareRequest, kumiko: Kumiko | None = None) -> Comparison:
    """Compares solvers on a case, prints the result, and writes the files that the request names. Raises Refused
    before the first run; Failed, after all others, where a run has failed; Interrupted, with what is found written."""
    return CompareStudy(request, kumiko).carry_out()
