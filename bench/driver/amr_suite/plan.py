"""What is measured: the works, the systems that do them, and how many workers they get."""

from dataclasses import dataclass

KUMIKO = "kumiko"
CORE = "amr_core"


@dataclass(frozen=True)
class System:
    """A backend with its order of stepping."""

    title: str
    backend: str
    settings: tuple[tuple[str, str], ...] = ()


DATAFLOW, LEVEL, STRIPS, OPENMP, SERIAL = "dataflow", "level", "strips", "openmp", "serial"
SYSTEMS = {
    DATAFLOW: System("threads, dataflow", "threads", (("step.schedule", "dataflow"),)),
    LEVEL: System("threads, by level", "threads", (("step.schedule", "level"),)),
    STRIPS: System("pthread strips", "pthread"),
    OPENMP: System("OpenMP", "openmp"),
    SERIAL: System("serial", "serial"),
}


@dataclass(frozen=True)
class Work:
    """What every system must do with the same result, down to the last bit."""

    title: str
    steps: int  # base steps
    settings: tuple[tuple[str, str], ...] = ()
    same_state_as: str = ""  # another work, to which this adds nothing that may be seen in the state


AMR, LINEAR, WHOLE, TRACED, FINE, CORES = "amr", "linear", "whole", "traced", "fine", "core"
REVOLUTION = 2560  # base steps of the AMR run, whose finest grid takes four in each
FINE_POINTS = 1024
TRACED_STEPS = 40


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
    return {
        AMR: Work("AMR, three levels", part),
        LINEAR: Work(
            "AMR, ghosts linear in time", part, (("step.time_interpolation", "linear"),)
        ),
        WHOLE: Work("AMR, one revolution", whole),
        TRACED: Work("the same, traced", whole, trace, same_state_as=WHOLE),
        FINE: Work("uniform finest grid", fine, uniform),
    }


def workers_text(count: int) -> str:
    return f"{count} worker{'s' if count > 1 else ''}"


@dataclass(frozen=True)
class Case:
    """One run of the kumiko command, or of amr_core."""

    work: str
    system: str = ""
    workers: int = 1
    isa: str = ""  # the widest instructions allowed, all unless given

    @property
    def title(self) -> str:
        if self.work == CORES:
            return "amr_core"
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
    result = [Case(CORES)]
    for workers in worker_counts(all_workers):
        for system in (STRIPS, DATAFLOW, LEVEL, OPENMP):
            result.append(Case(AMR, system, workers))
    result += [Case(AMR, SERIAL), *(Case(AMR, DATAFLOW, 1, isa) for isa in NARROWER_ISAS)]
    for workers in sorted({1, all_workers}):
        result += [Case(LINEAR, system, workers) for system in (DATAFLOW, LEVEL)]
    result += [Case(FINE, system, all_workers) for system in (DATAFLOW, OPENMP)]
    result += [Case(work, DATAFLOW, all_workers) for work in (WHOLE, TRACED)]
    first = 5 * turn % len(result)
    order = result[first:] + result[:first]
    return order if turn % 2 == 0 else order[::-1]
