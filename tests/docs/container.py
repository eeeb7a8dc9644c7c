"""README.md's commands in systems such as new users have: a Debian that holds nothing but its base, and one with half of
what the tests need."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import commands
import pages
from markdown import Page

RELEASE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
FOLDER = Path("root/kumiko")  # of the sources, within


@dataclass(frozen=True)
class System:
    name: str
    packages: tuple[str, ...] = ()  # beside Debian's base
    most: int | None = None  # of the page's commands, from the first on; None for all of them


SYSTEMS = (
    System("an empty Debian"),
    # CMake finds GoogleTest there, and not the half of it that matches and mocks.
    System("a Debian with GoogleTest's headers alone", ("libgtest-dev",), most=2),
)

# The mounts go with their namespace, whatever ends it.
ENTER = """
mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" &&
mount --rbind /dev "$0/dev" &&
exec chroot "$0" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd /root/kumiko && $1"
"""


def missing():
    """Why there can be no empty Debian here, or None."""
    if os.geteuid() != 0:
        return "making one needs root"
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed (apt-get install debootstrap)"
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True).returncode != 0:
        return "this machine does not allow namespaces"
    return None


def make_debian(folder: Path, root: Path, packages):
    """A base system with the sources and packages in it, and with this machine's way to the network."""
    more = [f"--include={','.join(packages)}"] if packages else []
    made = subprocess.run(["debootstrap", "--variant=minbase", *more, RELEASE, folder, MIRROR],
                          capture_output=True, text=True)  # fmt: skip
    if made.returncode != 0:
        raise OSError("debootstrap failed: " + " ".join(made.stdout.splitlines()[-3:]))
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    # As Debian's installer writes it; the browser is spoken to by this name.
    (folder / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    # What this machine trusts beyond Debian's own list, such as a proxy; it counts once ca-certificates is there.
    own = Path("/usr/local/share/ca-certificates")
    if own.is_dir():
        shutil.copytree(own, folder / "usr" / "local" / "share" / "ca-certificates", dirs_exist_ok=True)
    for file in pages.tracked(root):
        target = folder / FOLDER / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def run_readme(root: Path):
    """The faults; a machine that has no empty Debian to offer is told, and none."""
    reason = missing()
    if reason:
        print(f"skipped: README.md in an empty Debian: {reason}", flush=True)
        return []
    printed = [command for command in commands.commands_of(Page(root / "README.md"))
               if command.minutes <= commands.MOST_MINUTES]  # fmt: skip
    return [fault for system in SYSTEMS for fault in run_in(system, root, printed[: system.most])]


def run_in(system: System, root: Path, printed):
    folder = root / "build" / "debian"
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    try:
        make_debian(folder, root, system.packages)
        return run_within(folder, system, printed)
    except OSError as error:
        return [f"{system.name} cannot be made: {error}"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_within(folder: Path, system: System, printed):
    outputs = folder / "root" / "outputs"
    outputs.mkdir()
    (folder / "root" / "commands.sh").write_text(commands.script(printed, Path("/root/outputs")))
    started = time.monotonic()
    shell = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER,
             str(folder), "bash /root/commands.sh"]  # fmt: skip
    ran = subprocess.run(shell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    fault = commands.verdict(printed, outputs, ran.stdout)
    if fault is None:
        minutes = (time.monotonic() - started) / 60
        print(f"README.md in {system.name}: {len(printed)} commands as printed, {minutes:.0f} minutes", flush=True)
        return []
    command, what = fault
    return [f"README.md:{command.line}, in {system.name}: `{command.text.strip()}` {what}"]
