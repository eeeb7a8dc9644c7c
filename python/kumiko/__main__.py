"""Starts a study: `python3 -m kumiko STUDY REQUEST` with its options in a JSON file, as `kumiko compare`, `scaling`,
`simulate` and `table` do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .case_table import tabulate
from .compare import compare
from .contender import CompareRequest
from .predictions import PredictionRequest, show_predictions
from .program import ERROR_MARK, Failed, Kumiko, Refused, to_stderr
from .scaling import ScalingRequest, scale
from .study import Request

DONE, FAILED, REFUSED = 0, 1, 2

STUDIES: dict[str, tuple[type, Callable[..., Any]]] = {
    "compare": (CompareRequest, compare),
    "scaling": (ScalingRequest, scale),
    "simulate": (PredictionRequest, show_predictions),
    "table": (Request, tabulate),
}


def main(arguments: list[str]) -> int:
    name, text = arguments
    options = json.loads(Path(text).read_text(encoding="utf-8"))
    kumiko = Kumiko(options.pop("program"))
    make_request, study = STUDIES[name]
    lists = {key: tuple(value) for key, value in options.items() if isinstance(value, list)}
    try:
        study(make_request(**options | lists), kumiko)
    except (Refused, Failed, OSError) as error:
        to_stderr(f"{ERROR_MARK}{error}")
        return REFUSED if isinstance(error, Refused) else FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
