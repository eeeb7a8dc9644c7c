"""Runs of several solvers on one case at several resolutions, with errors, orders, costs and published values."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from .comparison import ComparedRun, Comparison, as_json, draw_work_precision, report, runs_table
from .contender import CompareRequest, Contender, parse_contenders, refuse_solver_keys
from .measurement import rounds
from .program import NOTE_MARK, Failed, Interrupted, Job, Kumiko, Record, Refused, steps_needed, to_stderr, warn
from .study import Study, as_text, refuse_stop_step, replaced

PATCH = 16  # points of a patch in each direction
MOST_STEPS = 2**31 - 1


def points_y_of(points: int, file: Record) -> int:
    """Points in y in the file's proportion. Raises Refused where they are not whole patches."""
    points_x, points_y = file["run"]["points"]
    scaled = points * points_y
    if points % PATCH or scaled % points_x or (scaled // points_x) % PATCH:
        raise Refused(
            f"--resolutions {points}: the points must be multiples of {PATCH} in x and, in the file's proportion of "
            f"{points_x} to {points_y}, in y"
        )
    return int(scaled // points_x)


class CompareStudy(Study[Comparison]):
    """`kumiko compare`."""

    what = "comparison"
    text_files = {
        "compare.csv": lambda found: runs_table(found).csv(),
        "compare.json": lambda found: as_text(as_json(found)),
        "compare.md": lambda found: report(found, markdown=True),
        "compare.tex": lambda found: runs_table(found).latex(),
    }
    figure_files = {"work_precision": draw_work_precision}

    request: CompareRequest

    def _job_of(self, contender: Contender, *changes: str) -> Job:
        """Keys of the contender's own replace the request's, and the changes replace both."""
        settings = replaced(contender.settings, changes)
        solver = "" if contender.option == "solver.name" else contender.solver
        return self.request.job(settings=settings, solver=solver)

    def job_of(self, run: ComparedRun) -> Job:
        file = run.contender.description["run"]
        changes = [
            f"grid.base=[{run.points}, {run.points_y}]",
            f"step.time_interpolation={run.contender.interpolation}",
        ]
        if run.steps == 0:
            return self._job_of(run.contender, *changes, f"time.cfl={run.contender.cfl!r}")
        stop = math.floor(file["stop_step"] / file["steps"] * run.steps + 0.5)
        changes += [f"time.steps={run.steps}", f"time.stop_step={min(max(stop, 1), run.steps)}"]
        return self._job_of(run.contender, *changes)

    def describe(self, contender: Contender) -> None:
        """Fills in what the contender's solver and case declare."""
        contender.description = self.kumiko.describe(self._job_of(contender), relay=True)
        file = contender.description["run"]
        refuse_stop_step(contender.description)
        solver = contender.description["solver"]
        contender.cfl = min(file["cfl"], solver["cfl_limit"])
        contender.interpolation = file["time_interpolation"]
        suits = contender.interpolation in solver["time_interpolations"]
        if not suits and file["levels"] > 1 and not contender.sets("step.time_interpolation"):
            contender.interpolation = solver["suited_time_interpolation"]

    def run_at(self, contender: Contender, points: int) -> ComparedRun:
        file = contender.description["run"]
        finest = points << (file["levels"] - 1)
        extent = contender.description["case"]["extent"][0]
        # As many base steps as keep the CFL number, or one more.
        steps = min(-(-file["steps"] * points // file["points"][0]), MOST_STEPS)
        points_y = points_y_of(points, contender.description)
        return ComparedRun(contender, points, points_y, finest, math.floor(finest / extent + 0.5), steps, steps)

    def with_enough_steps(self, run: ComparedRun, attempt: Callable[[Job], Record]) -> Record:
        """Calls attempt() with as many steps as the solver needs. A later state may need more than the first one."""
        while True:
            try:
                return attempt(self.job_of(run))
            except (Refused, Failed) as error:
                needed = steps_needed(error)
                if needed is None or not run.steps < needed <= MOST_STEPS:
                    raise
                run.steps = needed

    def planned(self, contender: Contender, resolutions: list[int]) -> list[ComparedRun]:
        """The runs of a contender, whose first states have been tried. Raises Refused, which names it."""
        runs = []
        try:
            self.describe(contender)
            for points in resolutions:
                run = self.run_at(contender, points)
                runs.append(run)
                self.try_first_state(partial(self.with_enough_steps, run, self.kumiko.dry_run))
        except Refused as error:
            if contender.option == "solver.name" and not contender.swept:
                raise  # the file's own, and the only one
            why = str(error).removeprefix(f"--solver {contender.solver}: ")
            for setting in contender.settings:
                why = why.removeprefix(f"--set {setting}: ")
            raise Refused(f"{contender.as_asked()}: {why}") from None
        return runs

    def plan(self) -> Comparison:
        """Tries every run's first state, so that a wrong request is refused before the first run. Raises Refused."""
        request = self.request
        if request.solvers or request.variants:
            refuse_solver_keys(request.settings)
        # Errors of the file itself name no contender.
        file = self.kumiko.describe(request.job())
        base = request.setting_of("grid.base")
        if request.resolutions and base:
            raise Refused(
                f"{base} together with --resolutions changes what the file's time.steps and points in y are in "
                "proportion to; leave out one of them, or change grid.base in the file"
            )
        points_of_file = file["run"]["points"][0]
        for key in ("time.steps", "time.stop_step"):
            setting = request.setting_of(key)
            if request.resolutions and setting and file["run"]["steps"] > 0 and not setting.endswith("=0"):
                to_stderr(
                    f"{NOTE_MARK}{setting} is for grid.base {points_of_file} in x, as in the file; other "
                    "--resolutions take steps in proportion"
                )
        contenders = parse_contenders(request, file["solver"]["name"])
        for contender in contenders:
            if request.resolutions and contender.sets("grid.base"):
                raise Refused(
                    f"{contender.as_asked()}: grid.base together with --resolutions, which set it; leave out one of "
                    "them"
                )
            for key in ("time.steps", "time.stop_step"):
                if request.resolutions and contender.sets(key):
                    to_stderr(
                        f"{NOTE_MARK}{contender.as_asked()}: {key} is for grid.base {points_of_file} in x, as in the "
                        "file; other --resolutions take steps in proportion"
                    )
        resolutions = sorted(request.resolutions or [points_of_file])
        for points in resolutions:
            if resolutions.count(points) > 1:
                raise Refused(f"--resolutions: {points} is named twice")
            points_y_of(points, file)
        comparison = Comparison(
            file["case"]["name"], request.norm, file["run"]["levels"], request.repetitions, contenders
        )
        for contender in contenders:
            comparison.runs += self.planned(contender, resolutions)
        return comparison

    def measure(self, found: Comparison, after: Callable[[], None]) -> None:
        """A run that fails leaves its reason, and the comparison continues."""
        for _, run in rounds(found.runs, found.repetitions):
            if run.failure:
                continue
            self.progress.show(f"{run.contender.label} at {run.points}")
            try:
                run.add(self.with_enough_steps(run, self.kumiko.run))
            except Interrupted:
                raise
            except (Refused, Failed) as error:
                run.failure = str(error)
            after()
        found.complete = True

    def has_results(self, found: Comparison) -> bool:
        return bool(found.measured())

    def report(self, found: Comparison) -> str:
        return report(found)

    def record(self, found: Comparison) -> Record:
        return as_json(found)

    def end(self, found: Comparison) -> None:
        failures = found.failures()
        if self.request.quiet:
            for failure in failures:
                warn(failure)
        if failures:
            where = "warnings" if self.request.quiet else "lines below the table"
            raise Failed(f"{len(failures)} of {len(found.runs)} runs failed; see the {where}")


def compare(request: CompareRequest, kumiko: Kumiko | None = None) -> Comparison:
    """Compares solvers on a case, prints the result, and writes the files that the request names. Raises Refused
    before the first run; Failed, after all others, where a run has failed; Interrupted, with what is found written."""
    return CompareStudy(request, kumiko).carry_out()
