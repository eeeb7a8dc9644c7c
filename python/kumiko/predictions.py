"""`kumiko simulate`: the tables, files and figures of what the program's model predicts from a trace."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from .figure import Axes, Chart, Line, draw
from .program import Kumiko, Record, counted
from .study import Request, Study, as_text
from .table import Column, Table

WIDTH = 160  # of the tables, whose columns stay next to each other, in characters


@dataclass
class PredictionRequest(Request):
    """What is to become of the predictions from a trace, which `config` names."""

    found: Record = field(default_factory=dict)  # in the trace, and predicted


class Predictions(Study[Record]):
    """The predictions of one kind, which the program has made."""

    what = "predictions"
    name: str  # of the CSV and the JSON
    figure_names: tuple[str, ...]
    saved: tuple[str, ...]  # what of the trace is in the JSON, in its order

    request: PredictionRequest

    def __init__(self, request: PredictionRequest, kumiko: Kumiko | None) -> None:
        super().__init__(request, kumiko)
        self.text_files = {
            f"{self.name}.csv": lambda found: self.table(found).csv(),
            f"{self.name}.json": lambda found: as_text(self.record(found)),
        }
        self.figure_files = {name: partial(self.draw, at) for at, name in enumerate(self.figure_names)}

    @abstractmethod
    def heading(self, found: Record) -> str:
        """The lines on the trace and on what is assumed."""

    @abstractmethod
    def table(self, found: Record) -> Table[Record]: ...

    @abstractmethod
    def charts(self, found: Record) -> tuple[tuple[str, str, list[Chart]], ...]:
        """Title, caption and charts of each of the figures, from the JSON."""

    def plan(self) -> Record:
        return self.request.found

    def measure(self, found: Record, after: Callable[[], None]) -> None:
        """The program has done it."""

    def has_results(self, found: Record) -> bool:
        return bool(found["predictions"])

    def report(self, found: Record) -> str:
        name = found["case"] or "(no name)"
        return (
            f"case {name}, solver {found['solver']}; recorded: {self.heading(found)}"
            f"{disturbance_note(found['disturbed_share'])}\n{self.table(found).text(WIDTH)}"
        )

    def record(self, found: Record) -> Record:
        known = {**found["recorded"], **found}
        return {name: known[name] for name in self.saved} | {"predictions": self.table(found).json()}

    def draw(self, figure: int, found: Record, file: Path) -> None:
        title, caption, charts = self.charts(self.record(found))[figure]
        draw(charts, file, f"{title}: case {found['case']}", caption)


def disturbance_note(share: float) -> str:
    """A line about the share of disturbed pieces, if that makes a prediction doubtful; else empty."""
    if share <= 0.02:
        return ""
    return (
        f"note: {100.0 * share:.0f} % of the pieces' time is in pieces that took more than 20 times as long as usual; "
        "was the machine busy? Record the trace anew\n"
    )


def _line(name: str, records: list[Record], x: str, value: Callable[[Record], float]) -> Line:
    line = Line(name)
    for record in records:
        line.add(float(record[x]), value(record))
    return line


def _axes(what: str, title: str, lines: list[Line]) -> Chart:
    return Chart(Axes(what, is_log=True, counts=True), Axes(title, is_log=True), lines)


def _schedules(found: Record) -> list[str]:
    return list(dict.fromkeys(record["schedule"] for record in found["predictions"]))


class WorkerPredictions(Predictions):
    """Schedules on other numbers of workers."""

    name = "simulate"
    figure_names = ("speed_up", "efficiency")
    saved = (
        "case",
        "solver",
        "recorded",
        "seed",
        "work_s",
        "critical_path_s",
        "average_parallelism",
        "disturbed_share",
        "overheads",
        "piece_times",
        "static_one_worker_s",
    )

    def plan(self) -> Record:
        found = self.request.found
        return found | {"static_one_worker_s": found["one_worker_s"]["static"]}

    def table(self, found: Record) -> Table[Record]:
        alone = found["one_worker_s"]
        columns: list[Column[Record]] = [
            Column(lambda p: p["schedule"], "schedule", "schedule"),
            Column(lambda p: p["workers"], "workers", "workers"),
            Column(lambda p: p["seconds"], "seconds", "seconds", ".4g"),
            Column(
                lambda p: max(found["work_s"] / p["workers"], found["critical_path_s"]), "bound_s", "bound s", ".4g"
            ),
            Column(lambda p: alone[p["schedule"]] / p["seconds"], "speed_up", "speed-up", ".2f"),
            Column(lambda p: alone["static"] / p["seconds"], "speed_up_over_static", "over static, 1", ".2f"),
            Column(lambda p: p["imbalance"], "imbalance", "imbalance", ".3f"),
            Column(lambda p: p["utilisation"], "utilisation", "utilisation", ".3f"),
            Column(lambda p: p["steals"], "steals", "steals"),
        ]
        return Table(columns, found["predictions"])

    def heading(self, found: Record) -> str:
        run = found["recorded"]
        given = [setting.partition("=")[0] for setting in found["given"]]

        def time(kind: str, schedule: str = "") -> str:
            own = found["overheads"][kind]
            overhead = own[schedule] if schedule else own
            source = " (given)" if f"{kind}.{schedule}".rstrip(".") in given else " (assumed)"
            return f"{overhead['ns']:.0f} ns{'' if overhead['from_trace'] else source}"

        def costs(schedule: str) -> str:
            phase = "" if schedule == "dataflow" else f" and {time('phase', schedule)} a phase"  # it has no phases
            return f" {schedule} {time('piece', schedule)} a piece{phase};"

        def beside(schedule: str) -> str:
            times = [times for times in found["piece_times"] if times["schedule"] == schedule]
            measured = found["overheads"]["beside"][schedule]["from_trace"]
            return f" {schedule} {time('beside', schedule)}" + "".join(
                f" (measured: {t['alone_ns']:.0f} ns alone, {t['beside_ns']:.0f} ns beside it, "
                f"{t['beside_ns'] / t['alone_ns']:.3f} times as long)"
                for t in (times if measured else [])
            )

        schedules = _schedules(found)
        second = "a second worker at work changes the time of a piece by:" + ";".join(map(beside, schedules)) + "\n"
        return (
            f"backend {run['backend']}, schedule {run['schedule']}, {counted(run['workers'], 'worker')}, "
            f"{counted(run['base_steps'], 'base step')}, {counted(run['pieces'], 'piece')}\n"
            f"work T1 {found['work_s']:.4g} s, critical path Tinf {found['critical_path_s']:.4g} s, "
            f"average parallelism {found['average_parallelism']:.4g}\n"
            f"overheads:{''.join(map(costs, schedules))} a steal {time('steal')}, "
            f"a barrier {time('barrier')} per doubling\n{second if run['workers'] == 1 else ''}"
        )

    def charts(self, found: Record) -> tuple[tuple[str, str, list[Chart]], ...]:
        predictions = found["predictions"]
        schedules = _schedules(found)

        def of(schedule: str) -> list[Record]:
            return [record for record in predictions if record["schedule"] == schedule]

        def lines(value: Callable[[Record], float]) -> list[Line]:
            return [_line(schedule, of(schedule), "workers", value) for schedule in schedules]

        # The bound and the ideal are the same for all schedules.
        one = of(schedules[0])
        bound = _line("bound: max(T1/P, Tinf)", one, "workers", lambda p: found["static_one_worker_s"] / p["bound_s"])
        ideal = _line("ideal: P", one, "workers", lambda p: float(p["workers"]))
        bound.has_markers = ideal.has_markers = False
        run = found["recorded"]
        caption = (
            f"Predicted from a trace: backend {run['backend']}, schedule {run['schedule']}, "
            f"{counted(run['workers'], 'worker')}, {counted(run['base_steps'], 'base step')}"
        )

        def speed_up(p: Record) -> float:
            return float(p["speed_up_over_static"])

        title = "speed-up over static on one worker"
        gain = [_axes("workers", title, [*lines(speed_up), bound, ideal])]
        charts = [
            _axes(
                "workers", "imbalance: largest over mean work (1 is perfect)", lines(lambda p: float(p["imbalance"]))
            ),
            _axes("workers", "speed-up per worker (1 is perfect)", lines(lambda p: speed_up(p) / p["workers"])),
        ]
        return ("Predicted speed-up", caption, gain), ("Predicted efficiency", caption, charts)


class RankPredictions(Predictions):
    """Numbers of ranks, which send each other messages."""

    name = "ranks"
    figure_names = ("ranks",)
    saved = ("case", "solver", "base_steps", "work_s", "critical_path_s", "partition", "workers", "network")

    def table(self, found: Record) -> Table[Record]:
        steps = found["recorded"]["base_steps"]

        def speed_up(p: Record) -> float:
            return float(found["one_rank_s"] / p["seconds"])

        columns: list[Column[Record]] = [
            Column(lambda p: p["ranks"], "ranks", "ranks"),
            Column(lambda _: found["workers"], "workers", "workers"),
            Column(lambda p: p["seconds"], "seconds", "seconds", ".4g"),
            Column(speed_up, "speed_up", "speed-up", ".2f"),
            Column(lambda p: speed_up(p) / p["ranks"], "efficiency", "efficiency", ".3f"),
            Column(lambda p: p["utilisation"], "utilisation", "utilisation", ".3f"),
            Column(lambda p: p["imbalance"], "imbalance", "imbalance", ".3f"),
            Column(lambda p: p["messages"] / steps, "messages_per_step", "messages/step", ".0f"),
            Column(lambda p: p["edges"] / steps, "edges_per_step", "edges/step", ".0f"),
            Column(lambda p: p["bytes"] / steps, "bytes_per_step", "bytes/step", ".0f"),
            Column(lambda p: p["regrid_s"] / p["seconds"], "regrid_share", "regrid", ".3f"),
            Column(lambda p: p["moved_patches"], "moved_patches", "moved"),
            Column(lambda p: p["binds"], "binds", "what binds"),
        ]
        return Table(columns, found["predictions"])

    def heading(self, found: Record) -> str:
        run, network = found["recorded"], found["network"]
        return (
            f"{counted(run['workers'], 'worker')}, {counted(run['base_steps'], 'base step')}\n"
            f"work {found['work_s']:.4g} s, critical path {found['critical_path_s']:.4g} s; "
            f"partition {found['partition']}\n"
            f"network {network['name']}: {network['overhead_ns']:g} ns of a core for a message and "
            f"{network['item_ns']:g} for each thing in it, at each end; latency {network['latency_ns']:g} ns, "
            f"gap {network['gap_ns']:g} ns, {network['ns_per_byte']:g} ns a byte\n"
        )

    def report(self, found: Record) -> str:
        predictions = found["predictions"]
        best = min(predictions, key=lambda p: p["seconds"])["ranks"]
        is_last = best == predictions[-1]["ranks"]
        return super().report(found) + (
            "" if is_last else f"\nnote: more than {counted(best, 'rank')} would be slower\n"
        )

    def charts(self, found: Record) -> tuple[tuple[str, str, list[Chart]], ...]:
        def line(column: str) -> list[Line]:
            return [_line(found["partition"], found["predictions"], "ranks", lambda p: float(p[column]))]

        charts = [
            _axes("ranks", "speed-up per rank (1 is perfect)", line("efficiency")),
            _axes("ranks", "seconds", line("seconds")),
        ]
        caption = f"{counted(found['workers'], 'worker')} each, network {found['network']['name']}"
        return (("Predicted for ranks", caption, charts),)


def show_predictions(request: PredictionRequest, kumiko: Kumiko | None = None) -> Record:
    """Prints predictions, and writes the files that the request names. Raises Refused, Failed."""
    kind = RankPredictions if "one_rank_s" in request.found else WorkerPredictions
    return kind(request, kumiko).carry_out()
