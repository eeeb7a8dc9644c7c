"""Whether a suite's table has the form that it should have: every row, column, unit and verdict, and finite figures.

What a table should look like is written down by itself, in forms/, and not taken from the code that prints it.
"""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

# A cell: a word, with its spread or its unit.
CELL = re.compile(r"\S+(?: \([^()]*\))?(?: (?:%|ns)(?=\s|$))?")
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
SIZE = re.compile(r"(?:\s+[a-z]\w*=[\w.]+)+$")  # of a system that has a size of its own
ABSENT = re.compile(r"absent: .*")


def literal(text: str) -> str:
    """A regular expression for this text; messages show it, so spaces stay as they are."""
    return re.escape(text).replace("\\ ", " ")


@dataclass(frozen=True)
class Row:
    """A line of a table: its title, then its cells."""

    title: str  # a regular expression
    # By cell: "n" a finite number, "-" a dash, "?" either, and any other word a regular expression.
    cells: tuple[str, ...]
    optional: str = ""  # why its program may be absent here; then so may be all figures


@dataclass(frozen=True)
class Table:
    title: str  # a regular expression, the unit in it
    columns: str  # the line of headings, one space between its words; none if empty
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Form:
    tables: tuple[Table, ...]
    budgets: int  # lines of the last table, each with a figure, a bound and a verdict
    lists: tuple[str, ...] = ("budgets",)  # where the JSON file has them
    allowed_errors: tuple[str, ...] = ()  # of "not measured": regular expressions
    # Budgets that this machine cannot measure: a regular expression of the title, and why.
    unmeasurable: tuple[tuple[str, str], ...] = ()

    def excuse(self, budget: str) -> str | None:
        return next((why for title, why in self.unmeasurable if re.search(title, budget)), None)


@dataclass
class Report:
    faults: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def is_finite(cell: str) -> bool:
    """Whether the cell is of numbers, those of its spread and its unit's included."""
    bare = cell.removesuffix(" %").removesuffix(" ns")
    parts = re.split(r" \(|\.\.|\)", bare)
    return all(NUMBER.fullmatch(part) and math.isfinite(float(part)) for part in parts if part)


def fits(cell: str, kind: str) -> bool:
    if kind == "n":
        return is_finite(cell)
    if kind == "-":
        return cell == "-"
    if kind == "?":
        return cell == "-" or is_finite(cell)
    return re.fullmatch(kind, cell) is not None


def check_cells(row: Row, rest: str, where: str, report: Report) -> None:
    if row.optional and ABSENT.fullmatch(rest):
        report.skipped.append(f"{where}: {row.optional}")
        return
    cells = CELL.findall(SIZE.sub("", rest))
    if ABSENT.search(rest):
        report.faults.append(f"{where}: {rest}")
    elif len(cells) != len(row.cells):
        found = " ".join(cells) or "nothing"
        report.faults.append(f"{where}: {len(row.cells)} figures should be there, and there are {len(cells)}: {found}")
    else:
        for number, (cell, kind) in enumerate(zip(cells, row.cells), 1):
            if not fits(cell, kind):
                wanted = {"n": "a finite number", "-": "a dash", "?": "a finite number or a dash"}.get(kind, kind)
                report.faults.append(f"{where}: figure {number} is '{cell}', not {wanted}")


def check_table(table: Table, lines: list[str], report: Report) -> None:
    """Takes the lines of the table away from those given, its title's included."""
    place = next((i for i, line in enumerate(lines) if re.fullmatch(table.title, line.strip())), None)
    if place is None:
        report.faults.append(f"there is no table with the title and the unit '{table.title}'")
        return
    end = next((i for i in range(place, len(lines)) if not lines[i].strip()), len(lines))
    body = lines[place + 1 : end]
    title = lines[place].strip()
    del lines[place:end]
    if table.columns:
        headings = " ".join(body[0].split()) if body else ""
        if headings != table.columns:
            report.faults.append(f"'{title}': its columns are '{headings}', not '{table.columns}'")
        body = body[1:]
    for row in table.rows:
        found = next((line for line in body if re.match(rf"\s*{row.title}(?:\s|$)", line)), None)
        if found is None:
            report.faults.append(f"'{title}': the row '{row.title}' is missing")
            continue
        body.remove(found)
        rest = re.sub(rf"^\s*{row.title}(?:\s+|$)", "", found, count=1).strip()
        check_cells(row, rest, f"'{title}', row '{row.title}'", report)
    report.faults += [f"'{title}': unexpected line '{line.strip()}'" for line in body]


VERDICT = re.compile(r"  (\S.*\S)\s+(\S+)\s+([<>]=) (\S+)\s+(.*)")


def check_budgets(form: Form, lines: list[str], quick: bool, report: Report) -> None:
    place = next((i for i, line in enumerate(lines) if re.match(r"(?:budgets|goals)\b", line)), None)
    body = [] if place is None else [line for line in lines[place + 1 :] if line.strip()]
    if len(body) != form.budgets:
        report.faults.append(f"{form.budgets} budgets should have a line, and {len(body)} have")
    verdicts = ("not judged",) if quick else ("met", "MISSED")
    for line in body:
        match = VERDICT.fullmatch(line)
        if match is None:
            report.faults.append(f"the budget's figure, bound or verdict is missing in '{line.strip()}'")
            continue
        title, measured, _, bound, verdict = match.groups()
        why = form.excuse(title)
        if why is not None and (measured, verdict) == ("-", "not measured"):
            report.skipped.append(f"budget '{title}': {why}")
            continue
        if not is_finite(measured) or not is_finite(bound):
            report.faults.append(f"budget '{title}': '{measured}' or '{bound}' is not a finite number")
        if verdict not in verdicts:
            report.faults.append(f"budget '{title}': the verdict is '{verdict}', not {' or '.join(verdicts)}")


def check_errors(form: Form, lines: list[str], report: Report) -> None:
    if "not measured" not in lines:
        return
    begin = lines.index("not measured") + 1
    for line in lines[begin:]:
        if not line.strip():
            return
        known = any(re.search(pattern, line) for pattern in form.allowed_errors)
        (report.skipped if known else report.faults).append(f"not measured: {line.strip()}")


def check_lines(form: Form, lines: list[str], quick: bool) -> Report:
    report = Report()
    rest = "\n".join(lines).split("\n")  # a legend is one element of several lines
    for table in form.tables:
        check_table(table, rest, report)
    check_errors(form, rest, report)
    if form.budgets:
        check_budgets(form, rest, quick, report)
    return report


def check_figures(form: Form, path: Path, quick: bool) -> list[str]:
    """What is wrong with the JSON file."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not a finite number")

    try:
        figures = json.loads(path.read_text(), parse_constant=refuse)
    except (OSError, ValueError) as error:
        return [f"{path}: {error}"]
    faults = [f"{path}: '{name}' is missing" for name in ("machine", "quick", "workers") if name not in figures]
    if not form.budgets:
        return faults
    budgets = [budget for name in form.lists for budget in figures.get(name, [])]
    if len(budgets) != form.budgets:
        faults.append(f"{path}: {form.budgets} budgets should be there, and there are {len(budgets)}")
    verdicts = ("not judged",) if quick else ("met", "MISSED")
    for budget in budgets:
        if form.excuse(budget.get("title", "")) is not None:
            continue
        if budget.get("verdict") not in verdicts or budget.get("measured") is None:
            faults.append(f"{path}: budget '{budget.get('title')}' lacks its figure or its verdict")
    return faults
