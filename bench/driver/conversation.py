"""Programs that talk in lines while they run."""

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from programs import Failed, explain

PATIENCE = 15  # seconds for a line
FAREWELL = 2  # seconds to end by itself


class Conversation:
    """With a program, from `with` to its end: the end of its stdin tells it to end, else it is killed."""

    def __init__(self, path: str, *words: object):
        self.command = [path, *map(str, words)]
        self.name = Path(path).name
        self.text = b""

    def __enter__(self) -> "Conversation":
        self.errors = tempfile.TemporaryFile()  # it may be much: a pipe would be full
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, bufsize=0
        )
        return self

    def __exit__(self, kind, failure, _) -> None:
        ended_early = self.process.poll()
        try:
            self.process.stdin.close()
            self.process.wait(FAREWELL)
        except (OSError, subprocess.TimeoutExpired):
            pass
        finally:
            self.process.kill()  # nothing, once it has ended
            self.process.wait()
            self.process.stdout.close()
            explanation = self.explanation()
            self.errors.close()
        if kind is Failed and ended_early and not str(failure).startswith(self.name):
            raise Failed(explanation)  # the cause of what another program has said

    def tell(self) -> None:
        """Sends a line, whose meaning depends on the program."""
        try:
            self.process.stdin.write(b"\n")
        except OSError:
            self.fail()

    def line(self) -> str:
        end = time.monotonic() + PATIENCE
        while b"\n" not in self.text:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise Failed(f"{self.name} said nothing for {PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                self.fail()
            self.text += more
        line, _, self.text = self.text.partition(b"\n")
        return line.decode()

    def word(self, expected: str) -> str:
        """What follows the expected beginning of a line."""
        line = self.line()
        if not line.startswith(expected):
            raise Failed(f"{self.name} said '{line}' instead of {expected}")
        return line.removeprefix(expected).strip()

    def report(self) -> dict:
        line = self.line()
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            raise Failed(f"{self.name} said '{line}' instead of a report") from None

    def ask(self) -> dict:
        self.tell()
        return self.report()

    def fail(self) -> None:
        """It has ended too early."""
        try:
            self.process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} said no more") from None
        raise Failed(self.explanation())

    def explanation(self) -> str:
        self.errors.seek(0)
        return f"{self.name} {explain(self.process.returncode, self.errors.read().decode())}"


def words_of(arguments: dict) -> Sequence[str]:
    return [f"{name}={value}" for name, value in arguments.items()]
