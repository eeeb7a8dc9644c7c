"""The tables as text."""

from measured import Budget, Spread
from text import brief, budget_lines, number, spread

from .measure import DISTURBING
from .plan import (
    ACTIVE,
    ECHO_CONNECTIONS,
    GO,
    OURS,
    RATE,
    SERVERS,
    THREADS,
    WRITERS,
    WRITING_THREADS,
)
from .summary import Summary

WIDTH_OF_TITLE = 17

PINGPONG_LEGEND = """
One thread per connection, single bytes; the client is another process on the same cores.
auto is what a program gets that asks for no engine.
auto/OS, uring/Go, ...: Kumiko's transactions over the peer's, above 1 Kumiko is faster. CPU: the
server's, its own and the system's, per transaction; of that, useful is what is neither searching
(for threads to run or to steal, in vain) nor polling (for I/O, in vain)."""

LOAD_LEGEND = """
us from the time a message was due to its answer, whatever the queue. patches/s: with I/O. kept: that
over the patches/s of the same process in between, without I/O. kept per CPU: the same for the patches
per CPU second of the server, for the client takes a share of the CPU. late: p99 of how late the
client itself was in sending; it goes before other processes where that is allowed."""

FILES_LEGEND = """
MB/s until the last write has returned; sync: fdatasync after it, in ms; K/pool: over the fastest
pool's MB/s."""


def row(title: str, cells: list[str], widths: list[int]) -> str:
    padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths)]
    return f"{title:<{WIDTH_OF_TITLE}} " + " ".join(padded)


def thousands(value: Spread | None) -> str:
    return spread(value.times(1e-3) if value is not None else None)


def short(system: str) -> str:
    return {THREADS: "OS", GO: "Go"}.get(system, system.removeprefix("kumiko-").removeprefix("io_"))


def throughput_lines(summary: Summary, figure: str) -> list[str]:
    pairs = [(ours, peer) for ours in OURS for peer in (THREADS, GO)]
    widths = [21] * len(SERVERS) + [9] * len(pairs)
    headings = [system.title for system in SERVERS.values()]
    headings += [f"{short(ours)}/{short(peer)}" for ours, peer in pairs]
    lines = ["", f"ping-pong, {figure}: thousand transactions per second"]
    lines.append(row("connections", headings, widths))
    for count in summary.connections(figure):
        cells = [thousands(summary.spread("per_second", figure, s, count)) for s in SERVERS]
        cells += [number(summary.speed(ours, peer, figure, count)) for ours, peer in pairs]
        lines.append(row(str(count), cells, widths))
    return lines


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def cpu_lines(summary: Summary, figure: str) -> list[str]:
    """Per transaction; Kumiko's is split."""
    parts = ("useful", "searching", "polling")
    headings = [text for ours in OURS for text in (SERVERS[ours].title, *parts)]
    headings += [SERVERS[peer].title for peer in (THREADS, GO)]
    widths = [16, 9, 9, 9] * len(OURS) + [12, 9]
    lines = ["", f"ping-pong, {figure}: the server's CPU, us per transaction"]
    lines.append(row("connections", headings, widths))
    for count in summary.connections(figure):
        cells = []
        for ours in OURS:
            cells.append(number(summary.middle("cpu_us", figure, ours, count)))
            shares = [summary.middle(f"{part}_share", figure, ours, count) for part in parts]
            cells += map(percent, shares)
        cells += [number(summary.middle("cpu_us", figure, peer, count)) for peer in (THREADS, GO)]
        lines.append(row(str(count), cells, widths))
    return lines


def load_lines(summary: Summary) -> list[str]:
    columns = [
        ("p50", "p50_us", 20),
        ("p99", "p99_us", 20),
        ("p99.9", "p999_us", 20),
        ("patches/s", "patches_per_second_with", 11),
        ("kept", "kept_per_second", 7),
        ("kept per CPU", "kept_per_cpu_second", 22),
        ("late", "late_p99_us", 7),
    ]
    with_spread = ("p50_us", "p99_us", "p999_us", "kept_per_cpu_second")
    widths = [width for _, _, width in columns]
    lines = [
        "",
        f"echo under load: {RATE} messages/s by {ECHO_CONNECTIONS} connections while all workers"
        " compute; us",
        row("", [heading for heading, _, _ in columns], widths),
    ]
    for key, system in SERVERS.items():
        cells = []
        for _, name, _ in columns:
            value = summary.spread(name, "load", key)
            middle = value.middle if value is not None else None
            cells.append(spread(value) if name in with_spread else number(middle))
        lines.append(row(system.title, cells, widths))
    return lines


def file_lines(summary: Summary) -> list[str]:
    widths = [22, 18, 18, 9]
    lines = [
        "",
        f"file: {WRITING_THREADS} threads that write blocks of 64 KiB",
        row("", ["MB/s", "ms", "sync", "K/pool"], widths),
    ]
    rates = {key: summary.middle("bytes_per_second", "files", key) for key in WRITERS}
    pools = [key for key in WRITERS if key not in OURS and rates[key] is not None]
    fastest = max(pools, key=rates.get, default=None)
    for key, system in WRITERS.items():
        rate = summary.spread("bytes_per_second", "files", key)
        cells = [spread(rate.times(1e-6) if rate is not None else None)]
        for name in ("seconds", "sync_seconds"):
            value = summary.spread(name, "files", key)
            cells.append(spread(value.times(1e3) if value is not None else None))
        peer = ("files", fastest, None)
        over_pool = summary.ratio("bytes_per_second", ("files", key, None), peer)
        cells.append(number(over_pool if key in OURS else None))
        lines.append(row(system.title, cells, widths))
    return lines


def error_lines(summary: Summary) -> list[str]:
    """Equal ones of a system at many points are one line."""
    places: dict[tuple[str, str], list[str]] = {}
    for (figure, system, connections), error in summary.errors().items():
        place = figure if connections is None else f"{connections} {figure}"
        places.setdefault((system, error), []).append(place)
    lines = [
        f"  {(SERVERS | WRITERS)[system].title}: {brief(error)} ({', '.join(where[:3])}"
        f"{', ...' if len(where) > 3 else ''})"
        for (system, error), where in places.items()
    ]
    return ["", "not measured", *lines] if lines else []


def table_lines(summary: Summary, judged: list[Budget]) -> list[str]:
    figures = [figure for figure in ACTIVE if summary.connections(figure)]
    disturbed, runs = summary.disturbed()
    lines = [
        f"{disturbed} of {runs} measurements were disturbed: others used more than"
        f" {100 * DISTURBING:.0f} % of the cores"
    ]
    lines += [line for figure in figures for line in throughput_lines(summary, figure)]
    lines += [line for figure in figures for line in cpu_lines(summary, figure)]
    lines += [PINGPONG_LEGEND, *load_lines(summary), LOAD_LEGEND]
    lines += [*file_lines(summary), FILES_LEGEND]
    return lines + error_lines(summary) + budget_lines("goals", judged)
