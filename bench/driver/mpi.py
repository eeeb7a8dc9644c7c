"""The MPIs that carry ranks, and how their launchers are started."""

import os
import re
from dataclasses import dataclass

from programs import Absent, Programs, Tool

# Variables of another launcher, of an MPI's user, or of one who has chosen the link, which the launcher is to do.
FOREIGN = re.compile(r"OMPI_|PMI|PMIX_|MPIR_|MPICH_|HYDRA_|UCX_|SLURM_|KUMIKO_LINK$")


@dataclass(frozen=True)
class Family:
    """An MPI."""

    name: str
    title: str
    packages: str  # Debian's
    options: tuple[str, ...] = ()  # of its launcher

    @property
    def tool(self) -> Tool:
        return Tool(self.title, (f"mpicc.{self.name}", f"mpirun.{self.name}"), self.packages)

    def launch(self, ranks: int) -> dict:
        """Options of Programs.report() that start ranks. Raises Absent."""
        if not self.tool.is_here:
            raise Absent(f"mpirun.{self.name}", self.tool)
        launcher = (f"mpirun.{self.name}", *self.options, "-n", str(ranks))
        return {"launcher": launcher, "tool": self.tool, "environment": environment()}

    def require_link(self, programs: Programs) -> None:
        """Raises Absent if Kumiko has no link for this MPI."""
        programs.path(f"../lib/kumiko/links/kumiko_link_{self.name}.so", self.tool)


FAMILIES = (
    # It would bind each rank to one core, the second worker's OS threads included.
    Family("openmpi", "Open MPI", "openmpi-bin and libopenmpi-dev", ("--oversubscribe", "--bind-to", "none")),
    Family("mpich", "MPICH", "mpich and libmpich-dev"),
)


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    # Both ranks wait busily, as Kumiko's do, whatever Open MPI thinks of the cores that there are.
    kept["OMPI_MCA_mpi_yield_when_idle"] = "0"
    if os.geteuid() == 0:
        kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return kept
