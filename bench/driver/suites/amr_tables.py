"""The tables of the suite amr."""

from kumiko.table import significant
from suite import counted, table
from suites.amr_figures import FLOPS_PER_POINT
from suites.amr_plan import (
    AMR, DATAFLOW, FINE, FINE_POINTS, GRID, ISAS, LARGE, LEVEL, LINEAR, NARROWER_ISAS, OPENMP_ACTIVE, OPENMPS,
    REVOLUTION, SERIAL, STRIPS, SYSTEMS, TRACED_STEPS, UNEQUAL, UNEQUAL_PEERS, WHOLE,
)

SCHEME_TITLES = {
    "upwind1": "upwind1",
    "upwind3": "finite_volume_upwind3",
    "fct": "flux_form_fct",
    "thinc": "thinc",
    "cubic": "semi_lagrangian_cubic",
    "burgers": "burgers, its own case",
}
LEGEND = """speed-up: wall time of the same system with one worker over this one's; efficiency: that per worker.
balance: the busiest worker's point updates per base step, summed, over the mean; 1 is perfect.
updates/s/core: points of all levels, wall time with regridding, statistics, diagnostics and the
final state's file. plain / in time: a uniform grid of so many points a side without and with blocks
in time, which the engine takes where no cache holds the level. Ratios are medians of the rounds'
ratios. Statistics are always on.
"""


def four_digits(value):
    return significant(value, 4)


def tables(suite, f):
    yield f.r.disturbed()
    yield from parts(suite, f)
    yield runs(suite, f)
    yield ratios(suite, f)
    yield revolution(suite, f)
    rows = []
    for title, hashes in f.state_hashes().items():
        rows.append((title, ", ".join(dict.fromkeys(hashes)),
                     f"the same in all {len(hashes)} runs" if len(set(hashes)) == 1 else "DIFFERENT"))
    yield table("the state after the last step, by its hash", ("work", "hash", "found"), rows)
    yield LEGEND


def parts(suite, f):
    """The kernel, uniform grids, the bare sweep and the schemes."""
    rows = []
    for isa, title in ISAS.items():
        cells = []
        for way in ("uniform", "mixed"):
            cells += [f.kernel(way, isa), "-" if isa == "baseline" else f.of_peak(way, isa).median]
        rows.append((title, f.peak(isa), *cells))
    yield table(
        "hot kernel, one patch in the first-level cache, weights per point: 10^6 points/s;"
        f" {FLOPS_PER_POINT} flop each",
        ("instructions", "peak, Gflop/s", "uniform upwind", "% of peak", "mixed upwind", "% of peak"), rows)
    rows = [(f"{points} x {points}" + (", which counts" if points == GRID else ""),
             *(cell for backend in ("serial", "threads")
               for cell in (f.core(f"grid_{points}_{backend}"), f.of_kernel(points, backend).median)))
            for points in (GRID, FINE_POINTS)]
    yield table("uniform grid through the whole engine, one core: 10^6 updates/s, and over the fastest hot kernel",
                ("grid", "serial", "/kernel", "threads, 1 worker", "/kernel"), rows)
    yield table("bare sweep: the kernel alone over the AMR run's patches, in order, without ghosts: 10^6 updates/s",
                ("workers", "all", "per core"),
                [(counted(count, 'worker'), *(f.core(f"sweep_{count}", 1e-6 / cores) for cores in (1, count)))
                 for count in suite.counts])
    rows = []
    for name, title in SCHEME_TITLES.items():
        steady, separable, moving = (f"{name}_amr_{flow}_1" for flow in ("steady", "unsteady", "moving"))
        sweep, own = f"{name}_sweep_1", name == "burgers"  # whose case has one flow
        cells = [f.scheme(sweep), f.scheme(steady), *("-" if own else f.scheme(flow) for flow in (separable, moving))]
        cells += ["-" if own else f.scheme(flow, steady).median for flow in (separable, moving)]
        rows.append((title, *cells, f.scheme(steady, sweep).median))
    yield table("shipped schemes in a vortex, three levels over 256 x 256, one core: 10^6 updates/s",
                ("scheme", "bare sweep", "steady", "separable", "moving", "sep./st.", "mov./st.", "st./sweep"), rows)


def runs(suite, f):
    cases = [(f"{SYSTEMS[system].title}, {counted(count, 'worker')}", (AMR, system, count, ""))
             for system in (DATAFLOW, LEVEL, STRIPS, *OPENMPS) for count in suite.powers]
    cases.append(("serial", (AMR, SERIAL, 1, "")))
    cases += [(f"{SYSTEMS[DATAFLOW].title}, {ISAS[isa]} only", (AMR, DATAFLOW, 1, isa)) for isa in NARROWER_ISAS]
    rows = []
    for title, case in cases:
        _, system, count, isa = case
        speed_up = "-" if isa else f.over((AMR, system, 1), (AMR, system, count))
        efficiency = "-" if isa else speed_up.median / count
        rows.append((title, f.wall(*case), f.rate(*case), speed_up, efficiency, f.balance(*case).median))
    work = suite.works[AMR]
    return table(f"{work.title}, {work.steps} base steps of {REVOLUTION}",
                 ("system", "wall, s", "10^6 updates/s/core", "speed-up", "efficiency", ("balance", four_digits)), rows)


def ratios(suite, f):
    many, counts = counted(suite.workers, 'worker'), [(count, counted(count, 'worker')) for count in suite.counts]
    rows = [(f"by level / dataflow, {counted(count, 'worker')}", f.dataflow_gain(AMR, count)) for count in suite.powers]
    rows += [(f"the same, linear, {workers}", f.dataflow_gain(LINEAR, count)) for count, workers in counts]
    rows.append((f"dataflow / strips, {many}", f.over_peer(STRIPS)))
    rows += [(f"dataflow / {SYSTEMS[peer].title}, {many}", f.over_peer(peer)) for peer in OPENMPS]
    rows += [(f"unequal / {SYSTEMS[peer].title}, {many}", f.over_peer(peer, UNEQUAL)) for peer in UNEQUAL_PEERS]
    rows += [(f"AMR / uniform, {workers}", f.over_uniform(count)) for count, workers in counts]
    rows += [(f"AMR / bare sweep, {workers}", f.over_sweep(count)) for count, workers in counts]
    rows += [(f"plain / in time, {points}, {workers}", f.blocks_in_time(points, count))
             for points in LARGE for count, workers in counts]
    rows.append((f"{TRACED_STEPS} steps traced / none", f.tracing()))
    title = "ratios of wall times; of updates/s/core for AMR / uniform and / bare sweep"
    return table(title, ("ratio", "median"), rows)


def revolution(suite, f):
    """The thesis's table 6.2."""
    whole, fine = suite.works[WHOLE], suite.works[FINE]
    amr = (WHOLE, DATAFLOW, suite.workers)
    rows = [(f"AMR, threads, {whole.steps} steps", f.wall(*amr), f.rate(*amr), "", f.error())]
    for system, name in ((OPENMP_ACTIVE, "OpenMP"), (DATAFLOW, "threads")):
        uniform = (FINE, system, suite.workers)
        title = f"{FINE_POINTS} x {FINE_POINTS}, {name}, {fine.steps} steps"
        rows.append((title, f.wall(*uniform), f.rate(*uniform), f.uniform_over_amr(system), ""))
    return table(
        f"the thesis's table 6.2, {counted(suite.workers, 'worker')}; the uniform grid takes"
        f" {REVOLUTION * FINE_POINTS // GRID} steps for one revolution",
        ("run", "wall, s", "10^6 updates/s/core", "over AMR, equal times", ("RMS", four_digits)), rows)
