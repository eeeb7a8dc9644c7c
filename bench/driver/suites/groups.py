"""Aggregation groups: threads that share blocks of data, on one worker; and on two, where groups may be published.

The best case of Yamada and Kusakabe (2010): the threads of a group write its block from end to end and yield after each
pass. Aggregated is compared with first in, first out, and with one group after another, which is the best order.
"""

from dataclasses import dataclass

from suite import Budget, Suite, extreme, table

KIB, MIB = 2**10, 2**20
FIFO, AGGREGATED, PUBLISHED, APART = "fifo", "aggregated", "published", "apart"
ORDERS = (FIFO, AGGREGATED, APART)
EVERY_ORDER = (*ORDERS, PUBLISHED)
LINES, WORDS = 64, 8  # bytes from one word that a pass changes to the next
SIZES = {LINES: tuple(32 * KIB << shift for shift in range(10)), WORDS: (512 * KIB, 2 * MIB, 8 * MIB)}
CHANGED = {LINES: "a word of each cache line", WORDS: "every word"}
MOST_GROUPS, THREADS = 64, 16
SPAN = 256 * MIB  # all blocks together, at most
SWEPT = {False: {LINES: 16 * 2**30, WORDS: 4 * 2**30}, True: {LINES: 2**30, WORDS: 2**30}}  # by quick: bytes of a run
FITTING = 32 * KIB  # of 8 groups: what one core's cache holds
LONERS, SHARED_BLOCK = 4, 512 * KIB
BESIDE = {"read": (8 * MIB, 16 * MIB, 24 * MIB, 32 * MIB), "written": (2 * MIB, 24 * MIB)}  # blocks of two workers
GROUPS_BESIDE, THREADS_BESIDE, PASSES_BESIDE = 4, 8, 32
TUNED_LONGER = 6  # times as many passes


