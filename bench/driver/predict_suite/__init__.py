"""What kumiko simulate predicts from a trace of one worker, beside runs with one and with all workers.

Every run traces the same window of base steps, and the length of its trace is what was measured: set-up and output are
in neither figure. Each round has a recording of its own, right before the runs that it is compared with.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from children import explain
from measured import Measured, Spread
from text import Progress, spread

ROOT = Path(__file__).resolve().parents[3]
CONFIGURATION = ROOT / "cases/zalesak/zalesak.toml"
REPETITIONS = 9
TIME_LIMIT = 180  # seconds, of a program
FIRST_STEP = 40
# Of the model, with the backend and the order of stepping that it stands for.
SYSTEMS = {
    "dataflow": ("threads", "dataflow"),
    "level": ("threads", "level"),
    "static": ("pthread", "level"),
    "openmp": ("openmp", "level"),
}


class Failed(Exception):
    """A program of the bench did not do its work."""


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        raise Failed(explain(done.returncode, done.stderr))
    return done.stdout


class Bench:
    def __init__(self, programs: Path, steps: int, workers: list[int]):
        self.kumiko = str(programs / "kumiko")
        self.scratch = programs.parent
        self.steps = steps
        self.workers = workers

    def traced(self, model: str, workers: int) -> dict:
        """A traced run, and what is predicted from its trace."""
        backend, schedule = SYSTEMS[model]
        settings = {
            "step.schedule": schedule if backend == "threads" else "level",
            "time.stop_step": FIRST_STEP + self.steps,
            "trace.from": FIRST_STEP,
            "trace.steps": self.steps,
            "output.every": 0,
        }
        with tempfile.TemporaryDirectory(dir=self.scratch, prefix="predict-") as folder:
            command = [self.kumiko, "run", str(CONFIGURATION), "--quiet", "--output", folder]
            command += ["--backend", backend, "--workers", str(workers)]
            for name, value in settings.items():
                command += ["--set", f"{name}={value}"]
            output_of(command)
            counts = ",".join(map(str, self.workers))
            return json.loads(
                output_of([self.kumiko, "simulate", folder, "--json", "--workers", counts])
            )

    def round(self) -> dict:
        recorded = self.traced("dataflow", 1)
        predicted = {
            (entry["schedule"], entry["workers"]): entry["seconds"]
            for entry in recorded["predictions"]
        }
        measured = {}
        for model in SYSTEMS:
            for workers in self.workers:
                measured[model, workers] = self.traced(model, workers)["recorded"]["seconds"]
        return {"predicted": predicted, "measured": measured}


def row(cells: list[str]) -> str:
    return f"  {cells[0]:<10}{cells[1]:>8}" + "".join(f"{cell:>27}" for cell in cells[2:])


def table(rounds: list[dict], workers: list[int]) -> list[str]:
    lines = ["", "predicted from a trace of dataflow on one worker, beside traced runs"]
    titles = ["schedule", "workers", "predicted ms", "measured ms", "predicted / measured"]
    lines.append(row([*titles, "the same of speed-up"]))
    one = workers[0]
    for model in SYSTEMS:
        for count in workers:
            key, alone = (model, count), (model, one)
            predicted = [turn["predicted"][key] for turn in rounds]
            measured = [turn["measured"][key] for turn in rounds]
            ratios = [p / m for p, m in zip(predicted, measured, strict=True)]
            relative = [
                turn["predicted"][alone] / turn["predicted"][key]
                / (turn["measured"][alone] / turn["measured"][key])
                for turn in rounds
            ]
            figures = [
                Spread.of(predicted).times(1e3),
                Spread.of(measured).times(1e3),
                Spread.of(ratios),
                None if count == one else Spread.of(relative),
            ]
            lines.append(row([model, str(count), *map(spread, figures)]))
    return lines


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    most = len(os.sched_getaffinity(0))
    workers = sorted({1, most})
    bench = Bench(programs, 8 if quick else 80, workers)
    rounds: list[dict] = []
    progress = Progress()
    begin = time.monotonic()
    failures = []
    for turn in range(repetitions or (1 if quick else REPETITIONS)):
        progress.show(f"round {turn + 1}")
        try:
            rounds.append(bench.round())
        except (Failed, subprocess.TimeoutExpired) as error:
            failures.append(str(error))
            break
    progress.show("")
    extent = f"{len(rounds)} round{'s' if len(rounds) > 1 else ''} in {time.monotonic() - begin:.0f} s"
    figures = {
        "rounds": [
            {
                name: {f"{model} {count}": value for (model, count), value in turn[name].items()}
                for name in ("predicted", "measured")
            }
            for turn in rounds
        ]
    }
    lines = table(rounds, workers) if rounds else []
    return Measured(most, extent, lines, figures, failures)
