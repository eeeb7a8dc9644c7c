"""Aggregation groups, beside first in, first out and one group after another."""

from form import Form, Row, Table
from forms.host import Host

COLUMNS = "fifo aggregated apart aggregated/fifo aggregated/apart"
LINES = ("32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB", "1 MiB", "2 MiB", "4 MiB", "8 MiB", "16 MiB")
WORDS = ("512 KiB", "2 MiB", "8 MiB")


def sweep(what: str, sizes: tuple[str, ...]) -> Table:
    rows = tuple(Row(size, ("n",) * 5) for size in sizes)
    return Table(f"one worker, 16 threads a group, a pass changes {what}; ms", COLUMNS, rows)


def form(_: Host) -> Form:
    control = Table(
        "4 of 64 groups share nothing; time of a pass over first in, first out",
        "of those that share of the loners",
        tuple(Row(title, ("n", "n")) for title in ("all on", "loners off", "by the tuner", "left on, of 60 and 4")),
    )
    return Form((sweep("a word of each cache line", LINES), sweep("every word", WORDS), control), budgets=5)
