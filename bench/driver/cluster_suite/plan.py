"""What is measured: each part by Kumiko's ranks, and by the MPI alone that carries them."""

from dataclasses import dataclass

KIB, MIB = 2**10, 2**20
SIZES = {"2 KiB": 2 * KIB, "1 MiB": MIB}  # of writes
KUMIKO = "kumiko"
BUSY, DEFAULT, BLOCK = "spin", "pressure", "sleep"  # how a rank waits that has nothing to run
UCX_PROGRAM = "ping_ucx"
UCX_PACKAGE = "libucx-dev"


@dataclass(frozen=True)
class Family:
    """An MPI, with its launcher and Debian's packages of it."""

    name: str
    title: str
    packages: str
    options: tuple[str, ...] = ()

    @property
    def launcher(self) -> str:
        return f"mpirun.{self.name}"

    @property
    def program(self) -> str:
        return f"ranks_{self.name}"


FAMILIES = (
    # It would bind each rank to one core, the second worker's OS threads included.
    Family("openmpi", "Open MPI", "openmpi-bin and libopenmpi-dev", ("--oversubscribe", "--bind-to", "none")),
    Family("mpich", "MPICH", "mpich and libmpich-dev"),
)


@dataclass(frozen=True)
class Part:
    """One program to run; a peer's is the family's."""

    name: str
    system: str  # KUMIKO, or "mpi"
    words: tuple[str, ...]
    once: bool = False  # after the rounds
    limit: int = 120  # seconds


def both(name: str, *words: str, idle: str = BUSY) -> list[Part]:
    """The peer's right beside Kumiko's, since they are compared."""
    return [Part(name, "mpi", words), Part(name, KUMIKO, (*words, f"idle={idle}"))]


def parts(quick: bool) -> list[Part]:
    """In the order in which they run."""
    many = "batches=20" if quick else "batches=1000"
    few = ("batches=2", "calls=5") if quick else ("batches=10", "calls=5")
    flood = "requests=100" if quick else "requests=100000"
    seconds = "seconds=0.3" if quick else "seconds=5"
    planned = both("latency", "part=latency", many, "calls=25")
    planned += [Part(idle, KUMIKO, ("part=latency", *few, f"idle={idle}")) for idle in (DEFAULT, BLOCK)]
    planned.append(Part("own", KUMIKO, ("part=own", many, "calls=200", f"idle={BUSY}")))
    for title, size in SIZES.items():
        batches, sent = (2, 2 * MIB) if quick else (20, 32 * MIB)
        planned += both(title, "part=bandwidth", f"size={size}", f"batches={batches}", f"calls={min(4096, sent // size)}")
    planned += both("posts", "part=posts", "calls=5000" if quick else "calls=1000000")
    planned += both("load", "part=load", "calls=20" if quick else "calls=1000")
    planned.append(Part("flood", KUMIKO, ("part=flood", flood, "depth=64", "window=4"), once=True, limit=600))
    planned.append(Part("idle", "mpi", ("part=idle", seconds), once=True))
    planned.append(Part("idle", KUMIKO, ("part=idle", seconds), once=True))
    return planned
