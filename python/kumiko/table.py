"""A table that is declared once: its columns with names, titles, units and formats. Text for the terminal, Markdown,
LaTeX, CSV, JSON and a check of what was printed follow from the declaration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

from .measurement import Missing, Spread

Row = TypeVar("Row")
Cell = str | int | float | Spread | Missing | None
Format = str | Callable[[float], str]  # of numbers, as Python's format() takes it, or a function

WIDTH = 100  # of a table for the terminal, in characters
NOTHING = "-"  # in place of a value that does not exist
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
         "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}  # fmt: skip


def shortest(value: float) -> str:
    """The shortest text that is read as the same number."""
    return repr(value).removesuffix(".0")


def significant(value: float, digits: int = 3) -> str:
    """So many significant digits, without an exponent as far as that is short."""
    if value == 0.0 or abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:#.{digits}g}" if abs(value) >= 1e-4 else f"{value:.1e}"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: of its CSV and JSON where it has a name, of its texts where it has a title."""

    value: Callable[[Row], Cell]
    name: str = ""
    title: str = ""
    format: Format = ""  # of numbers in texts; CSV and JSON have every digit
    unit: str = ""  # in brackets behind the title
    is_key: bool = False  # tells rows apart: every block of a table that is too wide for one line begins with it

    def heading(self) -> str:
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def text(self, row: Row) -> str:
        return cell_text(self.value(row), self.format)


def cell_text(value: Cell, format: Format) -> str:
    """A cell of a text: a spread as its median, with its ends in brackets where they differ."""
    if value is None or isinstance(value, Missing):
        return NOTHING
    if isinstance(value, Spread):
        middle = cell_text(value.median, format)
        if value.least == value.most:
            return middle
        return f"{middle} ({cell_text(value.least, format)}..{cell_text(value.most, format)})"
    if callable(format) and isinstance(value, int | float):
        return format(value)
    if isinstance(value, float):
        return f"{value:{format}}" if format else shortest(value)
    return str(value)


def cell_fault(value: Cell) -> str:
    """The fault of a cell that should be a finite number or, where none applies, a word; empty without one."""
    if isinstance(value, Missing):
        return "" if value.is_expected else value.why
    if value is None:
        return "it has no value"
    numbers: list[Any] = [value.least, value.median, value.most] if isinstance(value, Spread) else [value]
    return "" if all(isinstance(n, str) or math.isfinite(n) for n in numbers) else f"{value} is not a finite number"


def csv_cell(value: Cell) -> str:
    """A cell of a CSV: quoted if it holds a comma, a quotation mark or a line break."""
    if value is None or isinstance(value, Missing):
        return ""
    if isinstance(value, Spread):
        value = value.median
    if isinstance(value, float):
        return shortest(value)
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


def json_cell(value: Cell) -> Any:
    if isinstance(value, Spread):
        return asdict(value)
    return None if isinstance(value, Missing) else value


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

    def reason(self, row: Row) -> Missing | None:
        """Why all values of a row are missing; None for a row with some."""
        values = [column.value(row) for column in self.columns if column.title and not column.is_key]
        missing = [value for value in values if isinstance(value, Missing)]
        return missing[0] if missing and all(isinstance(v, Missing) or v in ("", NOTHING) for v in values) else None

    def text(self, width: int = WIDTH) -> str:
        """Columns as wide as their widest cell, numbers flush right. A table that is wider than `width` is set in
        several blocks of lines below each other; columns stay whole. A row without values has the reason in the first
        block, in place of its cells."""
        shown, cells = self._texts()
        reasons = [self.reason(row) for row in self.rows]
        keys = [at for at, column in enumerate(shown) if column.is_key]
        full = [row for row, reason in zip(cells, reasons, strict=True) if reason is None]
        columns = [
            [column.heading(), *(row[at] for row in (cells if at in keys else full))] for at, column in enumerate(shown)
        ]
        widths = [max(map(len, column)) for column in columns]
        flush_right = [all(looks_like_number(text) for text in column[1:]) for column in columns]
        for at in keys:  # of words, some of which may begin with a digit
            flush_right[at] = flush_right[at] and not any(c.isalpha() for text in columns[at][1:] for c in text)

        def line(words: Sequence[str], block: Sequence[int], end: str = "") -> str:
            padded = [words[at].rjust(widths[at]) if flush_right[at] else words[at].ljust(widths[at]) for at in block]
            return ("  " + "  ".join([*padded, end])).rstrip() + "\n"

        parts = [self.title + "\n"] if self.title else []
        for number, block in enumerate(_blocks(widths, [column.is_key for column in shown], width)):
            parts.append("\n" if number > 0 else "")
            parts.append(line([column[0] for column in columns], block))
            for row, reason in zip(cells, reasons, strict=True):
                if reason is None:
                    parts.append(line(row, block))
                elif number == 0:
                    parts.append(line(row, keys, reason.why).rstrip()[:width] + "\n")
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
        """A line for each row whose values are missing, and for each cell without a finite number where its column has
        a format; not for words, nor for values that are expected to be missing."""
        found = []
        for row in self.rows:
            key = next((column.text(row) for column in self.columns if column.is_key), "")
            place = f"{self.title or 'table'}: row '{key}'"
            reason = self.reason(row)
            if reason is not None:
                found += [] if reason.is_expected else [f"{place}: {reason.why}"]
                continue
            for column in self.columns:
                fault = cell_fault(column.value(row)) if column.format else ""
                found += [f"{place}, column '{column.title or column.name}': {fault}"] if fault else []
        return found
