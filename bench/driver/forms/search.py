"""Searches with one workspace, beside serial programs, and tasks that copy it; and searches between processes."""

from form import Form, Row, Table
from forms.host import Host

PROGRAMS = ("nqueens", "pentomino", "lu", "comp", "grav", "fib", "knapsack")
FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
SHARED = ("queens", "pentomino")  # between processes
BUDGETS = 15 + len(SHARED) * len(FAMILIES) + 1


def between_processes(host: Host) -> Table:
    rows = []
    for name in SHARED:
        rows.append(Row(rf"{name}\(\d+\), 1 x 2", ("n",) * 6))
        for launch, cells in (("2 x 1", 6), ("4 x 1", 6), ("2 x 1 by hand", 2)):
            for family, title in FAMILIES.items():
                why = f"{title} is not installed here" if family in host.absent_peers else ""
                rows.append(Row(rf"{name}\(\d+\), {title}, {launch}", ("n",) * cells, why))
    return Table(
        "searches between processes, on 2 cores; counts of all processes together",
        "seconds over 1 x 2 parts asks refused bytes",
        tuple(rows),
    )


def form(host: Host) -> Form:
    times = Table(
        "searches; one worker over serial, and serial over two workers",
        r"serial s 1/serial 1/serial clang++ serial/2 serial/2 clang++",
        tuple(Row(rf"{name}\(\d+\)", ("n",) * 5) for name in PROGRAMS),
    )
    given = Table(
        "what two workers give away; counts, and KiB beyond one worker",
        "parts undos redos most live KiB more",
        tuple(Row(name, ("n",) * 5) for name in PROGRAMS),
    )
    copies = Table(
        "a copy of the workspace at every node, one worker; time over the search's",
        "nqueens pentomino",
        tuple(Row(system, ("n", "n")) for system in ("oneTBB", "GCC OpenMP", "Kumiko's groups")),
    )
    papers = Table(
        "one worker over serial, beside the papers'",
        "ours Tascell Cilk",
        tuple(Row(name, ("n", "n", "n")) for name in PROGRAMS[:6]),
    )
    far = Table(
        "4 ranks far from each other, in one process; their work is simulated by sleeping",
        "seconds speed-up parts asks refused",
        tuple(Row(f"round trip {trip} ms{way}", ("n",) * 5)
              for way in ("", ", direct", ", direct, by the rule") for trip in ("0.1", "1", "27")),
    )
    sites = Table(
        r"Tascell at four sites, 256 workers \(2010\); seconds, and serial C over them",
        "serial C one worker 256 workers speed-up of a worker",
        tuple(Row(name, ("n",) * 5) for name in (r"nqueens\(18\)", r"pentomino\(16\)", r"pentomino\(15\)",
                                                 r"fib\(56\)", r"grav\(2500\)")),
    )
    absent = "|".join(title for family, title in FAMILIES.items() if family in host.absent_peers)
    return Form(
        (times, given, copies, papers, between_processes(host), far, sites),
        budgets=BUDGETS,
        unmeasurable=((rf", ({absent}):", "that MPI is not installed here"),) if absent else (),
    )
