"""Runs what a page prints, as a reader would who goes through it from top to bottom: one shell for the page.

    ```sh       commands; each ends well
    ```console  `$ command`, and below it what it prints; `...` stands for anything
    ```diff     a change, applied in the shell's folder

Whatever else is fenced is not run. A comment behind a command that begins with a number of minutes or with
'network' says that it is for the long form; what takes more than a quarter of an hour is not run at all."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from markdown import Page

MOST_MINUTES = 15
LASTS = re.compile(r"#\s*(?:(\d+) minutes?|network)\b")
FAILS = re.compile(r"error:|does not conform")


@dataclass
class Command:
    text: str
    line: int
    expected: str | None = None  # what it prints, if the page says so

    @property
    def minutes(self):
        """0: for every form; else for the long one."""
        found = LASTS.search(self.text)
        return int(found[1] or 1) if found else 0

    @property
    def fails(self):
        return self.expected is not None and bool(FAILS.search(self.expected))


def is_whole(text):
    """Whether a shell would begin to run this, rather than wait for more lines."""
    if text.rstrip("\n").endswith("\\"):
        return False
    read = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return read.returncode == 0 and read.stderr == ""


def split(block):
    """The commands of a block of sh."""
    text, first = "", block.line
    for number, line in enumerate(block.lines, block.line):
        if not text:
            first = number
        text += line + "\n"
        if is_whole(text):
            if line.strip() and not line.startswith("#"):
                yield Command(text, first)
            text = ""
    if text:
        yield Command(text, first)  # the shell will say what is wrong


def split_console(block):
    command = None
    for number, line in enumerate(block.lines, block.line):
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = Command(line[2:] + "\n", number, "")
        elif command is not None and command.expected == "" and command.text.endswith("\\\n"):
            command.text += line + "\n"
        elif command is not None:
            command.expected += line + "\n"
    if command is not None:
        yield command


def commands_of(page: Page):
    for block in page.blocks:
        if block.language == "sh":
            yield from split(block)
        elif block.language == "console":
            yield from split_console(block)
        elif block.language == "diff":
            yield Command(f"patch --posix -p0 --no-backup-if-mismatch <<'@@ end'\n{block.text}@@ end\n", block.line)


def matches(expected, printed):
    """Whether a command printed what the page shows. `...` on a line of its own is any number of lines, and
    within a line any text; blanks at the ends of lines do not count."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.rstrip().split("..."))) + r"[ \t]*\n"
    return re.fullmatch(pattern, printed) is not None


def script(commands, outputs: Path):
    """A shell script that runs them one after the other, and stops at the first that does not end as it should."""
    at = shlex.quote(str(outputs / "at"))
    lines = []
    for number, command in enumerate(commands):
        lines.append(f"echo {number} > {at}")
        if command.expected is None:
            lines.append(f"{command.text}status=$?")
        else:
            lines.append(f"{{\n{command.text}}} > {shlex.quote(str(outputs / str(number)))} 2>&1\nstatus=$?")
        lines.append(f"[ $status {'-eq' if command.fails else '-ne'} 0 ] && exit 1")
    lines.append(f"echo done > {at}")
    return "\n".join(lines) + "\n"


def run_page(commands, folder: Path, environment, outputs: Path, timeout=600):
    """Runs the commands in the folder. Returns None, or what went wrong with which of them: a pair."""
    outputs.mkdir(parents=True, exist_ok=True)
    log = outputs / "all"
    with log.open("w") as sink:
        process = subprocess.Popen(["bash", "-c", script(commands, outputs)], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT,
                                   start_new_session=True)  # fmt: skip
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            return current(commands, outputs), f"took longer than {timeout} s"
        finally:
            with contextlib.suppress(ProcessLookupError):  # nothing that a page started outlives it
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return verdict(commands, outputs, log.read_text(errors="replace"))


def verdict(commands, outputs: Path, said):
    """What a script's outputs tell: None, or what went wrong with which command."""
    for number, command in enumerate(commands):
        printed = outputs / str(number)
        if command.expected is not None and printed.exists() and not matches(command.expected, printed.read_text()):
            return command, f"printed\n{printed.read_text()}instead of\n{command.expected}"
    command = current(commands, outputs)
    if command is None:
        return None
    wrong = "ended well" if command.fails else "failed"
    return command, f"{wrong}; the page's last lines are\n" + "\n".join(said.splitlines()[-20:])


def current(commands, outputs: Path):
    """The command that was at work last; None once all are done."""
    at = (outputs / "at").read_text().strip() if (outputs / "at").exists() else "0"
    return commands[int(at)] if at.isdigit() and commands else None
