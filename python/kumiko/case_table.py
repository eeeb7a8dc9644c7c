"""A case's own tables: some runs of its configuration, and their results next to published values.

The table of CASE.toml is described by CASE.table next to it; without one, by study.table of this package:
the coarse grid, AMR on two backends, and the finest level's grid everywhere. docs/reference/tables.md has the keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .errors import PublishedValue, published_values
from .program import Failed, Interrupted, Job, Kumiko, Record, Refused, counted, to_stderr
from .study import STDOUT, Request, Study, refuse_stop_step
from .table import Cell, Column, Table

SUFFIX = ".table"
DEFAULT = Path(__file__).with_name("study" + SUFFIX)
MESHES = ("file", "coarse", "finest")


class Keys:
    """A table of a TOML file whose keys are taken one by one; those that nobody takes are refused."""

    def __init__(self, values: Any, where: str) -> None:
        if not isinstance(values, dict):
            raise Refused(f"{where}: it is not a table")
        self._values = dict(values)
        self._where = where

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """A value; required where there is no default. Raises Refused."""
        if key not in self._values:
            if default is None:
                others = ", ".join(f"'{name}'" for name in self._values)
                found = f"; it has {others}" if others else ""
                raise Refused(f"{self._where}: the key '{key}' is missing{found}")
            return default
        value = self._values.pop(key)
        if not isinstance(value, kind):
            names = {str: "a text", list: "a list", bool: "true or false"}
            raise Refused(f"{self._where}: '{key}' is not {names[kind]}")
        return value

    def take_tables(self, key: str) -> list[Any]:
        values = self.take(key, list)
        if not values:
            raise Refused(f"{self._where}: '{key}' is empty")
        return values

    def take_texts(self, key: str) -> tuple[str, ...]:
        values = self.take(key, list, [])
        if not all(isinstance(value, str) for value in values):
            raise Refused(f"{self._where}: '{key}' is not a list of texts")
        return tuple(values)

    def end(self, known: tuple[str, ...]) -> None:
        if self._values:
            raise Refused(f"{self._where}: there is no key '{next(iter(self._values))}'; it can be {', '.join(known)}")


@dataclass
class TableRun:
    """A run of the configuration with some keys changed, on a backend."""

    name: str  # in the JSON, and in the tables' rows
    label: str  # with {points} and {finest_points} in it
    backend: str
    mesh: str  # one of MESHES
    settings: tuple[str, ...]  # KEY=VALUE
    published: str  # the name of the published error of such a run; empty: none
    summary: Record = field(default_factory=dict)


@dataclass(frozen=True)
class RowOfTable:
    """A row: of a run, or of a ratio of two runs."""

    run: str = ""
    title: str = ""  # of a ratio
    over: tuple[str, ...] = ()  # two runs: the first one's value divided by the second one's
    published: str = ""  # the name of the ratio's published value


@dataclass(frozen=True)
class ColumnOfTable:
    title: str
    format: str
    value: str = ""  # a place in the runs' summaries, such as "error.rms"
    over: str = ""  # a run by whose value it is divided
    percent: bool = False
    ratio: str = ""  # the place in summaries whose ratio the ratio rows show
    published: bool = False  # the published values: of ratios in a table that has some, else of the runs' errors


@dataclass(frozen=True)
class Layout:
    title: str  # with {workers} in it
    rows: tuple[RowOfTable, ...]
    columns: tuple[ColumnOfTable, ...]


@dataclass
class CaseTable:
    """The runs and the tables that a file describes."""

    runs: dict[str, TableRun]
    layouts: list[Layout]


def refuse_unknown_names(text: str, known: tuple[str, ...], where: str) -> None:
    """Refuses words in braces that stand for nothing. Raises Refused."""
    for word in re.findall(r"\{[^}]*\}", text):
        if word not in known:
            raise Refused(f"{where}: '{text}' has {word}; it can have {' and '.join(known)}")


def _run_of(values: Any, where: str) -> TableRun:
    keys = Keys(values, where)
    name = keys.take("name", str)
    run = TableRun(
        name,
        keys.take("label", str, name),
        keys.take("backend", str, "threads"),
        keys.take("mesh", str, MESHES[0]),
        keys.take_texts("set"),
        keys.take("published", str, ""),
    )
    keys.end(("name", "label", "backend", "mesh", "set", "published"))
    refuse_unknown_names(run.label, ("{points}", "{finest_points}"), where)
    if run.mesh not in MESHES:
        raise Refused(f"{where}: mesh is '{run.mesh}'; it can be {', '.join(MESHES)}")
    for setting in run.settings:
        if "=" not in setting:
            raise Refused(f"{where}: '{setting}' in 'set' is not of the form KEY=VALUE")
    return run


def _row_of(values: Any, runs: dict[str, TableRun], where: str) -> RowOfTable:
    def known(name: str) -> str:
        if name not in runs:
            raise Refused(f"{where}: there is no run '{name}'; it can be {', '.join(runs)}")
        return name

    if isinstance(values, str):
        return RowOfTable(run=known(values))
    keys = Keys(values, where)
    row = RowOfTable("", keys.take("title", str), keys.take_texts("over"), keys.take("published", str, ""))
    keys.end(("title", "over", "published"))
    if len(row.over) != 2:
        raise Refused(f"{where}: 'over' of the row '{row.title}' names {len(row.over)} runs; name two")
    for name in row.over:
        known(name)
    return row


def _column_of(values: Any, runs: dict[str, TableRun], where: str) -> ColumnOfTable:
    keys = Keys(values, where)
    title = keys.take("title", str)
    column = ColumnOfTable(
        title,
        keys.take("format", str, ".4g"),
        keys.take("value", str, ""),
        keys.take("over", str, ""),
        keys.take("percent", bool, False),
        keys.take("ratio", str, ""),
        keys.take("published", bool, False),
    )
    keys.end(("title", "format", "value", "over", "percent", "ratio", "published"))
    if sum(map(bool, (column.value, column.ratio, column.published))) != 1:
        raise Refused(f"{where}: the column '{title}' needs one of 'value', 'ratio' and 'published'")
    if column.over and column.over not in runs:
        raise Refused(f"{where}: there is no run '{column.over}'; it can be {', '.join(runs)}")
    try:
        format(1.0, column.format)
    except ValueError:
        raise Refused(
            f"{where}: the format '{column.format}' of '{title}' is not that of a floating-point number; write one "
            "like '.3e', '.2f' or '.0f'"
        ) from None
    return column


def read_table(file: Path) -> CaseTable:
    """Reads the description of a case's table. Raises Refused."""
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{file}: cannot be read: it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{file}: it is not TOML: {error}") from None
    keys = Keys(values, str(file))
    runs: dict[str, TableRun] = {}
    for at, each in enumerate(keys.take_tables("run"), 1):
        run = _run_of(each, f"{file}: run {at}")
        if run.name in runs:
            raise Refused(f"{file}: run {at}: the name '{run.name}' is taken")
        runs[run.name] = run
    layouts = []
    for at, each in enumerate(keys.take_tables("table"), 1):
        where = f"{file}: table {at}"
        own = Keys(each, where)
        layouts.append(
            Layout(
                own.take("title", str),
                tuple(_row_of(row, runs, where) for row in own.take_tables("rows")),
                tuple(
                    _column_of(column, runs, f"{where}: column {number}")
                    for number, column in enumerate(own.take_tables("columns"), 1)
                ),
            )
        )
        own.end(("title", "rows", "columns"))
        refuse_unknown_names(layouts[-1].title, ("{workers}",), where)
    keys.end(("run", "table"))
    return CaseTable(runs, layouts)


