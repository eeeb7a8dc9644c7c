"""Counts instructions, which do not depend on who else uses the machine."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from kumiko.program import Ended, Stopped, run_program
from programs import explain

SOURCE = Path(__file__).resolve().parents[2] / "compare/count_instructions.cpp"
TRAP_FLAG, CALLGRIND = "trap flag", "callgrind"
TIME_LIMIT = 600  # seconds: a counted instruction takes microseconds


class NoCount(Exception):
    """Why there is no count."""


class TrapCounter:
    """Steps through what a benchmark program measures, by the processor's trap flag."""

    name = TRAP_FLAG

    def __init__(self, folder: Path):
        """Compiles the library that is preloaded, into this folder."""
        if platform.machine() != "x86_64":
            raise NoCount("the trap flag is x86-64's")
        self.library = folder / "libcount_instructions.so"
        folder.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(SOURCE)]
        done = subprocess.run([*command, "-o", str(self.library)], capture_output=True, text=True)
        if done.returncode != 0:
            raise NoCount(f"{SOURCE.name} does not compile: {done.stderr.strip()}")

    def count(self, command: list[str]) -> int:
        # On one core: a worker that has ended its work would search for more until the main thread is awake.
        core = min(os.sched_getaffinity(0))
        command = ["taskset", "--cpu-list", str(core), *command]
        done = run(command, os.environ | {"LD_PRELOAD": str(self.library)})
        found = re.search(r"^instructions (\d+)$", done.messages, re.MULTILINE)
        if not found or int(found[1]) == 0:
            raise NoCount(f"{Path(command[3]).name} was not counted")
        return int(found[1])


def count_whole(command: list[str]) -> int:
    """What a whole program executes, by callgrind, which knows no AVX-512."""
    if shutil.which("valgrind") is None:
        raise NoCount("valgrind is not installed")
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    done = run(words, os.environ | {"KUMIKO_ISA": "avx2"})
    found = re.search(r"Collected\s*:\s*(\d+)", done.messages)
    if not found:
        raise NoCount("callgrind printed no count")
    return int(found[1])


def run(command: list[str], environment: dict[str, str]) -> Ended:
    try:
        done = run_program(command, environment=environment, limit=TIME_LIMIT)
    except Stopped as stopped:
        raise NoCount(str(stopped)) from None
    if done.code != 0:
        raise NoCount(explain(done.code, done.messages))
    return done
