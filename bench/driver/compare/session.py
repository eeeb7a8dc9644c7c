"""Measures two builds in turn."""

from dataclasses import dataclass, field

from kumiko.program import Failed
from kumiko.study import Progress

from .counts import NoCount, TrapCounter
from .interval import CANNOT_TELL, SLOWER, Interval, Verdict, interval_of, judge
from .metrics import Metric, Sample, Side

BASE, HEAD, AGAIN = "base", "head", "again"
# Every order once in six turns, so that none has its place before or after another more often than the others.
ORDERS = (
    (BASE, HEAD, AGAIN),
    (AGAIN, HEAD, BASE),
    (HEAD, AGAIN, BASE),
    (BASE, AGAIN, HEAD),
    (AGAIN, BASE, HEAD),
    (HEAD, BASE, AGAIN),
)
MISSING_IN_BASE = "missing in BASE"
COUNTS = 3  # of each side; the middle one stands, since a worker that finds nothing to do searches for a while
STEADY = 1 / 3  # of the limit: how much two such counts of BASE may differ


@dataclass
class Row:
    metric: Metric
    samples: dict[str, list[Sample]] = field(default_factory=lambda: {BASE: [], HEAD: [], AGAIN: []})
    failure: str = ""  # why it was given up
    missing_in_base: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    count_failure: str = ""
    verdict: Verdict | None = None

    def values(self, side: str) -> list[float]:
        return [sample.value for sample in self.samples[side]]

    def ratios(self, above: str, below: str = BASE) -> list[float]:
        """Of times, turn by turn: where more is better, the inverse of the figures' ratios."""
        pairs = zip(self.values(above), self.values(below), strict=True)
        return [under / over if self.metric.rate else over / under for over, under in pairs]

    def ratio(self) -> Interval:
        return interval_of(self.ratios(HEAD))

    def base_again(self) -> Interval:
        return interval_of(self.ratios(AGAIN))

    def instructions(self) -> float | None:
        """HEAD's over BASE's."""
        if not self.counts:
            return None
        return self.counts[HEAD] / self.counts[BASE]

    def same_work(self) -> bool:
        results = [sample.result for samples in self.samples.values() for sample in samples]
        return all(result == results[0] for result in results)


class Session:
    def __init__(self, sides: dict[str, Side], metrics: list[Metric], limit: float):
        """`sides` has BASE and HEAD. The limit is a share."""
        self.sides = sides | {AGAIN: sides[BASE]}
        self.limit = limit
        self.rows = [Row(metric) for metric in metrics]
        self.progress = Progress(quiet=False)

    def run(self, pairs: int) -> list[Row]:
        for row in self.rows:
            self.find_programs(row)
        for turn in range(pairs):
            for row in self.rows:
                self.progress.show(f"pair {turn + 1} of {pairs}: {row.metric.title}")
                self.take_turn(row, turn)
        for row in self.rows:
            if not row.failure:
                self.decide(row)
        self.progress.show("")
        return self.rows

    def find_programs(self, row: Row) -> None:
        for side, name in ((BASE, "BASE"), (HEAD, "HEAD")):
            path = self.sides[side].build.folder / row.metric.program
            if not path.exists():
                row.failure = f"{row.metric.program} is missing in {name}"
                row.missing_in_base = side == BASE
                return

    def take_turn(self, row: Row, turn: int) -> None:
        for side in ORDERS[turn % len(ORDERS)]:
            if row.failure:
                return
            try:
                row.samples[side].append(row.metric.measure(self.sides[side], turn))
            except Failed as failure:
                row.failure = f"{row.metric.program} of {'HEAD' if side == HEAD else 'BASE'}: {failure}"

    def decide(self, row: Row) -> None:
        verdict = judge(row.ratio(), row.base_again(), None, self.limit)
        if verdict.reason != "time" or verdict.word not in ("same", "faster", SLOWER):
            self.progress.show(f"counting instructions: {row.metric.title}")
            self.count(row)
            verdict = judge(row.ratio(), row.base_again(), row.instructions(), self.limit)
            if verdict.word == CANNOT_TELL and row.count_failure:
                verdict = Verdict(verdict.word, f"{verdict.reason}; {row.count_failure}")
        row.verdict = verdict

    def count(self, row: Row) -> None:
        if not row.metric.counter:
            row.count_failure = "no count of instructions stands for it"
            return
        try:
            trap = TrapCounter(self.sides[BASE].build.folder.parent)
            repetitions = COUNTS if row.metric.counter == trap.name else 1
            found: dict[str, list[int]] = {BASE: [], HEAD: [], AGAIN: []}
            for _ in range(repetitions):
                for side, counts_of_side in found.items():
                    counts_of_side.append(row.metric.count(self.sides[side], trap))
        except NoCount as failure:
            row.count_failure = f"no count of instructions: {failure}"
            return
        counts = {side: sorted(values)[len(values) // 2] for side, values in found.items()}
        spread = abs(counts[AGAIN] / counts[BASE] - 1)
        if spread > STEADY * self.limit:
            row.count_failure = f"two counts of BASE's instructions differ by {100 * spread:.1f} %"
        else:
            row.counts = counts


def exit_status(rows: list[Row]) -> int:
    """0: nothing is slower than the limit. 1: something is. 3: it cannot be told. What BASE lacks does not count,
    unless there is nothing else."""
    words = [row.verdict.word if row.verdict else CANNOT_TELL for row in rows if not row.missing_in_base]
    if SLOWER in words:
        return 1
    return 3 if not words or CANNOT_TELL in words else 0
