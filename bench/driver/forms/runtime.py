"""The runtime beside its peers."""

from form import Form, Row, Table, literal
from forms.host import Host, workers_text

OURS = ("Kumiko",)
TASKS = ("oneTBB", "GCC OpenMP", "LLVM OpenMP")
BLOCKING = ("Boost.Fiber", "std::thread")
NOT_APPLICABLE = ("not", "applicable:", "its", "tasks", "may", "not", "block")


def row(title: str, cells: tuple[str, ...], optional: str = "") -> Row:
    return Row(literal(title), cells, optional)


def serial_rows(host: Host) -> tuple[Row, ...]:
    """Time and memory; the columns of workers and peers are blank."""
    cells = ("n", "n")
    return (
        row("serial (g++)", cells),
        row("serial (clang++)", cells),
        row("serial (Go)", cells, host.go_absence),
    )


def own_cells(host: Host, columns: int) -> tuple[str, ...]:
    """Kumiko is not compared with itself."""
    return ("n",) * columns + ("-",) * len(host.counts) + ("n",)


def tasks(host: Host, title: str, scaling: str, variants: tuple[str, ...], beyond: bool) -> Table:
    counts = len(host.counts)
    has_scaling = counts > 1
    columns = counts + has_scaling + (counts if beyond else 0)
    headings = [workers_text(count) for count in host.counts] + [scaling] * has_scaling
    headings += [f"beyond, {count}" for count in host.counts] if beyond else []
    headings += [f"K/peer, {count}" for count in host.counts] + ["peak MiB"]
    peer = ("n",) * (columns + counts + 1)
    rows = serial_rows(host) + (row("Kumiko", own_cells(host, columns)),)
    rows += tuple(row(name, peer) for name in (*variants, *TASKS, *BLOCKING))
    return Table(title, " ".join(headings), rows + (row("Go", peer, host.go_absence),))


def blocking(host: Host, title: str, counts: list[int]) -> Table:
    headings = [workers_text(count) for count in counts] + [f"K/peer, {count}" for count in counts]
    own = ("n",) * len(counts) + ("-",) * len(counts) + ("n",)
    peer = ("n",) * (2 * len(counts) + 1)
    rows = (row("Kumiko", own),) + tuple(row(name, NOT_APPLICABLE) for name in TASKS)
    rows += tuple(row(name, peer) for name in BLOCKING) + (row("Go", peer, host.go_absence),)
    return Table(title, " ".join([*headings, "peak MiB"]), rows)


def breakdown() -> Table:
    parts = ("stack", "deque", "switch", "join", "rest", "total")
    rows = tuple(Row(part, (r"-?[\d.]+ ns", r"-?[\d.]+ %")) for part in parts)
    return Table(r"breakdown of Kumiko's overhead per thread \(fib, 1 worker\)", "", rows)


def form(host: Host) -> Form:
    fib = r"fib\(\d+\): overhead per thread = \(T - T serial\) / threads; ns per thread x workers"
    uts = r"UTS.*, \d+ nodes: an unbalanced tree, one thread per node; ns per node"
    mutex = r"mutex: two threads alternate through a mutex and a condition variable, \S+ turns each; ns per turn"
    blocked = r"blocked: \S+ threads that all wait, are released and joined; ns per thread"
    return Form(
        (
            tasks(host, fib, "growth", ("Kumiko, invoke", "Kumiko, std::thread"), False),
            tasks(host, uts, "speed-up", ("Kumiko, handles",), True),
            tasks(host, r"\d+-queens: one thread per queen placed; ns per thread", "speed-up", (), False),
            tasks(host, r"skynet: \S+ leaves; ns per thread", "speed-up", (), False),
            blocking(host, r"yield: two threads on one worker, \S+ times each; ns per yield", [1]),
            blocking(host, mutex, host.counts),
            blocking(host, blocked, host.counts),
            breakdown(),
        ),
        budgets=7,
    )
