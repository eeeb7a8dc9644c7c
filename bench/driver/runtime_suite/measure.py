"""Runs one program and checks what it says."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from children import explain

from .plan import BENCHMARKS, SYSTEMS, Case, is_serial

TIME_LIMIT = 30  # seconds


@dataclass(frozen=True)
class Outcome:
    """A report, or why there is none."""

    report: dict | None = None
    error: str | None = None


def program_of(case: Case, folder: Path) -> Path:
    return folder / f"{case.benchmark}_{SYSTEMS[case.system].program}"


def run_case(case: Case, folder: Path) -> Outcome:
    program = program_of(case, folder)
    if not program.exists():
        return Outcome(error="absent: not installed when this was built")
    system = SYSTEMS[case.system]
    arguments = dict(case.size) | system.arguments
    if not is_serial(case.system):
        arguments["workers"] = str(case.workers)
    words = [f"{name}={value}" for name, value in arguments.items()]
    outcome = run([str(program), *words], os.environ | system.environment)
    if outcome.report is None:
        return outcome
    expected = BENCHMARKS[case.benchmark].expected(dict(case.size))
    if outcome.report["result"] != expected:
        return Outcome(error=f"wrong result: {outcome.report['result']}, not {expected}")
    return outcome


def run(command: list[str], environment: dict[str, str]) -> Outcome:
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT
        )
    except subprocess.TimeoutExpired:
        return Outcome(error=f"stopped after {TIME_LIMIT} s")
    if done.returncode != 0:
        return Outcome(error=explain(done.returncode, done.stderr))
    try:
        return Outcome(report=json.loads(done.stdout))
    except json.JSONDecodeError:
        return Outcome(error="printed no report")


def run_breakdown(folder: Path) -> dict[str, float] | None:
    """The parts of spawn and join in ns, None if they could not be measured."""
    command = [str(folder / "breakdown"), "--benchmark_format=json", "--benchmark_min_time=0.1"]
    try:
        outcome = run(command, dict(os.environ))
    except OSError:
        return None
    if outcome.report is None:
        return None
    return {part["name"]: part["cpu_time"] for part in outcome.report["benchmarks"]}
