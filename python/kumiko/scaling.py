"""Runs of one case with several numbers of workers, on several backends or several numbers of ranks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from .figure import Axes, Chart, Line, Reference, draw
from .measurement import Spread, repetitions_text, rounds
from .program import Failed, Job, Kumiko, Record, Refused, counted, warn
from .study import Request, Study, as_text
from .table import Column, Table

REFERENCE_BACKEND = "pthread"
RANKS_BACKEND = "threads"  # the only one
SERIAL = "serial"


@dataclass
class ScalingRequest(Request):
    """The options of `kumiko scaling`."""

    worker_counts: tuple[int, ...] = (1,)  # in rising order
    rank_counts: tuple[int, ...] = ()  # in rising order; none: backends are compared
    launcher: str = ""  # of ranks: a command of the shell with {ranks} in it
    is_own_launcher: bool = False  # whether the launcher was named, and may lead to other machines
    backends: tuple[str, ...] = ("threads", "pthread", "openmp")
    cores: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))  # that the machine grants

    def __post_init__(self) -> None:
        super().__post_init__()
        if min((*self.worker_counts, *self.rank_counts), default=0) < 1:
            raise Refused("numbers of workers and of ranks are 1 at least; give some")


@dataclass
class ScalingPoint:
    """A backend, or a number of ranks, with a number of workers."""

    backend: str
    ranks: int  # 0: without ranks
    workers: int  # of each rank
    wall_s: list[float] = field(default_factory=list)  # of each repetition
    imbalance: list[float] = field(default_factory=list)  # of each: largest over mean work
    summary: Record = field(default_factory=dict)  # of the fastest

    @property
    def all_workers(self) -> int:
        return max(self.ranks, 1) * self.workers

    @property
    def wall(self) -> Spread:
        return Spread.of(self.wall_s)

    @property
    def label(self) -> str:
        """ "threads, 2 workers", "2 ranks, 1 worker each"."""
        workers = counted(self.workers, "worker")
        return f"{counted(self.ranks, 'rank')}, {workers} each" if self.ranks else f"{self.backend}, {workers}"

    @property
    def line(self) -> str:
        """Which points are joined by a line."""
        return f"{counted(self.workers, 'worker')} a rank" if self.ranks else self.backend

    def add(self, summary: Record) -> None:
        if not self.wall_s or summary["wall_s"] < min(self.wall_s):
            self.summary = summary
        self.wall_s.append(summary["wall_s"])
        self.imbalance.append(summary["imbalance"])

    def which(self) -> Record:
        """What tells the point from others."""
        return {"ranks": self.ranks, "workers": self.workers} if self.ranks else {
            "backend": self.backend, "workers": self.workers,
        }  # fmt: skip


@dataclass
class Scaling:
    """Points with their runs, and the results so far."""

    case_name: str
    solver: str
    cores: int
    repetitions: int
    # First what speed-ups are counted from: backend pthread on one worker, or the fewest ranks and workers.
    points: list[ScalingPoint]
    complete: bool = False

    @property
    def reference(self) -> ScalingPoint:
        return self.points[0]

    @property
    def is_of_ranks(self) -> bool:
        return self.reference.ranks > 0

    def done(self) -> list[ScalingPoint]:
        """Points that are measured, those of a line together; the reference is the first of them."""
        measured = [point for point in self.points if point.wall_s]
        lines = list(dict.fromkeys(point.line for point in measured))
        return sorted(measured, key=lambda point: lines.index(point.line))

    def speed_up(self, point: ScalingPoint) -> Spread:
        """How many times faster than the reference a point is."""
        return point.wall.under(self.reference.wall.median)

    def per_worker(self, point: ScalingPoint) -> Spread:
        return self.speed_up(point).times(self.reference.all_workers / point.all_workers)

    def notes(self) -> list[str]:
        return [f"{point.label}: {point.wall.disturbed_text()}" for point in self.done() if point.wall.is_disturbed]


def points_of(request: ScalingRequest) -> list[ScalingPoint]:
    """The reference, then what was asked for: from few ranks to many, or backend by backend, each with few workers and
    with many."""
    if request.rank_counts:
        return [
            ScalingPoint(RANKS_BACKEND, ranks, workers)
            for ranks in request.rank_counts
            for workers in request.worker_counts
        ]
    pairs = [(REFERENCE_BACKEND, 1)]
    for backend in request.backends:
        pairs += [(backend, workers) for workers in ((1,) if backend == SERIAL else request.worker_counts)]
    return [ScalingPoint(backend, 0, workers) for backend, workers in dict.fromkeys(pairs)]


def job_of(request: ScalingRequest, point: ScalingPoint) -> Job:
    launcher = request.launcher if point.ranks else ""
    return request.job(backend=point.backend, workers=point.workers, ranks=point.ranks, launcher=launcher)


def check_state(scaling: Scaling, point: ScalingPoint, summary: Record) -> None:
    """The first run's state is every run's. Raises Failed."""
    reference = scaling.reference
    if not reference.wall_s or reference.summary["state_hash"] == summary["state_hash"]:
        return
    raise Failed(
        f"the results differ: {reference.label} ended in the state {reference.summary['state_hash']}, {point.label} in "
        f"{summary['state_hash']}; the solver or the case does not compute the same each time"
    )


def check_ranks(request: ScalingRequest, point: ScalingPoint, summary: Record) -> None:
    """A launcher of another MPI starts programs that do not find each other. Raises Failed."""
    found = len(summary.get("ranks", [None]))
    if point.ranks and found != point.ranks:
        raise Failed(
            f"{point.label}, by '{request.launcher.replace('{ranks}', str(point.ranks))}': the run had "
            f"{counted(found, 'rank')}; use the launcher of an MPI that this Kumiko was built with"
        )


def table_of(scaling: Scaling) -> Table[ScalingPoint]:
    def imbalance(point: ScalingPoint) -> Spread:
        return Spread.of(point.imbalance)

    which: Column[ScalingPoint] = Column(lambda point: point.backend, "backend", "backend", is_key=True)
    if scaling.is_of_ranks:
        which = Column(lambda point: point.ranks, "ranks", "ranks", is_key=True)
    columns: list[Column[ScalingPoint]] = [
        which,
        Column(lambda point: point.workers, "workers", "workers", is_key=True),
        Column(lambda point: point.wall.least, "wall_least_s", "least s", ".3f"),
        Column(lambda point: point.wall.median, "wall_median_s", "median s", ".3f"),
        Column(lambda point: point.wall.most, "wall_most_s", "most s", ".3f"),
        Column(lambda point: scaling.speed_up(point).least, "speed_up_least"),
        Column(lambda point: scaling.speed_up(point).median, "speed_up_median", "speed-up", ".2f"),
        Column(lambda point: scaling.speed_up(point).most, "speed_up_most"),
        Column(lambda point: scaling.per_worker(point).median, "parallel_efficiency", "per worker", ".2f"),
        Column(lambda point: imbalance(point).least, "imbalance_least"),
        Column(lambda point: imbalance(point).median, "imbalance_median", "imbalance", ".3f"),
        Column(lambda point: imbalance(point).most, "imbalance_most"),
        Column(lambda point: len(point.wall_s), "repetitions"),
        Column(lambda point: point.summary["updates"]["total"], "updates"),
        Column(lambda point: point.summary["updates_per_core_s"], "updates_per_core_s", "updates/s/core", ".3g"),
        Column(lambda point: point.summary["steals"], "steals"),
        Column(lambda point: point.summary["state_hash"], "state_hash"),
    ]
    return Table(columns, scaling.done())


def caption_of(scaling: Scaling) -> str:
    counts = [len(point.wall_s) for point in scaling.points]
    return (
        f"solver {scaling.solver}; {counted(scaling.cores, 'core')}; median of "
        f"{repetitions_text(counts, scaling.repetitions)}"
    )


def report(scaling: Scaling) -> str:
    text = (
        f"case {scaling.case_name}, {caption_of(scaling)}; speed-up over {scaling.reference.label}; imbalance: largest "
        f"over mean work, 1 is perfect, more is worse\n\n{table_of(scaling).text()}"
    )
    return text + "".join(f"\nnote: {note}\n" for note in scaling.notes())


def as_json(scaling: Scaling) -> Record:
    """The columns of the table that have a name, and each point's summary as `kumiko run` writes it."""
    return {
        "case": scaling.case_name,
        "solver": scaling.solver,
        "cores": scaling.cores,
        "repetitions": scaling.repetitions,
        "complete": scaling.complete,
        "notes": scaling.notes(),
        "reference": scaling.reference.which(),
        "runs": [
            columns
            | {
                "wall_s": asdict(point.wall) | {"all": point.wall_s},
                "speed_up": asdict(scaling.speed_up(point)),
                "imbalance": asdict(Spread.of(point.imbalance)),
                "summary": point.summary,
            }
            for point, columns in zip(scaling.done(), table_of(scaling).json(), strict=True)
        ],
    }


