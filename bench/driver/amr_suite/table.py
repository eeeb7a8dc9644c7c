"""The tables as text."""

from measured import Budget, Spread
from text import brief, budget_lines, number, spread

from .measure import DISTURBING
from .plan import (
    AMR,
    DATAFLOW,
    FINE,
    FINE_POINTS,
    LARGE,
    LEVEL,
    LINEAR,
    NARROWER_ISAS,
    OPENMP_ACTIVE,
    OPENMPS,
    REVOLUTION,
    SERIAL,
    STRIPS,
    SYSTEMS,
    TRACED_STEPS,
    UNEQUAL,
    UNEQUAL_PEERS,
    WHOLE,
    Case,
    workers_text,
)
from .summary import FLOPS_PER_POINT, GRID, Summary, balance, rate, wall

WIDTH_OF_TITLE = 37
SCHEME_TITLES = {
    "upwind1": "upwind1",
    "upwind3": "finite_volume_upwind3",
    "fct": "flux_form_fct",
    "thinc": "thinc",
    "cubic": "semi_lagrangian_cubic",
    "burgers": "burgers, its own case",
}
ISAS = {"baseline": "SSE2", "avx2": "AVX2", "avx512": "AVX-512"}

LEGEND = """
speed-up: wall time of the same system with one worker over this one's; efficiency: that per worker.
balance: the busiest worker's point updates per base step, summed, over the mean; 1 is perfect.
updates/s/core: points of all levels, wall time with regridding, statistics, diagnostics and the
final state's file. plain / in time: a uniform grid of so many points a side without and with blocks
in time, which the engine takes where no cache holds the level. Ratios are medians of the rounds' ratios. Statistics are always on."""


def row(title: str, cells: list[str], widths: list[int]) -> str:
    padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths)]
    return f"{title:<{WIDTH_OF_TITLE}} " + " ".join(padded)


def kernel_lines(summary: Summary) -> list[str]:
    widths = [22, 22, 9, 22, 9]
    headings = ["peak, Gflop/s", "uniform upwind", "% of peak", "mixed upwind", "% of peak"]
    lines = [
        "",
        "hot kernel, one patch in the first-level cache, weights per point: 10^6 points/s;"
        f" {FLOPS_PER_POINT} flop each",
        row("", headings, widths),
    ]
    for isa, title in ISAS.items():
        peak = summary.core(f"fma_{isa}")
        cells = [spread(peak.times(1e-3) if peak is not None else None)]
        for upwind in ("uniform", "mixed"):
            share = summary.of_peak(upwind, isa)
            cells.append(spread(summary.core(f"{upwind}_upwind_{isa}")))
            cells.append(number(share.middle if share is not None else None))
        lines.append(row(title, cells, widths))
    return lines


def uniform_lines(summary: Summary) -> list[str]:
    widths = [22, 9, 22, 9]
    lines = [
        "",
        "uniform grid through the whole engine, one core: 10^6 updates/s, and over the fastest"
        " hot kernel",
        row("", ["serial", "/kernel", "threads, 1 worker", "/kernel"], widths),
    ]
    for points in (GRID, FINE_POINTS):
        cells = []
        for backend in ("serial", "threads"):
            cells.append(spread(summary.core(f"grid_{points}_{backend}")))
            share = summary.of_kernel(points, backend)
            cells.append(number(share.middle if share is not None else None))
        title = f"{points} x {points}"
        lines.append(row(title if points != GRID else f"{title}, which counts", cells, widths))
    return lines


def sweep_lines(summary: Summary) -> list[str]:
    lines = [
        "",
        "bare sweep: the kernel alone over the AMR run's patches, in order, without ghosts:"
        " 10^6 updates/s",
        row("", ["all", "per core"], [22, 22]),
    ]
    for count in sorted({1, summary.all_workers}):
        all_cores = summary.core(f"sweep_{count}")
        per_core = all_cores.times(1 / count) if all_cores is not None else None
        lines.append(row(workers_text(count), [spread(all_cores), spread(per_core)], [22, 22]))
    return lines


def scheme_lines(summary: Summary) -> list[str]:
    widths = [22, 22, 22, 22, 10, 10, 10]
    headings = ["bare sweep", "steady", "separable", "moving", "sep./st.", "mov./st.", "st./sweep"]
    lines = [
        "",
        "shipped schemes in a vortex, three levels over 256 x 256, one core: 10^6 updates/s",
        row("", headings, widths),
    ]
    for name, title in SCHEME_TITLES.items():
        steady, separable, moving = (f"{name}_amr_{flow}_1" for flow in ("steady", "unsteady", "moving"))
        sweep = f"{name}_sweep_1"
        cells = [spread(summary.scheme(rate)) for rate in (sweep, steady, separable, moving)]
        for above, below in ((separable, steady), (moving, steady), (steady, sweep)):
            ratio = summary.scheme(above, below)
            cells.append(number(ratio.middle if ratio is not None else None))
        lines.append(row(title, cells, widths))
    return lines


def amr_line(summary: Summary, title: str, case: Case) -> str:
    cells = [spread(summary.spread(wall, case)), spread(summary.spread(rate, case))]
    scaling = None if case.isa else summary.speed_up(case.system, case.workers)
    cells.append(spread(scaling))
    cells.append(number(scaling.middle / case.workers if scaling is not None else None))
    cells.append(number(summary.middle(balance, case), 4))
    return row(title, cells, [22, 22, 22, 10, 8])


