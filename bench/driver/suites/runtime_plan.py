"""The systems and the benchmarks of the suite runtime, and the size of each benchmark for each system."""

from collections.abc import Callable
from dataclasses import dataclass, field

from programs import GO, Tool

OURS = "kumiko"
TASKS = ("fib", "uts", "nqueens", "skynet")  # the benchmarks that have a serial version
STACKS = {"OMP_STACKSIZE": "512M"}
NO_BLOCKING = ("tbb", "libgomp", "libomp")  # systems whose tasks may not block


@dataclass(frozen=True)
class System:
    """Runs `BENCHMARK_program arguments`."""

    title: str
    program: str
    serial: str = ""  # the system that is its own serial version, by the same compiler; empty: it is one
    arguments: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)
    only: tuple[str, ...] = ()  # the benchmarks that it is for; (): all
    tool: Tool | None = None


SYSTEMS = {
    "serial": System("serial (g++)", "serial", only=TASKS),
    "serial-clang": System("serial (clang++)", "serial-clang", only=TASKS),
    "serial-go": System("serial (Go)", "go", arguments={"serial": "1"}, only=TASKS, tool=GO),
    "kumiko": System("Kumiko", "kumiko", "serial"),
    "kumiko-invoke": System("Kumiko, invoke", "kumiko-invoke", "serial", only=("fib",)),
    "kumiko-pthread": System("Kumiko, std::thread", "kumiko-pthread", "serial", only=("fib",)),
    "kumiko-handles": System("Kumiko, handles", "kumiko-handles", "serial", only=("uts",)),
    "tbb": System("oneTBB", "tbb", "serial"),
    "libgomp": System("GCC OpenMP", "libgomp", "serial", environment=STACKS),
    "libomp": System("LLVM OpenMP", "libomp", "serial-clang", environment=STACKS),
    "boost-fiber": System("Boost.Fiber", "boost-fiber", "serial"),
    "std-thread": System("std::thread", "std-thread", "serial"),
    "go": System("Go", "go", "serial-go", tool=GO),
}


@dataclass(frozen=True)
class Benchmark:
    title: Callable[[dict], str]  # by Kumiko's size
    operation: str  # what the time is divided by
    size: dict  # of all systems, except those below
    of_some: dict  # by system
    quick: dict  # the same for --quick
    quick_of_some: dict
    expected: Callable[[dict], dict]  # result
    unfit: tuple[str, ...] = ()  # systems that are left out
    one_worker_only: bool = False
    overhead_only: bool = False  # the time of the serial version is taken off
    beyond_serial: bool = False  # what a system adds to the serial version has columns of its own

    def size_of(self, system: str, quick: bool) -> dict:
        size, of_some = (self.quick, self.quick_of_some) if quick else (self.size, self.of_some)
        return of_some.get(system, size)

    @property
    def unit(self) -> str:
        return f"ns per {self.operation}{' x workers' if self.overhead_only else ''}"


def fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


# By (b0, q): nodes and depth. The first is the published tree T3; the small ones are what the C++
# and the Go program agree on.
UTS_TREES = {(2000, 0.124875): (4112897, 1572), (2000, 0.12): (62689, 124), (500, 0.11): (2749, 21)}
T3, UTS_QUICK, UTS_SMALL = ({"b0": b0, "q": q} for b0, q in UTS_TREES)
QUEENS = {8: (92, 2056), 10: (724, 35538), 12: (14200, 856188)}  # solutions, and queens placed on the way to them


def named(name: str, values: dict) -> dict:
    return {system: {name: value} for system, value in values.items()}


def nodes(size: dict) -> int:
    return UTS_TREES[size["b0"], size["q"]][0]


def count(number: int) -> str:
    """A power of ten as one."""
    text = str(number)
    return f"10^{len(text) - 1}" if len(text) > 4 and text == f"1{'0' * (len(text) - 1)}" else text


BENCHMARKS = {
    "fib": Benchmark(
        lambda size: f"fib({size['n']}): overhead per thread = (T - T serial) / threads",
        "thread",
        {"n": 32}, named("n", {"serial": 36, "kumiko-invoke": 36, "kumiko-pthread": 27, "libgomp": 27, "libomp": 28,
                               "boost-fiber": 24, "std-thread": 16, "go": 29}),
        {"n": 27}, named("n", {"serial": 32, "kumiko-invoke": 32, "kumiko-pthread": 22, "libgomp": 22, "libomp": 22,
                               "boost-fiber": 20, "std-thread": 12, "go": 24}),
        lambda size: {"value": fib(size["n"])}, overhead_only=True,
    ),
    "uts": Benchmark(
        lambda size: f"UTS{' T3' if size == T3 else ''}, {nodes(size)} nodes: an unbalanced tree, one thread per node",
        "node", T3, {"std-thread": UTS_SMALL}, UTS_QUICK, {"std-thread": UTS_SMALL},
        lambda size: dict(zip(("nodes", "depth"), UTS_TREES[size["b0"], size["q"]], strict=True)), beyond_serial=True,
    ),
    "nqueens": Benchmark(
        lambda size: f"{size['n']}-queens: one thread per queen placed", "thread",
        {"n": 12}, named("n", {"boost-fiber": 10, "std-thread": 8}), {"n": 10}, named("n", {"std-thread": 8}),
        lambda size: dict(zip(("solutions", "placements"), QUEENS[size["n"]], strict=True)),
    ),
    "skynet": Benchmark(
        lambda size: f"skynet: {count(size['leaves'])} leaves", "thread",
        {"leaves": 1000000}, named("leaves", {"boost-fiber": 100000, "std-thread": 1000}),
        {"leaves": 100000}, named("leaves", {"boost-fiber": 10000, "std-thread": 1000}),
        lambda size: {"sum": size["leaves"] * (size["leaves"] - 1) // 2},
    ),
    # An OS thread that yields on a busy machine waits for everyone else's turn.
    "yield": Benchmark(
        lambda size: f"yield: two threads on one worker, {count(size['yields'])} times each", "yield",
        {"yields": 1000000}, named("yields", {"std-thread": 200000}),
        {"yields": 100000}, named("yields", {"std-thread": 1000}),
        lambda size: {"yields": 2 * size["yields"]}, NO_BLOCKING, one_worker_only=True,
    ),
    "mutex": Benchmark(
        lambda size: ("mutex: two threads alternate by a mutex and a condition variable,"
                      f" {count(size['turns'])} turns each"), "turn",
        {"turns": 200000}, named("turns", {"std-thread": 20000}), {"turns": 20000}, named("turns", {"std-thread": 500}),
        lambda size: {"turns": 2 * size["turns"]}, NO_BLOCKING,
    ),
    "blocked": Benchmark(
        lambda size: f"blocked: {count(size['threads'])} threads that all wait, are released and joined", "thread",
        {"threads": 100000}, named("threads", {"std-thread": 10000}),
        {"threads": 10000}, named("threads", {"std-thread": 1000}),
        lambda size: {"passed": size["threads"]}, NO_BLOCKING,
    ),
}
