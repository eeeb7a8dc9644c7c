"""What checkpoints cost a run, and how fast a large state gets to the disk."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from children import explain
from measured import Budget, Measured, Spread, budget_figures, unjudged
from text import Progress, budget_lines, number, spread

ROOT = Path(__file__).resolve().parents[3]
REPETITIONS = 9
EVERY = 100  # base steps
REVOLUTION = 2560
MOST_SLOWDOWN = 1.05
LEAST_BANDWIDTH = 1 / 1.2  # of a plain write
LARGE, SMALL = 512, 32  # patches in x: 256 MiB and 1 MiB of records
TIME_LIMIT = 300  # seconds


def run_json(command: list[str], result: Path | None = None) -> dict:
    """What a program reports, in a file or on stdout."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name}: {explain(done.returncode, done.stderr)}")
    return json.loads(result.read_text() if result else done.stdout)


class Bench:
    def __init__(self, programs: Path, quick: bool):
        self.programs = programs
        self.steps = 200 if quick else REVOLUTION
        self.patches_x = SMALL if quick else LARGE

    def folder(self) -> tempfile.TemporaryDirectory:
        """On the disk that the programs are on."""
        return tempfile.TemporaryDirectory(dir=self.programs.parent, prefix="checkpoint-")

    def run(self, every: int) -> dict:
        with self.folder() as folder:
            command = [str(self.programs / "kumiko"), "run"]
            command += [str(ROOT / "cases/zalesak/zalesak.toml"), "--quiet"]
            command += ["--output", f"{folder}/out", "--set", f"time.stop_step={self.steps}"]
            command += ["--set", f"checkpoint.every={every}"]
            report = run_json(command, Path(folder) / "out/summary.json")
            state = Path(folder) / f"out/state_{self.steps:06}.hdf"
            points = sum(report["patches"]["per_level"]) * 256
            report["bytes_per_point"] = state.stat().st_size / points
            return report

    def write(self, turn: int) -> dict:
        with self.folder() as folder:
            command = [str(self.programs / "checkpoint_write"), f"folder={folder}"]
            return run_json([*command, f"patches_x={self.patches_x}", f"turn={turn}"])


def measure_rounds(bench: Bench, repetitions: int) -> tuple[list[dict], list[dict], list[dict]]:
    """Reports of runs without checkpoints, with them, and of large states."""
    without, with_them, states = [], [], []
    progress = Progress()
    for turn in range(repetitions):
        progress.show(f"round {turn + 1} of {repetitions}")
        runs = [(0, without), (EVERY, with_them)]
        for every, reports in runs if turn % 2 == 0 else runs[::-1]:
            reports.append(bench.run(every))
        states.append(bench.write(turn))
    progress.show("")
    return without, with_them, states


def ratios(above: list[float], below: list[float]) -> Spread:
    """Of what was measured in the same round."""
    return Spread.of([a / b for a, b in zip(above, below)])


def values(reports: list[dict], name: str) -> list[float]:
    return [report[name] for report in reports]


def bandwidth(states: list[dict], name: str) -> Spread:
    return Spread.of([state["bytes"] / state[name] * 1e-6 for state in states])


@dataclass(frozen=True)
class Summary:
    """The reports of all rounds, in their order."""

    steps: int
    without: list[dict]
    with_them: list[dict]
    states: list[dict]

    def slowdown(self) -> Spread:
        return ratios(values(self.with_them, "wall_s"), values(self.without, "wall_s"))

    def over(self, peer: str) -> Spread:
        """The checkpoint's bandwidth over another way's to write the same."""
        return ratios(values(self.states, peer), values(self.states, "checkpoint_s"))

    def budgets(self) -> list[Budget]:
        over_plain = self.over("plain_s").middle
        return [
            Budget("run with checkpoints over without", MOST_SLOWDOWN, True, self.slowdown().middle),
            Budget("checkpoint over plain write", LEAST_BANDWIDTH, False, over_plain),
        ]


def table_lines(summary: Summary, judged: list[Budget]) -> list[str]:
    without, with_them, states = summary.without, summary.with_them, summary.states
    mebibytes = states[0]["bytes"] / 2**20
    packed_size = states[0]["packed_bytes"] / states[0]["bytes"]
    large_size = states[0]["bytes"] / states[0]["points"]
    lines = [
        "",
        f"Zalesak's disk, {summary.steps} base steps, a checkpoint every {EVERY}",
        f"  seconds without                     {spread(Spread.of(values(without, 'wall_s')))}",
        f"  seconds with                        {spread(Spread.of(values(with_them, 'wall_s')))}",
        f"  with over without, round by round   {spread(summary.slowdown())}",
        f"  bytes per point                     {number(with_them[0]['bytes_per_point'])}",
        "",
        f"a state of {mebibytes:.0f} MiB, MB/s until it is on the disk",
        f"  checkpoint                          {spread(bandwidth(states, 'checkpoint_s'))}",
        f"  plain write of the same bytes       {spread(bandwidth(states, 'plain_s'))}",
        f"  records by H5Dwrite                 {spread(bandwidth(states, 'library_s'))}",
        f"  compressed checkpoint, of {number(packed_size)} the size {spread(bandwidth(states, 'packed_s'))}",
        f"  checking it                         {spread(bandwidth(states, 'verify_s'))}",
        f"  checkpoint over plain               {spread(summary.over('plain_s'))}",
        f"  checkpoint over H5Dwrite            {spread(summary.over('library_s'))}",
        f"  bytes per point                     {number(large_size)}",
    ]
    return lines + budget_lines("budgets (medians)", judged)


def measure(programs: Path, repetitions: int | None, quick: bool) -> Measured:
    bench = Bench(programs, quick)
    begin = time.monotonic()
    without, with_them, states = measure_rounds(bench, repetitions or (1 if quick else REPETITIONS))
    seconds = time.monotonic() - begin
    summary = Summary(bench.steps, without, with_them, states)
    judged = summary.budgets()
    if quick:
        judged = unjudged(judged)
    hashes = {report["state_hash"] for report in without + with_them}
    failures = [] if len(hashes) == 1 else [f"the runs differ: {', '.join(sorted(hashes))}"]
    figures = {
        "budgets": budget_figures(judged),
        "without": without,
        "with": with_them,
        "states": states,
    }
    extent = f"{len(states)} round{'s' if len(states) > 1 else ''} in {seconds:.0f} s"
    workers = len(os.sched_getaffinity(0))
    return Measured(workers, extent, table_lines(summary, judged), figures, failures)
