"""Runs the benchmarks' programs and the kumiko command, and reads what they report."""

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kumiko.program import Failed, reason, run_program

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT = 120  # seconds, of a program


@dataclass(frozen=True)
class Tool:
    """Something that a machine may lack, and the programs that need it with it."""

    title: str
    needs: tuple[str, ...]  # commands, or files with their paths
    packages: str = ""  # Debian's

    @property
    def is_here(self) -> bool:
        return all(shutil.which(need) or Path(need).exists() for need in self.needs)


GO = Tool("Go", ("go",))
UCX = Tool("UCX", ("/usr/include/ucp/api/ucp.h",), "libucx-dev")


class Expected(Failed):
    """A program that cannot run on this machine."""

    is_expected = True


class Absent(Expected):
    """A program was not built; that is expected where this machine lacks a tool for it."""

    def __init__(self, name: str, tool: Tool | None = None):
        self.is_expected = tool is not None and not tool.is_here
        if self.is_expected:
            debian = f"; Debian has it in {tool.packages}" if tool.packages else ""
            super().__init__(f"absent: {tool.title} is not installed here{debian}")
        else:
            super().__init__(f"absent: {name} was not built; build bench_all, after scripts/setup bench")


def explain(status: int, errors: str) -> str:
    """How a program ended that has failed."""
    cause = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
    return f"failed ({cause}): {reason(errors).strip().removeprefix('error: ')}"


def output_of(command: Sequence[str], environment: Mapping[str, str] | None = None, limit: float = TIME_LIMIT) -> str:
    """Runs a command and returns its output. Raises Failed."""
    ended = run_program(command, environment=environment, limit=limit)
    if ended.code != 0:
        raise Failed(explain(ended.code, ended.messages))
    return ended.output


def json_of(output: str) -> dict:
    """The JSON object in what a program has printed. Raises Failed."""
    try:
        return json.JSONDecoder().raw_decode(output, output.index("{"))[0]
    except ValueError:
        raise Failed("printed no report") from None


@dataclass(frozen=True)
class Programs:
    """The programs of a build."""

    folder: Path
    cases: Path = ROOT / "cases"

    def path(self, name: str, tool: Tool | None = None) -> str:
        """Raises Absent."""
        if not os.access(self.folder / name, os.X_OK):
            raise Absent(name, tool)
        return str(self.folder / name)

    def output(self, name: str, *words: object, launcher: Sequence[str] = (), tool: Tool | None = None, **run) -> str:
        """Runs a program, perhaps by a launcher, with the options of output_of(). Returns its output. Raises Failed."""
        return output_of([*launcher, self.path(name, tool), *map(str, words)], **run)

    def report(self, name: str, *words: object, **run) -> dict:
        return json_of(self.output(name, *words, **run))

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder on the disk that the programs are on."""
        with tempfile.TemporaryDirectory(dir=self.folder.parent, prefix="bench-") as folder:
            yield Path(folder)

    def kumiko(
        self, case: str, settings: Mapping[str, object], *words: object,
        then: Callable[[Path, dict], dict] = lambda folder, summary: summary, **run,
    ) -> dict:
        """Runs a case of `cases`. Returns its summary, or what `then` makes of its folder and its summary."""
        sets = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        with self.scratch() as scratch:
            folder = scratch / "out"
            self.output("kumiko", *kumiko_words(self.cases, case, folder), *words, *sets, **run)
            return then(folder, json.loads((folder / "summary.json").read_text()))

    def simulate(self, folder: Path, *words: object) -> dict:
        """The JSON of `kumiko simulate` for a run with a trace."""
        return self.report("kumiko", "simulate", folder, "--json", *words)


def kumiko_words(cases: Path, case: str, output: Path) -> list[str]:
    """The arguments of a run of a case, without options."""
    return ["run", str(cases / case / f"{case}.toml"), "--quiet", "--output", str(output)]


def environment_with(**values: str) -> dict[str, str]:
    """The environment with these variables, and without those that are empty here."""
    kept = {name: value for name, value in os.environ.items() if name not in values}
    return kept | {name: value for name, value in values.items() if value}
