"""What the studies share: their request, their course from plan to figures, and their files."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from .program import NOTE_MARK, Failed, Interrupted, Job, Kumiko, Record, Refused, Signals, to_stderr, warn

Found = TypeVar("Found")

STDOUT = "-"  # stands for stdout as the file of the results
FIGURE_FORMATS = ("svg", "pdf", "png")
WITHOUT_FILES = ("output", "checkpoint", "trace")  # tables of keys without effect on runs that write no files


def key_of(setting: str) -> str:
    """The key of KEY=VALUE."""
    return setting.partition("=")[0].strip()


def replaced(settings: tuple[str, ...], changes: tuple[str, ...]) -> tuple[str, ...]:
    """Settings with changes in place of earlier values of the same keys."""
    changed = {key_of(change) for change in changes}
    return (*(setting for setting in settings if key_of(setting) not in changed), *changes)


@dataclass
class Request:
    """A case to study, and where the results go. Paths are relative to the caller's folder."""

    config: str
    settings: tuple[str, ...] = ()  # KEY=VALUE
    workers: int = 0  # 0: as the configuration says
    plugin_path: tuple[str, ...] = ()
    backend: str = "threads"
    repetitions: int = 1
    output: str = ""  # folder of the files; empty: none
    overwrite: bool = False  # whether files of an earlier study are replaced
    summary: str = ""  # file of the JSON, or STDOUT; empty: none
    format: str = "svg"  # of figures: one of FIGURE_FORMATS
    quiet: bool = False

    def __post_init__(self) -> None:
        for name in ("settings", "plugin_path"):
            if isinstance(getattr(self, name), str):
                raise Refused(f"{name} is a text; give several in a tuple, as in {name}=('...',)")
        if self.format not in FIGURE_FORMATS:
            raise Refused(f"the format of figures is '{self.format}'; it can be {', '.join(FIGURE_FORMATS)}")

    def job(self, settings: tuple[str, ...] = (), **changes: Any) -> Job:
        """A run of the case, with settings in place of the request's for the same keys."""
        all_settings = replaced(tuple(self.settings), settings)
        own = Job(self.config, all_settings, "", self.backend, self.workers, tuple(self.plugin_path))
        return replace(own, **changes)

    def setting_of(self, key: str) -> str:
        """The last setting of a key as the command line has it, "--set KEY=VALUE"; empty without one."""
        return next((f"--set {setting}" for setting in reversed(self.settings) if key_of(setting) == key), "")


def refuse_stop_step(description: Record) -> None:
    """Refuses time.stop_step for runs that choose their steps. Raises Refused."""
    run = description["run"]
    if run["steps"] == 0 and run["stop_step"]:
        raise Refused(
            f"time.stop_step is {run['stop_step']}, but runs that choose their steps by time.cfl stop at different "
            "times then; set time.end instead"
        )


