"""How a program that was started ended, in words."""

import signal


def explain(status: int, errors: str) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    cause = f"exit status {status}" if status >= 0 else signal.Signals(-status).name
    return f"failed ({cause})" + (f": {lines[-1].removeprefix('error: ')}" if lines else "")
