"""Finds the driver, and stands for the programs that it runs."""

import json
import sys
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench/driver")]

import programs  # noqa: E402
from kumiko.program import Ended, Failed  # noqa: E402
from programs import Expected, Programs, Tool  # noqa: E402
from report import Report  # noqa: E402
from suite import load, measure  # noqa: E402

RAW = Path(__file__).with_name("raw")
NOT_STORED = "no output is stored"


class Named(Programs):
    """Every program is there, by its name."""

    def path(self, name: str, tool: Tool | None = None) -> str:
        return name


class Lacking(Programs):
    """None is there, except those that a suite asks before it begins."""

    def output(self, name: str, *words: object, **run) -> str:
        asked = words[:1] == ("n=1",) or name == "phases_serial"
        return '{"workers": 2, "seconds": 0.5}' if asked else super().output(name, *words, **run)


class Recorded:
    """The outputs of programs in a run of a suite's short form, by their words, round by round."""

    def __init__(self, suite: str):
        self.said = json.loads((RAW / f"{suite}.json").read_text())
        self.asked: dict[str, int] = {}

    def key_of(self, command: list[str]) -> str:
        if command[0] == "kumiko":
            return "kumiko " + next(word for word in command if word.startswith("checkpoint.every="))
        return " ".join(word for word in command if not word.startswith("folder="))

    def run(self, command: list[str], environment=None, limit=0) -> Ended:
        key = self.key_of(command)
        turn = self.asked[key] = self.asked.get(key, -1) + 1
        if turn >= len(self.said.get(key, ())):
            raise Expected(f"{NOT_STORED}: {key}")
        said = self.said[key][turn]
        if command[0] == "kumiko":
            folder = Path(command[command.index("--output") + 1])
            folder.mkdir()
            with (folder / "state_000200.hdf").open("wb") as state:
                state.truncate(said["state_000200.hdf"])
            (folder / "summary.json").write_text(json.dumps(said))
        return Ended(0, said.replace(";", "\n") if isinstance(said, str) else json.dumps(said), "")


def replayed(name: str, folder: Path, parts: tuple[str, ...] = (), has_tools: bool = True) -> tuple[Recorded, Report]:
    """The stored outputs, and the report that a suite makes of them in two rounds. Cases without an output are left
    out, as what this machine lacks."""
    recorded = Recorded(name)
    with mock.patch.object(programs, "run_program", recorded.run), mock.patch.object(Tool, "is_here", has_tools):
        suite = load(name)(Named(folder / "bin"), True, parts)
        return recorded, Report(suite, measure(suite, 2))


def cells_of(report: Report) -> dict[str, dict[str, dict]]:
    """By table, row and column."""
    return {table.title: {next(iter(row.values())): row for row in table.json()} for table in report.tables}


__all__ = ["Failed", "Lacking", "NOT_STORED", "Named", "Programs", "ROOT", "Report", "cells_of", "load", "measure", "replayed"]
