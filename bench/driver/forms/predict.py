"""Predictions beside runs."""

from form import Form, Row, Table
from forms.host import Host

COLUMNS = "schedule workers predicted ms measured ms predicted / measured the same of speed-up"


def form(host: Host) -> Form:
    rows = [
        Row(rf"{schedule}\s+{count}", ("n", "n", "n", "-" if count == 1 else "n"))
        for schedule in ("dataflow", "level", "static", "openmp")
        for count in host.counts
    ]
    title = "predicted from a trace of dataflow on one worker, beside traced runs"
    return Form((Table(title, COLUMNS, tuple(rows)),), budgets=0)