def table_file(config: str) -> Path:
    """The description of the table of CASE.toml."""
    own = Path(config).with_suffix(SUFFIX)
    return own if own.exists() else DEFAULT


def value_at(summary: Record, place: str) -> float | None:
    """A number of a summary by its dotted place; None where it is null or not there."""
    value: Any = summary
    for part in place.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return float(value) if isinstance(value, int | float) else None


def places_of(value: Any, place: str = "") -> Iterator[str]:
    """The dotted places of a summary's numbers, and of those that are null."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from places_of(below, f"{place}.{key}" if place else key)
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield place


@dataclass
class Tables:
    """The tables of a case, and what its runs gave."""

    case: CaseTable
    description: Record  # of the file, by Kumiko.describe()

    def settings_of(self, run: TableRun) -> tuple[str, ...]:
        """The keys that a run changes: its mesh's, then its own."""
        file = self.description["run"]
        changes = [] if run.mesh == "file" else ["amr.levels=1"]
        if run.mesh == "finest":
            scale = 1 << (file["levels"] - 1)
            points_x, points_y = file["points"]
            changes.append(f"grid.base=[{points_x * scale}, {points_y * scale}]")
            if file["steps"] > 0:
                steps = scale if file["subcycling"] else 1
                changes += [f"time.steps={file['steps'] * steps}", f"time.stop_step={file['stop_step'] * steps}"]
        return (*changes, *run.settings)

    def published(self) -> list[PublishedValue]:
        return published_values(self.description)

    def label_of(self, run: TableRun) -> str:
        points = self.description["run"]["points"][0]
        finest = points << (self.description["run"]["levels"] - 1)
        return run.label.replace("{points}", str(points)).replace("{finest_points}", str(finest))

    def published_text(self, row: RowOfTable, format_: str) -> Cell:
        """Published values to compare with, "1.6 and 3.1" if there are several. An error is of the case's whole time,
        on a grid of one spacing."""
        run = self.case.runs.get(row.run)
        name = run.published if run else row.published
        if not name:
            return ""
        texts = []
        for value in self.published():
            fits = not value.norm or (run is not None and run.summary and self._fits(run, value))
            if value.name == name and fits:
                texts.append(f"{value.value:{format_}}")
        return " and ".join(texts) or None

    def _fits(self, run: TableRun, value: PublishedValue) -> bool:
        file = self.description["run"]
        points = run.summary["config"]["grid"]["base"][0] << (run.summary["config"]["amr"]["levels"] - 1)
        spacing = points / self.description["case"]["extent"][0]
        return bool(file["goes_to_the_end"]) and abs(spacing - value.points) < 0.5

    def cell(self, layout: Layout, row: RowOfTable, column: ColumnOfTable) -> Cell:
        if column.published:
            is_of_ratios = any(other.over for other in layout.rows)
            return "" if is_of_ratios and not row.over else self.published_text(row, column.format)
        if row.over:
            return self._ratio(column.ratio, *row.over) if column.ratio else ""
        if not column.value:
            return ""
        if not column.over:
            return value_at(self.case.runs[row.run].summary, column.value)
        ratio = self._ratio(column.value, row.run, column.over)
        return f"{100.0 * ratio:{column.format}} %" if column.percent and ratio is not None else ratio

    def _ratio(self, place: str, over: str, under: str) -> float | None:
        one = value_at(self.case.runs[over].summary, place)
        other = value_at(self.case.runs[under].summary, place)
        return one / other if one is not None and other else None

    def table_of(self, layout: Layout) -> Table[RowOfTable]:
        """A published column without a value is left out."""

        def title_of(row: RowOfTable) -> str:
            return row.title or self.label_of(self.case.runs[row.run])

        def value_of(column: ColumnOfTable) -> Callable[[RowOfTable], Cell]:
            return lambda row: self.cell(layout, row, column)

        columns: list[Column[RowOfTable]] = [Column(title_of, "", " ", is_key=True)]
        for column in layout.columns:
            if column.published and not any(self.cell(layout, row, column) for row in layout.rows):
                continue
            columns.append(Column(value_of(column), "", column.title, "" if column.published else column.format))
        workers = counted(next(iter(self.case.runs.values())).summary["workers"], "worker")
        return Table(columns, layout.rows, layout.title.replace("{workers}", workers))

    def about_errors(self, layout: Layout) -> str:
        """Why a table that is to have errors, or the case's published ones, has none; empty elsewhere."""
        places = [column.value for column in layout.columns if column.value.startswith("error.")]
        runs = [self.case.runs[row.run] for row in layout.rows if row.run]
        if places and runs and all(value_at(run.summary, place) is None for run in runs for place in places):
            return "No errors are shown: the case has no exact solution at the time at which the runs end.\n"
        if any(row.over for row in layout.rows) or not any(column.published for column in layout.columns):
            return ""
        names = {run.published for run in self.case.runs.values() if run.published}
        values = [value for value in self.published() if value.name in names]
        if not values or any(self.published_text(row, ".3e") for row in layout.rows):
            return ""
        spacings = " and 1/".join(str(points) for points in sorted({value.points for value in values}))
        return f"No published errors are shown: they are for the case's whole time and the spacings 1/{spacings}.\n"

    def text(self) -> str:
        return "\n".join(self.table_of(layout).text() + self.about_errors(layout) for layout in self.case.layouts)

    def ended_text(self) -> str:
        """The runs that had ended when another failed or was interrupted."""
        ended = [run for run in self.case.runs.values() if run.summary]
        columns: list[Column[TableRun]] = [
            Column(self.label_of, "", " ", is_key=True),
            Column(lambda run: value_at(run.summary, "error.rms"), "", "RMS error", ".3e"),
            Column(lambda run: value_at(run.summary, "wall_s"), "", "seconds", ".2f"),
        ]
        return Table(columns, ended, "Runs that ended before").text()

    def json(self) -> Record:
        ratios = {}
        for layout in self.case.layouts:
            places = [column.ratio for column in layout.columns if column.ratio]
            for row in layout.rows:
                if row.over and places:
                    ratios[row.published or row.title] = self._ratio(places[0], *row.over)
        return {
            "complete": all(run.summary for run in self.case.runs.values()),
            "runs": {name: run.summary for name, run in self.case.runs.items() if run.summary},
            "ratios": ratios,
            "published": [
                {"name": value.name, "value": value.value, "source": value.source} for value in self.published()
            ],
        }


