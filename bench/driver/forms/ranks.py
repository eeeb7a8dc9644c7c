"""A case on two ranks."""

from form import Form, Row, Table
from forms.host import Host

FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
OF_ONE = ("seconds by one worker", "seconds by two workers", "speed-up of two ranks, predicted")
OF_RANKS = ("seconds", "over two workers", "speed-up", "predicted over it", "bundles a base step", "bytes a bundle",
            "memory over one's")
BUDGETS = 5  # of a size and an MPI
BUDGETS_OF_HEAVY = 2


def table(title: str, host: Host) -> Table:
    rows = [Row(of_one, ("n",)) for of_one in OF_ONE]
    for name, family in FAMILIES.items():
        if name in host.absent_peers:
            rows.append(Row(rf"{family}\s+seconds", ("n",), f"{family} is not installed here"))
        else:
            rows += [Row(rf"{family}\s+{what}", ("n",)) for what in OF_RANKS]
    return Table(title, "", tuple(rows))


def form(host: Host, quick: bool = False) -> Form:
    titles = [r"Zalesak's disk, base 64, 24 base steps"]
    if not quick:
        titles = [r"Zalesak's disk, base 256, \d+ base steps", r"Zalesak's disk, base 1024, \d+ base steps"]
    budgets = len(FAMILIES) * (len(titles) * BUDGETS + BUDGETS_OF_HEAVY)
    titles.append(r"Heavy patches, reacting front, \d+ base steps")
    absent = "|".join(family for name, family in FAMILIES.items() if name in host.absent_peers)
    return Form(
        tuple(table(title, host) for title in titles),
        budgets=budgets,
        unmeasurable=((rf"({absent}):", "that MPI is not installed here"),) if absent else (),
    )
