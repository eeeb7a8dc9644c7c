"""What is measured: the systems, and the points of each benchmark."""

from dataclasses import dataclass

ENGINES = ("auto", "io_uring", "epoll")  # auto: what a program gets that asks for none
OURS = tuple(f"kumiko-{engine}" for engine in ENGINES)
THREADS = "threads"
GO = "go"


@dataclass(frozen=True)
class System:
    """Runs `BENCHMARK_program arguments`."""

    title: str
    program: str
    arguments: tuple[tuple[str, str], ...] = ()


def kumiko(engine: str) -> System:
    return System(f"Kumiko, {engine}", "kumiko", (("engine", engine),))


def pool(threads: int) -> System:
    return System(f"pool of {threads}", "pool", (("threads", str(threads)),))


SERVERS = {f"kumiko-{engine}": kumiko(engine) for engine in ENGINES} | {
    THREADS: System("OS threads", "threads"),
    GO: System("Go", "go"),
}
WRITERS = {f"kumiko-{engine}": kumiko(engine) for engine in ENGINES} | {
    f"pool-{threads}": pool(threads) for threads in (2, 8, 16)
}
SYSTEMS = {"pingpong": SERVERS, "load": SERVERS, "files": WRITERS}
# An OS thread for each connection: nothing that could be limited.
WITHOUT_WORKERS = {("pingpong", THREADS)}


@dataclass(frozen=True)
class Point:
    """One benchmark at one place of its figure, for all systems."""

    benchmark: str
    figure: str
    size: tuple[tuple[str, str], ...]  # for the client, or for the writers
    has_goal: bool = False  # measured in every round, the others once

    @property
    def connections(self) -> int:
        return int(dict(self.size)["connections"])


@dataclass(frozen=True)
class Case:
    point: Point
    system: str


ALL, EIGHTH, FEW = "all active", "one eighth active", "128 active"


@dataclass(frozen=True)
class Marks:
    """The numbers of connections that the goals name."""

    small: int
    goal: int
    large: int


MARKS = Marks(512, 1024, 4096)
QUICK_MARKS = Marks(8, 64, 256)
COUNTS = {
    ALL: (1, 8, 64, 512, 1024, 4096, 8192),
    EIGHTH: (64, 1024, 8192),
    FEW: (1024, 4096, 8192),
}
QUICK_COUNTS = {ALL: (8, 64, 256), EIGHTH: (64,), FEW: (256,)}
ACTIVE = {ALL: lambda count: count, EIGHTH: lambda count: count // 8, FEW: lambda count: 128}

RATE = 2000  # messages per second, in all
ECHO_CONNECTIONS = 32
WRITING_THREADS = 256


def marks(quick: bool) -> Marks:
    return QUICK_MARKS if quick else MARKS


def pingpong_points(quick: bool) -> list[Point]:
    named = marks(quick)
    window = {"seconds": "0.2", "warm_up": "0.1"} if quick else {"seconds": "1", "warm_up": "0.25"}
    return [
        Point(
            "pingpong",
            figure,
            tuple(({"connections": str(n), "active": str(ACTIVE[figure](n))} | window).items()),
            has_goal=figure == ALL and n in (named.small, named.goal, named.large),
        )
        for figure, counts in (QUICK_COUNTS if quick else COUNTS).items()
        for n in counts
    ]


def points(quick: bool) -> list[Point]:
    load = {
        "connections": str(ECHO_CONNECTIONS),
        "rate": str(RATE),
        "seconds": "0.2" if quick else "0.5",
        "rounds": "2" if quick else "5",
        "realtime": "1",
    }
    files = {"writers": str(WRITING_THREADS), "rounds": "1" if quick else "8"}
    return pingpong_points(quick) + [
        Point("load", "load", tuple(load.items()), has_goal=True),
        Point("files", "files", tuple(files.items()), has_goal=True),
    ]


def cases(quick: bool, turn: int) -> list[Case]:
    """Everything to run in one round. Each point begins with another system, and every second round
    goes backwards, so that none always follows the same."""
    result = []
    for index, point in enumerate(points(quick)):
        if turn > 0 and not point.has_goal:
            continue
        systems = list(SYSTEMS[point.benchmark])
        first = (index + turn) % len(systems)
        order = systems[first:] + systems[:first]
        result += [Case(point, system) for system in (order if turn % 2 == 0 else order[::-1])]
    return result
