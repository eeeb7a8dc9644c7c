"""Runs a program, once or several times at once, in one situation."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from children import explain
from machine import busy_seconds

from .plan import PHASE_PARTS, SYSTEMS, Case, Hog, Plan, Situation
from .quota import Course, Group

CASES = Path(__file__).resolve().parents[3] / "cases"
HOG_PROGRAM = Path(__file__).with_name("hog.py")
TIME_LIMIT = 5  # seconds; what is stopped counts with them
DISTURBING = 0.1  # of the cores, used by other processes meanwhile
# What would change how others wait.
FOREIGN = ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OMP_SCHEDULE", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


@dataclass(frozen=True)
class Outcome:
    """What the copies took, or why there is no figure."""

    turn: int
    seconds: float = 0.0  # converted: the mean of the copies over their number
    cpu_seconds: float = 0.0  # of all copies, their start included
    throttled: int = 0  # periods that the quota cut short
    result: str = ""  # the same in every run of a program
    stopped: bool = False  # at the time limit
    error: str = ""
    others_share: float = 0.0  # of the cores, that others than the busy loop used meanwhile

    @property
    def disturbed(self) -> bool:
        return self.others_share > DISTURBING


def children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def beside(hog: Hog | None) -> Iterator[None]:
    """With a busy loop that runs."""
    if hog is None:
        yield
        return
    cores = [str(max(os.sched_getaffinity(0)))] if hog.pinned else []
    command = [sys.executable, str(HOG_PROGRAM), str(hog.nice), str(hog.duty), *cores]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout.readline() != "ready\n":
                raise RuntimeError("the busy loop did not start")
            yield
        finally:
            process.kill()


@contextmanager
def within(situation: Situation) -> Iterator[Group | None]:
    """In a group with the situation's quota, if it has one."""
    if not situation.quota:
        yield None
        return
    group = Group()
    try:
        group.limit(situation.quota)
        yield group
    finally:
        group.close()


class Bench:
    def __init__(self, programs: Path, plan: Plan):
        self.programs = programs
        self.plan = plan
        self.cores = len(os.sched_getaffinity(0))
        self.steps_per_us = self._steps_per_us()

    def _steps_per_us(self) -> float:
        """Of the work that phases have, on a core of its own."""
        phases, steps = 5, 100_000
        command = [str(self.programs / "phases_serial"), f"phases={phases}", f"steps={steps}", f"parts={PHASE_PARTS}"]
        taken = []
        for _ in range(3):
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
            if done.returncode != 0:
                raise RuntimeError(f"phases_serial {explain(done.returncode, done.stderr)}")
            taken.append(json.loads(done.stdout)["seconds"])
        return phases * steps * PHASE_PARTS / min(taken) / 1e6

    def run(self, case: Case, turn: int) -> Outcome:
        """With what others used meanwhile. The busy loop has ended and counts as ours."""
        begin, busy, own = time.monotonic(), busy_seconds(), children_cpu()
        outcome = self.run_once(case, turn)
        others = busy_seconds() - busy - (children_cpu() - own)
        return replace(outcome, others_share=others / (time.monotonic() - begin) / os.cpu_count())

    def run_once(self, case: Case, turn: int) -> Outcome:
        situation = self.plan.parts[case.part].situations()[case.situation]
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=self.programs.parent, prefix="idle-"))
            commands = [self.command(case, situation, Path(folder) / str(n)) for n in range(situation.copies)]
            if not os.access(commands[0][0], os.X_OK):
                return Outcome(turn, error="absent: not installed when this was built")
            stack.enter_context(beside(situation.hog))
            group = stack.enter_context(within(situation))
            return self.run_copies(commands, case, group, situation.course, Path(folder), turn)

    def run_copies(self, commands, case: Case, group: Group | None, course, folder: Path, turn: int) -> Outcome:
        before = children_cpu()
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        copies = [
            subprocess.Popen(command, env=kept | SYSTEMS[case.system].environment, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=group.enter if group else None)
            for command in commands
        ]
        changes = Course(group, course) if group and course else None
        end = time.monotonic() + TIME_LIMIT
        outputs = [self.output_of(copy, end) for copy in copies]
        if changes:
            changes.end()
        stopped = any(output is None for output in outputs)
        failed = next((o for o in zip(copies, outputs) if o[1] is not None and o[0].returncode != 0), None)
        if failed is not None:
            return Outcome(turn, error=explain(failed[0].returncode, failed[1][1]))
        reports = [self.report(case, output[0], folder / str(n)) for n, output in enumerate(outputs) if output]
        seconds = [report[0] for report in reports] + [float(TIME_LIMIT)] * (len(copies) - len(reports))
        results = {report[1] for report in reports}
        return Outcome(
            turn,
            sum(seconds) / len(copies) ** 2,
            children_cpu() - before,
            group.throttled() if group else 0,
            " and ".join(sorted(results)),
            stopped,
        )

    @staticmethod
    def output_of(copy: subprocess.Popen, end: float) -> tuple[str, str] | None:
        """None if it had to be stopped."""
        try:
            return copy.communicate(timeout=max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            copy.kill()
            copy.communicate()
            return None

    def command(self, case: Case, situation: Situation, folder: Path) -> list[str]:
        program, system = self.plan.programs[case.program], SYSTEMS[case.system]
        workers = situation.workers(self.cores)
        if not program.benchmark:
            command = [str(self.programs / "kumiko"), "run", str(CASES / "zalesak/zalesak.toml"), "--quiet"]
            command += ["--backend", system.backend, "--workers", str(workers), "--output", str(folder)]
            command += ["--set", f"time.stop_step={program.steps}"]
            return command + (["--set", f"runtime.idle={system.idle}"] if system.idle else [])
        executable = "kumiko-invoke" if program.benchmark == "fib" else system.program
        arguments = program.arguments | {"workers": str(workers)}
        if system.idle:
            arguments["idle"] = system.idle
        if program.phase_us:
            work = program.phase_us * self.steps_per_us * self.cores
            arguments |= {"parts": str(PHASE_PARTS), "steps": str(max(1, round(work / PHASE_PARTS)))}
        words = [f"{name}={value}" for name, value in arguments.items()]
        return [str(self.programs / f"{program.benchmark}_{executable}"), *words]

    def report(self, case: Case, output: str, folder: Path) -> tuple[float, str]:
        """Seconds, and what was computed."""
        if self.plan.programs[case.program].benchmark:
            said = json.loads(output)
            return said["seconds"], json.dumps(said["result"])
        said = json.loads((folder / "summary.json").read_text())
        return said["wall_s"], said["state_hash"]
