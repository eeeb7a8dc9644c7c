"""Contract: on a terminal a run shows a bar that fits it; SIGUSR2 tells what each worker does, at
once, without stopping the run or changing what it computes."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

KUMIKO = os.environ["KUMIKO"]
ZALESAK = Path(os.environ["KUMIKO_CASES"]) / "zalesak" / "zalesak.toml"
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
SMALL = ["--set", "grid.base=64", "--set", "time.steps=640"]
UTF8 = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}


class Terminal:
    """A run whose stderr is a terminal of some width."""

    def __init__(self, arguments, columns=120, environment=None, cwd=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        variables = {
            name: value
            for name, value in os.environ.items()
            if name not in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "TERM")
        }
        self.run = subprocess.Popen(
            [KUMIKO, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=slave,
            env=variables | (environment or UTF8),
            cwd=cwd,
        )
        os.close(slave)
        self.bytes = b""

    def read(self, seconds=0.05):
        """Takes what there is within a time. Returns whether there can be more."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.bytes += data
        return bool(data)

    def read_until(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text()):
            if time.monotonic() > end or not self.read():
                raise AssertionError(f"no {pattern!r} in {self.text()!r}")

    def finish(self):
        while self.read(60):
            pass
        self.run.stdout.read()
        self.run.stdout.close()
        os.close(self.master)
        return self.run.wait(timeout=60)

    def text(self):
        return self.bytes.decode(errors="replace")

    def lines(self):
        """What stood on the line at any time, without colours."""
        parts = re.split(r"[\r\n]+", self.text().replace("\x1b[K", ""))
        return [ESCAPE.sub("", part) for part in parts if ESCAPE.sub("", part).strip()]


class ProgressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def terminal(self, *arguments, stop=120, **options):
        more = ["--set", f"time.stop_step={stop}", "--workers", "2", "--output", "run"]
        return Terminal(["run", ZALESAK, *SMALL, *more, *arguments], cwd=self.path, **options)

    def test_given_a_terminal_then_the_bar_tells_share_rate_balance_patches_and_time_left(self):
        terminal = self.terminal(columns=160)
        self.assertEqual(terminal.finish(), 0, terminal.text())
        bars = [line for line in terminal.lines() if "%" in line]
        self.assertTrue(bars, terminal.text())
        self.assertRegex(
            bars[-1],
            r"^zalesak  [█▏▎▍▌▋▊▉░]{30,40}  +\d+ %  \d+ s left  \d+ M updates/s  imbalance \d\.\d\d  CFL up to \d\.\d+"
            r"  patches 16\+\d+\+\d+  step \d+/120  t = \d\.\d{4,}$",
        )
        shares = [int(re.search(r"(\d+) %", bar)[1]) for bar in bars]
        self.assertEqual(shares, sorted(shares))
        self.assertIn("\x1b[36m", terminal.text(), "a colour")
        self.assertTrue(terminal.text().endswith("\r\x1b[K"), "the line is removed at the end")

    def test_given_any_width_then_the_line_fits(self):
        for columns in (20, 40, 60, 80, 100):
            terminal = self.terminal("--overwrite", stop=40, columns=columns)
            self.assertEqual(terminal.finish(), 0, terminal.text())
            for line in terminal.lines():
                self.assertLess(len(line), columns, line)

    def test_given_no_utf8_and_no_colour_then_the_bar_is_plain(self):
        environment = {"LC_ALL": "C", "TERM": "xterm", "NO_COLOR": "1"}
        terminal = self.terminal(environment=environment)
        self.assertEqual(terminal.finish(), 0)
        self.assertRegex(terminal.text(), r"zalesak  \[#*-+\] +\d+ %")
        self.assertNotRegex(terminal.text(), r"\x1b\[\d+m")
        self.assertTrue(terminal.bytes.isascii())

    def test_given_a_dumb_terminal_then_there_are_no_escapes(self):
        terminal = self.terminal(environment={"LC_ALL": "C", "TERM": "dumb"})
        self.assertEqual(terminal.finish(), 0)
        self.assertIn("zalesak  [", terminal.text())
        self.assertNotIn("\x1b", terminal.text())

    def test_given_quiet_then_nothing_is_shown(self):
        terminal = self.terminal("--quiet", stop=20)
        self.assertEqual(terminal.finish(), 0)
        self.assertEqual(terminal.text(), "")


class StatusTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def start(self, name, *arguments):
        return subprocess.Popen(
            [KUMIKO, "run", str(ZALESAK), *SMALL, "--set", "time.stop_step=400", "--workers", "2",
             "--output", name, "--quiet", *arguments],
            cwd=self.path,
            stderr=subprocess.PIPE,
            text=True,
        )

    def summary(self, name):
        return json.loads((self.path / name / "summary.json").read_text())

    def wait_for_start(self, name):
        for _ in range(6000):
            if (self.path / name / "effective.toml").exists():
                return
            time.sleep(0.01)
        self.fail("the run did not begin")

    def line_in_time(self, run, seconds=30):
        """The next line of the run's stderr. A run that says nothing for so long is killed, and the test fails."""
        watchdog = threading.Timer(seconds, run.kill)
        watchdog.start()
        line = run.stderr.readline()
        watchdog.cancel()
        self.assertTrue(line, f"the run ended, or no answer came within {seconds} s")
        return line

    def statuses(self, backend):
        run = self.start(backend, "--backend", backend)
        self.wait_for_start(backend)
        asked = 0
        while run.poll() is None and asked < 20:
            run.send_signal(signal.SIGUSR2)
            asked += 1
            time.sleep(0.02)
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, errors)
        return errors

    def check_lines(self, errors):
        heads = [line for line in errors.splitlines() if line.startswith("zalesak: base step ")]
        self.assertTrue(heads, errors)
        for line in errors.splitlines():
            self.assertRegex(
                line,
                r"^zalesak: base step \d+ of 400, t = \S+(, \S+ updates/s)?(, CFL numbers up to \S+)?(, imbalance \d\.\d+)?"
                r"; \S+ (us|ms|s) ago(; all steps are done, results are being written)?$|"
                r"^  worker [01]: (idle|(advance|blend|finish) of level [012] patch \(\d+, \d+\), "
                r"base step \d+,) for \S+ (us|ms|s)$",
            )
        workers = [line for line in errors.splitlines() if line.startswith("  worker")]
        self.assertEqual(len(workers), 2 * len(heads), "a line for each worker")

    def test_given_the_signal_then_the_workers_are_told_and_the_result_is_the_same(self):
        undisturbed = self.start("alone")
        _, errors = undisturbed.communicate(timeout=120)
        self.assertEqual((undisturbed.returncode, errors), (0, ""))
        for backend in ("threads", "pthread"):
            self.check_lines(self.statuses(backend))
            self.assertEqual(
                self.summary(backend)["state_hash"], self.summary("alone")["state_hash"]
            )

    def test_given_the_signal_during_one_stretch_then_the_answer_does_not_wait_for_its_end(self):
        # 10240 base steps of 1024 x 1024 points and more take a minute; the run is killed before.
        run = self.start("large", "--set", "grid.base=1024", "--set", "time.steps=10240", "--set",
                         "diagnostics.every=20000")
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        self.wait_for_start("large")
        ended, at_work = 0, 0
        deadline = time.monotonic() + 120
        # The heading counts the base steps of ended stretches; a worker tells its own.
        while at_work <= ended + 1:
            self.assertLess(time.monotonic(), deadline, "nobody was ever seen at work during a stretch")
            run.send_signal(signal.SIGUSR2)
            for _ in range(3):
                line = self.line_in_time(run)
                if heading := re.match(r"zalesak: base step (\d+) of 10240, t = ", line):
                    ended = int(heading[1])
                elif worker := re.search(r"of level .*, base step (\d+),", line):
                    at_work = int(worker[1])

    def test_given_a_terminal_with_a_bar_then_the_status_stands_on_lines_of_its_own(self):
        terminal = Terminal(
            ["run", ZALESAK, *SMALL, "--set", "time.stop_step=400", "--workers", "2"],
            cwd=self.path,
        )
        terminal.read_until("%")
        terminal.run.send_signal(signal.SIGUSR2)
        terminal.read_until(r"worker 1: .*\n")
        self.assertRegex(terminal.text(), r"\r\x1b\[Kzalesak: base step \d+ of 400")
        self.assertEqual(terminal.finish(), 0)


if __name__ == "__main__":
    unittest.main()
