"""The suites of bench/suites.txt, the one list of what is measured, and the driver's package for each."""

import importlib
from pathlib import Path
from types import ModuleType

LIST = Path(__file__).resolve().parents[1] / "suites.txt"
SUITES = tuple(line.split()[0] for line in LIST.read_text().splitlines() if line[:1].isalpha())


def suite_module(name: str) -> ModuleType:
    """The package that measures a suite: measure(programs, repetitions, quick), and PARTS where it has parts."""
    return importlib.import_module(f"{name}_suite")


def parts_of(name: str) -> tuple[str, ...]:
    return tuple(getattr(suite_module(name), "PARTS", ()))