@dataclass(frozen=True)
class Work:
    """The words of the program."""

    block: int
    stride: int = LINES
    groups: int = MOST_GROUPS
    threads: int = THREADS
    workers: int = 1
    writes: int = 1
    loners: int = 0
    loners_on: int = 1
    tuned: int = 0
    limit: int = 1000

    def words(self, order: str, quick: bool) -> list[str]:
        passes = max(2, SWEPT[quick][self.stride] // (self.block * self.groups * self.threads))
        passes *= TUNED_LONGER if self.tuned else 1
        if self.workers > 1:
            passes = 2 if quick else PASSES_BESIDE
        return [
            f"order={order}", f"bytes={self.block}", f"stride={self.stride}", f"groups={self.groups}",
            f"threads={self.threads}", f"workers={self.workers}", f"writes={self.writes}", f"passes={passes}",
            f"loners={self.loners}", f"loner_bytes={4 * MIB}", f"loners_on={self.loners_on}", f"tuned={self.tuned}",
            f"limit={self.limit}",
        ]


def size(block: int) -> str:
    return f"{block // KIB} KiB" if block < MIB else f"{block // MIB} MiB"


def swept(block: int, stride: int) -> str:
    return f"{size(block)}, {CHANGED[stride]}"


CONTROL = {
    "first in, first out": (FIFO, Work(SHARED_BLOCK, loners=LONERS)),
    "all on": (AGGREGATED, Work(SHARED_BLOCK, loners=LONERS)),
    "loners off": (AGGREGATED, Work(SHARED_BLOCK, loners=LONERS, loners_on=0)),
    # In shorter rows, so that all groups have their turns while they are tried, which takes some seconds.
    "by the tuner": (AGGREGATED, Work(SHARED_BLOCK, loners=LONERS, tuned=1, limit=100)),
}
WITHOUT = (FIFO, "first in, first out")
# By order and title.
CASES = {
    (order, swept(block, stride)): Work(block, stride, min(MOST_GROUPS, SPAN // block))
    for stride, blocks in SIZES.items() for block in blocks for order in ORDERS
}
CASES |= {(order, "fitting"): Work(FITTING, groups=8) for order in (FIFO, AGGREGATED)}
CASES |= {(order, title): work for title, (order, work) in CONTROL.items()}
CASES |= {
    (order, f"{size(block)}, {done}"): Work(block, LINES, GROUPS_BESIDE, THREADS_BESIDE, 2, int(done == "written"))
    for done, blocks in BESIDE.items() for block in blocks for order in EVERY_ORDER
}


class Declared(Suite):
    about = "threads that share blocks of data: aggregated, first in first out, and block after block"
    program = "aggregation"
    fields = ("order", "work")
    figure = "seconds"
    repetitions = 9
    budgets_title = "budgets"

    def __init__(self, *words):
        super().__init__(*words)
        self.workers = 1

    def comparisons(self):
        titles = dict.fromkeys(title for _, title in CASES)
        return [[key for key in CASES if key[1] == title] for title in titles]

    def measure(self, key, turn):
        return self.programs.report("aggregation", *CASES[key].words(key[0], self.quick), limit=60)

    def over_fifo(self, r, title, kind):
        """The time of one pass of this kind, over that of the same round without groups."""
        return r.ratio((CONTROL[title][0], title), WITHOUT, lambda report: report["result"][kind])

    def tables(self, r):
        for stride, blocks in SIZES.items():
            rows = []
            for block in blocks:
                of = {order: (order, swept(block, stride)) for order in ORDERS}
                ratios = [r.ratio(of[AGGREGATED], of[order]) for order in (FIFO, APART)]
                rows.append((size(block), *(r.spread(key, scale=1e3) for key in of.values()), *ratios))
            yield table(f"one worker, {THREADS} threads a group, a pass changes {CHANGED[stride]}; ms",
                        ("block", *ORDERS, "aggregated/fifo", "aggregated/apart"), rows)
        rows = [(title, *(self.over_fifo(r, title, kind) for kind in ("sharing_ns", "loner_ns")))
                for title, (order, _) in CONTROL.items() if order != FIFO]
        tuned = [r.spread((AGGREGATED, "by the tuner"), lambda report, kind=kind: report["result"][kind])
                 for kind in ("sharing_on", "loners_on")]
        rows.append((f"left on, of {MOST_GROUPS - LONERS} and {LONERS}", *tuned))
        yield table(f"{LONERS} of {MOST_GROUPS} groups share nothing; time of a pass over first in, first out",
                    ("groups", "of those that share", "of the loners"), rows)
        rows = []
        for title in dict.fromkeys(title for order, title in CASES if order == PUBLISHED):
            rows.append((title, *(r.ratio((order, title), (FIFO, title)) for order in (AGGREGATED, PUBLISHED, APART)),
                         r.ratio((PUBLISHED, title), (AGGREGATED, title))))
        title = f"two workers, {GROUPS_BESIDE} groups of {THREADS_BESIDE} threads, {CHANGED[LINES]}; over fifo"
        yield table(title, ("block", AGGREGATED, PUBLISHED, APART, "published/aggregated"), rows)

    def budgets(self, r):
        over = {order: [r.ratio((AGGREGATED, swept(block, LINES)), (order, swept(block, LINES))).median
                        for block in SIZES[LINES]] for order in (FIFO, APART)}
        fits = r.ratio((AGGREGATED, "fitting"), (FIFO, "fitting")).median
        yield Budget("aggregated over fifo, the best block", 0.7, True, extreme(min, over[FIFO]))
        yield Budget("aggregated over apart, the worst block", 1.05, True, extreme(max, over[APART]))
        yield Budget("aggregated over fifo, where all blocks fit", 1.03, True, fits)
        yield Budget("loners that are off, over fifo", 1.02, True, self.over_fifo(r, "loners off", "loner_ns").median)
        yield Budget("those that share, beside them", 0.7, True, self.over_fifo(r, "loners off", "sharing_ns").median)