def lines_of(scaling: Scaling, value: Callable[[ScalingPoint], Spread]) -> list[Line]:
    lines: dict[str, Line] = {}
    for point in scaling.done():
        line = lines.setdefault(point.line, Line(point.line))
        line.add(float(point.all_workers), value(point))
    return list(lines.values())


def _chart(scaling: Scaling, title: str, lines: list[Line], references: tuple[Reference, ...] = ()) -> Chart:
    most = max(point.all_workers for point in scaling.points)
    x = Axes("workers", low=0.0, high=most + 0.5, counts=True)
    return Chart(x, Axes(title, low=0.0), lines, references)


def _title(scaling: Scaling, what: str) -> str:
    return f"{what}: case {scaling.case_name}{' (runs differ much)' if scaling.notes() else ''}"


def draw_speed_up(scaling: Scaling, file: Path) -> None:
    """Speed-up over all workers, with the line of as many times as there are workers."""
    lines = lines_of(scaling, scaling.speed_up)
    most = max(point.all_workers for point in scaling.points)
    ideal = Line("as many times as workers", has_markers=False)
    ideal.add(0.0, 0.0)
    ideal.add(float(most), most / scaling.reference.all_workers)
    title = f"speed-up over {scaling.reference.label}"
    draw([_chart(scaling, title, [*lines, ideal])], file, _title(scaling, "Speed-up"), caption_of(scaling))


