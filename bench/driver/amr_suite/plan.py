"""What is measured: the works, the systems that do them, and how many workers they get."""

from dataclasses import dataclass

KUMIKO = "kumiko"
CORE = "amr_core"
SCHEMES_PROGRAM = "amr_schemes"


@dataclass(frozen=True)
class System:
    """A backend with its order of stepping."""

    title: str
    backend: str
    settings: tuple[tuple[str, str], ...] = ()
    wait_policy: str = ""  # of OpenMP's threads
    schedule: str = ""  # of OpenMP's loops: equal parts unless given


DATAFLOW, LEVEL, STRIPS, SERIAL = "dataflow", "level", "strips", "serial"
# Spinning is the best on idle cores, sleeping where others use them: the better one counts.
OPENMP_ACTIVE, OPENMP_PASSIVE = OPENMPS = ("openmp-active", "openmp-passive")
OPENMP_DYNAMIC = "openmp-dynamic"
SYSTEMS = {
    DATAFLOW: System("threads, dataflow", "threads", (("step.schedule", "dataflow"),)),
    LEVEL: System("threads, by level", "threads", (("step.schedule", "level"),)),
    STRIPS: System("pthread strips", "pthread"),
    OPENMP_ACTIVE: System("OpenMP, active", "openmp", wait_policy="active"),
    OPENMP_PASSIVE: System("OpenMP, passive", "openmp", wait_policy="passive"),
    OPENMP_DYNAMIC: System("OpenMP, dynamic", "openmp", wait_policy="active", schedule="dynamic"),
    SERIAL: System("serial", "serial"),
}
# What runs where patches differ: threads, then their peers.
UNEQUAL_PEERS = (STRIPS, OPENMP_ACTIVE, OPENMP_DYNAMIC)


@dataclass(frozen=True)
class Work:
    """What every system must do with the same result, down to the last bit."""

    title: str
    steps: int  # base steps
    settings: tuple[tuple[str, str], ...] = ()
    same_state_as: str = ""  # another work, to which this adds nothing that may be seen in the state
    configuration: str = "zalesak/zalesak.toml"


AMR, LINEAR, WHOLE, TRACED, FINE, CORES = "amr", "linear", "whole", "traced", "fine", "core"
SCHEMES = "schemes"  # the shipped ones in a vortex
UNEQUAL = "unequal"  # patches that differ in cost
REVOLUTION = 2560  # base steps of the AMR run, whose finest grid takes four in each
FINE_POINTS = 1024
TRACED_STEPS = 40
# Uniform grids whose patches a cache may not hold, by the engine's rule and without it.
LARGE = (1024, 2048)
NO_BLOCKS_IN_TIME = ("step.cache", "1000000")


def works(quick: bool) -> dict[str, Work]:
    part = 40 if quick else 640
    whole = 80 if quick else REVOLUTION
    fine_revolution = REVOLUTION * FINE_POINTS // 256
    fine = 20 if quick else fine_revolution // 16
    trace = (("trace.from", str(whole // 2)), ("trace.steps", str(TRACED_STEPS)))
    uniform = (
        ("grid.base", str(FINE_POINTS)),
        ("amr.levels", "1"),
        ("time.steps", str(fine_revolution)),
    )
    large = {}
    for points in LARGE:
        grid = (("grid.base", str(points)), ("amr.levels", "1"), ("time.steps", "20480"))
        steps = 4 if quick else 160 * 1024 // points
        name = large_work(points)
        large[name] = Work(f"uniform {points} x {points}", steps, grid)
        without = Work(f"uniform {points}, plain blocks", steps, (*grid, NO_BLOCKS_IN_TIME), name)
        large[large_work(points, False)] = without
    return large | {
        AMR: Work("AMR, three levels", part),
        LINEAR: Work(
            "AMR, ghosts linear in time", part, (("step.time_interpolation", "linear"),)
        ),
        WHOLE: Work("AMR, one revolution", whole),
        TRACED: Work("the same, traced", whole, trace, same_state_as=WHOLE),
        FINE: Work("uniform finest grid", fine, uniform),
        UNEQUAL: Work(
            "unequal patches", 16 if quick else 160, configuration="reacting_front/reacting_front.toml"
        ),
    }


def large_work(points: int, in_time: bool = True) -> str:
    return f"large-{points}" + ("" if in_time else "-plain")


def workers_text(count: int) -> str:
    return f"{count} worker{'s' if count > 1 else ''}"


@dataclass(frozen=True)
class Case:
    """One run of the kumiko command, of amr_core or of amr_schemes."""

    work: str
    system: str = ""
    workers: int = 1
    isa: str = ""  # the widest instructions allowed, all unless given

    @property
    def title(self) -> str:
        if self.work == CORES:
            return CORE
        if self.work == SCHEMES:
            return SCHEMES_PROGRAM
        isa = f", {self.isa}" if self.isa else ""
        return f"{self.work}, {SYSTEMS[self.system].title}, {workers_text(self.workers)}{isa}"


NARROWER_ISAS = ("avx2", "baseline")


def worker_counts(all_workers: int) -> list[int]:
    """1, 2, 4 ... and all."""
    powers = [1 << power for power in range(all_workers.bit_length())]
    return sorted({count for count in powers if count < all_workers} | {all_workers})


def cases(all_workers: int, turn: int) -> list[Case]:
    """Everything to run in one round. What is compared stands side by side; every round begins
    elsewhere, and every second one goes backwards, so that none always follows the same."""
    result = [Case(CORES), Case(SCHEMES)]
    for workers in worker_counts(all_workers):
        for system in (STRIPS, DATAFLOW, LEVEL, *OPENMPS):
            result.append(Case(AMR, system, workers))
    result += [Case(AMR, SERIAL), *(Case(AMR, DATAFLOW, 1, isa) for isa in NARROWER_ISAS)]
    for workers in sorted({1, all_workers}):
        result += [Case(LINEAR, system, workers) for system in (DATAFLOW, LEVEL)]
    result += [Case(FINE, system, all_workers) for system in (DATAFLOW, OPENMP_ACTIVE)]
    result += [Case(work, DATAFLOW, all_workers) for work in (WHOLE, TRACED)]
    result += [Case(UNEQUAL, system, all_workers) for system in (DATAFLOW, *UNEQUAL_PEERS)]
    for points in LARGE:
        for workers in sorted({1, all_workers}):
            result += [Case(large_work(points, way), DATAFLOW, workers) for way in (True, False)]
    first = 5 * turn % len(result)
    order = result[first:] + result[:first]
    return order if turn % 2 == 0 else order[::-1]
