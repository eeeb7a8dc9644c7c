"""Tables as the suites print them, of figures that nobody has measured."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/driver"))

import amr_suite.plan  # noqa: E402
import amr_suite.summary  # noqa: E402
import amr_suite.table  # noqa: E402
import checkpoint_suite  # noqa: E402
import cluster_suite.launch  # noqa: E402
import cluster_suite.plan  # noqa: E402
import cluster_suite.summary  # noqa: E402
import cluster_suite.table  # noqa: E402
import groups_suite  # noqa: E402
import idle_suite.direction  # noqa: E402
import idle_suite.plan  # noqa: E402
import idle_suite.summary  # noqa: E402
import idle_suite.table  # noqa: E402
import io_suite.plan  # noqa: E402
import io_suite.summary  # noqa: E402
import io_suite.table  # noqa: E402
import predict_suite  # noqa: E402
import ranks_suite  # noqa: E402
import runtime_suite.plan  # noqa: E402
import runtime_suite.summary  # noqa: E402
import runtime_suite.table  # noqa: E402
import search_suite  # noqa: E402
from amr_suite.measure import Outcome as AmrOutcome  # noqa: E402
from idle_suite.measure import Outcome as IdleOutcome  # noqa: E402
from io_suite.measure import Outcome as IoOutcome  # noqa: E402
from runtime_suite.measure import Outcome as RuntimeOutcome  # noqa: E402
from measured import Measured, Spread, budget_figures, unjudged  # noqa: E402
from suites import SUITES  # noqa: E402

WORKERS = 2
ISAS = ("avx2", "avx512")


def figures_of(value: float, names: str) -> dict[str, float]:
    return dict.fromkeys(names.split(), value)


def judge(budgets: list, quick: bool) -> list:
    return unjudged(budgets) if quick else budgets


def runtime(quick: bool) -> Measured:
    outcome = RuntimeOutcome(report={"ns_per_operation": 20.0, "peak_rss_bytes": 2**22})
    cases = runtime_suite.plan.cases(WORKERS, quick)
    serial = RuntimeOutcome(report={"ns_per_operation": 3.0, "peak_rss_bytes": 2**21})
    outcomes = {case: [serial if case.system.startswith("serial") else outcome] for case in cases}
    summary = runtime_suite.summary.Summary(outcomes, WORKERS)
    parts = runtime_suite.summary.breakdown(summary, [figures_of(1.5, "stack deque switch join")])
    judged = judge(runtime_suite.summary.budgets(summary), quick)
    lines = runtime_suite.table.table_lines(summary, parts, judged)
    return Measured(WORKERS, "1 round", lines, {"budgets": budget_figures(judged)})


IO_NAMES = """per_second cpu_us searching_share polling_share useful_share p50_us p99_us p999_us
 patches_per_second_with kept_per_second kept_per_cpu_second late_p99_us bytes_per_second seconds sync_seconds"""


def io(quick: bool, refused: str = "") -> Measured:
    """A system that is refused has an error in place of its figures."""
    outcome = IoOutcome(figures_of(0.5, IO_NAMES))
    error = IoOutcome(error="the program failed: Operation not permitted")
    cases = io_suite.plan.cases(quick, 0)
    outcomes = {case: [error if case.system == refused else outcome] for case in cases}
    summary = io_suite.summary.Summary(outcomes)
    judged = judge(io_suite.summary.goals(summary, io_suite.plan.marks(quick)), quick)
    lines = io_suite.table.table_lines(summary, judged)
    return Measured(WORKERS, "1 round", lines, {"goals": budget_figures(judged)})


def core_report(isas: tuple[str, ...]) -> dict[str, float]:
    kernels = (f"{upwind}_upwind_{isa}" for upwind in ("uniform", "mixed") for isa in ("baseline", *isas))
    peaks = (f"fma_{isa}" for isa in isas)
    grids = (f"grid_{points}_{backend}" for points in (256, 1024) for backend in ("serial", "threads"))
    sweeps = (f"sweep_{count}" for count in (1, WORKERS))
    return dict.fromkeys((*kernels, *peaks, *grids, *sweeps), 2.5e8) | {"recording_s": 1e-8}


def schemes_report() -> dict[str, float]:
    flows = [f"amr_{flow}_1" for flow in ("steady", "unsteady", "moving")]
    names = [f"{scheme}_{kind}" for scheme in ("upwind1", "upwind3", "fct", "thinc", "cubic") for kind in flows]
    sweeps = [f"{scheme}_sweep_1" for scheme in ("upwind1", "upwind3", "fct", "thinc", "cubic", "burgers")]
    return dict.fromkeys((*names, *sweeps, "burgers_amr_steady_1"), 2.5e7)


def amr(quick: bool, isas: tuple[str, ...] = ISAS) -> Measured:
    works = amr_suite.plan.works(quick)
    run = figures_of(1.25, "wall_s updates_per_core_s balance_efficiency")
    run |= {"error": {"rms": 0.02}, "memory": {"bytes_per_point": 45.0}, "state_hash": "v2-0123456789abcdef"}
    reports = {amr_suite.plan.CORES: core_report(isas), amr_suite.plan.SCHEMES: schemes_report()}
    outcomes = {case: [AmrOutcome(reports.get(case.work, run))] for case in amr_suite.plan.cases(WORKERS, 0)}
    summary = amr_suite.summary.Summary(outcomes, works, WORKERS)
    judged = judge(amr_suite.summary.budgets(summary), quick)
    lines = amr_suite.table.table_lines(summary, judged)
    return Measured(WORKERS, "1 round", lines, {"budgets": budget_figures(judged)})


def checkpoint(quick: bool) -> Measured:
    run = {"wall_s": 2.0, "bytes_per_point": 8.5}
    state = figures_of(0.25, "checkpoint_s plain_s library_s packed_s verify_s")
    state |= {"bytes": 2**28, "packed_bytes": 2**27, "points": 2**25}
    summary = checkpoint_suite.Summary(200, [run], [run], [state])
    judged = judge(summary.budgets(), quick)
    lines = checkpoint_suite.table_lines(summary, judged)
    return Measured(WORKERS, "1 round", lines, {"budgets": budget_figures(judged)})


def idle(quick: bool, refused: str = "") -> Measured:
    """Without the tables of quotas where these are refused."""
    names = [name for name in idle_suite.plan.PARTS if name != "quotas" or not refused]
    plan = idle_suite.plan.Plan.of(quick, names)
    outcomes = {case: [IdleOutcome(0, 0.25), IdleOutcome(1, 0.5)] for case in idle_suite.plan.cases(plan, 0)}
    summary = idle_suite.summary.Summary(outcomes, plan, WORKERS)
    judged = judge(idle_suite.summary.budgets(summary), quick)
    lines = idle_suite.table.table_lines(summary, judged)
    if quick:
        lines = idle_suite.direction.lines(Spread.of([1.5, 2.0])) + lines
    return Measured(WORKERS, "1 round", lines, {"budgets": budget_figures(judged)})


def groups(quick: bool) -> Measured:
    rounds = groups_suite.Rounds(quick)
    for case in rounds.runs:
        rounds.runs[case] = [{"seconds": 0.25, "result": {"sharing_ns": 400, "loner_ns": 800, "sharing_on": 60, "loners_on": 0}}]
    judged = judge(groups_suite.budgets(rounds), quick)
    return Measured(1, "1 round", groups_suite.table_lines(rounds, judged), {"budgets": budget_figures(judged)})


CLUSTER_NAMES = """send_ns test_ns put_ns get_ns put_shared_ns get_shared_ns invoke_ns inline_ns thread_ns write_ns
 posts_ns spans_ns yield_p50_us yield_p99_us yield_kept poll_p50_us poll_p99_us poll_kept
 spawn_p50_us spawn_p99_us spawn_kept silent_p50_us silent_p99_us silent_kept recv_p50_us
 recv_p99_us recv_kept seconds grown_bytes waiting_share sleeping_share"""


def cluster(quick: bool, absent: tuple[str, ...] = ()) -> Measured:
    """Without the MPIs that are absent, or UCX."""
    plan = cluster_suite.plan
    planned = plan.parts(quick)
    report = figures_of(400.0, CLUSTER_NAMES)
    here = [family.name for family in plan.FAMILIES if family.name not in absent]
    runs = {family: {(part.name, part.system): [report] for part in planned} for family in here}
    ucx = [] if cluster_suite.launch.UCX_KEY in absent else [{"am_ns": 300.0}]
    summary = cluster_suite.summary.Summary(runs, ucx, planned)
    judged = judge(cluster_suite.summary.budgets(summary), quick)
    why = dict.fromkeys(absent, cluster_suite.launch.absence("some package"))
    lines = cluster_suite.table.table_lines(summary, why, judged)
    return Measured(1, "1 round", lines, {"budgets": budget_figures(judged)})


def search(quick: bool, absent: tuple[str, ...] = ()) -> Measured:
    """Without the MPIs that are absent."""
    suite, between = search_suite, search_suite.processes
    run = figures_of(4.0, "serial_s search_s parts undos redos most_live peak_kib")
    keys = [(name, compiler, workers) for name in suite.PROGRAMS for compiler in suite.SUFFIXES for workers in (1, 2)]
    copies = {(system, name): [8.0] for system in suite.SYSTEMS for name in suite.COPYING}
    rounds = suite.Rounds(quick, {key: [run] for key in keys}, copies)
    why = dict.fromkeys(absent, cluster_suite.launch.absence("some package"))
    shared = figures_of(4.0, "seconds worked_s given asks refusals bytes")
    searches = {(name, launch): [shared] for name in between.SIZES for launch in between.launches(why)}
    delayed = {delay: [shared] for delay in between.delays()}
    lines, figures = suite.summary(rounds, between.Rounds(quick, why, searches, delayed), quick)
    return Measured(2, "1 round", lines, figures)


def predict(_: bool) -> Measured:
    keys = [(model, count) for model in predict_suite.SYSTEMS for count in (1, WORKERS)]
    seconds = dict.fromkeys(keys, 0.025)
    turn = {"predicted": seconds, "measured": seconds}
    return Measured(WORKERS, "1 round", predict_suite.table([turn], [1, WORKERS]), {})


def ranks(quick: bool, absent: tuple[str, ...] = ()) -> Measured:
    """Without the MPIs that are absent."""
    own = {"bundles": 1000, "bytes": 500000}
    report = {"wall_s": 0.25, "memory": {"bytes_per_point": 46.0}, "ranks": [own, own], "state_hash": "v2-0"}
    by_mpi = {name: [report] for name in ("openmpi", "mpich") if name not in absent}
    predicted = {"speed_up": 1.5, "edges_per_step": 500.0}
    all_runs = [ranks_suite.Runs(size, [report], [report], by_mpi, predicted)
                for size in (ranks_suite.QUICK if quick else ranks_suite.SIZES)]
    judged = judge([budget for runs in all_runs for budget in ranks_suite.budgets_of(runs)], quick)
    lines = ranks_suite.lines_of(all_runs, judged)
    return Measured(2, "1 round", lines, {"budgets": budget_figures(judged)})


# By suite: the function above that has its name.
TABLES = {suite: globals()[suite] for suite in SUITES}


def written(measured: Measured, quick: bool, folder: Path) -> Path:
    """The JSON file, as the driver writes it."""
    path = folder / "figures.json"
    head = {"machine": {}, "quick": quick, "workers": measured.workers}
    path.write_text(json.dumps(head | measured.figures))
    return path


def without_lines(measured: Measured, *beginnings: str) -> Measured:
    """The same table without its lines that begin so."""
    lines = [line for line in "\n".join(measured.lines).split("\n") if not line.strip().startswith(beginnings)]
    return Measured(measured.workers, measured.extent, lines, measured.figures)


def with_text(measured: Measured, old: str, new: str) -> Measured:
    """The same table, with a text replaced once; fails where it is not there."""
    text = "\n".join(measured.lines)
    assert old in text, f"'{old}' is not in the table"
    return Measured(measured.workers, measured.extent, text.replace(old, new, 1).split("\n"), measured.figures)
