"""Checks the form of what a suite has printed and written."""

from pathlib import Path

from form import Report, check_figures, check_lines
from forms import FORMS, Host
from measured import Measured


def check(suite: str, measured: Measured, figures: Path, quick: bool, host: Host | None = None) -> Report:
    host = host or Host.of(measured.workers)
    form = FORMS[suite](host, quick) if suite == "io" else FORMS[suite](host)
    report = check_lines(form, measured.lines, quick)
    report.faults += check_figures(form, figures, quick)
    return report
