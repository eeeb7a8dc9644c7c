"""The runtime's I/O beside its peers."""

from form import Form, Row, Table, literal
from forms.host import Host

OURS = ("Kumiko, auto", "Kumiko, io_uring", "Kumiko, epoll")
SYSTEMS = (*OURS, "OS threads", "Go")
RATIOS = "auto/OS auto/Go uring/OS uring/Go epoll/OS epoll/Go"
POOLS = ("pool of 2", "pool of 8", "pool of 16")
# Lines of connections in each figure, with small sizes and with the full ones.
POINTS = {True: (3, 1, 1), False: (7, 3, 3)}


def kinds(host: Host) -> dict[str, str]:
    """Of a figure of io_uring, of one that is not, of one of Go, and of ratios."""
    uring = "-" if host.io_uring_refusal else "n"
    go = "n" if host.has_go else "-"
    return {"u": uring, "e": "n", "g": go, "ug": go if uring == "n" else "-", "p": r"-?[\d.]+ %"}


def throughput(host: Host, figure: str, rows: int) -> Table:
    kind = kinds(host)
    systems = ("n", kind["u"], "n", "n", kind["g"])
    cells = (*systems, "n", kind["g"], kind["u"], kind["ug"], "n", kind["g"])
    columns = f"connections {' '.join(SYSTEMS)} {RATIOS}"
    title = rf"ping-pong, {figure}: thousand transactions per second"
    return Table(title, columns, (Row(r"\d+", cells),) * rows)


def processor_time(host: Host, figure: str, rows: int) -> Table:
    kind = kinds(host)
    parts = (kind["p"],) * 3
    uring = (kind["u"], *(parts if kind["u"] == "n" else ("-",) * 3))
    cells = ("n", *parts, *uring, "n", *parts, "n", kind["g"])
    columns = " ".join(("connections", *(f"{ours} useful searching polling" for ours in OURS), "OS threads Go"))
    title = rf"ping-pong, {figure}: the server's CPU, us per transaction"
    return Table(title, columns, (Row(r"\d+", cells),) * rows)


def load(host: Host) -> Table:
    kind = kinds(host)
    kinds_of_systems = zip(SYSTEMS, ("n", kind["u"], "n", "n", kind["g"]))
    rows = tuple(Row(literal(name), (kind_of,) * 7) for name, kind_of in kinds_of_systems)
    title = r"echo under load: \d+ messages/s by \d+ connections while all workers compute; us"
    return Table(title, "p50 p99 p99.9 patches/s kept kept per CPU late", rows)


def files(host: Host) -> Table:
    kind = kinds(host)
    rows = tuple(Row(name, (kind_of,) * 4) for name, kind_of in zip(OURS, ("n", kind["u"], "n")))
    rows += tuple(Row(name, ("n", "n", "n", "-")) for name in POOLS)
    return Table(r"file: \d+ threads that write blocks of 64 KiB", "MB/s ms sync K/pool", rows)


def form(host: Host, quick: bool = True) -> Form:
    points = list(zip(("all active", "one eighth active", "128 active"), POINTS[quick]))
    tables = tuple(throughput(host, *point) for point in points)
    tables += tuple(processor_time(host, *point) for point in points)
    allowed, unmeasurable = (), ()
    if host.io_uring_refusal:
        allowed += (r"Kumiko, io_uring: ",)
        unmeasurable += (("^Kumiko, io_uring: ", host.io_uring_refusal),)
    if not host.has_go:
        allowed += (r"Go: absent",)
    return Form((*tables, load(host), files(host)), 12, ("goals",), allowed, unmeasurable)
