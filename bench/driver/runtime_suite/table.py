"""The tables as text."""

from measured import Budget
from text import brief, budget_lines, number, spread

from .plan import BENCHMARKS, OURS, SYSTEMS, TASK_BENCHMARKS, is_serial
from .summary import Entry, Summary

WIDTH_OF_TITLE = 17

LEGEND = """
K/peer: Kumiko's cost over the peer's. growth: the cost with all workers over that with one. speed-up:
all workers over the serial version by the same compiler. beyond: ns per operation x workers that the serial
version does not take. peak MiB: largest resident set. A size at a line's end: its own,
not Kumiko's. handles: a Thread per node, joined one by one."""


def mebibytes(entry: Entry | None) -> str:
    if entry is None or entry.peak_rss is None:
        return "-"
    return number(entry.peak_rss / 2**20)


def size_of(entry: Entry) -> str:
    return " ".join(f"{name}={value}" for name, value in entry.case.size)


class BenchmarkTable:
    """One benchmark: a line for each system."""

    def __init__(self, summary: Summary, name: str):
        self.summary = summary
        self.name = name
        self.benchmark = BENCHMARKS[name]
        one_worker = self.benchmark.one_worker_only or summary.all_workers == 1
        self.workers = [1] if one_worker else [1, summary.all_workers]
        self.has_scaling = len(self.workers) > 1 and name in TASK_BENCHMARKS

    def lines(self) -> list[str]:
        unit = f"ns per {self.benchmark.operation}"
        if self.benchmark.overhead_only:
            unit += " x workers"
        size = self.summary.entry(self.name, OURS, 1).case.size
        title = self.benchmark.title(dict(size))
        result = ["", f"{title}; {unit}", self.row("", self.headings())]
        standard = self.size(OURS)
        for system in SYSTEMS:
            line = self.line(system, standard)
            if line is not None:
                result.append(line)
        return result

    def headings(self) -> list[str]:
        cells = [f"{count} worker{'s' if count > 1 else ''}" for count in self.workers]
        if self.has_scaling:
            cells.append("growth" if self.benchmark.overhead_only else "speed-up")
        if self.benchmark.beyond_serial:
            cells += [f"beyond, {count}" for count in self.workers]
        return cells + [f"K/peer, {count}" for count in self.workers] + ["peak MiB"]

    def line(self, system: str, standard: str) -> str | None:
        title = SYSTEMS[system].title
        if system in self.benchmark.unfit:
            return f"{title:<{WIDTH_OF_TITLE}} not applicable: {self.benchmark.unfit[system]}"
        entries = [self.summary.entry(self.name, system, count) for count in self.workers]
        known = [entry for entry in entries if entry is not None]
        if not known:
            return None
        if all(entry.ns is None for entry in known):
            return f"{title:<{WIDTH_OF_TITLE}} {brief(known[-1].error)}"
        text = self.row(title, self.cells(system, known[-1]))
        if self.size(system) != standard:
            text += f"  {self.size(system)}"
        for entry in known:
            if entry.error is not None:
                count = entry.case.workers
                text += f"\n{'':<{WIDTH_OF_TITLE}} workers={count}: {brief(entry.error)}"
        return text

    def cells(self, system: str, last: Entry) -> list[str]:
        if is_serial(system):
            blanks = [""] * (len(self.headings()) - 2)
            return [spread(last.ns), *blanks, mebibytes(last)]
        summary = self.summary
        cells = [spread(summary.cost(self.name, system, count)) for count in self.workers]
        if self.has_scaling:
            cells.append(number(self.scaling(system)))
        if self.benchmark.beyond_serial:
            beyond = (summary.beyond_serial(self.name, system, count) for count in self.workers)
            cells += map(number, beyond)
        for count in self.workers:
            ratio = None if system == OURS else summary.ratio(self.name, system, count)
            cells.append(number(ratio))
        return cells + [mebibytes(last)]

    def scaling(self, system: str) -> float | None:
        if self.benchmark.overhead_only:
            return self.summary.growth(self.name, system)
        return self.summary.speed_up(self.name, system)

    def size(self, system: str) -> str:
        entry = self.summary.entry(self.name, system, 1)
        return size_of(entry) if entry is not None else ""

    def row(self, title: str, cells: list[str]) -> str:
        count = len(self.workers)
        widths = [23] * count + [9] * (len(cells) - count)
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths)]
        return f"{title:<{WIDTH_OF_TITLE}} " + " ".join(padded)


def breakdown_lines(parts: dict[str, float]) -> list[str]:
    if not parts:
        return ["", "breakdown of Kumiko's overhead: not measured"]
    lines = ["", "breakdown of Kumiko's overhead per thread (fib, 1 worker)"]
    for name, ns in parts.items():
        share = 100 * ns / parts["total"]
        lines.append(f"  {name:<10} {ns:8.1f} ns {share:6.1f} %")
    return lines


def table_lines(summary: Summary, parts: dict[str, float], budgets: list[Budget]) -> list[str]:
    tables = [line for name in BENCHMARKS for line in BenchmarkTable(summary, name).lines()]
    return tables + [LEGEND] + breakdown_lines(parts) + budget_lines("budgets", budgets)
