"""The AMR engine against its budgets."""

from form import Form, Row, Table, literal
from forms.host import Host, workers_text

WIDTHS = {"SSE2": "", "AVX2": "avx2", "AVX-512": "avx512"}


def kernel(host: Host) -> Table:
    rows = []
    for title, isa in WIDTHS.items():
        known = not isa or isa in host.instructions
        cells = ("n",) * 5 if known else ("-",) * 5
        rows.append(Row(title, cells if isa else ("-", "n", "-", "n", "-")))
    title = r"hot kernel, one patch in the first-level cache, weights per point: 10\^6 points/s; \d+ flop each"
    return Table(title, "peak, Gflop/s uniform upwind % of peak mixed upwind % of peak", tuple(rows))


def uniform() -> Table:
    rows = tuple(Row(title, ("n",) * 4) for title in ("256 x 256, which counts", "1024 x 1024"))
    title = r"uniform grid through the whole engine, one core: 10\^6 updates/s, and over the fastest hot kernel"
    return Table(title, "serial /kernel threads, 1 worker /kernel", rows)


def sweep(host: Host) -> Table:
    rows = tuple(Row(workers_text(count), ("n", "n")) for count in host.counts)
    title = r"bare sweep: the kernel alone over the AMR run's patches, in order, without ghosts: 10\^6 updates/s"
    return Table(title, "all per core", rows)


def schemes() -> Table:
    names = ("upwind1", "finite_volume_upwind3", "flux_form_fct", "thinc", "semi_lagrangian_cubic")
    rows = [Row(name, ("n",) * 7) for name in names]
    rows.append(Row("burgers, its own case", ("n", "n", "-", "-", "-", "-", "n")))
    title = r"shipped schemes in a vortex, three levels over 256 x 256, one core: 10\^6 updates/s"
    return Table(title, "bare sweep steady separable moving sep./st. mov./st. st./sweep", tuple(rows))


def worker_counts(most: int) -> list[int]:
    """Powers of two, and all."""
    return sorted({2**power for power in range(most.bit_length()) if 2**power < most} | {most})


def runs(host: Host) -> Table:
    systems = ("threads, dataflow", "threads, by level", "pthread strips", "OpenMP, active", "OpenMP, passive")
    counts = worker_counts(host.workers)
    rows = [Row(f"{name}, {workers_text(count)}", ("n",) * 5) for name in systems for count in counts]
    rows.append(Row("serial", ("n",) * 5))
    rows += [Row(f"threads, dataflow, {isa} only", ("n", "n", "-", "-", "n")) for isa in ("AVX2", "SSE2")]
    title = r"AMR, three levels, \d+ base steps of \d+"
    return Table(title, "wall, s 10^6 updates/s/core speed-up efficiency balance", tuple(rows))


def ratios(host: Host) -> Table:
    all_workers = workers_text(host.workers)
    titles = [f"by level / dataflow, {workers_text(count)}" for count in worker_counts(host.workers)]
    titles += [f"the same, linear, {workers_text(count)}" for count in host.counts]
    titles += [f"dataflow / strips, {all_workers}"]
    titles += [f"dataflow / OpenMP, {policy}, {all_workers}" for policy in ("active", "passive")]
    titles += [f"unequal / {peer}, {all_workers}" for peer in ("pthread strips", "OpenMP, active", "OpenMP, dynamic")]
    titles += [f"AMR / uniform, {workers_text(count)}" for count in host.counts]
    titles += [f"AMR / bare sweep, {workers_text(count)}" for count in host.counts]
    titles += [f"plain / in time, {n}, {workers_text(count)}" for n in (1024, 2048) for count in host.counts]
    rows = tuple(Row(title, ("n",)) for title in (*titles, r"\d+ steps traced / none"))
    return Table("ratios of wall times; of updates/s/core for AMR / uniform and / bare sweep", "", rows)


def revolution() -> Table:
    rows = (
        Row(r"AMR, threads, \d+ steps", ("n", "n", "n")),
        Row(r"1024 x 1024, OpenMP, \d+ steps", ("n", "n", "n")),
        Row(r"1024 x 1024, threads, \d+ steps", ("n", "n", "n")),
    )
    title = r"the thesis's table 6\.2, \d+ workers?; the uniform grid takes \d+ steps for one revolution"
    return Table(title, "wall, s 10^6 updates/s/core over AMR, equal times RMS", rows)


def states() -> Table:
    works = ("AMR, three levels", "AMR, ghosts linear in time", "uniform finest grid", "AMR, one revolution",
             "uniform 1024 x 1024", "uniform 2048 x 2048", "unequal patches")
    cells = ("v2-[0-9a-f]{16}", "the", "same", "in", "all", r"\d+", "runs")
    rows = tuple(Row(literal(work), cells) for work in works)
    return Table("the state after the last step, by its hash", "", rows)


def form(host: Host) -> Form:
    judged = 6 + 3 * len(host.counts) + 3 + len(worker_counts(host.workers)) + 3
    judged += 5 if host.workers > 1 else 0
    unmeasurable = tuple(
        (f", {isa}: % of peak$", f"this processor lacks {isa}")
        for isa in ("avx2", "avx512")
        if isa not in host.instructions
    )
    tables = (kernel(host), uniform(), sweep(host), schemes(), runs(host), ratios(host), revolution(), states())
    return Form(tables, judged, unmeasurable=unmeasurable)
