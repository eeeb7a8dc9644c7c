"""The tables as text."""

from measured import Budget
from text import brief, budget_lines, number, spread

from .measure import TIME_LIMIT
from .plan import ALONE, BASE, FIB, FOUR, SYSTEMS, TWO, ZALESAK, Situation
from .summary import Summary, pressure_over_default

WIDTH_OF_TITLE = 22
WIDTH = 22
# Busy waiting over blocking, without and with PAUSE, of fib(44) by 16 workers: on the bare machine and in a guest alone,
# and in two guests at once, with a hypervisor's default exits for loops with PAUSE. Without figures for four.
PAPER = {
    ("alone, bare", ALONE): ("0.981", "-"),
    ("alone, guest", ALONE): ("0.921", "0.916"),
    (TWO, TWO): ("1.64", "1.63"),
    (FOUR, FOUR): ("grows", "grows"),
}

LEGEND = f"""
A cell is the time over that of the policy {BASE}, which blocks at once, by the medians of the rounds' ratios; /ideal is
the time over the ideal share, which is one worker's time on a free core over the cores left: a busy loop takes half a
core, a quarter if it runs half the time, a tenth at nice 10. With copies all times are converted: the mean over the
copies by their number. A run that was stopped after {TIME_LIMIT} s counts with that time."""


def row(title: str, cells: list[str]) -> str:
    return f"  {title:<{WIDTH_OF_TITLE}}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)


def system_row(summary: Summary, part: str, program: str, system: str, columns: list[Situation]) -> str:
    title = SYSTEMS[system].title
    error = summary.error(part, program, columns[0].title, system)
    if error:
        return f"  {title:<{WIDTH_OF_TITLE}} {brief(error)}"
    cells = []
    for column in columns:
        key = (part, program, column.title, system)
        cells += [spread(summary.over_base(*key)), number(summary.over_ideal(*key))]
    return row(title, cells)


def program_lines(summary: Summary, part: str, program: str) -> list[str]:
    """A table for every two situations, since a line has no room for more."""
    plan = summary.plan.parts[part]
    lines = []
    for first in range(0, len(plan.columns), 2):
        columns = plan.columns[first : first + 2]
        titles = "; ".join(column.title for column in columns)
        lines += ["", f"{program}, {plan.title}: time over {BASE}'s; {titles}"]
        lines.append(row("", [heading for column in columns for heading in (column.title, "/ideal")]))
        seconds = [summary.seconds(part, program, column.title, BASE) for column in columns]
        lines.append(row(f"{BASE}, seconds", [cell for value in seconds for cell in (spread(value), "-")]))
        lines += [system_row(summary, part, program, system, columns) for system in summary.plan.systems(program)]
    return lines


def phases_lines(summary: Summary) -> list[str]:
    """All lengths beside each other."""
    names = summary.plan.parts["phases"].programs
    lines = ["", f"phases alone: time over {BASE}'s, /ideal below"]
    lines.append(row("", [name.removeprefix("phases, ") for name in names]))
    for system in summary.plan.systems(names[0]):
        keys = [("phases", name, ALONE, system) for name in names]
        error = summary.error(*keys[0])
        if error:
            lines.append(f"  {SYSTEMS[system].title:<{WIDTH_OF_TITLE}} {brief(error)}")
            continue
        lines.append(row(SYSTEMS[system].title, [spread(summary.over_base(*key)) for key in keys]))
        lines.append(row("  /ideal", [number(summary.over_ideal(*key)) for key in keys]))
    return lines


def pressure_lines(summary: Summary) -> list[str]:
    lines = ["", "pressure over adaptive: time, round by round"]
    for part, plan in summary.plan.parts.items():
        for (program, situation), ratio in pressure_over_default(summary, part).items():
            lines.append(f"  {f'{plan.title}, {situation}: {program}':<60} {spread(ratio)}")
    return lines


def paper_lines(summary: Summary) -> list[str]:
    """Busy waiting over blocking. Zalesak is beside fib since its workers have more to wait for."""
    lines = ["", "busy waiting over blocking: the paper's fib, and here"]
    lines.append(row("", ["paper, busy", "here, spin", "paper, busy + PAUSE", "here, spin_pause"]))
    for (title, situation), (busy, pausing) in PAPER.items():
        for program in (FIB, ZALESAK):
            ours = [summary.over_base("copies", program, situation, policy) for policy in ("spin", "spin_pause")]
            theirs = (busy, pausing) if program == FIB else ("-", "-")
            lines.append(row(f"{title}: {program}", [theirs[0], spread(ours[0]), theirs[1], spread(ours[1])]))
    return lines


def table_lines(summary: Summary, judged: list[Budget]) -> list[str]:
    lines: list[str] = []
    for name, part in summary.plan.parts.items():
        if name == "phases":
            lines += phases_lines(summary)
            continue
        for program in part.programs:
            lines += program_lines(summary, name, program)
    if "copies" in summary.plan.parts:
        lines += paper_lines(summary)
    lines += pressure_lines(summary) + LEGEND.split("\n")
    stopped = summary.stopped()
    if stopped:
        lines += ["", f"stopped after {TIME_LIMIT} s, at least once", *(f"  {case}" for case in stopped)]
    return lines + (budget_lines("budgets (medians)", judged) if judged else [])
