"""Medians, ratios and budgets of what was measured."""

from statistics import median
from typing import Callable

from measured import Budget, Spread

from .measure import Outcome
from .plan import (
    AMR,
    CORES,
    DATAFLOW,
    FINE,
    FINE_POINTS,
    LARGE,
    LEVEL,
    OPENMP_ACTIVE,
    OPENMP_DYNAMIC,
    OPENMPS,
    REVOLUTION,
    SCHEMES,
    STRIPS,
    TRACED,
    UNEQUAL,
    WHOLE,
    Case,
    Work,
    large_work,
    worker_counts,
    workers_text,
)

FLOPS_PER_POINT = 56  # that the budget counts, however the kernel computes
GRID = 256  # the uniform grid that budgets are about: the AMR run's coarsest level
# Of one outcome's report.
Figure = Callable[[dict], float]


def wall(report: dict) -> float:
    return report["wall_s"]


def rate(report: dict) -> float:
    """Million point updates per second and core."""
    return report["updates_per_core_s"] * 1e-6


def balance(report: dict) -> float:
    return report["balance_efficiency"]


def sweep_rate(workers: int) -> Figure:
    """Million point updates per second and core of amr_core's bare sweep."""
    return lambda report: report[f"sweep_{workers}"] * 1e-6 / workers


def uniform_rate(report: dict) -> float:
    """Million point updates per second of amr_core's uniform grid with one worker."""
    return report[f"grid_{GRID}_threads"] * 1e-6


