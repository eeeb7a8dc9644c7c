"""What the rounds say: figures, ratios of the same round, budgets and directions."""

from dataclasses import dataclass, field

from measured import Budget, Spread

from .plan import BLOCK, BUSY, DEFAULT, FAMILIES, KUMIKO, MIB, SIZES, Family, Part

MPI = "mpi"
# By part and system: the reports of the rounds, None where a launch failed.
Runs = dict[tuple[str, str], list[dict | None]]


@dataclass(frozen=True)
class Figure:
    """One number of a report."""

    part: str
    system: str
    name: str


INVOKE, INLINE = Figure("latency", KUMIKO, "invoke_ns"), Figure("latency", KUMIKO, "inline_ns")
SEND = Figure("latency", MPI, "send_ns")
INVOKE_BY_WAITING = {BUSY: INVOKE, DEFAULT: Figure(DEFAULT, KUMIKO, "invoke_ns"), BLOCK: Figure(BLOCK, KUMIKO, "invoke_ns")}
OWN, THREAD = Figure("own", KUMIKO, "invoke_ns"), Figure("own", KUMIKO, "thread_ns")
POSTS, SPANS = Figure("posts", KUMIKO, "posts_ns"), Figure("posts", KUMIKO, "spans_ns")
INLINE_POSTS = Figure("posts", KUMIKO, "inline_ns")
BY_HAND = Figure("posts", MPI, "posts_ns")
COMPUTING, ECHO = Figure("load", KUMIKO, "yield_p99_us"), Figure("load", MPI, "recv_p99_us")
GROWN = Figure("flood", KUMIKO, "grown_bytes")
WAITING, SLEEPING = Figure("idle", KUMIKO, "waiting_share"), Figure("idle", KUMIKO, "sleeping_share")
MPI_WAITING = Figure("idle", MPI, "waiting_share")


def write(size: str) -> Figure:
    return Figure(size, KUMIKO, "write_ns")


def message(size: str, way: str) -> Figure:
    """The same bytes by MPI: send, put or put_shared."""
    return Figure(size, MPI, f"{way}_ns")


def spread_of(values: list[float]) -> Spread | None:
    return Spread.of(values) if values else None


def ratio_of(above: list[float | None], below: list[float | None]) -> Spread | None:
    pairs = zip(above, below)  # a part that failed was not tried again
    return spread_of([a / b for a, b in pairs if a is not None and b is not None])


def middle(spread: Spread | None) -> float | None:
    return spread and spread.middle


@dataclass(frozen=True)
class Summary:
    runs: dict[str, Runs]  # by the name of a family that is here
    ucx: list[dict | None]  # of the rounds; empty where UCX is not here
    parts: list[Part]
    failures: list[str] = field(default_factory=list)

    def has(self, family: Family) -> bool:
        return family.name in self.runs

    @property
    def families(self) -> list[Family]:
        return [family for family in FAMILIES if self.has(family)]

    def values(self, family: Family, figure: Figure) -> list[float | None]:
        return [report and report[figure.name] for report in self.runs[family.name][figure.part, figure.system]]

    def spread(self, family: Family, figure: Figure, factor: float = 1) -> Spread | None:
        return spread_of([factor * value for value in self.values(family, figure) if value is not None])

    def ratio(self, family: Family, above: Figure, below: Figure) -> Spread | None:
        """Of the same round."""
        return ratio_of(self.values(family, above), self.values(family, below))

    def ucx_spread(self, factor: float) -> Spread | None:
        return spread_of([factor * report["am_ns"] for report in self.ucx if report])

    def over_ucx(self, family: Family, figure: Figure) -> Spread | None:
        return ratio_of(self.values(family, figure), [report and report["am_ns"] for report in self.ucx])

    def gigabytes_per_second(self, family: Family, size: str, figure: Figure) -> Spread | None:
        return spread_of([SIZES[size] / value for value in self.values(family, figure) if value])

    def words(self, part: str) -> dict[str, str]:
        """The arguments of Kumiko's program in this part."""
        found = next(planned for planned in self.parts if planned.name == part and planned.system == KUMIKO)
        return dict(word.split("=") for word in found.words)

    def idle_share(self, family: Family) -> float | None:
        """Of the rank that uses more."""
        shares = [middle(self.spread(family, figure)) for figure in (WAITING, SLEEPING)]
        return None if None in shares else max(shares)


def family_budgets(summary: Summary, family: Family) -> list[Budget]:
    here = summary.has(family)

    def ratio(above: Figure, below: Figure) -> float | None:
        return middle(summary.ratio(family, above, below)) if here else None

    def budget(title: str, bound: float, measured: float | None, at_most: bool = True) -> Budget:
        return Budget(f"{title}, {family.title}", bound, at_most, measured)

    budgets = [
        budget("invoke over MPI's ping-pong", 2, ratio(INVOKE, SEND)),
        budget("invoke_inline over MPI's ping-pong", 2, ratio(INLINE, SEND)),
        budget("invoke on the own rank over a Thread", 1.3, ratio(OWN, THREAD)),
    ]
    # The ratio of bandwidths is that of times turned round.
    for size in SIZES:
        for way, title in (("send", "MPI_Send"), ("put", "MPI_Put")):
            budgets.append(budget(f"write of {size} over {title}", 0.9, ratio(message(size, way), write(size)), False))
    share = summary.idle_share(family) if here else None
    budgets += [
        budget("posts over gathered by hand", 1.5, ratio(POSTS, BY_HAND)),
        budget("inline posts over gathered by hand", 1.5, ratio(INLINE_POSTS, BY_HAND)),
        budget("p99 while computing over an OS thread's", 2, ratio(COMPUTING, ECHO)),
        budget("flood, MiB grown", 64, middle(summary.spread(family, GROWN, 1 / MIB)) if here else None),
        budget("idle, % of a core", 5, share and 100 * share),
    ]
    return budgets


def budgets(summary: Summary) -> list[Budget]:
    return [budget for family in FAMILIES for budget in family_budgets(summary, family)]


def wrong_directions(summary: Summary) -> list[str]:
    """What no machine should show, however busy: the ratios are of ten and more."""
    wrong = []
    for family in summary.families:
        own, remote, waiting = (middle(summary.spread(family, figure)) for figure in (OWN, INVOKE, MPI_WAITING))
        share = summary.idle_share(family)
        if own and remote and own >= remote:
            wrong.append(f"{family.title}: an own rank takes {own:.0f} ns, and another one only {remote:.0f} ns")
        if share and waiting and share >= waiting:
            wrong.append(f"{family.title}: waiting takes {share:.0%} of a core, and in MPI_Recv only {waiting:.0%}")
    return wrong
