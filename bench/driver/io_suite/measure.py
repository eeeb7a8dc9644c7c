"""Measures one case."""

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from machine import busy_seconds

from .plan import SYSTEMS, WITHOUT_WORKERS, Case
from .processes import Failure, Program


DISTURBING = 0.1  # of the cores, used by other processes meanwhile


@dataclass(frozen=True)
class Outcome:
    """Figures by name, or why there are none."""

    figures: dict[str, float] | None = None
    error: str | None = None
    turn: int = 0  # the round

    @property
    def disturbed(self) -> bool:
        return self.figures is not None and self.figures.get("others_share", 0) > DISTURBING


class Bench:
    def __init__(self, programs: Path, workers: int):
        self.programs = programs
        self.workers = workers

    def run(self, case: Case, turn: int) -> Outcome:
        measure = {"pingpong": self.pingpong, "load": self.load, "files": self.files}
        try:
            return Outcome(measure[case.point.benchmark](case), turn=turn)
        except Failure as failure:
            return Outcome(error=str(failure), turn=turn)

    def program(self, case: Case, **more: str) -> Program:
        benchmark = case.point.benchmark
        system = SYSTEMS[benchmark][case.system]
        arguments = dict(system.arguments) | more
        return Program(self.programs / f"{benchmark}_{system.program}", arguments)

    def server(self, case: Case) -> Program:
        if (case.point.benchmark, case.system) in WITHOUT_WORKERS:
            return self.program(case)
        return self.program(case, workers=str(self.workers))

    def client(self, case: Case, port: str) -> Program:
        arguments = {"port": port, "ready": "1"} | dict(case.point.size)
        return Program(self.programs / "io_client", arguments)

    def pingpong(self, case: Case) -> dict[str, float]:
        with self.server(case) as server, self.client(case, server.word("PORT")) as client:
            client.word("READY")
            before = ask(server)
            client.tell()
            traffic = client.report()
            used = difference(before, ask(server))
        figures = self.others(traffic, used) | traffic
        figures |= {f"server_{name}": value for name, value in used.items()}
        figures["cpu_us"] = used["cpu_seconds"] * 1e6 / traffic["transactions"]
        for part in ("searching", "polling"):
            if f"{part}_seconds" in used:
                figures[f"{part}_share"] = used[f"{part}_seconds"] / used["cpu_seconds"]
        if "searching_share" in figures:
            figures["useful_share"] = 1 - figures["searching_share"] - figures["polling_share"]
        return figures

    def load(self, case: Case) -> dict[str, float]:
        """The computation alone and with echoes, in turn, so that a disturbance hits both."""
        size = dict(case.point.size)
        alone, together = Counter(), Counter()
        with self.server(case) as server, self.client(case, server.word("PORT")) as client:
            client.word("READY")
            before = ask(server)
            for round_to_come in reversed(range(int(size["rounds"]))):
                time.sleep(float(size["seconds"]))
                between = ask(server)
                client.tell()
                traffic = client.word("READY") if round_to_come else client.report()
                after = ask(server)
                alone.update(difference(before, between))
                together.update(difference(between, after))
                before = after
        figures = self.others(traffic, alone + together) | traffic
        for name, used in (("with", together), ("without", alone)):
            figures[f"patches_per_second_{name}"] = used["patches"] / used["wall_seconds"]
            figures[f"patches_per_cpu_second_{name}"] = used["patches"] / used["cpu_seconds"]
        for per in ("second", "cpu_second"):
            name = f"patches_per_{per}_with"
            figures[f"kept_per_{per}"] = figures[name] / figures[f"{name}out"]
        return figures

    def others(self, traffic: dict[str, float], used: dict[str, float]) -> dict[str, float]:
        """The share of the cores that neither the server nor the client has used."""
        busy = used["busy_seconds"] - used["cpu_seconds"] - traffic["client_cpu_seconds"]
        return {"others_share": busy / used["wall_seconds"] / os.cpu_count()}

    def files(self, case: Case) -> dict[str, float]:
        workers = {} if case.system.startswith("pool") else {"workers": str(self.workers)}
        size = dict(case.point.size) | {"folder": str(self.programs.parent)}
        with self.program(case, **size, **workers) as program:
            return program.report()


def ask(server: Program) -> dict[str, float]:
    server.tell()
    return server.report() | {"busy_seconds": busy_seconds()}


def difference(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {name: after[name] - before[name] for name in after}
