"""Starts ranks by an MPI's launcher and reads what they report."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from children import explain

from .plan import FAMILIES, KUMIKO, UCX_PACKAGE, UCX_PROGRAM, Family, Part

TIME_LIMIT = 60  # seconds, of UCX
PATIENCE = 5  # seconds that a launcher has to end its ranks
RANKS = 2
# What another launcher or an MPI's user has said; and how a link is chosen, which the launcher is to say.
FOREIGN = re.compile(r"OMPI_|PMI|PMIX_|MPIR_|MPICH_|HYDRA_|UCX_|SLURM_|KUMIKO_LINK$")
UCX_KEY = "ucx"


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    # Both ranks wait busily, as Kumiko's do, whatever Open MPI thinks of the cores that there are.
    kept["OMPI_MCA_mpi_yield_when_idle"] = "0"
    if os.geteuid() == 0:
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return kept


def absence(packages: str) -> str:
    return f"absent: not there when this was built; Debian has it in {packages}"


class Bench:
    def __init__(self, programs: Path):
        self.programs = programs
        self.environment = environment()

    def absent(self) -> dict[str, str]:
        """What is not here, and why: names of families, and UCX."""
        missing = {family.name: absence(family.packages) for family in FAMILIES if not self.has(family)}
        if not self.has_program(UCX_PROGRAM):
            missing[UCX_KEY] = absence(UCX_PACKAGE)
        return missing

    def has(self, family: Family) -> bool:
        return self.has_program(family.program) and shutil.which(family.launcher) is not None

    def has_program(self, name: str) -> bool:
        return os.access(self.programs / name, os.X_OK)

    def run(self, family: Family, part: Part) -> dict:
        program = "ranks_kumiko" if part.system == KUMIKO else family.program
        launcher = [shutil.which(family.launcher), *family.options, "-n", str(RANKS)]
        return self.report([*launcher, str(self.programs / program), *part.words],
                           f"{family.title}, {program}", part.limit)

    def run_ucx(self, words: tuple[str, ...]) -> dict:
        return self.report([str(self.programs / UCX_PROGRAM), *words], UCX_PROGRAM, TIME_LIMIT)

    def report(self, command: list[str], title: str, limit: int) -> dict:
        with subprocess.Popen(
            command, env=self.environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                output, errors = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                raise RuntimeError(f"{title} did not end within {limit} s: {' '.join(command)}") from None
            finally:
                end(process)
        if process.returncode != 0:
            raise RuntimeError(f"{title} {explain(process.returncode, errors)}: {' '.join(command)}")
        return json.loads(next(line for line in output.splitlines() if line.startswith("{")))


def end(process: subprocess.Popen) -> None:
    """A launcher ends its ranks when it is asked to, and leaves them when it is killed."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
