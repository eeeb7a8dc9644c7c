"""The tables and the budgets of the suite search."""

from mpi import FAMILIES
from suite import Budget, Spread, extreme, table, whole

WORKSPACES, PROCESSES = "workspaces", "processes"
COPIES, BY_HAND, DELAYED = "copies", "by hand", "delayed"
WORKERS, CROWD = 2, 4  # of one process, or processes of one worker, on as many cores as WORKERS
COMPILERS = {"g++": "", "clang++": "-clang"}
# Size in full and quick; one worker over serial, at most; serial over two workers, at least; the papers' one worker
# over serial, of Tascell and of Cilk.
PROGRAMS = {
    "nqueens": (14, 9, 1.25, 1.55, 1.47, 7.17),
    "pentomino": (12, 10, 1.10, 1.75, 1.10, 2.81),
    "lu": (2000, 150, 1.02, 1.7, 1.00, 0.98),
    "comp": (40000, 1000, 1.05, 1.85, 1.10, 1.98),
    "grav": (200, 20, 1.03, 1.9, 1.14, 2.29),
    "fib": (38, 20, None, None, 1.45, 6.28),
    "knapsack": (100, 40, None, None, None, None),
}
COPYING = {"nqueens": "copying_queens", "pentomino": "copying_pieces"}
SYSTEMS = {"tbb": "oneTBB", "libgomp": "GCC OpenMP", "kumiko": "Kumiko's groups"}
LEAST_OVER_COPYING = {("tbb", "nqueens"): 2.5, ("tbb", "pentomino"): 1.8, ("kumiko", "nqueens"): 1.7}
SHARED = {"queens": (15, 11), "pentomino": (13, 10)}  # between processes, in full and quick
FAMILY = {family.title: family for family in FAMILIES}
ALONE = "one process"
RANKS = 4
ROUND_TRIPS = (0.1, 1, 27)  # ms, the longest as the paper's longest link
# How the ranks are connected: as a cluster, or directly without and with the paper's rule; the program's word.
CONNECTIONS = {-1: "", 0: ", direct", 1: ", direct, by the rule"}
LAUNCHES = {(PROCESSES, ALONE, WORKERS): f"1 x {WORKERS}"}
LAUNCHES |= {(PROCESSES, f, count): f"{f}, {count} x 1" for count in (WORKERS, CROWD) for f in FAMILY}
LAUNCHES |= {(BY_HAND, f, WORKERS): f"{f}, {WORKERS} x 1 by hand" for f in FAMILY}
# Serial C, one worker and 256 workers, in seconds.
PAPER, PAPER_WORKERS = {
    "nqueens(18)": (3574, 3933, 23.9),
    "pentomino(16)": (7304, 8564, 53.8),
    "pentomino(15)": (707, 827, 13.8),
    "fib(56)": (2835, 3763, 22.0),
    "grav(2500)": (4526, 4259, 24.9),
}, 256


def serial_over(report):
    return report["serial_s"] / report["search_s"]


def over_serial(report):
    return report["search_s"] / report["serial_s"]


def speed_up(report):
    return report["worked_s"] / report["seconds"]


def of(r, name, workers, figure, compiler="g++"):
    return r.spread((WORKSPACES, name, compiler, workers), figure)


def more_memory(r, name):
    """Memory of two workers beyond that of one, in KiB."""
    two, one = (r.values((WORKSPACES, name, "g++", workers), "peak_kib") for workers in (WORKERS, 1))
    return Spread.of(two[turn] - one[turn] for turn in two) if two and one else two or one


def over_search(r, system, name):
    """The time of copying over that of the search of the same round, one worker each."""
    return r.ratio((COPIES, name, system, 1), (WORKSPACES, name, "g++", 1), "seconds", "search_s")


def over_one_process(r, name, launch):
    part, by, count = launch
    return r.ratio((part, name, by, count), (PROCESSES, name, ALONE, WORKERS))


