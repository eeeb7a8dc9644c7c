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
        part, system, name = figure
        return self.r.spread((family, part, system), name, scale)

    def ratio(self, family, over, under):
        return self.r.ratio((family, *over[:2]), (family, *under[:2]), over[2], under[2])

    def gigabytes_per_second(self, family, size, figure):
        part, system, name = figure
        return self.r.spread((family, part, system), lambda report: SIZES[size] / report[name])


def rows(families, cells, name=""):
    return [(f"{family}{name}", *cells(family)) for family in families]


def tables(suite, f, families):
    yield from calls(f, families)
    yield from transfers(suite, f, families)
    yield from others(suite, f, families)


def calls(f, families):
    def compared(family, way):
        return (f.of(family, way, 1e-3), f.ratio(family, INVOKE, way), f.ratio(family, INLINE, way))

    lines = []
    for title, ours in (("invoke", INVOKE), ("invoke_inline", INLINE)):
        lines += rows(families, lambda family, x=ours: (f.of(family, x, 1e-3), "-", "-"), f": {title}")
    for title, name in ONE_WAY.items():
        lines += rows(families, lambda family, n=name: compared(family, ("latency", MPI, n)), f": {title}")
    # Ours by the last MPI that is here: MPICH goes over UCX itself.
    last = next((family for family in reversed(families) if f.of(family, INVOKE)), families[-1])
    over_ucx = (f.r.ratio((last, *ours[:2]), PING, ours[2], "am_ns") for ours in (INVOKE, INLINE))
    lines.append(("UCX: active message", f.r.spread(PING, "am_ns", 1e-3), *over_ucx))
    yield table("an empty function there and back, beside eight bytes, both ranks busy; us",
                ("way", "us", "invoke/it", "inline/it"), lines)
    waits = (INVOKE, INVOKE_DEFAULT, INVOKE_BLOCK)
    yield table("an empty function there and back, by how ranks wait; us",
                ("MPI", "busy", "default", "block", "default/busy", "block/busy"),
                rows(families, lambda family: (*(f.of(family, wait, 1e-3) for wait in waits),
                                               *(f.ratio(family, wait, INVOKE) for wait in waits[1:]))))
    yield table("an empty function on the own rank; ns", ("MPI", "invoke", "Thread, join", "ratio"),
                rows(families, lambda family: (f.of(family, OWN), f.of(family, THREAD), f.ratio(family, OWN, THREAD))))


def transfers(suite, f, families):
    def bandwidth(family, size):
        ways = (write(size), *(message(size, way) for way in ("send", "put", "put_shared")))
        # The ratio of bandwidths is that of times turned round.
        ratios = (f.ratio(family, message(size, way), write(size)) for way in ("send", "put"))
        return (*(f.gigabytes_per_second(family, size, way) for way in ways), *ratios)

    lines = []
    for size in SIZES:
        lines += rows(families, lambda family, s=size: bandwidth(family, s), f", {size}")
    yield table("bandwidth, sixteen under way; GB/s",
                ("MPI", "write", "MPI_Send", "MPI_Put", "MPI's memory", "write/send", "write/put"), lines)
    ways = (POSTS, INLINE_POSTS, SPANS)
    columns = ("posts", "inline posts", "posts of spans", "MPI by hand", "posts/hand", "inline/hand", "spans/hand")
    yield table(f"{suite.posted} items of eight bytes, a function for each; ns", ("MPI", *columns),
                rows(families, lambda family: (*(f.of(family, way) for way in (*ways, BY_HAND)),
                                               *(f.ratio(family, way, BY_HAND) for way in ways))))


def others(suite, f, families):
    lines = []
    for title, (system, name) in LOADS.items():
        figures = [("load", system, f"{name}_{kind}") for kind in ("p50_us", "p99_us", "kept")]
        lines += rows(families, lambda family, kinds=figures: (f.of(family, x) for x in kinds), f": {title}")
    yield table("calls of a rank that computes, and what they leave of the computing",
                ("way", "median, us", "p99, us", "kept"), lines)
    seconds, calls = ("flood", KUMIKO, "seconds"), 2 * suite.requests * (DEPTH + 1)
    yield table(f"flood: {suite.requests} requests each, {DEPTH} deep, a window of {WINDOW}",
                ("MPI", "seconds", "us per call", "MiB grown"),
                rows(families, lambda family: (f.of(family, seconds), f.of(family, seconds, 1e6 / calls),
                                               f.of(family, GROWN, 1 / MIB))))
    yield table(f"a rank that waits for {suite.seconds:g} s; % of a core",
                ("MPI", "for a call", "for its timer", "in MPI_Recv"),
                rows(families, lambda family: (f.of(family, figure, 100) for figure in (IDLE, SLEEPING, MPI_IDLE))))
    papers = (
        ("remote invoke, busy", PAPER_BUSY, lambda family: f.of(family, INVOKE, 1e-3)),
        ("remote invoke, block", PAPER_BLOCK, lambda family: f.of(family, INVOKE_BLOCK, 1e-3)),
        ("raw messages, there and back", PAPER_RAW, lambda family: f.of(family, SEND, 1e-3)),
        ("remote invoke over raw messages", PAPER_BUSY / PAPER_RAW, lambda family: f.ratio(family, INVOKE, SEND)),
        ("block over busy", PAPER_BLOCK / PAPER_BUSY, lambda family: f.ratio(family, INVOKE_BLOCK, INVOKE)),
        ("write of 2 KiB over raw, bandwidth", PAPER_WRITE,
         lambda family: f.ratio(family, message("2 KiB", "send"), write("2 KiB"))),
        *((f"own rank, {way}", time, lambda family: f.of(family, OWN, 1e-3)) for way, time in PAPER_OWN.items()),
    )
    yield table("MPC++ over Myrinet (1996), and here; us", ("call", "MPC++", *families),
                [(title, paper, *map(ours, families)) for title, paper, ours in papers])
