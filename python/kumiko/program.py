"""Runs `kumiko` and other programs: waits for them, ends them with this one, and raises what they report."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

ERROR_MARK = "kumiko: error: "
WARNING_MARKS = ("kumiko: warning: ", "kumiko: note: ")
TIME_TO_END = 5.0  # seconds that a program gets to end after a signal
POLL = 0.01  # seconds
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Record = dict[str, Any]  # a JSON object


class Refused(Exception):
    """A request that cannot be carried out as it stands; the message says what to change. Exit code 2."""


class Failed(Exception):
    """Work that failed. Exit code 1."""


class Interrupted(Failed):
    """A signal has ended the work."""


def counted(count: int, one: str) -> str:
    """ "1 worker", "2 workers"."""
    return f"{count} {one}{'' if count == 1 else 's'}"


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    to_stderr(WARNING_MARKS[0] + text)


class Signals:
    """Notes the signals that end a program, while it is entered; the programs that it has started get them too."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._earlier: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        self.signal = None
        self._earlier = {number: signal.signal(number, self._note) for number in ENDING}
        return self

    def __exit__(self, *_: object) -> None:
        for number, earlier in self._earlier.items():
            signal.signal(number, earlier)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.signal = self.signal or number

    def text(self) -> str:
        assert self.signal is not None
        return f"ended by signal {self.signal} ({signal.Signals(self.signal).name})"


