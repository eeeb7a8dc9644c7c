"""Searches with one workspace, beside serial programs, and tasks that copy it."""

from form import Form, Row, Table
from forms.host import Host

PROGRAMS = ("nqueens", "pentomino", "lu", "comp", "grav", "fib", "knapsack")


def form(_: Host) -> Form:
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
    return Form((times, given, copies, papers), budgets=15)
