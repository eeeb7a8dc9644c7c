"""One case on two ranks of one worker, beside one process of two workers, and beside what the model says."""

import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from children import explain
from cluster_suite.launch import environment
from cluster_suite.plan import FAMILIES, Family
from measured import Budget, Measured, Spread, budget_figures, unjudged
from text import Progress, budget_lines, spread

ROOT = Path(__file__).resolve().parents[3]
REPETITIONS = 5
TIME_LIMIT = 300  # seconds, of a run
RANKS = 2
TRACED = 16  # base steps
MOST_OVER_PREDICTED = 1.1
MOST_MEMORY = 1.3
MOST_BUNDLES = 0.4  # of the patches' edges between ranks
LEAST_BYTES = 400
PREDICTED = (0.85, 1.15)  # speed-up over the measured one, where patches are heavy


@dataclass(frozen=True)
class Size:
    """A run of Zalesak's disk, with the step of the case's file."""

    base: int  # points in x of level 0
    steps: int
    most: float  # seconds of two ranks over those of two workers
    case: str = "zalesak"
    traced: tuple[int, int] = (4, TRACED)  # base steps: from, how many

    @property
    def name(self) -> str:
        return f"base {self.base}"

    @property
    def title(self) -> str:
        return f"Zalesak's disk, base {self.base}, {self.steps} base steps"

    def keys(self) -> list[str]:
        return [f"grid.base={self.base}", f"time.steps={10 * self.base}"]

    def settings(self, steps: int) -> list[str]:
        return [word for key in (*self.keys(), f"time.stop_step={steps}") for word in ("--set", key)]


@dataclass(frozen=True)
class Heavy(Size):
    """A run whose patches are heavy, and differ in cost; all of it is traced, since they change."""

    @property
    def name(self) -> str:
        return "heavy patches"

    @property
    def title(self) -> str:
        return f"Heavy patches, reacting front, {self.steps} base steps"

    def keys(self) -> list[str]:
        return []


SIZES = (Size(256, 640, 1.35), Size(1024, 48, 1.35), Heavy(128, 160, 1.15, "reacting_front", (0, 160)))
QUICK = (Size(64, 24, 1.35), Heavy(128, 8, 1.15, "reacting_front", (0, 8)))


@dataclass
class Runs:
    """What has been measured of a size: summaries, round by round."""

    size: Size
    one_worker: list[dict] = field(default_factory=list)
    two_workers: list[dict] = field(default_factory=list)
    by_mpi: dict[str, list[dict]] = field(default_factory=dict)
    predicted: dict = field(default_factory=dict)  # of two ranks

    def over(self, reports: list[dict]) -> Spread:
        """Seconds over those of one process with two workers, of the same round."""
        return Spread.of([a["wall_s"] / b["wall_s"] for a, b in zip(reports, self.two_workers)])

    def speed_up(self, reports: list[dict]) -> Spread:
        return Spread.of([b["wall_s"] / a["wall_s"] for a, b in zip(reports, self.one_worker)])

    def foretold(self, reports: list[dict]) -> Spread:
        """The predicted speed-up over the measured one."""
        measured = self.speed_up(reports)
        predicted = self.predicted["speed_up"]
        return Spread(predicted / measured.middle, predicted / measured.most, predicted / measured.least)

    def of_ranks(self, reports: list[dict], what: str) -> Spread:
        return Spread.of([float(sum(rank[what] for rank in report["ranks"])) for report in reports])

    def bundles(self, reports: list[dict]) -> Spread:
        return self.of_ranks(reports, "bundles").times(1 / self.size.steps)

    def bytes(self, reports: list[dict]) -> Spread:
        def of(report: dict) -> float:
            return sum(rank["bytes"] for rank in report["ranks"]) / sum(rank["bundles"] for rank in report["ranks"])

        return Spread.of([of(report) for report in reports])

    def memory(self, reports: list[dict]) -> Spread:
        def of(report: dict) -> float:
            return report["memory"]["bytes_per_point"]

        return Spread.of([of(a) / of(b) for a, b in zip(reports, self.two_workers)])

    def hashes(self) -> set[str]:
        all_runs = [*self.one_worker, *self.two_workers, *sum(self.by_mpi.values(), [])]
        return {report["state_hash"] for report in all_runs}


class Bench:
    def __init__(self, programs: Path):
        self.kumiko = programs / "kumiko"
        self.environment = environment()

    def has(self, family: Family) -> bool:
        link = self.kumiko.parent.parent / "lib/kumiko/links" / f"kumiko_link_{family.name}.so"
        return link.exists() and shutil.which(family.launcher) is not None

    def call(self, command: list[str]) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command[:2])}: {explain(done.returncode, done.stderr)}")
        return done.stdout

    def command(self, size: Size) -> list[str]:
        return [str(self.kumiko), "run", str(ROOT / "cases" / size.case / f"{size.case}.toml"), "--quiet"]

    def run(self, size: Size, workers: int, launcher: list[str] | None = None) -> dict:
        with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
            command = [*(launcher or []), *self.command(size)]
            command += ["--workers", str(workers), "--output", f"{folder}/out", *size.settings(size.steps)]
            self.call(command)
            return json.loads(Path(folder, "out/summary.json").read_text())

    def on_ranks(self, size: Size, family: Family) -> dict:
        return self.run(size, 1, [family.launcher, *family.options, "-n", str(RANKS)])

    def predict(self, size: Size) -> dict:
        """What the model makes of a run of one worker."""
        with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
            first, count = size.traced
            trace = ["--set", f"trace.from={first}", "--set", f"trace.steps={count}"]
            self.call([*self.command(size), "--workers", "1", "--output", f"{folder}/out",
                       *size.settings(first + count), *trace])
            text = self.call([str(self.kumiko), "simulate", f"{folder}/out", "--ranks", str(RANKS), "--workers", "1",
                              "--network", "shared", "--json"])
            return json.loads(text)["predictions"][0]