def amr_lines(summary: Summary) -> list[str]:
    work = summary.works[AMR]
    headings = ["wall, s", "10^6 updates/s/core", "speed-up", "efficiency", "balance"]
    lines = [
        "",
        f"{work.title}, {work.steps} base steps of {REVOLUTION}",
        row("", headings, [22, 22, 22, 10, 8]),
    ]
    for system in (DATAFLOW, LEVEL, STRIPS, *OPENMPS):
        for count in summary.counts:
            title = f"{SYSTEMS[system].title}, {workers_text(count)}"
            lines.append(amr_line(summary, title, Case(AMR, system, count)))
    lines.append(amr_line(summary, "serial", Case(AMR, SERIAL)))
    for isa in NARROWER_ISAS:
        title = f"{SYSTEMS[DATAFLOW].title}, {ISAS[isa]} only"
        lines.append(amr_line(summary, title, Case(AMR, DATAFLOW, 1, isa)))
    return lines


def ratio_rows(summary: Summary) -> list[tuple[str, Spread | None]]:
    workers = summary.all_workers
    rows = [
        (f"by level / dataflow, {workers_text(count)}", summary.dataflow_gain(AMR, count))
        for count in summary.counts
    ]
    rows += [
        (f"  the same, linear, {workers_text(count)}", summary.dataflow_gain(LINEAR, count))
        for count in sorted({1, workers})
    ]
    rows += [
        (f"dataflow / strips, {workers_text(workers)}", summary.over_peer(STRIPS)),
    ]
    rows += [
        (f"dataflow / {SYSTEMS[peer].title}, {workers_text(workers)}", summary.over_peer(peer))
        for peer in OPENMPS
    ]
    rows += [
        (f"unequal / {SYSTEMS[peer].title}, {workers_text(workers)}", summary.over_peer(peer, UNEQUAL))
        for peer in UNEQUAL_PEERS
    ]
    rows += [
        (f"AMR / uniform, {workers_text(count)}", summary.over_uniform(count))
        for count in sorted({1, workers})
    ]
    rows += [
        (f"AMR / bare sweep, {workers_text(count)}", summary.over_sweep(count))
        for count in sorted({1, workers})
    ]
    rows += [
        (f"plain / in time, {points}, {workers_text(count)}", summary.blocks_in_time(points, count))
        for points in LARGE
        for count in sorted({1, workers})
    ]
    return rows + [
        (f"{TRACED_STEPS} steps traced / none", summary.tracing()),
    ]


def ratio_lines(summary: Summary) -> list[str]:
    lines = ["", "ratios of wall times; of updates/s/core for AMR / uniform and / bare sweep"]
    return lines + [row(title, [spread(value)], [22]) for title, value in ratio_rows(summary)]


def revolution_lines(summary: Summary) -> list[str]:
    """The thesis's table 6.2."""
    workers = summary.all_workers
    whole, fine = summary.works[WHOLE], summary.works[FINE]
    amr = Case(WHOLE, DATAFLOW, workers)
    widths = [22, 22, 22, 10]
    headings = ["wall, s", "10^6 updates/s/core", "over AMR, equal times", "RMS"]
    lines = [
        "",
        f"the thesis's table 6.2, {workers_text(workers)}; the uniform grid takes"
        f" {REVOLUTION * FINE_POINTS // GRID} steps for one revolution",
        row("", headings, widths),
    ]
    cells = [spread(summary.spread(figure, amr)) for figure in (wall, rate)]
    cells += ["", number(summary.error(), 4)]
    lines.append(row(f"AMR, threads, {whole.steps} steps", cells, widths))
    for system, name in ((OPENMP_ACTIVE, "OpenMP"), (DATAFLOW, "threads")):
        uniform = Case(FINE, system, workers)
        cells = [spread(summary.spread(figure, uniform)) for figure in (wall, rate)]
        cells.append(spread(summary.uniform_over_amr(system)))
        lines.append(row(f"{FINE_POINTS} x {FINE_POINTS}, {name}, {fine.steps} steps", cells, widths))
    return lines


def state_lines(summary: Summary) -> list[str]:
    lines = ["", "the state after the last step, by its hash"]
    for work, hashes in summary.state_hashes().items():
        runs = sum(map(len, hashes.values()))
        verdict = f"the same in all {runs} runs" if len(hashes) == 1 else "DIFFERENT"
        lines.append(f"  {summary.works[work].title:<28} {', '.join(hashes)}  {verdict}")
    return lines


def differences(summary: Summary) -> list[str]:
    """What must not be: one work, several results."""
    result = []
    for work, hashes in summary.state_hashes().items():
        if len(hashes) > 1:
            who = "; ".join(f"{key}: {', '.join(sorted(set(by)))}" for key, by in hashes.items())
            result.append(f"the state of '{summary.works[work].title}' differs: {who}")
    return result


def error_lines(summary: Summary) -> list[str]:
    lines = [f"  {title}: {brief(error)}" for title, error in summary.errors().items()]
    return ["", "not measured", *lines] if lines else []


def table_lines(summary: Summary, judged: list[Budget]) -> list[str]:
    disturbed, runs = summary.disturbed()
    lines = [
        f"{disturbed} of {runs} runs were disturbed: others used more than"
        f" {100 * DISTURBING:.0f} % of the cores"
    ]
    lines += kernel_lines(summary) + uniform_lines(summary) + sweep_lines(summary) + scheme_lines(summary)
    lines += amr_lines(summary) + ratio_lines(summary) + revolution_lines(summary) + state_lines(summary)
    return lines + [LEGEND] + error_lines(summary) + budget_lines("budgets", judged)
