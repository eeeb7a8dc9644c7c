"""Ranks: functions, posts and memory of another process, compared with MPI alone and UCX; two ranks of one worker."""

from mpi import FAMILIES, environment
from programs import UCX
from suite import Budget, Suite, extreme
from suites.cluster_tables import (
    BLOCK, BUSY, BY_HAND, DEFAULT, DEPTH, GROWN, IDLE, INLINE, INLINE_POSTS, INVOKE, KUMIKO, MIB, MPI, MPI_IDLE, OWN,
    PING, POSTS, SEND, SIZES, SLEEPING, THREAD, WINDOW, Figures, message, tables, write,
)

FAMILY = {family.title: family for family in FAMILIES}


class Declared(Suite):
    about = "functions, posts and memory of another process, and Open MPI, MPICH and UCX"
    program = "ranks_kumiko"
    fields = ("family", "part", "system")
    all_seconds = 240

    def __init__(self, *words):
        super().__init__(*words)
        self.workers = 1
        many = "batches=20" if self.quick else "batches=1000"
        few = "batches=2" if self.quick else "batches=10"
        self.posted = 5000 if self.quick else 1000000
        self.requests = 100 if self.quick else 100000
        self.seconds = 0.3 if self.quick else 5
        # By part and system: the words of the program. The peer runs right before Kumiko.
        self.plan = self.both("latency", "part=latency", many, "calls=25")
        for idle in (DEFAULT, BLOCK):
            self.plan[idle, KUMIKO] = ("part=latency", few, "calls=5", f"idle={idle}")
        self.plan["own", KUMIKO] = ("part=own", many, "calls=200", f"idle={BUSY}")
        for title, size in SIZES.items():
            batches, sent = (2, 2 * MIB) if self.quick else (20, 32 * MIB)
            calls = f"calls={min(4096, sent // size)}"
            self.plan |= self.both(title, "part=bandwidth", f"size={size}", f"batches={batches}", calls)
        self.plan |= self.both("posts", "part=posts", f"calls={self.posted}")
        self.plan |= self.both("load", "part=load", "calls=20" if self.quick else "calls=1000")
        self.plan["flood", KUMIKO] = ("part=flood", f"requests={self.requests}", f"depth={DEPTH}", f"window={WINDOW}")
        for system in (MPI, KUMIKO):
            self.plan["idle", system] = ("part=idle", f"seconds={self.seconds:g}")

    def both(self, part, *words):
        return {(part, MPI): words, (part, KUMIKO): (*words, f"idle={BUSY}")}

    def comparisons(self):
        return [[(family, *part)] for family in FAMILY for part in self.plan] + [[PING]]

    def is_single(self, key):
        return key[1] in ("flood", "idle")

    def measure(self, key, turn):
        family, part, system = key
        if key == PING:  # as many messages as MPI's ping-pong has
            words = self.plan["latency", MPI][1:]
            return self.programs.report("ping_ucx", *words, tool=UCX, environment=environment(), limit=60)
        program = "ranks_kumiko" if system == KUMIKO else f"ranks_{FAMILY[family].name}"
        self.programs.path(f"ranks_{FAMILY[family].name}", FAMILY[family].tool)
        limit = 600 if part == "flood" else 120
        return self.programs.report(program, *self.plan[part, system], limit=limit, **FAMILY[family].launch(2))

    def tables(self, r):
        return tables(self, Figures(r), list(FAMILY))

    def budgets(self, r):
        f = Figures(r)
        for family in FAMILY:
            def budget(title, bound, measured, at_most=True, family=family):
                return Budget(f"{title}, {family}", bound, at_most, measured.median)

            yield budget("invoke over MPI's ping-pong", 2, f.ratio(family, INVOKE, SEND))
            yield budget("invoke_inline over MPI's ping-pong", 2, f.ratio(family, INLINE, SEND))
            yield budget("invoke on the own rank over a Thread", 1.3, f.ratio(family, OWN, THREAD))
            for size in SIZES:
                for way, title in (("send", "MPI_Send"), ("put", "MPI_Put")):
                    bandwidths = f.ratio(family, message(size, way), write(size))  # that of times turned round
                    yield budget(f"write of {size} over {title}", 0.9, bandwidths, False)
            yield budget("posts over gathered by hand", 1.5, f.ratio(family, POSTS, BY_HAND))
            yield budget("inline posts over gathered by hand", 1.5, f.ratio(family, INLINE_POSTS, BY_HAND))
            yield budget("p99 while computing over an OS thread's", 2,
                         f.ratio(family, ("load", KUMIKO, "yield_p99_us"), ("load", MPI, "recv_p99_us")))
            yield budget("flood, MiB grown", 64, f.of(family, GROWN, 1 / MIB))
            yield Budget(f"idle, % of a core, {family}", 5, True, self.idle_share(f, family))

    def idle_share(self, f, family):
        """The share of a core, in %, of the rank that uses more."""
        return extreme(max, (f.of(family, figure, 100).median for figure in (IDLE, SLEEPING)))

    def failures(self, r):
        """Directions that hold on every machine, however busy: the ratios are ten and more."""
        f, wrong = Figures(r), []
        for family in FAMILY:
            own, remote = (f.of(family, figure).median for figure in (OWN, INVOKE))
            share, waiting = self.idle_share(f, family), f.of(family, MPI_IDLE, 100).median
            if own and remote and own >= remote:
                wrong.append(f"{family}: an own rank takes {own:.0f} ns, and another one only {remote:.0f} ns")
            if share and waiting and share >= waiting:
                wrong.append(f"{family}: waiting takes {share:.0f} % of a core, and in MPI_Recv only {waiting:.0f} %")
        return wrong

    def figures(self, r):
        absent = {key[0]: run.error for key, run in r.outcomes() if run.is_expected}
        return {"absent": absent, "ucx": list(r.good(PING).values())}