class Summary:
    def __init__(
        self, outcomes: dict[Case, list[Outcome]], works: dict[str, Work], all_workers: int
    ):
        self.outcomes = outcomes
        self.works = works
        self.all_workers = all_workers
        self.counts = worker_counts(all_workers)

    def good(self, case: Case) -> list[Outcome]:
        """The undisturbed ones; all if there are none."""
        runs = [run for run in self.outcomes.get(case, []) if run.report is not None]
        return [run for run in runs if not run.disturbed] or runs

    def disturbed(self) -> tuple[int, int]:
        runs = [run for outcomes in self.outcomes.values() for run in outcomes]
        return sum(run.disturbed for run in runs), len(runs)

    def spread(self, figure: Figure, case: Case) -> Spread | None:
        values = [figure(run.report) for run in self.good(case)]
        return Spread.of(values) if values else None

    def middle(self, figure: Figure, case: Case) -> float | None:
        found = self.spread(figure, case)
        return found.middle if found is not None else None

    def ratio(
        self, above: Case, below: Case, over: Figure = wall, under: Figure = wall
    ) -> Spread | None:
        """Of the rounds' ratios, for what is measured in one round shares disturbances; the ratio
        of the medians where the two have no good round in common."""
        first = {run.turn: over(run.report) for run in self.good(above)}
        second = {run.turn: under(run.report) for run in self.good(below)}
        if not first or not second:
            return None
        both = sorted(first.keys() & second.keys())
        if not both:
            return Spread.of([median(first.values()) / median(second.values())])
        return Spread.of([first[turn] / second[turn] for turn in both])

    def core(self, name: str) -> Spread | None:
        """A rate of amr_core, in units of 10^6 per second."""
        return self.core_figure(lambda report: report[name] * 1e-6, name)

    def of_peak(self, upwind: str, isa: str) -> Spread | None:
        """The kernel's share of the peak, in percent."""
        peak, kernel = f"fma_{isa}", f"{upwind}_upwind_{isa}"
        return self.core_figure(
            lambda report: 100 * FLOPS_PER_POINT * report[kernel] / report[peak], peak, kernel
        )

    def of_kernel(self, points: int, backend: str) -> Spread | None:
        """The uniform grid's rate over that of the fastest kernel."""
        grid = f"grid_{points}_{backend}"
        return self.core_figure(
            lambda report: report[grid]
            / max(value for name, value in report.items() if name.startswith("uniform_upwind")),
            grid,
        )

    def core_figure(self, figure: Figure, *names: str) -> Spread | None:
        runs = [run.report for run in self.good(Case(CORES))]
        values = [figure(report) for report in runs if all(name in report for name in names)]
        return Spread.of(values) if values else None

    def scheme(self, above: str, below: str = "") -> Spread | None:
        """A rate of amr_schemes, in units of 10^6 per second, or over another one."""
        runs = [run.report for run in self.good(Case(SCHEMES))]
        names = [name for name in (above, below) if name]
        known = [report for report in runs if all(name in report for name in names)]
        values = [report[above] / report[below] if below else report[above] * 1e-6 for report in known]
        return Spread.of(values) if values else None

    def recording(self) -> Spread | None:
        """What a trace costs a piece of work, in ns, by amr_core."""
        return self.core_figure(lambda report: report["recording_s"] * 1e9, "recording_s")

    def over_uniform(self, workers: int) -> Spread | None:
        """The AMR run's rate per core over the uniform grid's on one."""
        return self.ratio(Case(AMR, DATAFLOW, workers), Case(CORES), rate, uniform_rate)

    def over_sweep(self, workers: int) -> Spread | None:
        """The AMR run's rate over that of the kernel alone over the same patches."""
        return self.ratio(Case(AMR, DATAFLOW, workers), Case(CORES), rate, sweep_rate(workers))

    def dataflow_gain(self, work: str, workers: int) -> Spread | None:
        """By level over dataflow: above 1 dataflow is faster."""
        return self.ratio(Case(work, LEVEL, workers), Case(work, DATAFLOW, workers))

    def over_peer(self, peer: str, work: str = AMR) -> Spread | None:
        """Dataflow's wall time over another system's, with all workers."""
        workers = self.all_workers
        return self.ratio(Case(work, DATAFLOW, workers), Case(work, peer, workers))

    def over_openmp(self) -> Spread | None:
        """Over the better of OpenMP's two ways to wait."""
        ratios = [ratio for peer in OPENMPS if (ratio := self.over_peer(peer)) is not None]
        return max(ratios, key=lambda ratio: ratio.middle) if len(ratios) == len(OPENMPS) else None

    def blocks_in_time(self, points: int, workers: int) -> Spread | None:
        """A uniform grid's time by plain blocks over its own: above 1 blocks in time are faster."""
        plain = Case(large_work(points, False), DATAFLOW, workers)
        return self.ratio(plain, Case(large_work(points), DATAFLOW, workers))

    def tracing(self) -> Spread | None:
        workers = self.all_workers
        return self.ratio(Case(TRACED, DATAFLOW, workers), Case(WHOLE, DATAFLOW, workers))

    def uniform_over_amr(self, system: str = OPENMP_ACTIVE) -> Spread | None:
        """Wall times of one revolution; the AMR run is by threads."""
        workers = self.all_workers
        per_revolution = REVOLUTION * FINE_POINTS / GRID / self.works[FINE].steps
        scale = per_revolution * self.works[WHOLE].steps / REVOLUTION
        scaled = self.ratio(Case(FINE, system, workers), Case(WHOLE, DATAFLOW, workers))
        return scaled.times(scale) if scaled is not None else None

    def speed_up(self, system: str, workers: int) -> Spread | None:
        """Over the same system with one worker."""
        return self.ratio(Case(AMR, system, 1), Case(AMR, system, workers))

    def error(self) -> float | None:
        """RMS after a revolution."""
        return self.middle(
            lambda report: report["error"]["rms"], Case(WHOLE, DATAFLOW, self.all_workers)
        )

    def bytes_per_point(self) -> float | None:
        """Of the AMR run, all in, where its summary says so."""
        runs = self.good(Case(WHOLE, DATAFLOW, self.all_workers))
        values = [run.report["memory"]["bytes_per_point"] for run in runs if "memory" in run.report]
        return median(values) if values else None

    def errors(self) -> dict[str, str]:
        """The latest of each, where there was one."""
        return {
            case.title: [run.error for run in runs if run.error][-1]
            for case, runs in self.outcomes.items()
            if any(run.error for run in runs)
        }

    def state_hashes(self) -> dict[str, dict[str, list[str]]]:
        """By work: the hashes, each with the cases that ended in it. There should be one."""
        result: dict[str, dict[str, list[str]]] = {}
        for case, runs in self.outcomes.items():
            if case.work in (CORES, SCHEMES):
                continue
            work = self.works[case.work].same_state_as or case.work
            for run in runs:
                if run.report is not None:
                    of_work = result.setdefault(work, {})
                    of_work.setdefault(run.report["state_hash"], []).append(case.title)
        return result


