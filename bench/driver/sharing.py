"""Runs programs, once or several times at once, where others want the cores: a busy loop, a quota, copies."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from machine import children_seconds
from programs import Failed, explain
from quota import Course, Group

HOG_PROGRAM = Path(__file__).with_name("hog.py")


@dataclass(frozen=True)
class Hog:
    """A busy loop beside the program."""

    nice: int = 0
    duty: float = 1.0
    pinned: bool = False

    @property
    def share(self) -> float:
        """The part of a core that it takes from a program of nice 0. A weight of the Linux scheduler is 1024 at nice 0
        and 110 at nice 10."""
        weight = 110 if self.nice == 10 else 1024
        return self.duty * weight / (weight + 1024)


@dataclass(frozen=True)
class Situation:
    title: str
    copies: int = 1
    times_workers: int = 1  # workers for each core
    one_worker: bool = False
    hog: Hog | None = None
    quota: float = 0.0  # cores; 0: none
    course: tuple[tuple[float, float], ...] = ()  # how a quota changes: seconds, cores

    def workers(self, cores: int) -> int:
        return 1 if self.one_worker else cores * self.times_workers

    def cores_left(self, cores: int) -> float:
        left = cores - (self.hog.share if self.hog else 0.0)
        return min(left, self.quota) if self.quota else left

    def ideal_seconds(self, work: float, cores: int) -> float:
        """How long `work` seconds of one worker on a free core take where all cores that are left are always used;
        converted, where there are copies."""
        begin, rate = 0.0, self.cores_left(cores)
        for until, quota in self.course:
            done = (until - begin) * rate
            if done >= work:
                break
            work -= done
            begin, rate = until, min(quota, cores)
        return begin + work / rate


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
                raise Failed("the busy loop did not start")
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


def run_copies(commands: list[list[str]], environment: dict, situation: Situation, limit: float) -> tuple[list, dict]:
    """The output of each copy, None for one that was stopped at the time limit, and the usage of all. Raises Failed."""
    with ExitStack() as stack:
        stack.enter_context(beside(situation.hog))
        group = stack.enter_context(within(situation))
        before = children_seconds()
        copies = [
            subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=group.enter if group else None)
            for command in commands
        ]
        changes = Course(group, situation.course) if group and situation.course else None
        end = time.monotonic() + limit
        outputs = [output_of(copy, end) for copy in copies]
        if changes:
            changes.end()
        used = {"cpu_seconds": children_seconds() - before, "throttled": group.throttled() if group else 0}
    for copy, output in zip(copies, outputs, strict=True):
        if output is not None and copy.returncode != 0:
            raise Failed(explain(copy.returncode, output[1]))
    return [None if output is None else output[0] for output in outputs], used


def output_of(copy: subprocess.Popen, end: float) -> tuple[str, str] | None:
    """None if it had to be stopped."""
    try:
        return copy.communicate(timeout=max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        copy.kill()
        copy.communicate()
        return None
