"""The figures that the tables and the budgets of the suite amr are made of."""

from dataclasses import dataclass

from results import Results
from suite import Missing, Suite
from suites.amr_plan import (
    AMR, DATAFLOW, FINE, FINE_POINTS, GRID, LEVEL, TRACED, WHOLE, instructions, large,
)

CORE, SCHEME = ("core", "", 1, ""), ("schemes", "", 1, "")  # of one core; the shipped schemes in a vortex
FLOPS_PER_POINT = 56  # that the budget counts, however the kernel computes


def per_core(report):
    return report["updates_per_core_s"]


@dataclass(frozen=True)
class Figures:
    suite: Suite
    r: Results

    def wall(self, work, system, workers, isa=""):
        return self.r.spread((work, system, workers, isa))

    def rate(self, work, system, workers, isa=""):
        """Million point updates per second and core."""
        return self.r.spread((work, system, workers, isa), per_core, 1e-6)

    def balance(self, work, system, workers, isa=""):
        return self.r.spread((work, system, workers, isa), "balance_efficiency")

    def over(self, above, below):
        """A ratio of wall times; a case is a work, a system and a number of workers."""
        return self.r.ratio((*above, ""), (*below, ""))

    def has(self, isa):
        """True, or the reason why there is no figure: this processor lacks the instructions."""
        return isa == "baseline" or isa in instructions() or Missing(f"this processor lacks {isa}", is_expected=True)

    def core(self, name, scale=1e-6):
        """A figure of amr_core; a rate, unless told, in units of 10^6 per second."""
        return self.r.spread(CORE, name, scale)

    def kernel(self, upwind, isa):
        return self.has(isa) and self.core(f"{upwind}_upwind_{isa}")

    def peak(self, isa):
        """In Gflop/s."""
        return "-" if isa == "baseline" else self.has(isa) and self.core(f"fma_{isa}", 1e-9)

    def of_peak(self, upwind, isa):
        """The kernel's share of the peak, in percent."""
        return self.has(isa) and self.r.spread(
            CORE, lambda report: 100 * FLOPS_PER_POINT * report[f"{upwind}_upwind_{isa}"] / report[f"fma_{isa}"])

    def of_kernel(self, points, backend):
        """The uniform grid's rate over that of the fastest kernel."""
        return self.r.spread(CORE, lambda report: report[f"grid_{points}_{backend}"] / max(
            value for name, value in report.items() if name.startswith("uniform_upwind")))

    def scheme(self, above, below=""):
        """A rate of amr_schemes, in units of 10^6 per second, or over another one."""
        return self.r.spread(SCHEME, lambda report: report[above] / (report[below] if below else 1e6))

    def over_uniform(self, workers):
        """The AMR run's rate per core over the uniform grid's on one."""
        return self.r.ratio((AMR, DATAFLOW, workers, ""), CORE, per_core, f"grid_{GRID}_threads")

    def over_sweep(self, workers):
        """The AMR run's rate over that of the kernel alone over the same patches."""
        case, name = (AMR, DATAFLOW, workers, ""), f"sweep_{workers}"
        return self.r.ratio(case, CORE, per_core, lambda report: report[name] / workers)

    def dataflow_gain(self, work, workers):
        """By level over dataflow: above 1 dataflow is faster."""
        return self.over((work, LEVEL, workers), (work, DATAFLOW, workers))

    def over_peer(self, peer, work=AMR):
        """Dataflow's wall time over another system's, with all workers."""
        return self.over((work, DATAFLOW, self.suite.workers), (work, peer, self.suite.workers))

    def blocks_in_time(self, points, workers):
        """A uniform grid's time by plain blocks over its own: above 1 blocks in time are faster."""
        return self.over((large(points, False), DATAFLOW, workers), (large(points), DATAFLOW, workers))

    def tracing(self):
        return self.over((TRACED, DATAFLOW, self.suite.workers), (WHOLE, DATAFLOW, self.suite.workers))

    def uniform_over_amr(self, system):
        """Wall times of one revolution; the AMR run is by threads."""
        works, workers = self.suite.works, self.suite.workers
        scale = FINE_POINTS / GRID * works[WHOLE].steps / works[FINE].steps
        return self.over((FINE, system, workers), (WHOLE, DATAFLOW, workers)).times(scale)

    def error(self):
        """RMS after a revolution."""
        return self.r.spread((WHOLE, DATAFLOW, self.suite.workers, ""), lambda report: report["error"]["rms"]).median

    def bytes_per_point(self):
        """Memory of the AMR run, all in."""
        whole = (WHOLE, DATAFLOW, self.suite.workers, "")
        return self.r.spread(whole, lambda report: report["memory"]["bytes_per_point"]).median

    def state_hashes(self):
        """By work: the hashes of the runs. There should be one."""
        found: dict[str, list[str]] = {}
        for key, run in self.r.outcomes():
            if run.report is not None and "state_hash" in run.report:
                found.setdefault(self.suite.state_of(key), []).append(run.report["state_hash"])
        return found