def middle(spread: Spread | None) -> float | None:
    return spread.middle if spread is not None else None


def uniform_budgets(summary: Summary) -> list[Budget]:
    result = []
    for upwind, least in (("uniform", 40), ("mixed", 13)):
        for isa in ("avx2", "avx512"):
            share = middle(summary.of_peak(upwind, isa))
            result.append(Budget(f"kernel, {upwind} upwind, {isa}: % of peak", least, False, share))
    for backend in ("serial", "threads"):
        share = middle(summary.of_kernel(GRID, backend))
        result.append(Budget(f"uniform {GRID}, {backend}, 1 core: over kernel", 0.5, False, share))
    return result


def rate_budgets(summary: Summary) -> list[Budget]:
    result = []
    for count in sorted({1, summary.all_workers}):
        title = f"AMR, {workers_text(count)}"
        updates = summary.middle(rate, Case(AMR, DATAFLOW, count))
        over_uniform = middle(summary.over_uniform(count))
        over_sweep = middle(summary.over_sweep(count))
        least = 0.6 if count == 1 else 0.57
        result += [
            Budget(f"{title}: 10^6 updates/s/core", 200, False, updates),
            Budget(f"{title}: over uniform, per core", 0.8, False, over_uniform),
            Budget(f"{title}: over bare sweep, per core", least, False, over_sweep),
        ]
    over_amr = middle(summary.uniform_over_amr())
    points = LARGE[0]  # the others have no budget of their own
    in_time = middle(summary.blocks_in_time(points, summary.all_workers))
    return result + [
        Budget(f"uniform {points}: plain over blocks in time, wall", 1.3, False, in_time),
        Budget("uniform finest (OpenMP) over AMR, wall", 13, False, over_amr),
        Budget("AMR: RMS after one revolution", 3.70e-2, True, summary.error()),
    ]


def stepping_budgets(summary: Summary) -> list[Budget]:
    workers = workers_text(summary.all_workers)
    result = []
    if summary.all_workers > 1:
        strips = middle(summary.over_peer(STRIPS))
        openmp = middle(summary.over_openmp())
        gain = middle(summary.dataflow_gain(AMR, summary.all_workers))
        for peer, title, most in ((OPENMP_ACTIVE, "static", 0.85), (OPENMP_DYNAMIC, "dynamic", 0.95)):
            unequal = middle(summary.over_peer(peer, UNEQUAL))
            title = f"unequal patches, threads over OpenMP {title}, wall"
            result.append(Budget(title, most, True, unequal))
        result += [
            Budget(f"threads over strips, {workers}, wall", 0.7, True, strips),
            Budget(f"threads over the better OpenMP, {workers}, wall", 1, True, openmp),
            Budget(f"by level over dataflow, {workers}, wall", 1, False, gain),
        ]
    for count in summary.counts:
        measured = summary.middle(balance, Case(AMR, DATAFLOW, count))
        result.append(Budget(f"balance of threads, {workers_text(count)}", 1.05, True, measured))
    traced = middle(summary.tracing())
    return result + [
        Budget(f"traced over not, {workers}, wall", 1.03, True, traced),
        Budget("recording a piece of a trace, 1 worker, ns", 20, True, middle(summary.recording())),
        Budget("memory: bytes per point, three levels", 48, True, summary.bytes_per_point()),
    ]


def budgets(summary: Summary) -> list[Budget]:
    return uniform_budgets(summary) + rate_budgets(summary) + stepping_budgets(summary)
