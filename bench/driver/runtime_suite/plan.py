"""What is measured: the systems, the benchmarks, and the size of each benchmark for each system."""

from dataclasses import dataclass, field
from typing import Callable

Sizes = dict[str, dict[str, str]]


@dataclass(frozen=True)
class System:
    """Runs `BENCHMARK_program arguments`."""

    title: str
    program: str
    serial: str | None = None  # the system that is its own serial version, by the same compiler
    arguments: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()  # the benchmarks that it is for; (): all


@dataclass(frozen=True)
class Benchmark:
    title: Callable[[dict[str, str]], str]  # by Kumiko's size
    operation: str  # what the time is divided by
    sizes: Sizes  # by system, in the order of the table; the serial versions do not count
    quick: Sizes  # the same for --quick, where it differs
    expected: Callable[[dict[str, str]], dict[str, int]]
    unfit: dict[str, str] = field(default_factory=dict)  # why a system is left out
    one_worker_only: bool = False
    overhead_only: bool = False  # the time of the serial version is taken off
    beyond_serial: bool = False  # what a system adds to the serial version has columns of its own


OURS = "kumiko"
GO = "go"
TASK_BENCHMARKS = ("fib", "uts", "nqueens", "skynet")
STACKS = {"OMP_STACKSIZE": "512M"}

SYSTEMS = {
    "serial": System("serial (g++)", "serial", only=TASK_BENCHMARKS),
    "serial-clang": System("serial (clang++)", "serial-clang", only=TASK_BENCHMARKS),
    "serial-go": System("serial (Go)", "go", arguments={"serial": "1"}, only=TASK_BENCHMARKS),
    "kumiko": System("Kumiko", "kumiko", "serial"),
    "kumiko-invoke": System("Kumiko, invoke", "kumiko-invoke", "serial", only=("fib",)),
    "kumiko-pthread": System("Kumiko, std::thread", "kumiko-pthread", "serial", only=("fib",)),
    "kumiko-handles": System("Kumiko, handles", "kumiko-handles", "serial", only=("uts",)),
    "tbb": System("oneTBB", "tbb", "serial"),
    "libgomp": System("GCC OpenMP", "libgomp", "serial", environment=STACKS),
    "libomp": System("LLVM OpenMP", "libomp", "serial-clang", environment=STACKS),
    "boost-fiber": System("Boost.Fiber", "boost-fiber", "serial"),
    "std-thread": System("std::thread", "std-thread", "serial"),
    "go": System("Go", "go", "serial-go"),
}

def is_serial(system: str) -> bool:
    return system.startswith("serial")


NO_BLOCKING = {
    "tbb": "its tasks may not block",
    "libgomp": "its tasks may not block",
    "libomp": "its tasks may not block",
}


def sizes(name: str, of_all: object, **of_some: object) -> Sizes:
    """The argument `name` of every system: `of_all`, except where `of_some` says otherwise."""
    values = {system: of_all for system in SYSTEMS} | {
        system.replace("_", "-"): value for system, value in of_some.items()
    }
    return {system: {name: str(value)} for system, value in values.items()}


def fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


# By (b0, q): nodes and depth. The first is the published tree T3; the small ones are what the C++
# and the Go program agree on.
UTS_TREES = {
    ("2000", "0.124875"): (4112897, 1572),
    ("2000", "0.12"): (62689, 124),
    ("500", "0.11"): (2749, 21),
}
T3 = {"b0": "2000", "q": "0.124875"}
UTS_QUICK = {"b0": "2000", "q": "0.12"}
UTS_SMALL = {"b0": "500", "q": "0.11"}

# Solutions, and queens placed on the way to them.
QUEENS = {8: (92, 2056), 10: (724, 35538), 12: (14200, 856188)}


def expected_uts(parameters: dict[str, str]) -> dict[str, int]:
    nodes, depth = UTS_TREES[parameters["b0"], parameters["q"]]
    return {"nodes": nodes, "depth": depth}


def expected_queens(parameters: dict[str, str]) -> dict[str, int]:
    solutions, placements = QUEENS[int(parameters["n"])]
    return {"solutions": solutions, "placements": placements}


