"""Searches with one workspace, compared with their serial elision and with tasks that copy the workspace at every node;
and searches whose parts go to other processes, compared with one process of as many workers, and to ranks far away.

The programs are examples/search, each of which runs serially and as a search in turn, so that ratios are of the same
moment; examples/cluster_search.cpp by each MPI, and the same boards by that MPI alone (search/turns_mpi.cpp); and
ranks of one process between which messages take long (search/search_delays.cpp). The papers' figures are of Hiraishi,
Kono, Yasugi, Umatani and Yuasa (2010): Tascell with its handlers that are cheap to keep, and Cilk, on an UltraSPARC T2
Plus, one worker; and Tascell at four sites, round trips of 17.7, 7.77 and 26.7 ms from the first.
"""

from mpi import environment
from programs import environment_with
from suite import Suite
from suites.search_tables import (
    ALONE, BY_HAND, COMPILERS, CONNECTIONS, COPIES, COPYING, DELAYED, FAMILY, LAUNCHES, PROCESSES, PROGRAMS, RANKS,
    ROUND_TRIPS, SHARED, SYSTEMS, WORKERS, WORKSPACES, budgets, processes, workspaces,
)

BY_HAND_DEPTH = 3  # of the beginnings that are dealt out: some hundreds to thousands
DEALT = ((13, 1100), (10, 1000))  # queens, and how long each placed last one takes: 20 s of each rank


def words_of(output):
    """A program prints lines of a name and a number."""
    return {name: float(value) for name, value in map(str.split, output.splitlines()) if name != "n"}


class Declared(Suite):
    about = "searches with one workspace, and tasks that copy it; between processes, by MPI"
    program = "search_nqueens"
    parts = (WORKSPACES, PROCESSES)
    fields = ("part", "program", "by", "workers")
    figure = "seconds"
    budgets_title = "budgets"

    def __init__(self, *words):
        super().__init__(*words)
        self.workers = WORKERS
        self.sizes = {name: program[self.quick] for name, program in PROGRAMS.items()}
        self.shared = {name: sizes[self.quick] for name, sizes in SHARED.items()}

    def comparisons(self):
        made = []
        if WORKSPACES in self.chosen:
            for name in PROGRAMS:
                cases = [(WORKSPACES, name, compiler, workers) for compiler in COMPILERS for workers in (1, WORKERS)]
                made.append(cases + [(COPIES, name, system, 1) for system in SYSTEMS if name in COPYING])
        if PROCESSES in self.chosen:
            made += [[(part, name, by, count) for part, by, count in LAUNCHES] for name in SHARED]
            made.append([(DELAYED, trip, way, RANKS) for way in CONNECTIONS for trip in ROUND_TRIPS])
        return made

    def measure(self, key, turn):
        """A program fails where a result is wrong, or undos are not redos."""
        part, name, by, workers = key
        programs, here = self.programs, {"environment": environment_with(OMP_STACKSIZE="64M")}
        if part == WORKSPACES:
            program = f"search_{name}{COMPILERS[by]}"
            return words_of(programs.output(program, self.sizes[name], workers, 1, **here))
        if part == COPIES:
            return programs.report(f"{COPYING[name]}_{by}", f"n={self.sizes[name]}", "workers=1", **here)
        if part == DELAYED:
            n, leaf = DEALT[self.quick]
            delay = f"delay_us={round(500 * name)}"
            return programs.report("search_delays", f"n={n}", f"leaf_us={leaf}", delay, f"ranks={RANKS}", f"rule={by}")
        size = self.shared[name]
        if by == ALONE:
            return words_of(programs.output("search_ranks", name, size, 1, WORKERS, environment=environment()))
        family = FAMILY[by]
        family.require_link(programs)
        if part == BY_HAND:
            peer = f"turns_{family.name}"
            return words_of(programs.output(peer, name, size, BY_HAND_DEPTH, **family.launch(workers)))
        return words_of(programs.output("search_ranks", name, size, 1, 1, **family.launch(workers)))

    def tables(self, r):
        if WORKSPACES in self.chosen:
            yield from workspaces(r, self.sizes)
        if PROCESSES in self.chosen:
            yield from processes(r, self.shared)

    def budgets(self, r):
        return budgets(r, self.chosen)
