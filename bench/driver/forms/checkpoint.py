"""What checkpoints cost."""

from form import Form, Row, Table
from forms.host import Host

RUN = ("seconds without", "seconds with", "with over without, round by round", "bytes per point")
STATE = (
    "checkpoint",
    "plain write of the same bytes",
    "records by H5Dwrite",
    r"compressed checkpoint, of [\d.]+ the size",
    "checking it",
    "checkpoint over plain",
    "checkpoint over H5Dwrite",
    "bytes per point",
)


def form(_: Host) -> Form:
    return Form(
        (
            Table(r"Zalesak's disk, \d+ base steps, a checkpoint every \d+", "", tuple(Row(t, ("n",)) for t in RUN)),
            # The longest titles first: the shortest begins them all.
            Table(
                r"a state of \d+ MiB, MB/s until it is on the disk",
                "",
                tuple(Row(title, ("n",)) for title in sorted(STATE, key=len, reverse=True)),
            ),
        ),
        budgets=2,
    )
