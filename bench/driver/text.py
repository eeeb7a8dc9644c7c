"""Figures as text."""

import sys

from measured import Budget, Spread

WIDTH_OF_ERROR = 90


class Progress:
    """One line on the terminal, nothing elsewhere."""

    def show(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def number(value: float | None, digits: int = 3) -> str:
    """With `digits` significant digits, without an exponent."""
    if value is None:
        return "-"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:#.{digits}g}" if abs(value) >= 1e-4 else f"{value:.1e}"


def spread(value: Spread | None) -> str:
    if value is None:
        return "-"
    if value.least == value.most:
        return number(value.middle)
    return f"{number(value.middle)} ({number(value.least)}..{number(value.most)})"


def whole(value: Spread) -> str:
    """Of counts."""
    middle, least, most = (f"{part:.0f}" for part in (value.middle, value.least, value.most))
    return middle if least == most else f"{middle} ({least}..{most})"


def brief(error: str) -> str:
    """The figures have all of it."""
    return error if len(error) <= WIDTH_OF_ERROR else error[: WIDTH_OF_ERROR - 3] + "..."


def budget_lines(name: str, budgets: list[Budget]) -> list[str]:
    judged = all(budget.judged for budget in budgets)
    lines = ["", name if judged else f"{name}, which hold for the full sizes, measured repeatedly"]
    for budget in budgets:
        sign = "<=" if budget.at_most else ">="
        bound = f"{sign} {number(budget.bound)}"
        lines.append(
            f"  {budget.title:<50} {number(budget.measured):>9}  {bound:<10} {budget.verdict}"
        )
    return lines
