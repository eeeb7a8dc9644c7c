"""Runs `kumiko` and other programs: waits for them, ends them with this one, and raises what they report."""

from __future__ import annotations

import json
import math
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

ERROR_MARK = "kumiko: error: "
WARNING_MARK = "kumiko: warning: "
NOTE_MARK = "kumiko: note: "
TIME_TO_END = 5.0  # seconds that a program gets to end after a signal
# A batch system sends SIGXCPU at the limit of time, and some SIGUSR1 shortly before it, which runs answer.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)

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
    to_stderr(WARNING_MARK + text)


class Stopped(Failed):
    """A program took longer than it was allowed to."""


class Signals:
    """Notes the signals that end a program while it is entered, in the main thread. Signals that are ignored, such as
    nohup's SIGHUP, stay so; SIGUSR1 has no effect."""

    def __init__(self) -> None:
        self.signal: int | None = None  # the first one
        self.is_urgent = False  # whether SIGINT came again
        self.wake_up = -1  # a file descriptor that can be read once a signal has come
        self._earlier: dict[int, Any] = {}
        self._pipe: tuple[int, int] | None = None
        self._earlier_wake_up = -1  # the caller's own, such as an event loop's

    def __enter__(self) -> Signals:
        self.signal = None
        self.is_urgent = False
        if threading.current_thread() is not threading.main_thread():
            return self
        self._pipe = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        self.wake_up = self._pipe[0]
        self._earlier_wake_up = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for number in (*ENDING, signal.SIGUSR1):
            earlier = signal.getsignal(number)
            if earlier != signal.SIG_IGN:
                self._earlier[number] = earlier
                signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, earlier in self._earlier.items():
            signal.signal(number, earlier)
        self._earlier = {}
        if self._pipe is not None:
            signal.set_wakeup_fd(self._earlier_wake_up)
            for end in self._pipe:
                os.close(end)
        self._pipe = None
        self.wake_up = -1

    def _note(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGUSR1:
            return
        self.is_urgent = self.is_urgent or (self.signal is not None and number == signal.SIGINT)
        self.signal = self.signal or number

    def text(self) -> str:
        assert self.signal is not None
        return f"ended by signal {self.signal} ({signal.Signals(self.signal).name})"


@dataclass(frozen=True)
class Ended:
    """A program that has ended."""

    code: int  # negative: the signal that ended it
    output: str
    messages: str  # that it printed on stderr


def _ending_with_this(command: Sequence[str] | str) -> list[str]:
    """The command so that it gets SIGTERM when this program ends, however that ends, where util-linux is there."""
    words = ["sh", "-c", command] if isinstance(command, str) else list(command)
    if shutil.which(words[0]) is None:
        raise FileNotFoundError(words[0])
    prefix = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    return prefix + words


def _pid_fd(pid: int) -> int:
    """A file descriptor that can be read once the program has ended."""
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        raise Failed(f"studies need Linux 5.3 or newer (pidfd_open: {error.strerror})") from None


def _wait(process: subprocess.Popen[bytes], signals: Signals | None, limit: float) -> bool:
    """Waits for the end of a program, without polling. A signal, or the end of its time limit, is handed on to its
    group as SIGTERM. Then it gets some seconds to end, and none after a second Ctrl-C. Returns whether it was asked to
    end."""
    pid_fd = _pid_fd(process.pid)
    end = time.monotonic() + limit
    deadline: float | None = None  # once it has been asked to end
    try:
        while True:
            left = (end if deadline is None else deadline) - time.monotonic()
            watched = [pid_fd] if signals is None or signals.wake_up < 0 else [pid_fd, signals.wake_up]
            ready = select.select(watched, [], [], None if math.isinf(left) else max(0.0, left))[0]
            if pid_fd in ready:
                return deadline is not None
            if ready:
                assert signals is not None
                os.read(signals.wake_up, 4096)
                if signals.signal is None:
                    continue
            if deadline is not None and (not ready or (signals is not None and signals.is_urgent)):
                return True
            if deadline is None:
                os.killpg(process.pid, signal.SIGTERM)
                deadline = time.monotonic() + TIME_TO_END
                if signals is not None and signals.signal == signal.SIGINT:
                    to_stderr("kumiko: ending after the base steps under way; Ctrl-C once more ends at once")
    finally:
        os.close(pid_fd)


def run_program(
    command: Sequence[str] | str,
    signals: Signals | None = None,
    environment: Mapping[str, str] | None = None,
    limit: float = math.inf,  # seconds
) -> Ended:
    """Runs a program, or a command of the shell, in a process group of its own, so that Ctrl-C reaches this program
    alone, and waits for its end; then no program of the group is left. Raises Interrupted after a signal, Stopped
    after the time limit."""
    if signals is not None and signals.signal is not None:
        raise Interrupted(signals.text())
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            _ending_with_this(command), stdin=subprocess.DEVNULL, stdout=output, stderr=messages,
            start_new_session=True, env=environment,
        )  # fmt: skip
        try:
            was_asked = _wait(process, signals, limit)
        finally:
            # Before the program is waited for: its group cannot be another one's yet.
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        if signals is not None and signals.signal is not None:
            raise Interrupted(signals.text())
        if was_asked:
            raise Stopped(f"stopped after {limit:g} s")
        texts = []
        for stream in (output, messages):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return Ended(code, *texts)


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

    def __post_init__(self) -> None:
        for name in ("settings", "plugin_path"):
            if isinstance(getattr(self, name), str):
                raise Refused(f"{name} is a text; give several in a tuple, as in {name}=('...',)")

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
    scratch: Path | None = None  # folder for the summaries of runs by launchers; None: that of temporary files
    _relayed: set[str] = field(default_factory=set)

    def run(self, job: Job) -> Record:
        """Makes a run that writes no files. Returns its summary. Prints its warnings, each once. Raises Refused,
        Failed, Interrupted."""
        if job.launcher:
            return self._launch(job)
        ended = self._execute(job, "--no-files", "--json")
        self._relay(line for line in ended.messages.splitlines() if line.startswith(WARNING_MARK))
        return _record(ended.output, job)

    def dry_run(self, job: Job) -> Record:
        """Checks a run, builds its first mesh, and forecasts it. Raises as run() does."""
        return _record(self._execute(job, "--dry-run", "--no-files", "--json").output, job)

    def describe(self, job: Job, relay: bool = False) -> Record:
        """The effective configuration, and what the case and the solver declare; builds no mesh. Raises as run().

        relay: print what the program and plugins say meanwhile."""
        ended = self._execute(job, "--print-config", "--json")
        if relay:
            self._relay(ended.messages.splitlines())
        return _record(ended.output, job)

    def _relay(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line not in self._relayed:
                self._relayed.add(line)
                to_stderr(line)

    def _launch(self, job: Job) -> Record:
        """The summary comes by a file, since launchers print on stdout, and label what others print."""
        with tempfile.TemporaryDirectory(prefix=".kumiko-ranks-", dir=self.scratch) as folder:
            file = Path(folder) / "summary.json"
            self._execute(job, "--no-files", "--summary", str(file))
            return _record(file.read_text(encoding="utf-8") if file.exists() else "", job)

    def _execute(self, job: Job, *options: str) -> Ended:
        words = [self.path, "run", *job.words(), "--quiet", *options]
        command: Sequence[str] | str = words
        if job.launcher:
            command = f"{launch_words(job)} {shlex.join(words)}"
        try:
            ended = run_program(command, self.signals)
        except FileNotFoundError:
            raise Refused(
                f"there is no program '{self.path}'; name it by the environment variable KUMIKO, or as Kumiko(PATH)"
            ) from None
        if ended.code != 0:
            _raise(ended, job)
        return ended


def _record(text: str, job: Job) -> Record:
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if isinstance(record, dict):
        return record
    if job.launcher:
        raise Failed(f"{job_text(job)}no summary was found; name a folder with --output that the hosts share")
    raise Failed(f"the run printed no summary, but '{text[:40]}'")


def launch_words(job: Job) -> str:
    return job.launcher.replace("{ranks}", str(job.ranks)).replace("{workers}", str(job.workers))


def job_text(job: Job) -> str:
    """The beginning of a message on a run by a launcher; empty for others."""
    if not job.launcher:
        return ""
    return f"{counted(job.ranks, 'rank')}, {counted(job.workers, 'worker')} each, by '{launch_words(job)}': "


def _raise(ended: Ended, job: Job) -> NoReturn:
    why = reason(ended.messages)
    if not job.launcher:
        if ended.code == 2:
            raise Refused(why)
        raise Failed(why if ended.code > 0 else f"the run was ended by signal {-ended.code}")
    as_root = "--allow-run-as-root"
    if as_root in why:
        launcher, _, rest = job.launcher.partition(" ")
        why += f"; here that is --launcher '{launcher} {as_root} {rest}'"
    code = ended.code if ended.code >= 0 else 128 - ended.code
    if code in (126, 127):  # the shell's, of a command that cannot be started
        raise Refused(f"--launcher '{launch_words(job)}': {why}; name a program that starts ranks")
    raise Failed(f"{job_text(job)}ended with status {code}: {why}")


STEPS_NEEDED = re.compile(r"'time\.steps' must be (\d+) at least")


def steps_needed(error: Exception) -> int | None:
    """The number of base steps that an error asks for, because steps are too long for a solver; None for others."""
    found = STEPS_NEEDED.search(str(error))
    return int(found.group(1)) if found else None
