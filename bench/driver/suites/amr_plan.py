"""The works of the suite amr, and the systems that do them."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class System:
    """A backend with its order of stepping."""

    title: str
    backend: str
    schedule: str = ""  # of stepping
    wait_policy: str = ""  # of OpenMP's threads
    loops: str = ""  # of OpenMP: equal parts unless given


DATAFLOW, LEVEL, STRIPS, SERIAL = "dataflow", "level", "strips", "serial"
# Spinning is the best on idle cores, sleeping where others use them: the better one counts.
OPENMP_ACTIVE, OPENMP_PASSIVE = OPENMPS = ("openmp-active", "openmp-passive")
OPENMP_DYNAMIC = "openmp-dynamic"
SYSTEMS = {
    DATAFLOW: System("threads, dataflow", "threads", "dataflow"),
    LEVEL: System("threads, by level", "threads", "level"),
    STRIPS: System("pthread strips", "pthread"),
    OPENMP_ACTIVE: System("OpenMP, active", "openmp", wait_policy="active"),
    OPENMP_PASSIVE: System("OpenMP, passive", "openmp", wait_policy="passive"),
    OPENMP_DYNAMIC: System("OpenMP, dynamic", "openmp", wait_policy="active", loops="dynamic"),
    SERIAL: System("serial", "serial"),
}
# The peers of threads where patches differ.
UNEQUAL_PEERS = (STRIPS, OPENMP_ACTIVE, OPENMP_DYNAMIC)
ISAS = {"baseline": "SSE2", "avx2": "AVX2", "avx512": "AVX-512"}
NARROWER_ISAS = ("avx2", "baseline")


@dataclass(frozen=True)
class Work:
    """A run that every system must do with the same result, down to the last bit."""

    title: str
    steps: int  # base steps
    settings: dict
    same_state_as: str = ""  # another work, to which this adds nothing that may be seen in the state
    case: str = "zalesak"


AMR, LINEAR, WHOLE, TRACED, FINE = "amr", "linear", "whole", "traced", "fine"
UNEQUAL = "unequal"  # patches that differ in cost
REVOLUTION = 2560  # base steps of the AMR run, whose finest grid takes four in each
GRID, FINE_POINTS = 256, 1024  # points of the AMR run's coarsest and finest level
TRACED_STEPS = 40
LARGE = (1024, 2048)  # uniform grids whose patches a cache may not hold, by the engine's rule and without it


def large(points: int, in_time: bool = True) -> str:
    return f"large-{points}" + ("" if in_time else "-plain")


def works(quick: bool) -> dict[str, Work]:
    part, whole = (40, 80) if quick else (640, REVOLUTION)
    fine_revolution = REVOLUTION * FINE_POINTS // GRID
    uniform = {"grid.base": FINE_POINTS, "amr.levels": 1, "time.steps": fine_revolution}
    trace = {"trace.from": whole // 2, "trace.steps": TRACED_STEPS}
    made = {}
    for points in LARGE:
        grid = {"grid.base": points, "amr.levels": 1, "time.steps": 20480}
        steps = 4 if quick else 160 * 1024 // points
        made[large(points)] = Work(f"uniform {points} x {points}", steps, grid)
        plain = grid | {"step.cache": 1000000}  # no blocks in time
        made[large(points, False)] = Work(f"uniform {points}, plain blocks", steps, plain, large(points))
    return made | {
        AMR: Work("AMR, three levels", part, {}),
        LINEAR: Work("AMR, ghosts linear in time", part, {"step.time_interpolation": "linear"}),
        WHOLE: Work("AMR, one revolution", whole, {}),
        TRACED: Work("the same, traced", whole, trace, WHOLE),
        FINE: Work("uniform finest grid", 20 if quick else fine_revolution // 16, uniform),
        UNEQUAL: Work("unequal patches", 16 if quick else 160, {}, case="reacting_front"),
    }


def powers(workers: int) -> list[int]:
    """1, 2, 4 ... and all."""
    return sorted({1 << power for power in range(workers.bit_length()) if 1 << power < workers} | {workers})


def instructions() -> tuple[str, ...]:
    """The wider instruction sets of this processor."""
    words = Path("/proc/cpuinfo").read_text().split()
    needed = {"avx2": ("avx2", "fma"), "avx512": ("avx512f", "avx512dq", "avx512vl")}
    return tuple(isa for isa, flags in needed.items() if all(flag in words for flag in flags))
