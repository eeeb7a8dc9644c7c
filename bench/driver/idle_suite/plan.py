"""What is measured: programs, the systems that run them, and whom they share the cores with."""

from dataclasses import dataclass, field, replace

# Of runtime.idle and of the programs' argument idle=.
POLICIES = ("adaptive", "pressure", "sleep", "yield", "spin_pause", "spin")
DEFAULT, BASE = "pressure", "sleep"  # all are divided by the base, which blocks at once


@dataclass(frozen=True)
class System:
    title: str
    program: str = "kumiko"  # BENCHMARK_program
    idle: str = ""  # a policy
    backend: str = "threads"  # of `kumiko run`
    environment: dict[str, str] = field(default_factory=dict)


def openmp(title: str, policy: str, program: str = "") -> System:
    environment = {"OMP_WAIT_POLICY": policy, "OMP_STACKSIZE": "512M"}
    return System(f"{title}, {policy}", program, backend="openmp", environment=environment)


SYSTEMS = {policy: System(policy, idle=policy) for policy in POLICIES} | {
    "strips": System("strips", backend="pthread"),
    "tbb": System("oneTBB", "tbb"),
    "gomp-active": openmp("GCC OpenMP", "active", "libgomp"),
    "gomp-passive": openmp("GCC OpenMP", "passive", "libgomp"),
    "libomp-active": openmp("LLVM OpenMP", "active", "libomp"),
    "libomp-passive": openmp("LLVM OpenMP", "passive", "libomp"),
}
OPENMPS = ("gomp-active", "gomp-passive")
TASK_PEERS = ("tbb", *OPENMPS, "libomp-active", "libomp-passive")


@dataclass(frozen=True)
class Program:
    title: str
    peers: tuple[str, ...]
    benchmark: str = ""  # else `kumiko run`
    arguments: dict[str, str] = field(default_factory=dict)
    steps: int = 0  # base steps of `kumiko run`
    phase_us: float = 0.0  # of two workers; its work is found out where it runs


PHASE_PARTS = 16
SHARED_PHASE = "phases, 100 us"
PHASES = {"phases, 1 us": 1.0, "phases, 10 us": 10.0, SHARED_PHASE: 100.0, "phases, 1 ms": 1e3, "phases, 10 ms": 1e4}
ZALESAK, UTS, FIB = "Zalesak", "UTS", "fib"


def programs(quick: bool) -> dict[str, Program]:
    """Each takes two workers some 0.3 s, or, quick, some milliseconds."""
    made = [
        Program(ZALESAK, ("strips", *OPENMPS), steps=20 if quick else 640),
        Program(UTS, TASK_PEERS, "uts", {"b0": "200" if quick else "2000", "q": "0.1" if quick else "0.124875"}),
        Program(FIB, (), "fib", {"n": "24" if quick else "41"}),
    ]
    seconds = 0.004 if quick else 0.3
    for title, length in PHASES.items():
        # Waking somebody in each phase takes some us, too.
        count = max(2, round(seconds * 1e6 / (length + 5)))
        made.append(Program(title, TASK_PEERS, "phases", {"phases": str(count)}, phase_us=length))
    return {program.title: program for program in made}


@dataclass(frozen=True)
class Hog:
    """A busy loop beside the program."""

    nice: int = 0
    duty: float = 1.0
    pinned: bool = False

    @property
    def share(self) -> float:
        """Of a core, where somebody of nice 0 wants it as well. A weight of the Linux scheduler is 1024 at nice 0 and
        110 at nice 10."""
        weight = 110 if self.nice == 10 else 1024
        return self.duty * weight / (weight + 1024)


def quota_text(cores: float) -> str:
    return f"{cores:g} core{'s' if cores > 1 else ''}"


def crowd_text(times: int) -> str:
    return f"{times} per core"