def expected_skynet(parameters: dict[str, str]) -> dict[str, int]:
    leaves = int(parameters["leaves"])
    return {"sum": leaves * (leaves - 1) // 2}


def title_of_uts(parameters: dict[str, str]) -> str:
    nodes, _ = UTS_TREES[parameters["b0"], parameters["q"]]
    name = "UTS T3" if parameters == T3 else "UTS"
    return f"{name}, {nodes} nodes: an unbalanced tree, one thread per node"


def count(text: str) -> str:
    """A power of ten as one."""
    zeros = len(text) - 1
    return f"10^{zeros}" if zeros > 3 and text == f"1{'0' * zeros}" else text


BENCHMARKS = {
    "fib": Benchmark(
        lambda size: f"fib({size['n']}): overhead per thread = (T - T serial) / threads",
        "thread",
        sizes("n", 32, serial=36, kumiko_invoke=36, kumiko_pthread=27, libgomp=27, libomp=28, boost_fiber=24,
              std_thread=16, go=29),
        sizes("n", 27, serial=32, kumiko_invoke=32, kumiko_pthread=22, libgomp=22, libomp=22, boost_fiber=20,
              std_thread=12, go=24),
        lambda parameters: {"value": fib(int(parameters["n"]))},
        overhead_only=True,
    ),
    "uts": Benchmark(
        title_of_uts,
        "node",
        {system: T3 for system in SYSTEMS} | {"std-thread": UTS_SMALL},
        {system: UTS_QUICK for system in SYSTEMS} | {"std-thread": UTS_SMALL},
        expected_uts,
        beyond_serial=True,
    ),
    "nqueens": Benchmark(
        lambda size: f"{size['n']}-queens: one thread per queen placed",
        "thread",
        sizes("n", 12, boost_fiber=10, std_thread=8),
        sizes("n", 10, std_thread=8),
        expected_queens,
    ),
    "skynet": Benchmark(
        lambda size: f"skynet: {count(size['leaves'])} leaves",
        "thread",
        sizes("leaves", 1000000, boost_fiber=100000, std_thread=1000),
        sizes("leaves", 100000, boost_fiber=10000, std_thread=1000),
        expected_skynet,
    ),
    "yield": Benchmark(
        lambda size: f"yield: two threads on one worker, {count(size['yields'])} times each",
        "yield",
        sizes("yields", 1000000, std_thread=200000),
        # An OS thread that yields on a busy machine waits for everyone else's turn.
        sizes("yields", 100000, std_thread=1000),
        lambda parameters: {"yields": 2 * int(parameters["yields"])},
        unfit=NO_BLOCKING,
        one_worker_only=True,
    ),
    "mutex": Benchmark(
        lambda size: (
            "mutex: two threads alternate through a mutex and a condition variable,"
            f" {count(size['turns'])} turns each"
        ),
        "turn",
        sizes("turns", 200000, std_thread=20000),
        sizes("turns", 20000, std_thread=500),
        lambda parameters: {"turns": 2 * int(parameters["turns"])},
        unfit=NO_BLOCKING,
    ),
    "blocked": Benchmark(
        lambda size: (
            f"blocked: {count(size['threads'])} threads that all wait, are released and joined"
        ),
        "thread",
        sizes("threads", 100000, std_thread=10000),
        sizes("threads", 10000, std_thread=1000),
        lambda parameters: {"passed": int(parameters["threads"])},
        unfit=NO_BLOCKING,
    ),
}

@dataclass(frozen=True)
class Case:
    """One program to run, again and again."""

    benchmark: str
    system: str
    workers: int
    size: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str, int]:
        return self.benchmark, self.system, self.workers


def cases(all_workers: int, quick: bool) -> list[Case]:
    """Everything to run in one round."""
    result = []
    for name, benchmark in BENCHMARKS.items():
        size_of = benchmark.quick if quick else benchmark.sizes
        for key, system in SYSTEMS.items():
            if key in benchmark.unfit or (system.only and name not in system.only):
                continue
            one_worker = benchmark.one_worker_only or is_serial(key)
            counts = {1} if one_worker else {1, all_workers}
            size = tuple(size_of[key].items())
            result += [Case(name, key, workers, size) for workers in sorted(counts)]
    return result
