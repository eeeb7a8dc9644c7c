"""The figures as tables."""

from collections.abc import Callable

from measured import Budget, Spread
from text import budget_lines, number, spread

from .launch import UCX_KEY
from .plan import BLOCK, BUSY, DEFAULT, FAMILIES, KUMIKO, MIB, SIZES, Family
from .summary import (
    BY_HAND, GROWN, INLINE, INLINE_POSTS, INVOKE, INVOKE_BY_WAITING, MPI, MPI_WAITING, OWN, POSTS, SEND, SLEEPING, SPANS, THREAD,
    WAITING, Figure, Summary, message, write,
)

MICRO = 1e-3  # of nanoseconds
ONE_WAY = {
    "MPI_Send, MPI_Recv": "send",
    "MPI_Irecv, MPI_Test": "test",
    "MPI_Put, flush": "put",
    "MPI_Get, flush": "get",
    "MPI_Put, flush, MPI's memory": "put_shared",
    "MPI_Get, flush, MPI's memory": "get_shared",
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
Cells = Callable[[Family], list[str]]


def row(title: str, cells: list[str]) -> str:
    return f"  {title:<47}" + "".join(f" {cell:>23}" for cell in cells)


class Tables:
    def __init__(self, summary: Summary, absent: dict[str, str]):
        self.summary = summary
        self.absent = absent

    def rows(self, name: str, cells: Cells) -> list[str]:
        """One for each family; those that are not here say so."""
        lines = []
        for family in FAMILIES:
            title = f"{family.title}{name}"
            here = self.summary.has(family)
            lines.append(row(title, cells(family)) if here else f"  {title:<47} {self.absent[family.name]}")
        return lines

    def latency(self) -> list[str]:
        lines = ["", "an empty function there and back, beside eight bytes, both ranks busy; us"]
        lines.append(row("", ["us", "invoke/it", "inline/it"]))
        for title, figure in (("invoke", INVOKE), ("invoke_inline", INLINE)):
            lines += self.rows(f": {title}", lambda family, f=figure: [spread(self.summary.spread(family, f, MICRO)), "-", "-"])
        for title, way in ONE_WAY.items():
            lines += self.rows(f": {title}", lambda family, w=way: self.beside(family, Figure("latency", MPI, f"{w}_ns")))
        title = "UCX: active message"
        if UCX_KEY in self.absent:
            return [*lines, f"  {title:<47} {self.absent[UCX_KEY]}"]
        return [*lines, row(title, self.beside_ucx())]

    def beside(self, family: Family, figure: Figure) -> list[str]:
        ratios = [self.summary.ratio(family, ours, figure) for ours in (INVOKE, INLINE)]
        return [spread(cell) for cell in (self.summary.spread(family, figure, MICRO), *ratios)]

    def beside_ucx(self) -> list[str]:
        """Ours by the last MPI here: MPICH goes over UCX itself."""
        cells = [self.summary.ucx_spread(MICRO)]
        for figure in (INVOKE, INLINE):
            families = self.summary.families
            cells.append(self.summary.over_ucx(families[-1], figure) if families else None)
        return [spread(cell) for cell in cells]

    def waiting(self) -> list[str]:
        def cells(family: Family) -> list[str]:
            times = [self.summary.spread(family, INVOKE_BY_WAITING[idle], MICRO) for idle in (BUSY, DEFAULT, BLOCK)]
            ratios = [self.summary.ratio(family, INVOKE_BY_WAITING[idle], INVOKE) for idle in (DEFAULT, BLOCK)]
            return [spread(cell) for cell in (*times, *ratios)]

        columns = ["busy", "default", "block", "default/busy", "block/busy"]
        return ["", "an empty function there and back, by how ranks wait; us", row("", columns), *self.rows("", cells)]

    def own(self) -> list[str]:
        def cells(family: Family) -> list[str]:
            times = [self.summary.spread(family, figure) for figure in (OWN, THREAD)]
            return [spread(cell) for cell in (*times, self.summary.ratio(family, OWN, THREAD))]

        columns = ["invoke", "Thread, join", "ratio"]
        return ["", "an empty function on the own rank; ns", row("", columns), *self.rows("", cells)]

    def bandwidth(self) -> list[str]:
        lines = ["", "bandwidth, sixteen under way; GB/s"]
        lines.append(row("", ["write", "MPI_Send", "MPI_Put", "MPI's memory", "write/send", "write/put"]))
        for size in SIZES:
            lines += self.rows(f", {size}", lambda family, s=size: self.bandwidth_cells(family, s))
        return lines

    def bandwidth_cells(self, family: Family, size: str) -> list[str]:
        figures = [write(size), *(message(size, way) for way in ("send", "put", "put_shared"))]
        cells = [self.summary.gigabytes_per_second(family, size, figure) for figure in figures]
        # The ratio of bandwidths is that of times turned round.
        cells += [self.summary.ratio(family, message(size, way), write(size)) for way in ("send", "put")]
        return [spread(cell) for cell in cells]

    def posts(self) -> list[str]:
        def cells(family: Family) -> list[str]:
            times = [self.summary.spread(family, figure) for figure in (POSTS, INLINE_POSTS, SPANS, BY_HAND)]
            ratios = [self.summary.ratio(family, figure, BY_HAND) for figure in (POSTS, INLINE_POSTS, SPANS)]
            return [spread(cell) for cell in (*times, *ratios)]

        count = self.summary.words("posts")["calls"]
        columns = ["posts", "inline posts", "posts of spans", "MPI by hand", "posts/hand", "inline/hand", "spans/hand"]
        return ["", f"{count} items of eight bytes, a function for each; ns", row("", columns), *self.rows("", cells)]

    def load(self) -> list[str]:
        lines = ["", "calls of a rank that computes, and what they leave of the computing"]
        lines.append(row("", ["median, us", "p99, us", "kept"]))
        for title, (system, name) in LOADS.items():
            figures = [Figure("load", system, f"{name}_{kind}") for kind in ("p50_us", "p99_us", "kept")]
            lines += self.rows(f": {title}", lambda family, f=figures: [spread(self.summary.spread(family, x)) for x in f])
        return lines

    def flood(self) -> list[str]:
        def cells(family: Family) -> list[str]:
            seconds = Figure("flood", KUMIKO, "seconds")
            figures = {seconds: (1, 1e6 / calls), GROWN: (1 / MIB,)}
            return [spread(self.summary.spread(family, f, factor)) for f in figures for factor in figures[f]]

        words = self.summary.words("flood")
        calls = 2 * int(words["requests"]) * (int(words["depth"]) + 1)
        title = f"flood: {words['requests']} requests each, {words['depth']} deep, a window of {words['window']}"
        return ["", title, row("", ["seconds", "us per call", "MiB grown"]), *self.rows("", cells)]

    def idle(self) -> list[str]:
        def cells(family: Family) -> list[str]:
            return [spread(self.summary.spread(family, figure, 100)) for figure in (WAITING, SLEEPING, MPI_WAITING)]

        title = f"a rank that waits for {self.summary.words('idle')['seconds']} s; % of a core"
        return ["", title, row("", ["for a call", "for its timer", "in MPI_Recv"]), *self.rows("", cells)]

    def paper(self) -> list[str]:
        def here(of: Callable[[Family], Spread | None]) -> list[str]:
            return [spread(of(family) if self.summary.has(family) else None) for family in FAMILIES]

        summary = self.summary
        lines = ["", "MPC++ over Myrinet (1996), and here; us"]
        lines.append(row("", ["MPC++", *(family.title for family in FAMILIES)]))
        for title, paper, ours in (
            ("remote invoke, busy", PAPER_BUSY, lambda f: summary.spread(f, INVOKE, MICRO)),
            ("remote invoke, block", PAPER_BLOCK, lambda f: summary.spread(f, INVOKE_BY_WAITING[BLOCK], MICRO)),
            ("raw messages, there and back", PAPER_RAW, lambda f: summary.spread(f, SEND, MICRO)),
            ("remote invoke over raw messages", PAPER_BUSY / PAPER_RAW, lambda f: summary.ratio(f, INVOKE, SEND)),
            ("block over busy", PAPER_BLOCK / PAPER_BUSY, lambda f: summary.ratio(f, INVOKE_BY_WAITING[BLOCK], INVOKE)),
            ("write of 2 KiB over raw, bandwidth", PAPER_WRITE,
             lambda f: summary.ratio(f, message("2 KiB", "send"), write("2 KiB"))),
            *((f"own rank, {way}", time, lambda f: summary.spread(f, OWN, MICRO)) for way, time in PAPER_OWN.items()),
        ):
            lines.append(row(title, [number(paper), *here(ours)]))
        return lines


def table_lines(summary: Summary, absent: dict[str, str], judged: list[Budget]) -> list[str]:
    tables = Tables(summary, absent)
    lines = []
    for table in (tables.latency, tables.waiting, tables.own, tables.bandwidth, tables.posts, tables.load, tables.flood,
                  tables.idle, tables.paper):
        lines += table()
    return lines + budget_lines("budgets (medians)", judged)
