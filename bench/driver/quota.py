"""A control group with a quota of processor time, by version 1 or 2, as the system has it."""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
SELF = Path("/proc/self/cgroup")
PERIOD_US = 100_000


class Refused(Exception):
    """No group with a quota can be made here."""


@dataclass(frozen=True)
class Home:
    """The group in which this process is, below which others are made."""

    folder: Path
    version: int


def homes(root: Path = ROOT, membership: Path = SELF) -> list[Home]:
    """Where a group for processor time could be made. An entry of `membership` is ID:CONTROLLERS:PATH."""
    found = []
    for line in membership.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        below = path.lstrip("/")
        if "cpu" in controllers.split(","):
            found += [Home(root / name / below, 1) for name in (controllers, "cpu")]
        elif not controllers:
            found.append(Home(root / below, 2))
    usable = {1: "cpu.cfs_quota_us", 2: "cgroup.subtree_control"}
    return [home for home in found if (home.folder / usable[home.version]).exists()]


class Group:
    """Made anew, and removed by close(). No limit at first."""

    def __init__(self, root: Path = ROOT, membership: Path = SELF):
        reasons = []
        for home in homes(root, membership):
            try:
                self._make(home)
                return
            except OSError as error:
                reasons.append(f"{error.filename or home.folder}: {error.strerror}")
        raise Refused(reasons[-1] if reasons else "no control group for processor time is mounted")

    def _make(self, home: Home) -> None:
        self.version = home.version
        if home.version == 2 and "cpu" not in (home.folder / "cgroup.subtree_control").read_text().split():
            (home.folder / "cgroup.subtree_control").write_text("+cpu")
        self.folder = home.folder / f"kumiko-bench-{os.getpid()}"
        self.folder.mkdir(exist_ok=True)
        try:
            self.limit(None)
        except OSError:
            self.close()
            raise

    def limit(self, cores: float | None) -> None:
        """`cores` per period from now on; None is no limit."""
        amount = None if cores is None else round(cores * PERIOD_US)
        if self.version == 2:
            (self.folder / "cpu.max").write_text(f"{'max' if amount is None else amount} {PERIOD_US}")
            return
        (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (self.folder / "cpu.cfs_quota_us").write_text(str(-1 if amount is None else amount))

    def enter(self) -> None:
        """Takes the calling process in: for a child, before it becomes another program."""
        (self.folder / "cgroup.procs").write_text("0")

    def throttled(self) -> int:
        """Periods cut short so far."""
        for line in (self.folder / "cpu.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "nr_throttled":
                return int(value)
        return 0

    def close(self) -> None:
        """Without processes; one that has just ended may still count for a moment."""
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.01)


class Course:
    """Changes a group's quota in the background, from now: (seconds, cores) in their order."""

    def __init__(self, group: Group, steps: tuple[tuple[float, float], ...]):
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(group, steps), daemon=True)
        self._thread.start()

    def _follow(self, group: Group, steps: tuple[tuple[float, float], ...]) -> None:
        begin = time.monotonic()
        for seconds, cores in steps:
            if self._stop.wait(begin + seconds - time.monotonic()):
                return
            group.limit(cores)

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


def refusal() -> str:
    """Why no quota can be had here; empty if one can."""
    try:
        Group().close()
    except Refused as refused:
        return f"no quota can be set here ({refused})"
    return ""
