"""Checks the form of what a suite has printed and written."""

from pathlib import Path

from form import Report, check_figures, check_lines
from forms import FORMS, Host
from measured import Measured

SIZED = ("idle", "io", "ranks")  # whose short form has fewer rows


def check(suite: str, measured: Measured, figures: Path, quick: bool, host: Host | None = None) -> Report:
    host = host or Host.of(measured.workers)
    form = FORMS[suite](host, quick) if suite in SIZED else FORMS[suite](host)
    report = check_lines(form, measured.lines, quick)
    if suite == "idle" and host.quota_refusal:
        report.skipped.append(f"quotas: {host.quota_refusal}")
    report.faults += check_figures(form, figures, quick)
    return report
