"""Where and with what a measurement was made."""

import os
import platform
import resource
import subprocess
from datetime import datetime, timezone
from pathlib import Path

PACKAGES = tuple(f"lib{name}-dev" for name in ("tbb", "boost-fiber", "omp", "benchmark", "openmpi", "mpich", "ucx"))


def first_line(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip().partition("\n")[0]


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def busy_seconds() -> float:
    """What all processes have used of the processors, and what other machines have taken."""
    fields = Path("/proc/stat").read_text().partition("\n")[0].split()
    user, nice, system, _, _, irq, softirq, steal = map(int, fields[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    """Processor time of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def peers(description: dict) -> str:
    """The versions that a table's figures hold for. Go's is that of the measuring machine, not of Debian."""
    compilers, packages = description["compilers"], description["packages"]
    named = [compilers["clang++"] or "no clang++", compilers["go"] or "no Go"]
    named += [f"{name.removesuffix('-dev')} {version}" for name, version in packages.items() if version]
    return ", ".join(named)


def describe(root: Path) -> dict:
    git = ("git", "-C", str(root))
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": first_line(*git, "rev-parse", "HEAD"),
        "uncommitted_changes": bool(first_line(*git, "status", "--porcelain")),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "load_average": os.getloadavg(),
        "compilers": {
            "g++": first_line("g++", "--version"),
            "clang++": first_line("clang++", "--version"),
            "go": first_line("go", "version"),
        },
        "packages": {
            name: first_line("dpkg-query", "-W", "-f=${Version}", name) for name in PACKAGES
        },
    }
