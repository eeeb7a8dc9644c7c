"""The runtime's I/O and its peers."""

from programs import Expected
from suite import AT_END, Budget, Missing, Suite, table
from suites.io_programs import GO_NET, KUMIKO, POOLS, SERVERS, THREADS, WRITERS, files, io_uring_refusal, load, pingpong

SHORT = {"Kumiko, auto": "auto", "Kumiko, io_uring": "uring", "Kumiko, epoll": "epoll", THREADS: "OS", GO_NET: "Go"}
ALL, EIGHTH, FEW, LOAD, FILES = "all active", "one eighth active", "128 active", "load", "files"
COUNTS = {ALL: (1, 8, 64, 512, 1024, 4096, 8192), EIGHTH: (64, 1024, 8192), FEW: (1024, 4096, 8192)}
QUICK_COUNTS = {ALL: (8, 64, 256), EIGHTH: (64,), FEW: (256,)}
ACTIVE = {ALL: lambda count: count, EIGHTH: lambda count: count // 8, FEW: lambda count: 128}
MARKS, QUICK_MARKS = (512, 1024, 4096), (8, 64, 256)  # the numbers of connections that the goals name
RATE, CONNECTIONS, WRITING = 2000, 32, 256  # messages per second in all, under load; threads that write
PARTS = ("useful", "searching", "polling")
SPREAD = ("p50_us", "p99_us", "p999_us", "kept_per_cpu_second")  # columns with least and most
LOAD_FIGURES = (*SPREAD[:3], "patches_per_second_with", "kept_per_second", "kept_per_cpu_second", "late_p99_us")

PINGPONG_LEGEND = """One thread per connection, single bytes; the client is another process on the same cores.
auto is what a program gets that asks for no engine.
auto/OS, uring/Go, ...: Kumiko's transactions over the peer's, above 1 Kumiko is faster. CPU: the
server's, its own and the system's, per transaction; of that, useful is what is neither searching
(for threads to run or to steal, in vain) nor polling (for I/O, in vain).
"""
LOAD_LEGEND = """us from the time a message was due to its answer, whatever the queue. patches/s: with I/O. kept:
that over the patches/s of the same process in between, without I/O. kept per CPU: the same for the
patches per CPU second of the server, for the client takes a share of the CPU. late: p99 of how late
the client itself was in sending; it goes before other processes where that is allowed.
"""
FILES_LEGEND = """MB/s until the last write has returned; sync: fdatasync after it, in ms; K/pool: over the fastest
pool's MB/s.
"""


def percent(value):
    return f"{100 * value:.1f} %"


class Declared(Suite):
    about = "echo servers with up to 8192 connections, idle and busy, and a file: Kumiko, OS threads, Go"
    program = "io_client"
    fields = ("figure", "system", "connections")
    figure = "per_second"
    repetitions = 3
    all_seconds = 245
    drop_disturbed = may_fail = True
    again = AT_END
    budgets_title = "goals"

    def __init__(self, *words):
        super().__init__(*words)
        self.refusal = io_uring_refusal()
        self.sizes = QUICK_COUNTS if self.quick else COUNTS
        self.marks = QUICK_MARKS if self.quick else MARKS

    def comparisons(self):
        points = [(figure, count) for figure, counts in self.sizes.items() for count in counts]
        made = [[(figure, system, count) for system in SERVERS] for figure, count in points]
        return [*made, [(LOAD, system, "") for system in SERVERS], [(FILES, system, "") for system in WRITERS]]

    def is_single(self, key):
        """Points without a goal."""
        return key[0] in (EIGHTH, FEW) or (key[0] == ALL and key[2] not in self.marks)

    def measure(self, key, turn):
        figure, system, count = key
        if "io_uring" in system and self.refusal:
            raise Expected(self.refusal)
        if figure == LOAD:
            size = {"connections": CONNECTIONS, "rate": RATE, "seconds": 0.2 if self.quick else 0.5,
                    "rounds": 2 if self.quick else 5, "realtime": 1}
            return load(self.programs, system, self.workers, size)
        if figure == FILES:
            size = {"writers": WRITING, "rounds": 1 if self.quick else 8}
            return files(self.programs, system, self.workers, size)
        size = {"connections": count, "active": ACTIVE[figure](count)}
        size |= {"seconds": 0.2, "warm_up": 0.1} if self.quick else {"seconds": 1, "warm_up": 0.25}
        return pingpong(self.programs, system, self.workers, size)

    def tables(self, r):
        yield r.disturbed()
        pairs = [(ours, peer) for ours in KUMIKO for peer in (THREADS, GO_NET)]
        for figure, counts in self.sizes.items():
            columns = ("connections", *SERVERS, *(f"{SHORT[ours]}/{SHORT[peer]}" for ours, peer in pairs))
            yield table(f"ping-pong, {figure}: thousand transactions per second", columns, [
                (str(count), *(r.spread((figure, system, count), scale=1e-3) for system in SERVERS),
                 *(r.ratio((figure, ours, count), (figure, peer, count)).median for ours, peer in pairs))
                for count in counts])
        for figure, counts in self.sizes.items():
            columns = [column for ours in KUMIKO for column in (ours, *((part, percent) for part in PARTS))]
            rows = [(str(count), *(r.spread((figure, ours, count), name).median for ours in KUMIKO
                                   for name in ("cpu_us", *(f"{part}_share" for part in PARTS))),
                     *(r.spread((figure, peer, count), "cpu_us").median for peer in (THREADS, GO_NET)))
                    for count in counts]
            title = f"ping-pong, {figure}: the server's CPU, us per transaction"
            yield table(title, ("connections", *columns, THREADS, GO_NET), rows)
        yield PINGPONG_LEGEND
        yield self.under_load(r)
        yield LOAD_LEGEND
        yield self.of_files(r)
        yield FILES_LEGEND

    def under_load(self, r):
        columns = ("system", "p50", "p99", "p99.9", "patches/s", "kept", "kept per CPU", "late")
        title = f"echo under load: {RATE} messages/s by {CONNECTIONS} connections while all workers compute; us"
        rows = []
        for system in SERVERS:
            of = {name: r.spread((LOAD, system, ""), name) for name in LOAD_FIGURES}
            rows.append((system, *(of[name] if name in SPREAD else of[name].median for name in LOAD_FIGURES)))
        return table(title, columns, rows)

    def of_files(self, r):
        def rate(system):
            return r.spread((FILES, system, ""), "bytes_per_second").median

        known = [pool for pool in POOLS if rate(pool)]
        rows = []
        for system in WRITERS:
            key = (FILES, system, "")
            over = "-" if system in POOLS else Missing("no pool was measured")
            if known and system in KUMIKO:
                over = r.ratio(key, (FILES, max(known, key=rate), ""), "bytes_per_second").median
            rows.append((system, r.spread(key, "bytes_per_second", 1e-6), r.spread(key, "seconds", 1e3),
                         r.spread(key, "sync_seconds", 1e3), over))
        title = f"file: {WRITING} threads that write blocks of 64 KiB"
        return table(title, ("system", "MB/s", "ms", "sync", "K/pool"), rows)

    def budgets(self, r):
        """No goal depends on Go, whose speed changes with its version."""
        small, goal, large = self.marks
        for ours in KUMIKO:
            over = r.ratio((ALL, ours, goal), (ALL, THREADS, goal)).median
            yield Budget(f"{ours}: over OS threads at {goal}", 1.6, False, over)
            growth = r.ratio((ALL, ours, large), (ALL, ours, small)).median
            yield Budget(f"{ours}: {large} over {small}", 0.85, False, growth)
            yield Budget(f"{ours}: p99 under load, us", 1000, True, r.spread((LOAD, ours, ""), "p99_us").median)
            kept = r.spread((LOAD, ours, ""), "kept_per_cpu_second").median
            yield Budget(f"{ours}: patches kept per CPU", 0.95, False, kept)
