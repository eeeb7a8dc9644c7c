"""The runtime and its peers."""

import json

from programs import Failed, environment_with
from suite import Budget, Missing, Suite, counted, extreme, table
from suites.runtime_plan import BENCHMARKS, OURS, SYSTEMS, TASKS

BREAKDOWN = ("breakdown", "parts", 1)
UNFIT = Missing("not applicable: its tasks may not block", is_expected=True)
LEGEND = """K/peer: Kumiko's cost over the peer's. growth: the cost with all workers over that with one.
speed-up: all workers over the serial version by the same compiler. beyond: ns per operation x workers that
the serial version does not take. peak MiB: largest resident set. size: its own, where it is not
Kumiko's. handles: a Thread per node, joined one by one.
"""


class Declared(Suite):
    about = "spawn, join, switch, synchronise: Kumiko, oneTBB, OpenMP, Boost.Fiber, OS threads, Go"
    program = "fib_kumiko"
    fields = ("benchmark", "system", "workers")
    figure = "ns_per_operation"
    case_seconds = 12
    all_seconds = 240
    may_fail = True  # a peer
    budgets_title = "budgets"

    def __init__(self, *words):
        super().__init__(*words)
        # As many as the runtime itself would take.
        self.workers = self.programs.report("fib_kumiko", "n=1", "workers=0", environment={})["workers"]
        self.counts = sorted({1, self.workers})

    def counts_of(self, name):
        return [1] if BENCHMARKS[name].one_worker_only else self.counts

    def systems(self, name):
        return [key for key, system in SYSTEMS.items() if not system.only or name in system.only]

    def comparisons(self):
        made = []
        for name, benchmark in BENCHMARKS.items():
            fit = [system for system in self.systems(name) if system not in benchmark.unfit]
            made.append([(name, s, count) for s in fit for count in (self.counts_of(name) if SYSTEMS[s].serial else [1])])
        return [*made, [BREAKDOWN]]

    def measure(self, key, turn):
        if key == BREAKDOWN:
            words = ("--benchmark_format=json", "--benchmark_min_time=0.1")
            return {part["name"]: part["cpu_time"] for part in self.programs.report("breakdown", *words)["benchmarks"]}
        name, system, workers = key
        declared, size = SYSTEMS[system], BENCHMARKS[name].size_of(system, self.quick)
        arguments = size | declared.arguments | ({"workers": workers} if declared.serial else {})
        words = [f"{word}={value}" for word, value in arguments.items()]
        report = self.programs.report(f"{name}_{declared.program}", *words, tool=declared.tool, limit=30,
                                      environment=environment_with(**declared.environment))
        expected = BENCHMARKS[name].expected(size)
        if report["result"] != expected:
            raise Failed(f"wrong result: {json.dumps(report['result'])}, not {json.dumps(expected)}")
        return report

    def serial(self, r, name, system):
        """Nanoseconds per operation of the serial version by the system's own compiler."""
        return r.spread((name, SYSTEMS[system].serial, 1)).median

    def cost(self, r, name, system, workers):
        """Wall time per operation; where only the overhead counts, workers x that - serial."""
        wall = r.spread((name, system, workers))
        if not wall or not BENCHMARKS[name].overhead_only:
            return wall
        serial = self.serial(r, name, system)
        return wall.times(workers).plus(-serial) if serial else serial

    def ratio(self, r, name, peer, workers):
        """Kumiko's cost over the peer's."""
        ours, theirs = (self.cost(r, name, system, workers).median for system in (OURS, peer))
        if theirs and theirs <= 0:
            return Missing("a peer costs less than its serial version", is_expected=True)
        return ours / theirs

    def beyond(self, r, name, system, workers):
        """Processor time per operation that the serial version by the same compiler does not take."""
        return workers * r.spread((name, system, workers)).median - self.serial(r, name, system)

    def growth(self, r, name, system):
        """Cost x workers with all workers, over the cost with one."""
        one, many = (self.cost(r, name, system, count).median for count in (1, self.workers))
        return (1 if BENCHMARKS[name].overhead_only else self.workers) * many / one

    def speed_up(self, r, name, system):
        return self.serial(r, name, system) / r.spread((name, system, self.workers)).median

    def row(self, r, name, system):
        """A system's values, or words where none apply."""
        benchmark, own = BENCHMARKS[name], SYSTEMS[system].serial
        counts = self.counts_of(name)
        if system in benchmark.unfit:
            return [UNFIT] * (2 * len(counts) + 2)
        last = (name, system, counts[-1] if own else 1)
        size, ours = (benchmark.size_of(each, self.quick) for each in (system, OURS))
        text = "" if size == ours else " ".join(f"{word}={value}" for word, value in size.items())
        cells = [self.cost(r, name, system, count) if own else "" for count in counts]
        if not own:
            cells[0] = r.spread((name, system, 1))
        if name in TASKS and len(counts) > 1:
            scaling = self.growth if benchmark.overhead_only else self.speed_up
            cells.append(scaling(r, name, system) if own else "")
        if benchmark.beyond_serial:
            cells += [self.beyond(r, name, system, count) if own else "" for count in counts]
        cells += ["" if not own else "-" if system == OURS else self.ratio(r, name, system, count) for count in counts]
        peak = r.spread(last, "peak_rss_bytes", 2**-20).median
        return [*cells, peak, text if peak else ""]

    def tables(self, r):
        for name, benchmark in BENCHMARKS.items():
            counts = self.counts_of(name)
            columns = ["system", *(counted(count, "worker") for count in counts)]
            if name in TASKS and len(counts) > 1:
                columns.append("growth" if benchmark.overhead_only else "speed-up")
            columns += [f"beyond, {count}" for count in counts if benchmark.beyond_serial]
            columns += [*(f"K/peer, {count}" for count in counts), "peak MiB", "size"]
            rows = [(SYSTEMS[system].title, *self.row(r, name, system)) for system in self.systems(name)]
            yield table(f"{benchmark.title(benchmark.size_of(OURS, self.quick))}; {benchmark.unit}", columns, rows)
        yield LEGEND
        parts, total = self.breakdown(r), self.cost(r, "fib", OURS, 1).median
        yield table("breakdown of Kumiko's overhead per thread (fib, 1 worker)", ("part", "ns", "% of the total"),
                    [(part, ns, 100 * ns / total) for part, ns in parts.items()])

    def breakdown(self, r):
        """The medians of the parts in ns, with the rest of the overhead and the total."""
        parts = {part: r.spread(BREAKDOWN, part).median for part in ("stack", "deque", "switch", "join")}
        total = self.cost(r, "fib", OURS, 1).median
        return parts | {"rest": total - sum(parts.values()), "total": total}

    def budgets(self, r):
        workers = self.workers
        # Go's speed changes with its version, so no budget depends on it.
        peers = [s for s, system in SYSTEMS.items() if system.serial and not s.startswith(OURS) and s != "go"]
        fastest = extreme(min, (self.cost(r, "uts", peer, workers).median for peer in peers))
        invoke, spawn = (self.cost(r, "fib", system, 1).median for system in ("kumiko-invoke", OURS))
        beyond, beyond_tbb = (self.beyond(r, "uts", system, 1) for system in (OURS, "tbb"))
        yield Budget("fib, 1 worker: over oneTBB's task_group", 0.42, True, self.ratio(r, "fib", "tbb", 1))
        yield Budget("fib, 1 worker: over std::thread", 0.005, True, self.ratio(r, "fib", "std-thread", 1))
        yield Budget(f"fib, 1 to {workers} workers: growth", 1.2, True, self.growth(r, "fib", OURS))
        # 2 ns where a spawn takes 30.
        yield Budget("fib by invoke, 1 worker: over a spawn", 2 / 30, True, invoke / spawn)
        yield Budget("UTS, 1 worker: overhead per node over oneTBB's", 0.8, True, beyond / beyond_tbb)
        yield Budget(f"UTS, {workers} workers: parallel efficiency", 0.93, False, 1 / self.growth(r, "uts", OURS))
        yield Budget(f"UTS, {workers} workers: time over the fastest peer's", 1.0, True,
                     self.cost(r, "uts", OURS, workers).median / fastest)
