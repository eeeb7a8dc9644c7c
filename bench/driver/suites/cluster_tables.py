"""The tables of the suite cluster, and the figures that they and its budgets are made of."""

from dataclasses import dataclass

from results import Results
from suite import table

KIB, MIB = 2**10, 2**20
SIZES = {"2 KiB": 2 * KIB, "1 MiB": MIB}  # of writes
KUMIKO, MPI = "kumiko", "mpi"
BUSY, DEFAULT, BLOCK = "spin", "pressure", "sleep"  # how a rank waits that has nothing to run
DEPTH, WINDOW = 64, 4  # of the flood
PING = ("UCX", "latency", "ucx")
ONE_WAY = {
    "MPI_Send, MPI_Recv": "send_ns",
    "MPI_Irecv, MPI_Test": "test_ns",
    "MPI_Put, flush": "put_ns",
    "MPI_Get, flush": "get_ns",
    "MPI_Put, flush, MPI's memory": "put_shared_ns",
    "MPI_Get, flush, MPI's memory": "get_shared_ns",
}
LOADS = {
    "invoke_inline, pieces that yield": (KUMIKO, "yield"),
    "invoke_inline, pieces that poll": (KUMIKO, "poll"),
    "invoke_inline, pieces that spawn": (KUMIKO, "spawn"),
    "invoke_inline, pieces that do nothing else": (KUMIKO, "silent"),
    "OS thread in MPI_Recv": (MPI, "recv"),
    "OS thread that asks and yields": (MPI, "yield"),
}
# MPC++ 2.0 (1996): microseconds, on SPARCstations 20 of 75 MHz, Myrinet and its layer PM.
PAPER_BUSY, PAPER_BLOCK, PAPER_RAW, PAPER_WRITE = 60.98, 580.3, 48, 0.9
PAPER_OWN = {"own longjmp": 4.330, "the system's longjmp": 19.67}
# A figure: the part of the program, who runs it, and its name in the report.
INVOKE, INLINE, SEND = ("latency", KUMIKO, "invoke_ns"), ("latency", KUMIKO, "inline_ns"), ("latency", MPI, "send_ns")
INVOKE_DEFAULT, INVOKE_BLOCK = (DEFAULT, KUMIKO, "invoke_ns"), (BLOCK, KUMIKO, "invoke_ns")
OWN, THREAD = ("own", KUMIKO, "invoke_ns"), ("own", KUMIKO, "thread_ns")
POSTS, SPANS, INLINE_POSTS = (("posts", KUMIKO, f"{kind}_ns") for kind in ("posts", "spans", "inline"))
BY_HAND = ("posts", MPI, "posts_ns")
GROWN = ("flood", KUMIKO, "grown_bytes")
IDLE, SLEEPING = ("idle", KUMIKO, "waiting_share"), ("idle", KUMIKO, "sleeping_share")
MPI_IDLE = ("idle", MPI, "waiting_share")


def message(size, way):
    """The same bytes as a write by MPI: send, put or put_shared."""
    return (size, MPI, f"{way}_ns")


def write(size):
    return (size, KUMIKO, "write_ns")


@dataclass(frozen=True)
class Figures:
    """Figures of an MPI, by its title."""

    r: Results

    def of(self, family, figure, scale=1.0):
        """The values of a figure times a number, or as a function changes them."""
        part, system, name = figure
        if callable(scale):
            return self.r.spread((family, part, system), lambda report: scale(report[name]))
        return self.r.spread((family, part, system), name, scale)

    def ratio(self, family, over, under):
        return self.r.ratio((family, *over[:2]), (family, *under[:2]), over[2], under[2])

    def cells(self, family, columns):
        """A column is its heading and a figure, with its scale or with the figure that it is divided by."""
        return [self.ratio(family, figure, how) if isinstance(how, tuple) else self.of(family, figure, how)
                for _, figure, how in columns]


def by_family(f, families, title, first, of_row):
    """A table with a row for each MPI; `of_row` has the columns by the row's further title."""
    rows = [(f"{family}{name}", *f.cells(family, of)) for name, of in of_row.items() for family in families]
    return table(title, (first, *(heading for heading, *_ in next(iter(of_row.values())))), rows)


def bandwidth(size):
    """Columns in GB/s; the ratio of bandwidths is that of times turned round."""
    sent, put, shared = (message(size, way) for way in ("send", "put", "put_shared"))
    ways = (("write", write(size)), ("MPI_Send", sent), ("MPI_Put", put), ("MPI's memory", shared))
    return (*((heading, way, lambda ns: SIZES[size] / ns) for heading, way in ways),
            ("write/send", sent, write(size)), ("write/put", put, write(size)))


