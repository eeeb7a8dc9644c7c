"""What a machine has, as far as tables depend on it."""

import ctypes
import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from idle_suite import quota

IO_URING_SETUP = 425  # the system call's number on every architecture
UCX_HEADER = Path("/usr/include/ucp/api/ucp.h")
NO_GO = "Go is not installed here"


@dataclass(frozen=True)
class Host:
    workers: int
    has_go: bool = True
    instructions: tuple[str, ...] = ("avx2", "avx512")
    io_uring_refusal: str = ""  # why, where the system refuses it
    quota_refusal: str = ""  # likewise, of a control group with a quota
    absent_peers: tuple[str, ...] = ()  # of the ranks: MPIs and UCX

    @staticmethod
    def of(workers: int) -> "Host":
        """This machine."""
        return Host(workers, shutil.which("go") is not None, instructions(), io_uring_refusal(), quota.refusal(),
                    absent_peers())

    @property
    def counts(self) -> list[int]:
        """One worker, and all."""
        return sorted({1, self.workers})

    @property
    def go_absence(self) -> str:
        return "" if self.has_go else NO_GO


def instructions() -> tuple[str, ...]:
    words = Path("/proc/cpuinfo").read_text().split()
    needed = {"avx2": ("avx2", "fma"), "avx512": ("avx512f", "avx512dq", "avx512vl")}
    return tuple(isa for isa, flags in needed.items() if all(flag in words for flag in flags))


def absent_peers() -> tuple[str, ...]:
    """Each MPI needs its compiler and its launcher."""
    commands = {name: (f"mpicc.{name}", f"mpirun.{name}") for name in ("openmpi", "mpich")}
    absent = [name for name, needed in commands.items() if not all(map(shutil.which, needed))]
    return (*absent, *(() if UCX_HEADER.exists() else ("ucx",)))


def io_uring_refusal() -> str:
    """Empty where a ring can be made."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(256)
    ring = libc.syscall(IO_URING_SETUP, 1, parameters)
    if ring < 0:
        code = ctypes.get_errno()
        return f"io_uring is refused here: {errno.errorcode.get(code, code)}"
    os.close(ring)
    return ""


def workers_text(count: int) -> str:
    return f"{count} worker{'s' if count > 1 else ''}"
