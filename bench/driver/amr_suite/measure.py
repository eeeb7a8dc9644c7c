"""Runs one case."""

import json
import os
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from children import explain
from machine import busy_seconds

from .plan import CORE, CORES, KUMIKO, SCHEMES, SCHEMES_PROGRAM, SYSTEMS, Case, Work

TIME_LIMIT = 180  # seconds
DISTURBING = 0.1  # of the cores, used by other processes meanwhile
# Few windows: shows that it works.
QUICK_CORE = {"kernel_windows": 5, "small_windows": 2, "large_windows": 1}


@dataclass(frozen=True)
class Outcome:
    """What the program reports, or why it does not."""

    report: dict | None = None
    error: str | None = None
    turn: int = 0  # the round
    wall_s: float = 0.0  # of the whole program, its start and its end included
    cpu_s: float = 0.0  # that it used
    others_share: float = 0.0  # of the cores, that others used meanwhile

    @property
    def disturbed(self) -> bool:
        return self.others_share > DISTURBING


def own_seconds() -> float:
    """CPU time of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def environment(case: Case) -> dict[str, str]:
    """Ours, with what the case sets and without what would change it."""
    system = SYSTEMS.get(case.system)
    given = {
        "KUMIKO_ISA": case.isa,
        "OMP_WAIT_POLICY": system.wait_policy if system else "",
        "OMP_SCHEDULE": system.schedule if system else "",
        "GOMP_SPINCOUNT": "",
    }
    kept = {name: value for name, value in os.environ.items() if name not in given}
    return kept | {name: value for name, value in given.items() if value}


class Bench:
    def __init__(self, programs: Path, root: Path, works: dict[str, Work], quick: bool, workers: int):
        self.programs = programs
        self.cases = root / "cases"
        self.works = works
        self.quick = quick
        self.workers = workers

    def run(self, case: Case, turn: int) -> Outcome:
        begin, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        with tempfile.TemporaryDirectory(dir=self.programs.parent, prefix="amr-") as folder:
            report, error = self.report(case, Path(folder))
        wall = time.monotonic() - begin
        used = own_seconds() - own
        others = busy_seconds() - busy - used
        return Outcome(report, error, turn, wall, used, others / wall / os.cpu_count())

    def report(self, case: Case, folder: Path) -> tuple[dict | None, str | None]:
        summary = folder / "summary.json"
        programs = {CORES: self.core, SCHEMES: self.schemes}
        is_program = case.work in programs
        command = programs[case.work]() if is_program else self.kumiko(case, folder, summary)
        if not os.access(command[0], os.X_OK):
            return None, "absent: not built here"
        try:
            done = subprocess.run(
                command, env=environment(case), capture_output=True, text=True, timeout=TIME_LIMIT
            )
        except subprocess.TimeoutExpired:
            return None, f"stopped after {TIME_LIMIT} s"
        if done.returncode != 0:
            return None, explain(done.returncode, done.stderr)
        return json.loads(done.stdout if is_program else summary.read_text()), None

    def core(self) -> list[str]:
        words = [f"{name}={value}" for name, value in QUICK_CORE.items()] if self.quick else []
        return [str(self.programs / CORE), f"workers={self.workers}", *words]

    def schemes(self) -> list[str]:
        windows = 1 if self.quick else 3
        return [str(self.programs / SCHEMES_PROGRAM), f"workers={self.workers}", f"windows={windows}"]

    def kumiko(self, case: Case, folder: Path, summary: Path) -> list[str]:
        work, system = self.works[case.work], SYSTEMS[case.system]
        settings = dict(work.settings) | dict(system.settings)
        settings["time.stop_step"] = str(work.steps)
        command = [str(self.programs / KUMIKO), "run", str(self.cases / work.configuration), "--quiet"]
        command += ["--backend", system.backend, "--workers", str(case.workers)]
        command += ["--output", str(folder / "out"), "--summary", str(summary)]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        return command