def tables(suite, f, families):
    yield latency(f, families)
    for title, first, of_row in by_title(suite):
        yield by_family(f, families, title, first, of_row)
    yield paper(f, families)


def latency(f, families):
    rows = []
    for title, ours in (("invoke", INVOKE), ("invoke_inline", INLINE)):
        rows += [(f"{family}: {title}", f.of(family, ours, 1e-3), "-", "-") for family in families]
    for title, name in ONE_WAY.items():
        way = ("latency", MPI, name)
        columns = (("us", way, 1e-3), ("invoke/it", INVOKE, way), ("inline/it", INLINE, way))
        rows += [(f"{family}: {title}", *f.cells(family, columns)) for family in families]
    # Ours by the last MPI that is here: MPICH goes over UCX itself.
    last = next((family for family in reversed(families) if f.of(family, INVOKE)), families[-1])
    over_ucx = (f.r.ratio((last, *ours[:2]), PING, ours[2], "am_ns") for ours in (INVOKE, INLINE))
    rows.append(("UCX: active message", f.r.spread(PING, "am_ns", 1e-3), *over_ucx))
    return table("an empty function there and back, beside eight bytes, both ranks busy; us",
                 ("way", "us", "invoke/it", "inline/it"), rows)


def by_title(suite):
    """Title, first heading, and columns by row."""
    flood, calls = ("flood", KUMIKO, "seconds"), 2 * suite.requests * (DEPTH + 1)
    kinds = {"median, us": "p50_us", "p99, us": "p99_us", "kept": "kept"}
    return (
        ("an empty function there and back, by how ranks wait; us", "MPI", {"": (
            ("busy", INVOKE, 1e-3), ("default", INVOKE_DEFAULT, 1e-3), ("block", INVOKE_BLOCK, 1e-3),
            ("default/busy", INVOKE_DEFAULT, INVOKE), ("block/busy", INVOKE_BLOCK, INVOKE))}),
        ("an empty function on the own rank; ns", "MPI", {"": (
            ("invoke", OWN, 1), ("Thread, join", THREAD, 1), ("ratio", OWN, THREAD))}),
        ("bandwidth, sixteen under way; GB/s", "MPI", {f", {size}": bandwidth(size) for size in SIZES}),
        (f"{suite.posted} items of eight bytes, a function for each; ns", "MPI", {"": (
            ("posts", POSTS, 1), ("inline posts", INLINE_POSTS, 1), ("posts of spans", SPANS, 1),
            ("MPI by hand", BY_HAND, 1), ("posts/hand", POSTS, BY_HAND), ("inline/hand", INLINE_POSTS, BY_HAND),
            ("spans/hand", SPANS, BY_HAND))}),
        ("calls of a rank that computes, and what they leave of the computing", "way", {
            f": {title}": [(heading, ("load", system, f"{name}_{kind}"), 1) for heading, kind in kinds.items()]
            for title, (system, name) in LOADS.items()}),
        (f"flood: {suite.requests} requests each, {DEPTH} deep, a window of {WINDOW}", "MPI", {"": (
            ("seconds", flood, 1), ("us per call", flood, 1e6 / calls), ("MiB grown", GROWN, 1 / MIB))}),
        (f"a rank that waits for {suite.seconds:g} s; % of a core", "MPI", {"": (
            ("for a call", IDLE, 100), ("for its timer", SLEEPING, 100), ("in MPI_Recv", MPI_IDLE, 100))}),
    )


def paper(f, families):
    ours = (
        ("remote invoke, busy", PAPER_BUSY, (INVOKE, 1e-3)),
        ("remote invoke, block", PAPER_BLOCK, (INVOKE_BLOCK, 1e-3)),
        ("raw messages, there and back", PAPER_RAW, (SEND, 1e-3)),
        ("remote invoke over raw messages", PAPER_BUSY / PAPER_RAW, (INVOKE, SEND)),
        ("block over busy", PAPER_BLOCK / PAPER_BUSY, (INVOKE_BLOCK, INVOKE)),
        ("write of 2 KiB over raw, bandwidth", PAPER_WRITE, (message("2 KiB", "send"), write("2 KiB"))),
        *((f"own rank, {way}", time, (OWN, 1e-3)) for way, time in PAPER_OWN.items()),
    )
    rows = [(title, theirs, *(f.cells(family, [("", *of)])[0] for family in families)) for title, theirs, of in ours]
    return table("MPC++ over Myrinet (1996), and here; us", ("call", "MPC++", *families), rows)
