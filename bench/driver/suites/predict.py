"""Predictions of kumiko simulate from a trace of one worker, compared with runs with one and with all workers.

Every run traces the same window of base steps, and the length of its trace is what was measured: set-up and output are
in neither figure. Each round has a recording of its own, right before the runs that it is compared with.
"""

from suite import Suite, table

FIRST_STEP = 40
# The model's schedules, with the backend and the order of stepping that each stands for.
SCHEDULES = {
    "dataflow": ("threads", "dataflow"),
    "level": ("threads", "level"),
    "static": ("pthread", "level"),
    "openmp": ("openmp", "level"),
}
ROUND = ("round",)


class Declared(Suite):
    about = "predictions of kumiko simulate from a trace of one worker, and runs by all four schedules"
    program = "kumiko"
    repetitions = 9

    def comparisons(self):
        return [[ROUND]]

    def measure(self, key, turn):
        """Seconds, by schedule and workers."""
        recorded = self.traced("dataflow", 1)
        predicted = {f"{p['schedule']} {p['workers']}": p["seconds"] for p in recorded["predictions"]}
        measured = {f"{schedule} {count}": self.traced(schedule, count)["recorded"]["seconds"]
                    for schedule in SCHEDULES for count in self.counts}
        return {"predicted": predicted, "measured": measured}

    def traced(self, schedule, workers):
        backend, stepping = SCHEDULES[schedule]
        steps = 8 if self.quick else 80
        settings = {"step.schedule": stepping, "time.stop_step": FIRST_STEP + steps, "trace.from": FIRST_STEP,
                    "trace.steps": steps, "output.every": 0}
        counts = ",".join(map(str, self.counts))
        return self.programs.kumiko(
            "zalesak", settings, "--backend", backend, "--workers", workers, limit=180,
            then=lambda folder, _: self.programs.simulate(folder, "--workers", counts),
        )

    def tables(self, r):
        def ratio(report, schedule, count):
            name = f"{schedule} {count}"
            return report["predicted"][name] / report["measured"][name]

        rows = []
        for schedule in SCHEDULES:
            for count in self.counts:
                name = f"{schedule} {count}"
                speed_up = "-" if count == 1 else r.spread(
                    ROUND, lambda report, s=schedule, c=count: ratio(report, s, 1) / ratio(report, s, c))
                rows.append((
                    name,
                    r.spread(ROUND, lambda report, n=name: report["predicted"][n], 1e3),
                    r.spread(ROUND, lambda report, n=name: report["measured"][n], 1e3),
                    r.spread(ROUND, lambda report, s=schedule, c=count: ratio(report, s, c)),
                    speed_up,
                ))
        columns = ("schedule, workers", "predicted ms", "measured ms", "predicted / measured", "the same of speed-up")
        yield table("predicted from a trace of dataflow on one worker, beside traced runs", columns, rows)

    def figures(self, r):
        return {"rounds": list(r.good(ROUND).values())}
