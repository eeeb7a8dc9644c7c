"""Medians, ratios and budgets of what was measured."""

from dataclasses import dataclass
from statistics import median

from measured import Budget, Spread

from .measure import Outcome
from .plan import BENCHMARKS, GO, OURS, SYSTEMS, Case, is_serial


@dataclass(frozen=True)
class Entry:
    """One case, all repetitions."""

    case: Case
    ns: Spread | None  # wall time per operation
    peak_rss: float | None  # bytes
    repetitions: int
    error: str | None  # of the latest repetition that failed


def entry_of(case: Case, outcomes: list[Outcome]) -> Entry:
    reports = [outcome.report for outcome in outcomes if outcome.report is not None]
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    error = errors[-1] if errors else None
    if not reports:
        return Entry(case, None, None, 0, error)
    ns = Spread.of([report["ns_per_operation"] for report in reports])
    return Entry(case, ns, median(r["peak_rss_bytes"] for r in reports), len(reports), error)


class Summary:
    def __init__(self, outcomes: dict[Case, list[Outcome]], all_workers: int):
        self.all_workers = all_workers
        self.entries = {case.key: entry_of(case, runs) for case, runs in outcomes.items()}

    def entry(self, benchmark: str, system: str, workers: int) -> Entry | None:
        return self.entries.get((benchmark, system, workers))

    def serial_ns(self, benchmark: str, system: str) -> float | None:
        """Of the serial version by the system's own compiler, per operation."""
        entry = self.entry(benchmark, SYSTEMS[system].serial, 1)
        return entry.ns.middle if entry is not None and entry.ns is not None else None

    def cost(self, benchmark: str, system: str, workers: int) -> Spread | None:
        """Wall time per operation; where only the overhead counts, workers x that - serial."""
        entry = self.entry(benchmark, system, workers)
        if entry is None or entry.ns is None:
            return None
        if not BENCHMARKS[benchmark].overhead_only:
            return entry.ns
        serial = self.serial_ns(benchmark, system)
        return entry.ns.times(workers).minus(serial) if serial is not None else None

    def ratio(self, benchmark: str, peer: str, workers: int) -> float | None:
        """Kumiko's cost over the peer's."""
        ours = self.cost(benchmark, OURS, workers)
        theirs = self.cost(benchmark, peer, workers)
        if ours is None or theirs is None or theirs.middle <= 0:
            return None
        return ours.middle / theirs.middle

    def beyond_serial(self, benchmark: str, system: str, workers: int) -> float | None:
        """Processor time per operation that the serial version by the same compiler does not take."""
        entry = self.entry(benchmark, system, workers)
        serial = self.serial_ns(benchmark, system)
        if entry is None or entry.ns is None or serial is None:
            return None
        return workers * entry.ns.middle - serial

    def fastest(self, benchmark: str, systems: list[str], workers: int) -> float | None:
        """The least cost of the systems that were measured."""
        costs = [self.cost(benchmark, system, workers) for system in systems]
        return min((cost.middle for cost in costs if cost is not None), default=None)

    def growth(self, benchmark: str, system: str) -> float | None:
        """Cost x workers with all workers, over the cost with one."""
        one = self.cost(benchmark, system, 1)
        all_of_them = self.cost(benchmark, system, self.all_workers)
        if one is None or all_of_them is None or one.middle <= 0:
            return None
        factor = 1 if BENCHMARKS[benchmark].overhead_only else self.all_workers
        return factor * all_of_them.middle / one.middle

    def speed_up(self, benchmark: str, system: str) -> float | None:
        """All workers over the serial version by the same compiler."""
        entry = self.entry(benchmark, system, self.all_workers)
        serial = self.serial_ns(benchmark, system)
        if entry is None or entry.ns is None or serial is None:
            return None
        return serial / entry.ns.middle


def budgets(summary: Summary) -> list[Budget]:
    workers = summary.all_workers
    # Go's speed changes with its version, so no budget depends on it.
    peers = [s for s in SYSTEMS if not is_serial(s) and not s.startswith(OURS) and s != GO]
    fastest = summary.fastest("uts", peers, workers)
    ours = summary.fastest("uts", [OURS], workers)
    over_fastest = ours / fastest if ours is not None and fastest else None
    growth = summary.growth("uts", OURS)
    beyond, beyond_tbb = (summary.beyond_serial("uts", system, 1) for system in (OURS, "tbb"))
    over_tbb_beyond = beyond / beyond_tbb if beyond is not None and beyond_tbb else None
    over_tbb = summary.ratio("fib", "tbb", 1)
    invoke, spawn = summary.cost("fib", "kumiko-invoke", 1), summary.cost("fib", OURS, 1)
    # 2 ns where a spawn takes 30.
    over_spawn = invoke.middle / spawn.middle if invoke is not None and spawn is not None else None
    over_std_thread = summary.ratio("fib", "std-thread", 1)
    return [
        Budget("fib, 1 worker: over oneTBB's task_group", 0.42, True, over_tbb),
        Budget("fib, 1 worker: over std::thread", 0.005, True, over_std_thread),
        Budget(f"fib, 1 to {workers} workers: growth", 1.2, True, summary.growth("fib", OURS)),
        Budget("fib by invoke, 1 worker: over a spawn", 2 / 30, True, over_spawn),
        Budget("UTS, 1 worker: overhead per node over oneTBB's", 0.8, True, over_tbb_beyond),
        Budget(f"UTS, {workers} workers: parallel efficiency", 0.93, False, 1 / growth if growth else None),
        Budget(f"UTS, {workers} workers: time over the fastest peer's", 1.0, True, over_fastest),
    ]


def breakdown(summary: Summary, parts: list[dict[str, float]]) -> dict[str, float]:
    """The medians of the parts in ns, with the rest of the overhead and the total."""
    total = summary.cost("fib", OURS, 1)
    if not parts or total is None:
        return {}
    result = {name: median(part[name] for part in parts) for name in parts[0]}
    result["rest"] = total.middle - sum(result.values())
    result["total"] = total.middle
    return result