@dataclass(frozen=True)
class Situation:
    title: str
    copies: int = 1
    times_workers: int = 1  # workers for each core
    one_worker: bool = False
    hog: Hog | None = None
    quota: float = 0.0  # cores; 0: none
    course: tuple[tuple[float, float], ...] = ()  # how a quota changes: seconds, cores

    def workers(self, cores: int) -> int:
        return 1 if self.one_worker else cores * self.times_workers

    def cores_left(self, cores: int) -> float:
        left = cores - (self.hog.share if self.hog else 0.0)
        return min(left, self.quota) if self.quota else left

    def ideal_seconds(self, work: float, cores: int) -> float:
        """How long `work` seconds of one worker on a free core take where all cores that are left are always used;
        converted, where there are copies."""
        begin, rate = 0.0, self.cores_left(cores)
        for until, quota in self.course:
            done = (until - begin) * rate
            if done >= work:
                break
            work -= done
            begin, rate = until, min(quota, cores)
        return begin + work / rate


ALONE, TWO, FOUR = "alone", "2 copies", "4 copies"
HOG, NICE_HOG, HALF_HOG, PINNED = "busy loop", "of nice 10", "half the time", "pinned loop"
CHANGING = "2, 1, 2 cores"
SOLO, SOLO_BESIDE = "one worker", "one worker beside a pinned loop"
COPIES = [Situation(ALONE), Situation(TWO, 2), Situation(FOUR, 4)]
HOGS = [
    Situation(HOG, hog=Hog()),
    Situation(PINNED, hog=Hog(pinned=True)),
    Situation(NICE_HOG, hog=Hog(nice=10)),
    Situation(HALF_HOG, hog=Hog(duty=0.5)),
]
QUOTAS = [Situation(CHANGING, quota=2.0, course=((0.3, 1.0), (0.6, 2.0)))]
QUOTAS += [Situation(quota_text(cores), quota=cores) for cores in (1.5, 1.0, 0.5)]
CROWDS = [Situation(crowd_text(times), times_workers=times) for times in (1, 2, 4, 8)]
SHARED_PROGRAMS = (ZALESAK, SHARED_PHASE)
QUICK_SITUATIONS = 2  # of each part: processes that start are most of what takes time there


@dataclass(frozen=True)
class Part:
    """One or more tables."""

    title: str
    programs: tuple[str, ...]
    columns: list[Situation]

    def situations(self) -> dict[str, Situation]:
        """Those of the columns, and one worker's, by which the ideal share is known."""
        made = {situation.title: situation for situation in self.columns}
        made[SOLO] = Situation(SOLO, one_worker=True)
        if PINNED in made:
            made[SOLO_BESIDE] = Situation(SOLO_BESIDE, one_worker=True, hog=Hog(pinned=True))
        return made


# By the name that --only takes.
PARTS = {
    "phases": Part("alone", tuple(name for name in PHASES if name != SHARED_PHASE), [Situation(ALONE)]),
    "copies": Part("copies at once", (ZALESAK, UTS, FIB, SHARED_PHASE), COPIES),
    "hogs": Part("beside a busy loop", SHARED_PROGRAMS, HOGS),
    "quotas": Part("by a quota", SHARED_PROGRAMS, QUOTAS),
    "crowds": Part("workers", SHARED_PROGRAMS, CROWDS),
}


@dataclass(frozen=True)
class Plan:
    programs: dict[str, Program]
    parts: dict[str, Part]

    @staticmethod
    def of(quick: bool, names: list[str]) -> "Plan":
        parts = {name: PARTS[name] for name in names}
        if quick:
            parts = {name: replace(part, columns=part.columns[:QUICK_SITUATIONS]) for name, part in parts.items()}
        return Plan(programs(quick), parts)

    def systems(self, program: str) -> list[str]:
        return [*POLICIES, *self.programs[program].peers]


@dataclass(frozen=True)
class Case:
    part: str
    program: str
    situation: str
    system: str


def cases(plan: Plan, turn: int) -> list[Case]:
    """All that is run in a round. What is compared stands side by side; each begins with another system in each round,
    and every second round goes backwards."""
    order = []
    for name, part in plan.parts.items():
        for situation in part.situations().values():
            for program in part.programs:
                systems = [DEFAULT] if situation.one_worker else plan.systems(program)
                first = 5 * turn % len(systems)
                order += [Case(name, program, situation.title, s) for s in systems[first:] + systems[:first]]
    return order if turn % 2 == 0 else order[::-1]