def measure_size(bench: Bench, size: Size, families: list[Family], repetitions: int) -> Runs:
    runs = Runs(size, by_mpi={family.name: [] for family in families})
    progress = Progress()
    runs.predicted = bench.predict(size)
    for turn in range(repetitions):
        progress.show(f"{size.name}: round {turn + 1} of {repetitions}")
        todo = [(runs.one_worker, lambda: bench.run(size, 1)), (runs.two_workers, lambda: bench.run(size, RANKS))]
        todo += [(runs.by_mpi[family.name], lambda family=family: bench.on_ranks(size, family)) for family in families]
        for reports, run in todo if turn % 2 == 0 else todo[::-1]:
            reports.append(run())
    progress.show("")
    return runs


def table_lines(runs: Runs) -> list[str]:
    def seconds(reports: list[dict]) -> str:
        return spread(Spread.of([report["wall_s"] for report in reports]))

    lines = [
        "",
        runs.size.title,
        f"  seconds by one worker               {seconds(runs.one_worker)}",
        f"  seconds by two workers              {seconds(runs.two_workers)}",
        f"  speed-up of two ranks, predicted    {runs.predicted['speed_up']:.3g}",
    ]
    for family in FAMILIES:
        reports = runs.by_mpi.get(family.name)
        if reports is None:
            lines.append(f"  {family.title:<10} seconds               absent: not built, or no {family.launcher}")
            continue
        lines += [
            f"  {family.title:<10} seconds               {seconds(reports)}",
            f"  {family.title:<10} over two workers      {spread(runs.over(reports))}",
            f"  {family.title:<10} speed-up              {spread(runs.speed_up(reports))}",
            f"  {family.title:<10} predicted over it     {spread(runs.foretold(reports))}",
            f"  {family.title:<10} bundles a base step   {spread(runs.bundles(reports))}",
            f"  {family.title:<10} bytes a bundle        {spread(runs.bytes(reports))}",
            f"  {family.title:<10} memory over one's     {spread(runs.memory(reports))}",
        ]
    return lines


def budgets_of(runs: Runs) -> list[Budget]:
    """A budget for each MPI; that of one which is absent has no figure."""
    all_budgets = []
    for family in FAMILIES:
        reports = runs.by_mpi.get(family.name)

        def of(figure, reports=reports) -> float | None:
            return None if reports is None else figure(reports).middle

        def name(what: str, title=family.title) -> str:
            return f"{runs.size.name}, {title}: {what}"

        if isinstance(runs.size, Heavy):
            foretold = of(runs.foretold)
            least, most = PREDICTED
            all_budgets += [
                Budget(name("predicted speed-up, least"), least, False, foretold),
                Budget(name("predicted speed-up, most"), most, True, foretold),
            ]
            continue

        speed_up, edges = of(runs.speed_up), runs.predicted["edges_per_step"]
        slower = None if speed_up is None else runs.predicted["speed_up"] / speed_up
        bundles = of(runs.bundles)
        all_budgets += [
            Budget(name("two ranks over two workers"), runs.size.most, True, of(runs.over)),
            Budget(name("seconds over predicted"), MOST_OVER_PREDICTED, True, slower),
            Budget(name("bundles over edges"), MOST_BUNDLES, True, None if bundles is None else bundles / edges),
            Budget(name("bytes a bundle"), LEAST_BYTES, False, of(runs.bytes)),
            Budget(name("memory over one's"), MOST_MEMORY, True, of(runs.memory)),
        ]
    return all_budgets


def lines_of(all_runs: list[Runs], judged: list[Budget]) -> list[str]:
    lines = [line for runs in all_runs for line in table_lines(runs)]
    return lines + budget_lines("budgets (medians)", judged)


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    bench = Bench(programs)
    begin = time.monotonic()
    families = [family for family in FAMILIES if bench.has(family)]
    rounds = repetitions or (1 if quick else REPETITIONS)
    all_runs = [measure_size(bench, size, families, rounds) for size in (QUICK if quick else SIZES)]
    judged = [budget for runs in all_runs for budget in budgets_of(runs)]
    if quick:
        judged = unjudged(judged)
    failures = [f"{runs.size.name}: the runs differ" for runs in all_runs if len(runs.hashes()) != 1]
    figures = {
        "budgets": budget_figures(judged),
        "sizes": [{"case": runs.size.case, "base": runs.size.base, "steps": runs.size.steps,
                   "predicted": runs.predicted, "one_worker": runs.one_worker,
                   "two_workers": runs.two_workers, "ranks": runs.by_mpi}
                  for runs in all_runs],
    }
    extent = f"{rounds} rounds in {time.monotonic() - begin:.0f} s"
    return Measured(RANKS, extent, lines_of(all_runs, judged), figures, failures)
