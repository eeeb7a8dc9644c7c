"""What is compared: each metric runs one program once and says what it has measured."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from programs import Programs, kumiko_words
from suites.io_programs import files, pingpong

from .counts import CALLGRIND, TRAP_FLAG, TrapCounter, count_whole


@dataclass(frozen=True)
class Side:
    """One of the two builds, as a metric sees it."""

    build: Programs  # with BASE's cases for both sides, so that both do the same
    workers: int


@dataclass(frozen=True)
class Sample:
    value: float
    result: object = None  # of the work, which should be the same on both sides


@dataclass(frozen=True)
class Metric:
    """A subclass measures."""

    suite: str
    title: str
    unit: str
    program: str
    rate: bool  # more is better; else it is a time

    counter = ""  # of instructions; empty where none fits

    def measure(self, side: Side, turn: int) -> Sample:
        raise NotImplementedError

    def count(self, side: Side, trap: TrapCounter) -> int:
        raise NotImplementedError


@dataclass(frozen=True)
class RuntimeMetric(Metric):
    words: tuple[str, ...]
    all_workers: bool = False
    counted: tuple[str, ...] = ()  # the words of a size that can be stepped through

    @property
    def counter(self) -> str:
        return TRAP_FLAG if self.counted else ""

    def measure(self, side: Side, turn: int) -> Sample:
        workers = side.workers if self.all_workers else 1
        report = side.build.report(self.program, *self.words, f"workers={workers}")
        ns = report["ns_per_operation"]
        return Sample(1e9 / ns if self.rate else ns, report["result"])

    def count(self, side: Side, trap: TrapCounter) -> int:
        return trap.count([side.build.path(self.program), *self.counted, "workers=1"])


@dataclass(frozen=True)
class AmrMetric(Metric):
    """Point updates per second of a whole run of the kumiko command."""

    steps: int
    backend: str
    all_workers: bool = False
    settings: tuple[tuple[str, object], ...] = ()
    case: str = "zalesak"

    counter = CALLGRIND
    counted_steps = (4, 8)  # the difference leaves out what a run does before and after its steps

    def settings_of(self, steps: int) -> dict[str, object]:
        return {"time.stop_step": steps, **dict(self.settings)}

    def measure(self, side: Side, turn: int) -> Sample:
        workers = side.workers if self.all_workers else 1
        words = ("--backend", self.backend, "--workers", workers)
        report = side.build.kumiko(self.case, self.settings_of(self.steps), *words)
        return Sample(report["updates_per_core_s"] * workers * 1e-6, report["state_hash"])

    def count(self, side: Side, trap: TrapCounter) -> int:
        counts = []
        for steps in self.counted_steps:
            with side.build.scratch() as folder:
                words = [*kumiko_words(side.build.cases, self.case, folder / "out"), "--backend", self.backend]
                sets = [word for key, value in self.settings_of(steps).items() for word in ("--set", f"{key}={value}")]
                counts.append(count_whole([side.build.path("kumiko"), *words, "--workers", "1", *sets]))
        return counts[1] - counts[0]


@dataclass(frozen=True)
class KernelMetric(Metric):
    words: tuple[str, ...]

    def measure(self, side: Side, turn: int) -> Sample:
        report = side.build.report(self.program, *self.words)
        return Sample(1e-6 * max(rate for name, rate in report.items() if name.startswith("uniform_upwind")))


@dataclass(frozen=True)
class CheckpointMetric(Metric):
    patches: int
    figure: str

    def measure(self, side: Side, turn: int) -> Sample:
        with side.build.scratch() as folder:
            words = (f"folder={folder}", f"patches_x={self.patches}", f"turn={turn}")
            report = side.build.report(self.program, *words)
        return Sample(report["bytes"] / report[self.figure] * 1e-6, report["bytes"])


@dataclass(frozen=True)
class IoMetric(Metric):
    run: Callable[[Programs, str, int, dict], dict]
    system: str
    size: dict
    figure: str
    scale: float

    def measure(self, side: Side, turn: int) -> Sample:
        # Each side's server has its own client, since what they say to each other may change.
        return Sample(self.run(side.build, self.system, side.workers, self.size)[self.figure] * self.scale)


def runtime_metrics(quick: bool) -> list[Metric]:
    tree = ("b0=2000", "q=0.12" if quick else "q=0.124875")
    small = ("b0=5", "q=0.1")

    def spawn(n: int) -> tuple[str, ...]:
        return (f"n={n - 6 if quick else n}",)

    def many(name: str, count: int) -> tuple[str, ...]:
        return (f"{name}={count // 10 if quick else count}",)

    def metric(title, unit, program, words, counted=(), rate=False, all_workers=False):
        return RuntimeMetric("runtime", title, unit, program, rate, words, all_workers, counted)

    return [
        metric("fib, 1 worker", "ns per spawn", "fib_kumiko", spawn(30), ("n=10",)),
        metric("fib, all workers", "ns per spawn", "fib_kumiko", spawn(30), all_workers=True),
        metric("fib by invoke, 1 worker", "ns per spawn", "fib_kumiko-invoke", spawn(34), ("n=12",)),
        metric("UTS, 1 worker", "nodes/s", "uts_kumiko", tree, small, rate=True),
        metric("UTS, all workers", "nodes/s", "uts_kumiko", tree, rate=True, all_workers=True),
        metric("queens, 1 worker", "ns per thread", "nqueens_kumiko", (f"n={10 if quick else 12}",), ("n=5",)),
        metric("skynet, 1 worker", "ns per thread", "skynet_kumiko", many("leaves", 10**6), ("leaves=100",)),
        metric("yield", "ns per yield", "yield_kumiko", many("yields", 10**6), ("yields=100",)),
        metric("mutex, 1 worker", "ns per turn", "mutex_kumiko", many("turns", 200000), ("turns=50",)),
        metric("blocked, 1 worker", "ns per thread", "blocked_kumiko", many("threads", 20000), ("threads=50",)),
    ]


def amr_metrics(quick: bool) -> list[Metric]:
    steps = 20 if quick else 160
    unit = "10^6 updates/s"
    one_level = (("amr.levels", 1),)
    kernel = ("kernel_windows=5" if quick else "kernel_windows=60", "small_windows=1", "large_windows=1")
    return [
        AmrMetric("amr", "AMR, 1 worker", unit, "kumiko", True, steps, "threads"),
        AmrMetric("amr", "AMR, all workers", unit, "kumiko", True, steps, "threads", True),
        AmrMetric("amr", "unequal, all workers", unit, "kumiko", True, steps, "threads", True, (), "reacting_front"),
        AmrMetric("amr", "uniform grid, serial", unit, "kumiko", True, 2 * steps, "serial", False, one_level),
        KernelMetric("amr", "kernel, uniform upwind", "10^6 points/s", "amr_core", True, kernel),
    ]


def checkpoint_metrics(quick: bool) -> list[Metric]:
    patches = 32 if quick else 256

    def metric(title: str, figure: str) -> Metric:
        return CheckpointMetric("checkpoint", title, "MB/s", "checkpoint_write", True, patches, figure)

    return [metric("checkpoint", "checkpoint_s"), metric("checking a checkpoint", "verify_s")]


def io_metrics(quick: bool) -> list[Metric]:
    window = {"seconds": 0.2 if quick else 0.5, "warm_up": 0.1}
    echo = {"connections": 64, "active": 64} | window
    blocks = {"writers": 64, "rounds": 1} if quick else {"writers": 256, "rounds": 4}
    result: list[Metric] = []
    for engine in ("io_uring", "epoll"):
        title, unit, system = f"echo, 64 connections, {engine}", "10^3 transactions/s", f"Kumiko, {engine}"
        result.append(IoMetric("io", title, unit, "pingpong_kumiko", True, pingpong, system, echo, "per_second", 1e-3))
        title, figure = f"file, {engine}", "bytes_per_second"
        result.append(IoMetric("io", title, "MB/s", "files_kumiko", True, files, system, blocks, figure, 1e-6))
    return result


SUITES = {"runtime": runtime_metrics, "io": io_metrics, "amr": amr_metrics, "checkpoint": checkpoint_metrics}
# Programs that a metric of the suite needs beside its own.
FURTHER_PROGRAMS = {"io": ["io_client"]}


def metrics_of(suite: str | None, quick: bool) -> list[Metric]:
    return [metric for name, make in SUITES.items() if suite in (None, name) for metric in make(quick)]


def targets_of(metrics: list[Metric]) -> list[str]:
    """The programs to build, each once."""
    further = [name for metric in metrics for name in FURTHER_PROGRAMS.get(metric.suite, [])]
    return list(dict.fromkeys([*(metric.program for metric in metrics), *further]))


def all_workers() -> int:
    return len(os.sched_getaffinity(0))