class Progress:
    """One line on the terminal, nothing elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._is_shown = not quiet and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def show(self, text: str) -> None:
        if self._is_shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def writing(place: Path | str) -> Iterator[None]:
    """Turns an error of the system into Failed, which names the place."""
    try:
        yield
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "; free space there, or name another place" if is_full else ""
        raise Failed(f"cannot write '{place}': {error.strerror or error}{remedy}") from None


def write_text(file: Path, text: str) -> None:
    """Replaces a file whole, or leaves it as it was; through a link, the file that it leads to. Raises Failed."""
    target = Path(os.path.realpath(file))
    with writing(file):
        descriptor, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(text)
            os.chmod(part, 0o666 & ~_umask())
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def as_text(record: Record) -> str:
    """JSON as all commands write it."""
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def draw_all(figures: Mapping[Path, Callable[[Path], None]]) -> None:
    """Draws figures by matplotlib. Prints a note where it is missing or cannot be loaded. Raises Failed for a file that
    cannot be written."""
    try:
        for path, draw in figures.items():
            with writing(path):
                draw(path)
    except ImportError as error:
        names = " and ".join(path.name for path in figures)
        missing = "has no matplotlib" if isinstance(error, ModuleNotFoundError) else f"cannot load matplotlib ({error})"
        to_stderr(
            f"{NOTE_MARK}{names} {'are' if len(figures) > 1 else 'is'} left out, since {sys.executable} {missing}; "
            "install it (Debian: python3-matplotlib), or start the study by another Python: kumiko takes that of the "
            "environment variable KUMIKO_PYTHON"
        )


class Study(ABC, Generic[Found]):
    """A study from its plan to its figures. A subclass says what is planned, measured and found."""

    what: str  # names it in messages: "comparison"
    text_files: Mapping[str, Callable[[Found], str]] = {}  # by name in the folder of --output: its text
    figure_files: Mapping[str, Callable[[Found, Path], None]] = {}  # there, without their suffix: what draws it
    quiet_remedy = "name a folder by --output, or a file by --summary"

    def __init__(self, request: Request, kumiko: Kumiko | None) -> None:
        self.request = request
        self.kumiko = kumiko or Kumiko()
        self.progress = Progress(request.quiet)
        self._lock = -1  # the folder of --output, held until the study ends
        self._made = False  # the folder; it is removed again if nothing comes into it

    def try_first_state(self, attempt: Callable[[], object]) -> None:
        """Calls attempt(), which makes a dry run. Raises Refused, Interrupted; a step that fails is not the request's
        fault, and the run will report it."""
        try:
            attempt()
        except Interrupted:
            raise
        except Failed:
            pass

    @abstractmethod
    def plan(self) -> Found:
        """Tries what is to be run, so that a wrong request is refused before the first run. Raises Refused."""

    @abstractmethod
    def measure(self, found: Found, after: Callable[[], None]) -> None:
        """Makes the runs; calls `after` after each. Raises Failed, Interrupted."""

    @abstractmethod
    def has_results(self, found: Found) -> bool:
        """True if something is worth showing."""

    @abstractmethod
    def report(self, found: Found) -> str: ...

    @abstractmethod
    def record(self, found: Found) -> Record:
        """Everything that was found, for JSON."""

    def end(self, found: Found) -> None:
        """Called after the results are shown. Raises Failed where they are not whole."""

    def carry_out(self) -> Found:
        """Makes the study, prints its results, and writes its files. Raises Refused before the first run, Failed, and
        Interrupted with what was found until then written and shown."""
        self.check()
        signals = Signals()
        self.kumiko.signals = signals
        ended: Failed | None = None
        try:
            with signals:
                found = self.plan()
                self._begin()
                try:
                    self.measure(found, lambda: self._write(found))
                except Failed as error:
                    if not self.has_results(found):
                        raise
                    ended = error
            self.progress.show("")
            self.show(found)
        finally:
            self.progress.show("")
            self.kumiko.signals = None
            self.kumiko.scratch = None
            if self._lock >= 0:
                os.close(self._lock)
                if self._made:
                    with suppress(OSError):  # one with results stays
                        os.rmdir(self.request.output)
        if ended:
            raise ended
        self.end(found)
        return found

    def check(self) -> None:
        """Refuses what would lose something, or leave nothing. Changes nothing. Raises Refused."""
        request = self.request
        if request.quiet and not request.output and not request.summary:
            raise Refused(
                f"--quiet: the results of the {self.what} would be lost; {self.quiet_remedy}, or leave out --quiet"
            )
        for setting in request.settings:
            if setting.partition(".")[0].strip() in WITHOUT_FILES:
                warn(f"--set {setting} has no effect: the runs of a {self.what} write no files of their own")
        if not request.output:
            return
        if request.summary and Path(request.summary).resolve() in [path.resolve() for path in self._paths()]:
            raise Refused(
                f"--summary: '{request.summary}' is the name of another file of the {self.what}; choose another name"
            )
        folder = Path(request.output)
        above = next((path for path in (folder, *folder.absolute().parents) if path.exists()), Path("/"))
        if not above.is_dir():
            raise Refused(f"--output: '{above}' is not a folder; name another one with --output")
        if not os.access(above, os.W_OK | os.X_OK):
            raise Refused(f"--output: cannot write to '{above}'; name another folder with --output")
        for path in self._paths():
            if path.exists() and not request.overwrite:
                raise Refused(
                    f"'{path}' already exists; replace the {self.what} in that folder with --overwrite, or name "
                    "another folder with --output"
                )

    def _paths(self) -> list[Path]:
        """Every file that a study of its kind writes into its folder."""
        figures = [f"{name}.{suffix}" for name in self.figure_files for suffix in FIGURE_FORMATS]
        return [Path(self.request.output) / name for name in (*self.text_files, *figures)]

    def _begin(self) -> None:
        """Makes the folder, and removes earlier results: they must not be taken for these."""
        request = self.request
        if request.output:
            with writing(request.output):
                self._made = not os.path.exists(request.output)
                os.makedirs(request.output, exist_ok=True)
                self._lock = os.open(request.output, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused(
                    f"another study is writing into '{request.output}'; name another folder with --output"
                ) from None
            self.kumiko.scratch = Path(request.output)
        files = self._paths() if request.output else []
        if request.summary and request.summary != STDOUT:
            files.append(Path(request.summary))
        for path in files:
            with writing(path):
                path.unlink(missing_ok=True)

    def _write(self, found: Found) -> None:
        """Writes what is found so far, but for figures, which take their time."""
        request = self.request
        if request.output:
            for name, text_of in self.text_files.items():
                write_text(Path(request.output) / name, text_of(found))
        if request.summary and request.summary != STDOUT:
            write_text(Path(request.summary), as_text(self.record(found)))

    def show(self, found: Found) -> None:
        """Writes and prints the results, and draws the figures. What cannot be written is printed all the same."""
        request = self.request
        unwritten: Failed | None = None
        try:
            self._write(found)
        except Failed as error:
            unwritten = error
        if request.summary == STDOUT:
            print_saved(as_text(self.record(found)), "")
        elif not request.quiet:
            is_saved = unwritten is None and bool(request.output)
            place = f"\nfiles in {request.output.rstrip('/')}/\n" if is_saved else ""
            print_saved(self.report(found) + place, "" if unwritten else request.output or request.summary)
        if unwritten:
            raise unwritten
        if request.output:
            figures = {
                Path(request.output) / f"{name}.{request.format}": partial(draw, found)
                for name, draw in self.figure_files.items()
            }
            with Signals() as signals:  # Ctrl-C takes effect after the figures, which take a second or two
                draw_all(figures)
            if signals.signal is not None:
                raise Interrupted(signals.text())


def print_saved(text: str, place: str) -> None:
    """Prints results. Where stdout is closed or full, those that are in a file are not lost, and a warning says so;
    else raises Failed."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python would flush the rest once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not place:
            raise Failed(f"cannot write to stdout: {error.strerror}") from None
        warn(f"cannot write to stdout; the results are in '{place}'")
