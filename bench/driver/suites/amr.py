"""The AMR engine against its budgets, and its ways to step compared with each other."""

from programs import environment_with
from suite import Budget, Suite, counted, extreme
from suites.amr_figures import CORE, SCHEME, Figures
from suites.amr_plan import (
    AMR, DATAFLOW, FINE, GRID, LARGE, LEVEL, LINEAR, NARROWER_ISAS, OPENMP_ACTIVE, OPENMP_DYNAMIC, OPENMPS,
    SERIAL, STRIPS, SYSTEMS, TRACED, UNEQUAL, UNEQUAL_PEERS, WHOLE, large, powers, works,
)
from suites.amr_tables import tables

QUICK_CORE = ("kernel_windows=5", "small_windows=2", "large_windows=1")  # shows that it works


class Declared(Suite):
    about = "the kernel, uniform grids and the AMR run, strips and OpenMP; the thesis's table 6.2"
    program = "kumiko"
    fields = ("work", "system", "workers", "isa")
    repetitions = 9
    case_seconds = 60
    all_seconds = 400
    drop_disturbed = True
    budgets_title = "budgets"

    def __init__(self, *words):
        super().__init__(*words)
        self.works = works(self.quick)
        self.powers = powers(self.workers)

    def comparisons(self):
        """Cases that are compared run one after another."""
        many = self.workers
        made = [[CORE], [SCHEME]]
        made += [[(AMR, system, count, "") for system in (STRIPS, DATAFLOW, LEVEL, *OPENMPS)] for count in self.powers]
        made.append([(AMR, SERIAL, 1, ""), *((AMR, DATAFLOW, 1, isa) for isa in NARROWER_ISAS)])
        made += [[(LINEAR, system, count, "") for system in (DATAFLOW, LEVEL)] for count in self.counts]
        made.append([(FINE, system, many, "") for system in (DATAFLOW, OPENMP_ACTIVE)])
        made.append([(work, DATAFLOW, many, "") for work in (WHOLE, TRACED)])
        made.append([(UNEQUAL, system, many, "") for system in (DATAFLOW, *UNEQUAL_PEERS)])
        made += [[(large(points, way), DATAFLOW, count, "") for way in (True, False)]
                 for points in LARGE for count in self.counts]
        return made

    def measure(self, key, turn):
        all_workers = f"workers={self.workers}"
        if key == CORE:
            return self.programs.report("amr_core", all_workers, *(QUICK_CORE if self.quick else ()), limit=180)
        if key == SCHEME:
            return self.programs.report("amr_schemes", all_workers, f"windows={1 if self.quick else 3}", limit=180)
        work, system, workers, isa = key
        declared, how = self.works[work], SYSTEMS[system]
        settings = declared.settings | {"time.stop_step": declared.steps}
        settings |= {"step.schedule": how.schedule} if how.schedule else {}
        environment = environment_with(
            KUMIKO_ISA=isa, OMP_WAIT_POLICY=how.wait_policy, OMP_SCHEDULE=how.loops, GOMP_SPINCOUNT="")
        return self.programs.kumiko(
            declared.case, settings, "--backend", how.backend, "--workers", workers, environment=environment, limit=180)

    def tables(self, r):
        return tables(self, Figures(self, r))

    def budgets(self, r):
        f, workers = Figures(self, r), self.workers
        all_workers = counted(workers, 'worker')
        for upwind, least in (("uniform", 40), ("mixed", 13)):
            for isa in ("avx2", "avx512"):
                share = f.of_peak(upwind, isa).median
                yield Budget(f"kernel, {upwind} upwind, {isa}: % of peak", least, False, share)
        for backend in ("serial", "threads"):
            share = f.of_kernel(GRID, backend).median
            yield Budget(f"uniform {GRID}, {backend}, 1 core: over kernel", 0.5, False, share)
        for count in self.counts:
            title = f"AMR, {counted(count, 'worker')}"
            yield Budget(f"{title}: 10^6 updates/s/core", 200, False, f.rate(AMR, DATAFLOW, count).median)
            yield Budget(f"{title}: over uniform, per core", 0.8, False, f.over_uniform(count).median)
            least = 0.6 if count == 1 else 0.57
            yield Budget(f"{title}: over bare sweep, per core", least, False, f.over_sweep(count).median)
        in_time = f.blocks_in_time(LARGE[0], workers).median  # the others have no budget of their own
        yield Budget(f"uniform {LARGE[0]}: plain over blocks in time, wall", 1.3, False, in_time)
        yield Budget("uniform finest (OpenMP) over AMR, wall", 13, False, f.uniform_over_amr(OPENMP_ACTIVE).median)
        yield Budget("AMR: RMS after one revolution", 3.70e-2, True, f.error())
        if workers > 1:
            for peer, title, most in ((OPENMP_ACTIVE, "static", 0.85), (OPENMP_DYNAMIC, "dynamic", 0.95)):
                over = f.over_peer(peer, UNEQUAL).median
                yield Budget(f"unequal patches, threads over OpenMP {title}, wall", most, True, over)
            yield Budget(f"threads over strips, {all_workers}, wall", 0.7, True, f.over_peer(STRIPS).median)
            openmp = extreme(max, (f.over_peer(peer).median for peer in OPENMPS))
            yield Budget(f"threads over the better OpenMP, {all_workers}, wall", 1, True, openmp)
            gain = f.dataflow_gain(AMR, workers).median
            yield Budget(f"by level over dataflow, {all_workers}, wall", 1, False, gain)
        for count in self.powers:
            yield Budget(f"balance of threads, {counted(count, 'worker')}", 1.05, True, f.balance(AMR, DATAFLOW, count).median)
        yield Budget(f"traced over not, {all_workers}, wall", 1.03, True, f.tracing().median)
        yield Budget("recording a piece of a trace, 1 worker, ns", 20, True, f.core("recording_s", 1e9).median)
        yield Budget("memory: bytes per point, three levels", 48, True, f.bytes_per_point())

    def state_of(self, key):
        """The title of the work that a case must end as."""
        work = self.works[key[0]]
        return (self.works[work.same_state_as] if work.same_state_as else work).title

    def failures(self, r):
        return r.different("state_hash", lambda key: f"the state of '{self.state_of(key)}'")

    def figures(self, r):
        return {"state_hashes": Figures(self, r).state_hashes()}
