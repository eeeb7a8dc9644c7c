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
    disturbed = Row("of the recorded pieces' time, in pieces that were disturbed:", ("n",))
    title = "predicted from a trace of dataflow on one worker, beside traced runs"
    return Form((Table(title, COLUMNS, (*rows, disturbed)),), budgets=0)