@contextmanager
def _started(
    command: Sequence[str] | str, signals: Signals | None, environment: Mapping[str, str] | None
) -> Iterator[subprocess.Popen[str]]:
    """A program in a process group of its own, so that Ctrl-C reaches this one alone. The group ends with the block."""
    if signals is not None and signals.signal is not None:
        raise Interrupted(signals.text())
    process = subprocess.Popen(
        command, shell=isinstance(command, str), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, env=environment,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@dataclass(frozen=True)
class Ended:
    """A program that has ended."""

    code: int  # negative: the signal that ended it
    output: str
    messages: str  # that it printed on stderr


class Stopped(Failed):
    """A program took longer than it was allowed to."""


def run_program(
    command: Sequence[str] | str,
    signals: Signals | None = None,
    environment: Mapping[str, str] | None = None,
    limit: float = math.inf,  # seconds
) -> Ended:
    """Runs a program, or a command of the shell, and waits for its end. A signal that comes meanwhile is handed on as
    SIGTERM to the program and those that it has started, which get some seconds to end; so is the end of the time
    limit. Raises Interrupted or Stopped then."""
    output = messages = ""
    with _started(command, signals, environment) as process:
        end = time.monotonic() + limit
        deadline: float | None = None  # once it has been asked to end
        while True:
            wait = min((end if deadline is None else deadline) - time.monotonic(), threading.TIMEOUT_MAX)
            try:
                output, messages = process.communicate(timeout=max(0.0, wait if signals is None else min(wait, POLL)))
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if deadline is not None and now > deadline:
                    break
                if deadline is None and (now >= end or (signals is not None and signals.signal is not None)):
                    os.killpg(process.pid, signal.SIGTERM)
                    deadline = now + TIME_TO_END
    if signals is not None and signals.signal is not None:
        raise Interrupted(signals.text())
    if deadline is not None:
        raise Stopped(f"stopped after {limit:g} s")
    return Ended(process.returncode, output, messages)


def _is_ruler(line: str) -> bool:
    """True if a launcher draws this line between paragraphs."""
    return not line.strip("-=* ")


def reason(messages: str) -> str:
    """Why a program has failed: its own error, or else a launcher's words within rulers, or else the last line."""
    paragraph: list[str] = []
    rulers = 0
    for line in messages.splitlines():
        if ERROR_MARK in line:
            return line.partition(ERROR_MARK)[2]
        if _is_ruler(line):
            rulers += bool(line)
        elif rulers == 1:
            paragraph.append(line)
    lines = [line for line in messages.splitlines() if line.strip()]
    return " ".join(paragraph) or (lines[-1] if lines else "it printed no message")


@dataclass(frozen=True)
class Job:
    """One run to make: a configuration with changes, on a backend with workers, perhaps on ranks."""

    config: str
    settings: tuple[str, ...] = ()  # KEY=VALUE
    solver: str = ""  # in place of the configuration's, with its defaults
    backend: str = "threads"
    workers: int = 0  # 0: as the configuration says
    plugin_path: tuple[str, ...] = ()
    ranks: int = 0  # 0: without a launcher
    launcher: str = ""  # a command of the shell with {ranks} and perhaps {workers} in it

    def words(self) -> list[str]:
        words = [self.config, "--backend", self.backend]
        if self.solver:
            words += ["--solver", self.solver]
        if self.workers:
            words += ["--workers", str(self.workers)]
        for setting in self.settings:
            words += ["--set", setting]
        for path in self.plugin_path:
            words += ["--plugin-path", path]
        return words


@dataclass
class Kumiko:
    """The program `kumiko`."""

    path: str = field(default_factory=lambda: os.environ.get("KUMIKO") or shutil.which("kumiko") or "kumiko")
    signals: Signals | None = None

    def run(self, job: Job) -> Record:
        """Makes a run that writes no files. Returns its summary. Raises Refused, Failed, Interrupted."""
        return self._json(job, "--no-files")

    def dry_run(self, job: Job) -> Record:
        """Checks a run, builds its first mesh, and forecasts it. Raises as run() does."""
        return self._json(job, "--dry-run", "--no-files")

    def describe(self, job: Job, relay: bool = False) -> Record:
        """The effective configuration, and what the case and the solver declare; builds no mesh. Raises as run().

        relay: print the program's warnings and notes, and those of plugins, as its own."""
        return self._json(job, "--print-config", relay=relay)

    def _json(self, job: Job, *options: str, relay: bool = False) -> Record:
        words = [self.path, "run", *job.words(), "--quiet", "--json", *options]
        command: Sequence[str] | str = words
        if job.launcher:
            command = f"{launch_words(job)} {shlex.join(words)}"
        try:
            ended = run_program(command, self.signals)
        except FileNotFoundError:
            raise Failed(f"there is no program '{self.path}'; name it by the environment's KUMIKO") from None
        if ended.code != 0:
            _raise(ended, job)
        if relay and ended.messages:
            to_stderr(ended.messages.rstrip("\n"))
        try:
            record = json.loads(ended.output)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise Failed(f"{job_text(job)}the run printed no summary")
        return record


def launch_words(job: Job) -> str:
    return job.launcher.replace("{ranks}", str(job.ranks)).replace("{workers}", str(job.workers))


def job_text(job: Job) -> str:
    """The beginning of a message on a run by a launcher; empty for others."""
    if not job.launcher:
        return ""
    return f"{counted(job.ranks, 'rank')}, {counted(job.workers, 'worker')} each, by '{launch_words(job)}': "


def _raise(ended: Ended, job: Job) -> None:
    why = reason(ended.messages)
    if not job.launcher:
        if ended.code == 2:
            raise Refused(why)
        if ended.code < 0:
            why = f"the run was ended by signal {-ended.code}"
        raise Failed(why)
    as_root = "--allow-run-as-root"
    if as_root in why:
        launcher, _, rest = job.launcher.partition(" ")
        why += f"; here that is --launcher '{launcher} {as_root} {rest}'"
    code = ended.code if ended.code >= 0 else 128 - ended.code
    raise Failed(f"{job_text(job)}ended with status {code}: {why}")


STEPS_NEEDED = re.compile(r"'time\.steps' must be (\d+) at least")


def steps_needed(error: Exception) -> int | None:
    """The number of base steps that an error asks for, because steps are too long for a solver; None for others."""
    found = STEPS_NEEDED.search(str(error))
    return int(found.group(1)) if found else None
