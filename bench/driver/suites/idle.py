"""Waiting on idle cores and on shared ones: every policy and its peers.

The short form checks one direction, at the full size, since runs of some milliseconds tell nothing: where two copies
share the cores, spinning is slower than sleeping. On a machine that is idle otherwise the ratio is 1.9. With compilers
that take half of the cores, single pairs are between 0.94 and 3.3, so their median counts, which was between 1.09 and
1.97 in 20 tries, and more pairs are taken where it does not hold.
"""

import json
import os

import quota
from programs import Expected, kumiko_words
from sharing import run_copies
from suite import AT_ONCE, Spread, Suite
from suites.idle_plan import (
    BASE, DEFAULT, DIRECTION, PARTS, SHARED_PHASE, SYSTEMS, TWO, parts, programs, systems,
)
from suites.idle_tables import Figures, budgets, tables

TIME_LIMIT = 5  # seconds; what is stopped counts with them
PHASE_PARTS = 16
PAIRS, MOST_PAIRS = 3, 11
# Variables that would change how the peers wait.
FOREIGN = ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OMP_SCHEDULE", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


class Declared(Suite):
    about = "how idle workers wait, alone and on shared cores; also oneTBB, OpenMP and strips"
    program = "kumiko"
    parts = tuple(PARTS)
    fields = ("part", "program", "situation", "system")
    figure = "seconds"
    again = AT_ONCE

    def __init__(self, *words):
        super().__init__(*words)
        self.quota_refusal = quota.refusal()
        self.plan = parts(self.chosen, self.quick)
        self.sizes = {small: programs(small) for small in (True, False)}
        self.steps_per_us = self.measure_steps()

    def measure_steps(self):
        """Steps of the phases' work per microsecond, on a core of its own."""
        phases, steps = 5, 100_000
        words = (f"phases={phases}", f"steps={steps}", f"parts={PHASE_PARTS}")
        taken = min(self.programs.report("phases_serial", *words)["seconds"] for _ in range(3))
        return phases * steps * PHASE_PARTS / taken / 1e6

    def comparisons(self):
        has_direction = self.quick and self.cores > 1 and "copies" in self.plan
        made = [[DIRECTION]] if has_direction else []
        for name, part in self.plan.items():
            for situation in part.situations().values():
                for program in part.programs:
                    able = [DEFAULT] if situation.one_worker else systems(program, self.sizes[self.quick])
                    made.append([(name, program, situation.title, system) for system in able])
        return made

    def is_single(self, key):
        return key == DIRECTION

    def measure(self, key, turn):
        if key == DIRECTION:
            return self.spin_over_sleep()
        part, program, title, system = key
        if part == "quotas" and self.quota_refusal:
            raise Expected(self.quota_refusal)
        return self.run(program, self.plan[part].situations()[title], system, self.quick)

    def spin_over_sleep(self):
        two, ratios = PARTS["copies"].situations()[TWO], []
        while len(ratios) < PAIRS or (len(ratios) < MOST_PAIRS and Spread.of(ratios).median <= 1):
            spin, sleep = (self.run(SHARED_PHASE, two, system, False)["seconds"] for system in ("spin", BASE))
            ratios.append(spin / sleep)
        return {"ratios": ratios}

    def run(self, program, situation, system, quick):
        """Seconds are converted: the mean of the copies over their number."""
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        with self.programs.scratch() as scratch:
            folders = [scratch / str(copy) for copy in range(situation.copies)]
            commands = [self.command(program, situation, system, folder, quick) for folder in folders]
            outputs, used = run_copies(commands, kept | SYSTEMS[system].environment, situation, TIME_LIMIT)
            ended = [pair for pair in zip(outputs, folders, strict=True) if pair[0] is not None]
            said = [self.said(*pair) for pair in ended]
        seconds = [taken for taken, _ in said] + [float(TIME_LIMIT)] * (len(outputs) - len(said))
        result = " and ".join(sorted({result for _, result in said}))
        converted = sum(seconds) / situation.copies**2
        return used | {"seconds": converted, "result": result, "stopped": len(said) < len(outputs)}

    def command(self, program, situation, system, folder, quick):
        declared, how = self.sizes[quick][program], SYSTEMS[system]
        workers = situation.workers(self.cores)
        if not declared.benchmark:
            words = [self.programs.path("kumiko"), *kumiko_words(self.programs.cases, "zalesak", folder)]
            words += ["--backend", how.backend, "--workers", str(workers), "--set", f"time.stop_step={declared.steps}"]
            return [*words, *(["--set", f"runtime.idle={how.idle}"] if how.idle else [])]
        arguments = declared.arguments | {"workers": workers} | ({"idle": how.idle} if how.idle else {})
        if declared.phase_us:
            work = declared.phase_us * self.steps_per_us * self.cores
            arguments |= {"parts": PHASE_PARTS, "steps": max(1, round(work / PHASE_PARTS))}
        name = f"{declared.benchmark}_{'kumiko-invoke' if declared.benchmark == 'fib' else how.program}"
        return [self.programs.path(name), *(f"{word}={value}" for word, value in arguments.items())]

    @staticmethod
    def said(output, folder):
        """Seconds, and what was computed."""
        summary = folder / "summary.json"
        if summary.exists():
            report = json.loads(summary.read_text())
            return report["wall_s"], report["state_hash"]
        report = json.loads(output)
        return report["seconds"], json.dumps(report["result"])

    def tables(self, r):
        return tables(self, Figures(r, self.plan, self.cores))

    def budgets(self, r):
        return budgets(Figures(r, self.plan, self.cores))

    def failures(self, r):
        wrong = r.different("result", lambda key: key[1])
        ratio = r.spread(DIRECTION, lambda report: Spread.of(report["ratios"]).median).median
        if ratio and ratio <= 1:
            wrong.append(f"two copies that spin should be slower than two that sleep; they take {ratio:.2f} of that")
        return wrong

    def figures(self, r):
        return {"quota_refusal": self.quota_refusal, "steps_per_us": self.steps_per_us}
