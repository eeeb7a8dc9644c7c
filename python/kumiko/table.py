"""A table that is declared once: its columns with names, titles, units and formats. Text for the terminal, Markdown,
LaTeX, CSV, JSON and a check of what was printed follow from the declaration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .measurement import Spread

Row = TypeVar("Row")
Cell = str | int | float | Spread | None

WIDTH = 100  # of a table for the terminal, in characters
NOTHING = "-"  # in place of a value that does not exist
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
         "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}  # fmt: skip


def shortest(value: float) -> str:
    """The shortest text that is read as the same number."""
    return repr(value).removesuffix(".0")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: of its CSV and JSON where it has a name, of its texts where it has a title."""

    value: Callable[[Row], Cell]
    name: str = ""
    title: str = ""
    format: str = ""  # of numbers in texts, as Python's format() takes it; CSV and JSON have every digit
    unit: str = ""  # in brackets behind the title
    is_key: bool = False  # tells rows apart: every block of a table that is too wide for one line begins with it

    def heading(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def text(self, row: Row) -> str:
        return cell_text(self.value(row), self.format)


def cell_text(value: Cell, format: str) -> str:
    """A cell of a text: a spread as its median, with its ends in brackets where they differ."""
    if value is None:
        return NOTHING
    if isinstance(value, Spread):
        middle = cell_text(value.median, format)
        if value.least == value.most:
            return middle
        return f"{middle} ({cell_text(value.least, format)}..{cell_text(value.most, format)})"
    if isinstance(value, float):
        return f"{value:{format}}" if format else shortest(value)
    return str(value)


def csv_cell(value: Cell) -> str:
    """A cell of a CSV: quoted if it holds a comma, a quotation mark or a line break."""
    if value is None:
        return ""
    if isinstance(value, Spread):
        value = value.median
    if isinstance(value, float):
        return shortest(value)
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def json_cell(value: Cell) -> Any:
    if isinstance(value, Spread):
        return {"least": value.least, "median": value.median, "most": value.most}
    return value


def looks_like_number(text: str) -> bool:
    return not text or text[0] in "0123456789-+."


def _filled(widths: Sequence[int], is_key: Sequence[bool], width: int) -> list[list[int]]:
    """Columns by their numbers, block by block, each as full as `width` allows and with the keys in front."""
    keys = [at for at, key in enumerate(is_key) if key]
    blocks: list[list[int]] = [[]]
    for at, own in enumerate(widths):
        taken = sum(widths[other] + 2 for other in blocks[-1])
        if not is_key[at] and taken + own + 2 > width and any(not is_key[other] for other in blocks[-1]):
            blocks.append(list(keys))
        if at not in blocks[-1]:
            blocks[-1].append(at)
    return blocks


def _blocks(widths: Sequence[int], is_key: Sequence[bool], width: int) -> list[list[int]]:
    """As few blocks as `width` allows, about equally wide."""
    blocks = _filled(widths, is_key, width)
    for narrower in range(width - 1, 0, -1):
        fewer = _filled(widths, is_key, narrower)
        if len(fewer) > len(blocks):
            break
        blocks = fewer
    return blocks


@dataclass
class Table(Generic[Row]):
    """Columns, and rows to show in them."""

    columns: Sequence[Column[Row]]
    rows: Sequence[Row] = field(default_factory=list)
    title: str = ""  # a line above the text

    def _texts(self) -> tuple[list[Column[Row]], list[list[str]]]:
        shown = [column for column in self.columns if column.title]
        return shown, [[column.text(row) for column in shown] for row in self.rows]

    def text(self, width: int = WIDTH) -> str:
        """Columns as wide as their widest cell, numbers flush right. A table that is wider than `width` is set in
        several blocks of lines below each other; columns stay whole."""
        shown, cells = self._texts()
        columns = [[column.heading(), *(row[at] for row in cells)] for at, column in enumerate(shown)]
        widths = [max(map(len, column)) for column in columns]
        blocks = _blocks(widths, [column.is_key for column in shown], width)
        parts = [self.title + "\n"] if self.title else []
        for number, block in enumerate(blocks):
            if number > 0:
                parts.append("\n")
            for line in range(len(cells) + 1):
                words = []
                for at in block:
                    flush_right = all(looks_like_number(text) for text in columns[at][1:])
                    text = columns[at][line]
                    words.append(text.rjust(widths[at]) if flush_right else text.ljust(widths[at]))
                parts.append(("  " + "  ".join(words)).rstrip() + "\n")
        return "".join(parts)

    def markdown(self) -> str:
        """The table as GitHub and Doxygen read it."""

        def line(words: Sequence[str]) -> str:
            cells = (word.replace("|", "\\|").replace("\n", " ") for word in words)
            return "|" + "".join(f" {cell} |" for cell in cells) + "\n"

        shown, cells = self._texts()
        is_number = [all(looks_like_number(row[at]) for row in cells) for at in range(len(shown))]
        rule = "|" + "".join("---:|" if number else "---|" for number in is_number) + "\n"
        return line([column.heading() for column in shown]) + rule + "".join(line(row) for row in cells)

    def latex(self) -> str:
        """A tabular environment with the rules of the package booktabs."""

        def line(words: Sequence[str]) -> str:
            return "  " + " & ".join("".join(LATEX.get(c, c) for c in word) for word in words) + r" \\" + "\n"

        shown, cells = self._texts()
        is_number = [all(looks_like_number(row[at]) for row in cells) for at in range(len(shown))]
        places = "".join("r" if number else "l" for number in is_number)
        body = "".join(line(row) for row in cells)
        head = line([column.heading() for column in shown])
        ruled = f"  \\toprule\n{head}  \\midrule\n{body}  \\bottomrule\n"
        return f"\\begin{{tabular}}{{{places}}}\n{ruled}\\end{{tabular}}\n"

    def csv(self) -> str:
        named = [column for column in self.columns if column.name]
        lines = [",".join(column.name for column in named)]
        lines += [",".join(csv_cell(column.value(row)) for column in named) for row in self.rows]
        return "\n".join(lines) + "\n"

    def json(self) -> list[dict[str, Any]]:
        """A record per row, by the columns' names."""
        named = [column for column in self.columns if column.name]
        return [{column.name: json_cell(column.value(row)) for column in named} for row in self.rows]

    def faults(self) -> list[str]:
        """A line for each cell that is not a finite number where its column has a format."""
        found = []
        for row in self.rows:
            for column in self.columns:
                value = column.value(row)
                numbers: list[Any] = [value.least, value.median, value.most] if isinstance(value, Spread) else [value]
                if column.format and not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
                    key = next((column.text(row) for column in self.columns if column.is_key), "")
                    place = f"row '{key}', column '{column.title or column.name}'"
                    found.append(f"{self.title or 'table'}: {place}: {value}")
        return found