def workspaces(r, sizes):
    rows = [(f"{name}({size})", of(r, name, 1, "serial_s"), *(of(r, name, 1, over_serial, by) for by in COMPILERS),
             *(of(r, name, WORKERS, serial_over, by) for by in COMPILERS)) for name, size in sizes.items()]
    yield table("searches; one worker over serial, and serial over two workers",
                ("program", "serial s", "1/serial", "1/serial clang++", "serial/2", "serial/2 clang++"), rows)
    rows = [(name, *(of(r, name, WORKERS, count) for count in ("parts", "undos", "redos", "most_live")),
             more_memory(r, name)) for name in PROGRAMS]
    columns = [(heading, whole) for heading in ("parts", "undos", "redos", "most live", "KiB more")]
    yield table("what two workers give away; counts, and KiB beyond one worker", ("program", *columns), rows)
    yield table("a copy of the workspace at every node, one worker; time over the search's", ("tasks of", *COPYING),
                [(title, *(over_search(r, system, name) for name in COPYING)) for system, title in SYSTEMS.items()])
    yield table("one worker over serial, beside the papers'", ("program", "ours", "Tascell", "Cilk"),
                [(name, of(r, name, 1, over_serial).median, tascell, cilk)
                 for name, (*_, tascell, cilk) in PROGRAMS.items() if tascell is not None])


def processes(r, sizes):
    rows = []
    for name, size in sizes.items():
        for launch, title in LAUNCHES.items():
            part, by, count = launch
            key = (part, name, by, count)
            counts = [("-" if part == BY_HAND else r.spread(key, of)) for of in ("given", "asks", "refusals", "bytes")]
            rows.append((f"{name}({size}), {title}", r.spread(key), over_one_process(r, name, launch), *counts))
    columns = [(heading, whole) for heading in ("parts", "asks", "refused", "bytes")]
    yield table(f"searches between processes, on {WORKERS} cores; counts of all processes together",
                ("program, processes x workers", "seconds", f"over 1 x {WORKERS}", *columns), rows)
    rows = []
    for way, title in CONNECTIONS.items():
        for trip in ROUND_TRIPS:
            key = (DELAYED, trip, way, RANKS)
            counts = [r.spread(key, of) for of in ("given", "asks", "refusals")]
            rows.append((f"round trip {trip:g} ms{title}", r.spread(key), r.spread(key, speed_up), *counts))
    yield table(f"{RANKS} ranks far from each other, in one process; their work is simulated by sleeping",
                ("messages", "seconds", "speed-up", *columns[:3]), rows)
    rows = [(title, serial, one, many, serial / many, serial / many / PAPER_WORKERS)
            for title, (serial, one, many) in PAPER.items()]
    yield table(f"Tascell at four sites, {PAPER_WORKERS} workers (2010); seconds, and serial C over them",
                ("program", "serial C", "one worker", f"{PAPER_WORKERS} workers", "speed-up", "of a worker"), rows)


def budgets(r, parts):
    for name, (_, _, one, two, _, _) in PROGRAMS.items() if WORKSPACES in parts else ():
        if one is not None:
            worst = extreme(max, (of(r, name, 1, over_serial, by).median for by in COMPILERS))
            least = extreme(min, (of(r, name, WORKERS, serial_over, by).median for by in COMPILERS))
            yield Budget(f"{name}: one worker over serial, both compilers", one, True, worst)
            yield Budget(f"{name}: serial over two workers", two, False, least)
    if WORKSPACES in parts:
        for (system, name), bound in LEAST_OVER_COPYING.items():
            over = over_search(r, system, name).median
            yield Budget(f"{name}: copies on {SYSTEMS[system]} over this", bound, False, over)
        given = of(r, "nqueens", WORKERS, "parts").median
        yield Budget("nqueens: parts given away by two workers", 200, True, given)
        most = extreme(max, (more_memory(r, name).median for name in PROGRAMS))
        yield Budget("KiB that two workers take beyond one", 1024, True, most)
    if PROCESSES in parts:
        for name in SHARED:
            for family in FAMILY:
                over = over_one_process(r, name, (PROCESSES, family, WORKERS)).median
                yield Budget(f"{name}, {family}: {WORKERS} x 1 over 1 x {WORKERS}", 1.05, True, over)
        near, *_, far = ((DELAYED, trip, -1, RANKS) for trip in ROUND_TRIPS)
        title = f"speed-up of {RANKS} ranks at {ROUND_TRIPS[-1]:g} ms over at {ROUND_TRIPS[0]:g} ms"
        yield Budget(title, 0.9, False, r.ratio(far, near, speed_up).median)