def draw_efficiency(scaling: Scaling, file: Path) -> None:
    """Imbalance over workers, and speed-up per worker."""
    one = (Reference(1.0),)
    charts = [
        _chart(
            scaling,
            "imbalance: largest over mean work (1 is perfect)",
            lines_of(scaling, lambda point: Spread.of(point.imbalance)),
            one,
        ),
        _chart(scaling, "speed-up per worker (1 is perfect)", lines_of(scaling, scaling.per_worker), one),
    ]
    draw(charts, file, _title(scaling, "Efficiency"), caption_of(scaling))


def warn_of_cores(request: ScalingRequest, scaling: Scaling) -> None:
    """More workers than cores share them: that is a measurement of something else."""
    most = max(point.all_workers for point in scaling.points)
    if most > scaling.cores and not request.is_own_launcher:
        warn(
            f"{most} workers share {counted(scaling.cores, 'core')}: points beyond {scaling.cores} do not show the "
            "speed-up on a larger machine"
        )


class ScalingStudy(Study[Scaling]):
    """`kumiko scaling`."""

    what = "scaling run"
    text_files = {
        "scaling.csv": lambda found: table_of(found).csv(),
        "scaling.json": lambda found: as_text(as_json(found)),
        "scaling.tex": lambda found: table_of(found).latex(),
    }
    figure_files = {"speed_up": draw_speed_up, "efficiency": draw_efficiency}

    request: ScalingRequest

    def plan(self) -> Scaling:
        request = self.request
        if request.rank_counts and "{ranks}" not in request.launcher:
            raise Refused(
                f"--launcher '{request.launcher}': {{ranks}} must stand where the number of ranks belongs, such as "
                "'mpirun -n {ranks}'"
            )
        given = request.setting_of("runtime.workers")
        if given:
            raise Refused(
                f"{given}: 'kumiko scaling' sets this key itself; name the numbers of workers with --workers N1,N2,..."
            )
        points = points_of(request)
        file = self.kumiko.describe(request.job(), relay=True)
        for backend, workers in dict.fromkeys((point.backend, point.workers) for point in points):
            self.try_first_state(partial(self.kumiko.dry_run, request.job(backend=backend, workers=workers)))
        found = Scaling(file["case"]["name"], file["solver"]["name"], request.cores, request.repetitions, points)
        warn_of_cores(request, found)
        return found

    def measure(self, found: Scaling, after: Callable[[], None]) -> None:
        """Raises Failed also where two runs end in different states."""
        for _, point in rounds(found.points, found.repetitions):
            self.progress.show(point.label)
            summary = self.kumiko.run(job_of(self.request, point))
            check_ranks(self.request, point, summary)
            check_state(found, point, summary)
            point.add(summary)
            after()
        found.complete = True

    def has_results(self, found: Scaling) -> bool:
        return bool(found.reference.wall_s)

    def report(self, found: Scaling) -> str:
        return report(found)

    def record(self, found: Scaling) -> Record:
        return as_json(found)


def scale(request: ScalingRequest, kumiko: Kumiko | None = None) -> Scaling:
    """Measures how a case scales, prints the result, and writes the files that the request names. Raises Refused before
    the first run, Failed at the first run that fails, Interrupted with what is found written."""
    return ScalingStudy(request, kumiko).carry_out()
