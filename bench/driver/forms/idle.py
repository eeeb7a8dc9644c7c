"""Waiting, beside peers and beside others who want the cores."""

from form import Form, Row, Table, literal
from forms.host import Host

POLICIES = ("adaptive", "pressure", "sleep", "yield", "spin_pause", "spin")
OPENMP = ("GCC OpenMP, active", "GCC OpenMP, passive")
TASKS = ("oneTBB", *OPENMP, "LLVM OpenMP, active", "LLVM OpenMP, passive")
PHASE = "phases, 100 us"
PEERS = {"Zalesak": ("strips", *OPENMP), "UTS": TASKS, "fib": (), PHASE: TASKS}
LENGTHS = ("1 us", "10 us", "1 ms", "10 ms")
# By the title of a part: programs, and situations in the order of the columns.
PARTS = {
    "copies at once": (tuple(PEERS), ("alone", "2 copies", "4 copies")),
    "beside a busy loop": (("Zalesak", PHASE), ("busy loop", "pinned loop", "of nice 10", "half the time")),
    "by a quota": (("Zalesak", PHASE), ("2, 1, 2 cores", "1.5 cores", "1 core", "0.5 core")),
    "workers": (("Zalesak", PHASE), tuple(f"{times} per core" for times in (1, 2, 4, 8))),
}
QUOTA = "by a quota"
# Of the short form, which has the first two situations of each part, and of the full one.
BUDGETS, BUDGETS_OF_QUOTAS = {True: 13, False: 20}, {True: 2, False: 3}


def direction() -> Table:
    return Table(f"direction, full size: {PHASE}, 2 copies", "", (Row("spin over sleep", ("n",)),))


def phases() -> Table:
    rows = []
    for system in (*POLICIES, *TASKS):
        rows += [Row(literal(system), ("n",) * 4), Row("/ideal", ("n",) * 4)]
    return Table("phases alone: time over sleep's, /ideal below", " ".join(LENGTHS), tuple(rows))


def shared(program: str, part: str, columns: tuple[str, ...]) -> Table:
    rows = [Row("sleep, seconds", ("n", "-") * len(columns))]
    rows += [Row(literal(system), ("n", "n") * len(columns)) for system in (*POLICIES, *PEERS[program])]
    title = literal(f"{program}, {part}: time over sleep's; {'; '.join(columns)}")
    return Table(title, " ".join(f"{column} /ideal" for column in columns), tuple(rows))


def paper(quick: bool) -> Table:
    here = "-" if quick else "n"  # the short form has no four copies
    rows = []
    for title, busy, ours, pausing in (
        ("alone, bare", "n", "n", "-"),
        ("alone, guest", "n", "n", "n"),
        ("2 copies", "n", "n", "n"),
        ("4 copies", "grows", here, "grows"),
    ):
        rows += [Row(f"{title}: fib", (busy, ours, pausing, ours)), Row(f"{title}: Zalesak", ("-", ours, "-", ours))]
    title = "busy waiting over blocking: the paper's fib, and here"
    return Table(title, "paper, busy here, spin paper, busy + PAUSE here, spin_pause", tuple(rows))


def pressure(measured: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> Table:
    rows = [Row(f"alone, alone: phases, {length}", ("n",)) for length in LENGTHS]
    for part, (programs, columns) in measured.items():
        rows += [Row(literal(f"{part}, {column}: {program}"), ("n",)) for program in programs for column in columns]
    return Table("pressure over adaptive: time, round by round", "", tuple(rows))


def form(host: Host, quick: bool = True) -> Form:
    measured = {}
    for part, (programs, columns) in PARTS.items():
        if part != QUOTA or not host.quota_refusal:
            measured[part] = (programs, columns[:2] if quick else columns)
    tables = [direction()] if quick and host.workers > 1 else []
    tables.append(phases())
    for part, (programs, columns) in measured.items():
        for program in programs:
            tables += [shared(program, part, columns[first : first + 2]) for first in range(0, len(columns), 2)]
    tables += [paper(quick), pressure(measured)]
    budgets = BUDGETS[quick] - (BUDGETS_OF_QUOTAS[quick] if host.quota_refusal else 0)
    return Form(tuple(tables), budgets)
