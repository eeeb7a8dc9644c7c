"""What the studies share: their request, their files, and what they print at the end."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .program import Job, Refused, to_stderr, warn

STDOUT = "-"  # stands for stdout as the file of the results
FILES_REMEDY = "name a folder by --output, or a file by --summary"
WITHOUT_FILES = ("output", "checkpoint", "trace")  # tables of keys without effect on runs that write no files


def key_of(setting: str) -> str:
    """The key of KEY=VALUE."""
    return setting.partition("=")[0].strip()


@dataclass
class Request:
    """A case to study, and where the results go. Paths are of the caller's folder."""

    config: str
    settings: tuple[str, ...] = ()  # KEY=VALUE
    workers: int = 0  # 0: as the configuration says
    plugin_path: tuple[str, ...] = ()
    backend: str = "threads"
    repetitions: int = 1
    output: str = ""  # folder of the files; empty: none
    overwrite: bool = False  # whether files of an earlier study are replaced
    summary: str = ""  # file of the JSON, or STDOUT; empty: none
    format: str = "svg"  # of figures: svg, pdf or png
    quiet: bool = False

    def job(self, **changes: Any) -> Job:
        own = Job(self.config, tuple(self.settings), "", self.backend, self.workers, tuple(self.plugin_path))
        return replace(own, **changes)

    def setting_of(self, key: str) -> str:
        """The last setting of a key as the command line has it, "--set KEY=VALUE"; empty without one."""
        return next((f"--set {setting}" for setting in reversed(self.settings) if key_of(setting) == key), "")


class Progress:
    """One line on the terminal, nothing elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self._is_shown = not quiet and sys.stderr.isatty()

    def show(self, text: str) -> None:
        if self._is_shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def write_text(file: Path, text: str) -> None:
    """Replaces a file whole, or leaves it as it was."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}.", delete=False) as stream:
        try:
            stream.write(text)
            stream.flush()
            os.fchmod(stream.fileno(), 0o666 & ~_umask())
            os.replace(stream.name, file)
        except BaseException:
            os.unlink(stream.name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@dataclass
class Files:
    """The files of a study in the folder of --output, and the JSON of --summary."""

    request: Request
    what: str  # that the study is, as "comparison"
    texts: dict[str, Callable[[], str]]
    figures: dict[str, Callable[[Path], None]]  # by names without a suffix
    json: str  # which of the texts --summary names

    def _figure_files(self) -> dict[str, Callable[[Path], None]]:
        return {f"{name}.{self.request.format}": draw for name, draw in self.figures.items()}

    def check(self) -> None:
        """Refuses what would lose something, or leave nothing. Changes nothing. Raises Refused."""
        request = self.request
        if request.quiet and not request.output and not request.summary:
            raise Refused(
                f"--quiet: the results of the {self.what} would be lost; {FILES_REMEDY}, or leave out --quiet"
            )
        for setting in request.settings:
            table = setting.partition(".")[0].strip()
            if table in WITHOUT_FILES:
                warn(f"--set {setting} has no effect: the runs of a {self.what} write no files of their own")
        if not request.output:
            return
        folder = Path(request.output)
        above = next((path for path in (folder, *folder.absolute().parents) if path.exists()), Path("/"))
        if not above.is_dir():
            raise Refused(f"--output: '{above}' is not a folder; name another one with --output")
        if not os.access(above, os.W_OK | os.X_OK):
            raise Refused(f"--output: cannot write to '{above}'; name another folder with --output")
        for name in (*self.texts, *self._figure_files()):
            if (folder / name).exists() and not request.overwrite:
                raise Refused(
                    f"'{folder / name}' already exists; replace the {self.what} in that folder with --overwrite, or "
                    "name another folder with --output"
                )

    def write(self, is_last: bool) -> None:
        """Writes what is found so far. Figures, which take their time, and stdout get the last state alone."""
        request = self.request
        if request.output:
            folder = Path(request.output)
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in self.texts.items():
                write_text(folder / name, text())
            if is_last:
                self._draw(folder)
        if request.summary and request.summary != STDOUT:
            write_text(Path(request.summary), self.texts[self.json]())
        elif request.summary and is_last:
            sys.stdout.write(self.texts[self.json]())
            sys.stdout.flush()

    def _draw(self, folder: Path) -> None:
        files = self._figure_files()
        if files and not has_matplotlib():
            tell_of_matplotlib(list(files))
            return
        for name, draw in files.items():
            draw(folder / name)

    def print(self, text: str) -> None:
        """Prints the results. Where stdout is closed or full, results that are in files are not lost, and a warning
        says so."""
        request = self.request
        if request.quiet or request.summary == STDOUT:
            return
        place = request.output or request.summary
        if request.output:
            text += f"\nfiles in {request.output.rstrip('/')}/\n"
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            # Python would flush the rest once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not place:
                raise OSError(f"cannot write to stdout: {error.strerror}") from None
            warn(f"cannot write to stdout; the results are in '{place}'")


def has_matplotlib() -> bool:
    return find_spec("matplotlib") is not None


def tell_of_matplotlib(names: list[str]) -> None:
    """Says that figures are left out, and what is missing."""
    to_stderr(
        f"kumiko: note: {' and '.join(names)} {'are' if len(names) > 1 else 'is'} left out, since {sys.executable} has "
        "no matplotlib; install it (Debian: python3-matplotlib), or name another Python by the environment's "
        "KUMIKO_PYTHON"
    )


def as_text(record: dict[str, Any]) -> str:
    """JSON as all commands write it."""
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
