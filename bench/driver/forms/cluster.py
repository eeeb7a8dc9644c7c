"""Ranks, beside MPI alone and UCX."""

from form import Form, Row, Table, literal
from forms.host import Host

FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
BUDGETS = 12  # of each family
PEERS = ("MPI_Send, MPI_Recv", "MPI_Irecv, MPI_Test", "MPI_Put, flush, MPI's memory", "MPI_Get, flush, MPI's memory",
         "MPI_Put, flush", "MPI_Get, flush")
LOADS = ("invoke_inline, pieces that yield", "invoke_inline, pieces that poll", "invoke_inline, pieces that spawn",
         "invoke_inline, pieces that do nothing else", "OS thread in MPI_Recv", "OS thread that asks and yields")
PAPER = ("remote invoke, busy", "remote invoke, block", "raw messages, there and back", "remote invoke over raw messages",
         "block over busy", "write of 2 KiB over raw, bandwidth", "own rank, own longjmp", "own rank, the system's longjmp")


def absence(host: Host, name: str) -> str:
    return f"{FAMILIES.get(name, 'UCX')} is not installed here" if name in host.absent_peers else ""


def rows(host: Host, name: str, cells: tuple[str, ...]) -> tuple[Row, ...]:
    return tuple(Row(literal(f"{title}{name}"), cells, absence(host, family)) for family, title in FAMILIES.items())


def latency(host: Host) -> Table:
    # The longest titles first: the shortest begins them.
    lines = rows(host, ": invoke_inline", ("n", "-", "-")) + rows(host, ": invoke", ("n", "-", "-"))
    for peer in PEERS:
        lines += rows(host, f": {peer}", ("n",) * 3)
    lines += (Row("UCX: active message", ("n", "?", "?"), absence(host, "ucx")),)
    title = "an empty function there and back, beside eight bytes, both ranks busy; us"
    return Table(title, "us invoke/it inline/it", lines)


def by_family(host: Host, title: str, columns: str, count: int, names: tuple[str, ...] = ("",)) -> Table:
    lines: tuple[Row, ...] = ()
    for name in names:
        lines += rows(host, name, ("n",) * count)
    return Table(title, columns, lines)


def paper(host: Host) -> Table:
    here = tuple("-" if name in host.absent_peers else "n" for name in FAMILIES)
    return Table("MPC\\+\\+ over Myrinet \\(1996\\), and here; us", "MPC++ Open MPI MPICH",
                 tuple(Row(literal(title), ("n", *here)) for title in PAPER))


def form(host: Host) -> Form:
    tables = (
        latency(host),
        by_family(host, "an empty function there and back, by how ranks wait; us",
                  "busy default block default/busy block/busy", 5),
        by_family(host, "an empty function on the own rank; ns", "invoke Thread, join ratio", 3),
        by_family(host, "bandwidth, sixteen under way; GB/s",
                  "write MPI_Send MPI_Put MPI's memory write/send write/put", 6, (", 2 KiB", ", 1 MiB")),
        by_family(host, r"\d+ items of eight bytes, a function for each; ns",
                  "posts inline posts posts of spans MPI by hand posts/hand inline/hand spans/hand", 7),
        by_family(host, "calls of a rank that computes, and what they leave of the computing",
                  "median, us p99, us kept", 3, tuple(f": {load}" for load in LOADS)),
        by_family(host, r"flood: \d+ requests each, 64 deep, a window of 4", "seconds us per call MiB grown", 3),
        by_family(host, r"a rank that waits for [\d.]+ s; % of a core", "for a call for its timer in MPI_Recv", 3),
        paper(host),
    )
    absent = tuple((f", {title}$", absence(host, name)) for name, title in FAMILIES.items() if name in host.absent_peers)
    return Form(tables, BUDGETS * len(FAMILIES), unmeasurable=absent)