class TableStudy(Study[Tables]):
    """`kumiko table`."""

    what = "table"
    quiet_remedy = "name a file by --summary"

    def __init__(self, request: Request, kumiko: Kumiko | None) -> None:
        super().__init__(request, kumiko)
        self._file = table_file(request.config)

    def check_published(self, found: Tables) -> None:
        """Refuses names of published values that the case does not have. Raises Refused."""
        names = [run.published for run in found.case.runs.values()]
        names += [row.published for layout in found.case.layouts for row in layout.rows]
        known = sorted({value.name for value in found.published()})
        for name in names:
            if name and name not in known and self._file != DEFAULT:
                raise Refused(
                    f"{self._file}: the case has no published value '{name}'; it has {', '.join(known) or 'none'}"
                )

    def check_places(self, found: Tables, summary: Record) -> None:
        """Refuses columns of what no summary has. Raises Refused."""
        places = list(places_of(summary))
        for layout in found.case.layouts:
            for place in (column.value or column.ratio for column in layout.columns):
                if place and place not in places:
                    shown = ", ".join(name for name in places if not name.startswith("config."))
                    raise Refused(
                        f"{self._file}: table '{layout.title}': summaries have no number at '{place}'; it can be "
                        f"{shown}, or a key, such as config.amr.levels"
                    )

    def check(self) -> None:
        super().check()
        if self.request.output:
            raise Refused("a table has no files for a folder of --output; name a file for its JSON by --summary")

    def run_of(self, found: Tables, run: TableRun) -> Record:
        """Makes a run. An error names it."""
        try:
            return self.kumiko.run(self.job_of(found, run))
        except Interrupted:
            raise
        except (Refused, Failed) as error:
            raise type(error)(f"run '{run.name}': {error}") from None

    def job_of(self, found: Tables, run: TableRun) -> Job:
        return self.request.job(found.settings_of(run), backend=run.backend)

    def plan(self) -> Tables:
        case = read_table(self._file)
        found = Tables(case, self.kumiko.describe(self.request.job(), relay=True))
        refuse_stop_step(found.description)
        self.check_published(found)
        for run in case.runs.values():
            try:
                self.try_first_state(partial(self.kumiko.dry_run, self.job_of(found, run)))
            except Refused as error:
                own = run.settings or run.backend != "threads"
                raise Refused(f"{self._file}: run '{run.name}': {error}" if own else str(error)) from None
        return found

    def measure(self, found: Tables, after: Callable[[], None]) -> None:
        """The runs that have ended before another one fails, or a signal comes, are printed."""
        try:
            for run in found.case.runs.values():
                self.progress.show(found.label_of(run))
                summary = self.run_of(found, run)
                self.check_places(found, summary)
                run.summary = summary
                after()
        except (Refused, Failed):
            self.progress.show("")
            if any(run.summary for run in found.case.runs.values()) and not self.request.quiet:
                text = "\n" + found.ended_text().rstrip("\n")
                to_stderr(text) if self.request.summary == STDOUT else print(text, flush=True)
            raise

    def has_results(self, found: Tables) -> bool:
        return all(run.summary for run in found.case.runs.values())

    def report(self, found: Tables) -> str:
        return "\n" + found.text()

    def record(self, found: Tables) -> Record:
        return found.json()


def tabulate(request: Request, kumiko: Kumiko | None = None) -> Tables:
    """Makes the runs of a case's tables, and prints the tables. Raises Refused before the first run, Failed and
    Interrupted after the runs that have ended are printed."""
    return TableStudy(request, kumiko).carry_out()
