"""Searches whose parts go to other processes, beside one process with as many workers; and to ranks far away.

The first are examples/cluster_search.cpp by each MPI that is here, beside the same boards as one searches them by that
MPI alone (search/turns_mpi.cpp). The others are ranks of one process
(search/search_delays.cpp): messages between them take long, and their work is simulated by sleeping, since there are
more of them than cores. The papers' figures are of Hiraishi, Kono, Yasugi, Umatani and Yuasa (2010): four sites, round
trips of 17.7, 7.77 and 26.7 ms from the first.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from children import explain
from cluster_suite.launch import absence, environment
from cluster_suite.plan import FAMILIES, Family
from measured import Budget, Spread
from text import number, spread, whole

TIME_LIMIT = 120  # seconds, of a program
WORKERS = 2  # of one process; as many processes have one each
CROWD = 4  # processes of one worker, on as many cores as WORKERS
SIZES = {"queens": (15, 11), "pentomino": (13, 10)}  # in full, and quick
BY_HAND_DEPTH = 3  # of the beginnings that are dealt out: some hundreds to thousands
MOST_OVER_ONE_PROCESS = 1.05
RANKS = 4
# Queens, and how long whoever has placed the last one works: 20 s of each rank.
DELAYED, DELAYED_QUICK = (13, 1100), (10, 1000)
ROUND_TRIPS = (0.1, 1, 27)  # ms, the longest as the paper's longest link
# How the ranks are connected: as a cluster, or directly without and with the paper's rule; the program's word.
BY_CLUSTER, DIRECT, BY_RULE = -1, 0, 1
CONNECTIONS = {BY_CLUSTER: "", DIRECT: ", direct", BY_RULE: ", direct, by the rule"}
LEAST_FAR_OVER_NEAR = 0.9
# Serial C, one worker and 256 workers, in seconds.
PAPER = {
    "nqueens(18)": (3574, 3933, 23.9),
    "pentomino(16)": (7304, 8564, 53.8),
    "pentomino(15)": (707, 827, 13.8),
    "fib(56)": (2835, 3763, 22.0),
    "grav(2500)": (4526, 4259, 24.9),
}
PAPER_WORKERS = 256


@dataclass(frozen=True)
class Launch:
    """So many processes of one worker, by an MPI, perhaps without Kumiko; or one process of WORKERS."""

    family: Family | None = None
    processes: int = 1
    by_hand: bool = False

    @property
    def title(self) -> str:
        if self.family is None:
            return f"1 x {WORKERS}"
        return f"{self.family.title}, {self.processes} x 1" + (" by hand" if self.by_hand else "")


ALONE = Launch()


@dataclass
class Rounds:
    """What was measured: reports by program and launch, and by round trip."""

    quick: bool
    absent: dict[str, str] = field(default_factory=dict)  # MPIs, and why
    searches: dict[tuple[str, Launch], list[dict]] = field(default_factory=dict)
    delayed: dict[tuple[float, int], list[dict]] = field(default_factory=dict)

    def size(self, name: str) -> int:
        return SIZES[name][1 if self.quick else 0]

    def spread(self, name: str, launch: Launch, key: str) -> Spread:
        return Spread.of([report[key] for report in self.searches[name, launch]])

    def over_one_process(self, name: str, launch: Launch) -> Spread:
        """Of the same round."""
        pairs = zip(self.searches[name, launch], self.searches[name, ALONE], strict=True)
        return Spread.of([report["seconds"] / alone["seconds"] for report, alone in pairs])

    def speed_ups(self, trip: float, connection: int = BY_CLUSTER) -> list[float]:
        """The work of all ranks over the time that it took."""
        return [report["worked_s"] / report["seconds"] for report in self.delayed[trip, connection]]

    def far_over_near(self) -> Spread:
        pairs = zip(self.speed_ups(ROUND_TRIPS[-1]), self.speed_ups(ROUND_TRIPS[0]), strict=True)
        return Spread.of([far / near for far, near in pairs])


def launches(absent: dict[str, str]) -> list[Launch]:
    """Those that are possible here, in the order in which they run."""
    families = [family for family in FAMILIES if family.name not in absent]
    by_hand = [Launch(family, WORKERS, by_hand=True) for family in families]
    return [ALONE] + [Launch(family, count) for count in (WORKERS, CROWD) for family in families] + by_hand


class Bench:
    def __init__(self, programs: Path):
        self.programs = programs
        self.environment = environment()
        self.links = programs.parent / "lib/kumiko/links"

    def absent(self) -> dict[str, str]:
        return {family.name: absence(family.packages) for family in FAMILIES if not self.has(family)}

    def has(self, family: Family) -> bool:
        link = self.links / f"kumiko_link_{family.name}.so"
        return link.exists() and shutil.which(family.launcher) is not None

    def run(self, command: list[str]) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {explain(done.returncode, done.stderr)}")
        return done.stdout

    def search(self, launch: Launch, name: str, size: int) -> dict:
        """It fails where the result is wrong."""
        words = [name, str(size)]
        program = [str(self.programs / "search_ranks"), *words, "1"]
        if launch.family is None:
            printed = self.run([*program, str(WORKERS)])
        else:
            options = [*launch.family.options, "-n", str(launch.processes)]
            peer = [str(self.programs / f"turns_{launch.family.name}"), *words, str(BY_HAND_DEPTH)]
            printed = self.run([launch.family.launcher, *options, *(peer if launch.by_hand else [*program, "1"])])
        words = dict(line.split() for line in printed.splitlines())
        return {key: float(value) for key, value in words.items() if key != "n"}

    def delayed(self, trip: float, connection: int, quick: bool) -> dict:
        n, leaf = DELAYED_QUICK if quick else DELAYED
        words = [f"n={n}", f"leaf_us={leaf}", f"delay_us={round(500 * trip)}", f"ranks={RANKS}", f"rule={connection}"]
        return json.loads(self.run([str(self.programs / "search_delays"), *words]))


def delays() -> list[tuple[float, int]]:
    return [(trip, connection) for connection in CONNECTIONS for trip in ROUND_TRIPS]


def measure_round(bench: Bench, rounds: Rounds, turn: int, show: Callable[[str], None]) -> None:
    """Every second round goes backwards."""
    order = launches(rounds.absent)
    for name in SIZES:
        for launch in order if turn % 2 == 0 else order[::-1]:
            show(f"round {turn + 1}: {name}, {launch.title}")
            report = bench.search(launch, name, rounds.size(name))
            rounds.searches.setdefault((name, launch), []).append(report)
    for trip, connection in delays() if turn % 2 == 0 else delays()[::-1]:
        show(f"round {turn + 1}: round trips of {trip:g} ms{CONNECTIONS[connection]}")
        rounds.delayed.setdefault((trip, connection), []).append(bench.delayed(trip, connection, rounds.quick))


def row(title: str, cells: list[str]) -> str:
    return f"  {title:<40}" + "".join(f"{cell:>22}" for cell in cells)


def program_rows(rounds: Rounds, name: str) -> list[str]:
    lines = []
    for launch in launches({}):
        title = f"{name}({rounds.size(name)}), {launch.title}"
        if launch.family is not None and launch.family.name in rounds.absent:
            lines.append(f"  {title:<40} {rounds.absent[launch.family.name]}")
            continue
        cells = [spread(rounds.spread(name, launch, "seconds")), spread(rounds.over_one_process(name, launch))]
        keys = () if launch.by_hand else ("given", "asks", "refusals", "bytes")
        cells += [whole(rounds.spread(name, launch, key)) for key in keys]
        lines.append(row(title, cells))
    return lines


def table_lines(rounds: Rounds) -> list[str]:
    lines = ["", f"searches between processes, on {WORKERS} cores; counts of all processes together"]
    lines.append(row("", ["seconds", f"over 1 x {WORKERS}", "parts", "asks", "refused", "bytes"]))
    for name in SIZES:
        lines += program_rows(rounds, name)
    lines += ["", f"{RANKS} ranks far from each other, in one process; their work is simulated by sleeping"]
    lines.append(row("", ["seconds", "speed-up", "parts", "asks", "refused"]))
    for trip, connection in delays():
        reports = rounds.delayed[trip, connection]
        cells = [Spread.of([report["seconds"] for report in reports]), Spread.of(rounds.speed_ups(trip, connection))]
        counts = [whole(Spread.of([report[key] for report in reports])) for key in ("given", "asks", "refusals")]
        lines.append(row(f"round trip {trip:g} ms{CONNECTIONS[connection]}", [spread(cell) for cell in cells] + counts))
    lines += ["", f"Tascell at four sites, {PAPER_WORKERS} workers (2010); seconds, and serial C over them"]
    lines.append(row("", ["serial C", "one worker", f"{PAPER_WORKERS} workers", "speed-up", "of a worker"]))
    for title, (serial, one, many) in PAPER.items():
        cells = (serial, one, many, serial / many, serial / many / PAPER_WORKERS)
        lines.append(row(title, [number(cell) for cell in cells]))
    return lines


def budgets(rounds: Rounds) -> list[Budget]:
    """Those of an MPI that is absent have no figure."""
    result = []
    for name in SIZES:
        for family in FAMILIES:
            ratio = None
            if family.name not in rounds.absent:
                ratio = rounds.over_one_process(name, Launch(family, WORKERS)).middle
            title = f"{name}, {family.title}: {WORKERS} x 1 over 1 x {WORKERS}"
            result.append(Budget(title, MOST_OVER_ONE_PROCESS, True, ratio))
    title = f"speed-up of {RANKS} ranks at {ROUND_TRIPS[-1]:g} ms over at {ROUND_TRIPS[0]:g} ms"
    return [*result, Budget(title, LEAST_FAR_OVER_NEAR, False, rounds.far_over_near().middle)]


def figures(rounds: Rounds) -> dict:
    return {
        "absent": rounds.absent,
        "processes": [
            {"program": name, "size": rounds.size(name), "launch": launch.title, "runs": runs}
            for (name, launch), runs in rounds.searches.items()
        ],
        "delayed": [
            {"round_trip_ms": trip, "connection": connection, "runs": runs}
            for (trip, connection), runs in rounds.delayed.items()
        ],
    }
