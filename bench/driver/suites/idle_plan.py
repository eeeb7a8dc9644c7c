"""The programs of the suite idle, the systems that run them, and the situations in which they share the cores."""

from dataclasses import dataclass, field, replace

from sharing import Hog, Situation

# Values of runtime.idle and of the programs' argument idle=.
POLICIES = ("adaptive", "pressure", "sleep", "yield", "spin_pause", "spin")
DEFAULT, BASE = "pressure", "sleep"  # all are divided by the base, which blocks at once


@dataclass(frozen=True)
class System:
    program: str = "kumiko"  # BENCHMARK_program
    idle: str = ""  # a policy
    backend: str = "threads"  # of `kumiko run`
    environment: dict[str, str] = field(default_factory=dict)


def openmp(policy: str, program: str) -> System:
    return System(program, backend="openmp", environment={"OMP_WAIT_POLICY": policy, "OMP_STACKSIZE": "512M"})


OPENMPS = ("GCC OpenMP, active", "GCC OpenMP, passive")
SYSTEMS = {policy: System(idle=policy) for policy in POLICIES} | {
    "strips": System(backend="pthread"),
    "oneTBB": System("tbb"),
    "GCC OpenMP, active": openmp("active", "libgomp"),
    "GCC OpenMP, passive": openmp("passive", "libgomp"),
    "LLVM OpenMP, active": openmp("active", "libomp"),
    "LLVM OpenMP, passive": openmp("passive", "libomp"),
}
TASK_PEERS = ("oneTBB", *OPENMPS, "LLVM OpenMP, active", "LLVM OpenMP, passive")


@dataclass(frozen=True)
class Program:
    peers: tuple[str, ...]
    benchmark: str = ""  # else `kumiko run`
    arguments: dict[str, object] = field(default_factory=dict)
    steps: int = 0  # base steps of `kumiko run`
    phase_us: float = 0.0  # of two workers; its work is found out where it runs


SHARED_PHASE = "phases, 100 us"
PHASES = {"phases, 1 us": 1.0, "phases, 10 us": 10.0, SHARED_PHASE: 100.0, "phases, 1 ms": 1e3, "phases, 10 ms": 1e4}
ZALESAK, UTS, FIB = "Zalesak", "UTS", "fib"


def programs(quick: bool) -> dict[str, Program]:
    """Each takes two workers some 0.3 s, or, quick, some milliseconds."""
    made = {
        ZALESAK: Program(("strips", *OPENMPS), steps=20 if quick else 640),
        UTS: Program(TASK_PEERS, "uts", {"b0": 200, "q": 0.1} if quick else {"b0": 2000, "q": 0.124875}),
        FIB: Program((), "fib", {"n": 24 if quick else 41}),
    }
    for title, length in PHASES.items():
        # Waking somebody in each phase takes some us, too.
        count = max(2, round((0.004 if quick else 0.3) * 1e6 / (length + 5)))
        made[title] = Program(TASK_PEERS, "phases", {"phases": count}, phase_us=length)
    return made


ALONE, TWO, FOUR = "alone", "2 copies", "4 copies"
HOG, NICE_HOG, HALF_HOG, PINNED = "busy loop", "of nice 10", "half the time", "pinned loop"
CHANGING = "2, 1, 2 cores"
SOLO, SOLO_BESIDE = "one worker", "one worker beside a pinned loop"
SHARED = (ZALESAK, SHARED_PHASE)
DIRECTION = ("direction", SHARED_PHASE, TWO, "spin over sleep")  # of the short form
QUICK_SITUATIONS = 2  # of each part: processes that start are most of what takes time there


def quota_text(cores: float) -> str:
    return f"{cores:g} core{'s' if cores > 1 else ''}"


def crowd_text(times: int) -> str:
    return f"{times} per core"


@dataclass(frozen=True)
class Part:
    """One or more tables."""

    title: str
    programs: tuple[str, ...]
    columns: tuple[Situation, ...]

    @property
    def titles(self) -> list[str]:
        return [situation.title for situation in self.columns]

    def situations(self) -> dict[str, Situation]:
        """The columns, and the runs of one worker from which the ideal share follows."""
        made = {situation.title: situation for situation in self.columns}
        made[SOLO] = Situation(SOLO, one_worker=True)
        if PINNED in made:
            made[SOLO_BESIDE] = Situation(SOLO_BESIDE, one_worker=True, hog=Hog(pinned=True))
        return made


# By the name that --only takes.
PARTS = {
    "phases": Part("alone", tuple(name for name in PHASES if name != SHARED_PHASE), (Situation(ALONE),)),
    "copies": Part("copies at once", (ZALESAK, UTS, FIB, SHARED_PHASE),
                   (Situation(ALONE), Situation(TWO, 2), Situation(FOUR, 4))),
    "hogs": Part("beside a busy loop", SHARED, (
        Situation(HOG, hog=Hog()), Situation(PINNED, hog=Hog(pinned=True)), Situation(NICE_HOG, hog=Hog(nice=10)),
        Situation(HALF_HOG, hog=Hog(duty=0.5)))),
    "quotas": Part("by a quota", SHARED, (
        Situation(CHANGING, quota=2.0, course=((0.3, 1.0), (0.6, 2.0))),
        *(Situation(quota_text(cores), quota=cores) for cores in (1.5, 1.0, 0.5)))),
    "crowds": Part("workers", SHARED, tuple(Situation(crowd_text(n), times_workers=n) for n in (1, 2, 4, 8))),
}


def parts(names, quick: bool) -> dict[str, Part]:
    shown = QUICK_SITUATIONS if quick else None
    return {name: replace(PARTS[name], columns=PARTS[name].columns[:shown]) for name in names}


def systems(program: str, declared: dict[str, Program]) -> list[str]:
    return [*POLICIES, *declared[program].peers]
