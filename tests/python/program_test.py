"""Contract: a program's errors become exceptions with its own words; one that must end takes its children with it."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kumiko.program import (
    Failed,
    Interrupted,
    Job,
    Kumiko,
    Refused,
    Signals,
    reason,
    run_program,
    steps_needed,
)


def program(tmp_path: Path, text: str) -> Kumiko:
    file = tmp_path / "kumiko"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return Kumiko(str(file))


def test_given_a_summary_then_it_is_returned_and_the_job_is_in_the_command(tmp_path):
    kumiko = program(tmp_path, 'echo "{\\"words\\": \\"$*\\"}"')
    job = Job("case.toml", ("amr.levels=2",), "thinc", "pthread", 3, ("plugins",))
    words = kumiko.run(job)["words"]
    assert words == (
        "run case.toml --backend pthread --solver thinc --workers 3 --set amr.levels=2 --plugin-path plugins --quiet "
        "--no-files --json"
    )


@pytest.mark.parametrize(("code", "error"), [(2, Refused), (1, Failed)])
def test_given_an_error_then_its_code_says_whether_the_request_was_wrong(tmp_path, code, error):
    kumiko = program(tmp_path, f"echo 'kumiko: warning: hm' >&2; echo 'kumiko: error: no such key' >&2; exit {code}")
    with pytest.raises(error, match="^no such key$"):
        kumiko.run(Job("case.toml"))


def test_given_a_signal_of_its_own_then_the_failure_names_it(tmp_path):
    with pytest.raises(Failed, match="ended by signal 9"):
        program(tmp_path, "kill -KILL $$").run(Job("case.toml"))


def test_given_no_program_then_the_failure_says_how_to_name_one():
    with pytest.raises(Refused, match="KUMIKO"):
        Kumiko("/nowhere/kumiko").run(Job("case.toml"))


def test_given_a_launcher_then_it_starts_the_run_with_its_numbers(tmp_path):
    kumiko = program(tmp_path, "exit 3")
    with pytest.raises(Failed, match="2 ranks, 4 workers each, by 'env R=2 W=4': ended with status 3: it printed no"):
        kumiko.run(Job("case.toml", ranks=2, workers=4, launcher="env R={ranks} W={workers}"))


def test_given_a_launchers_words_then_those_within_rulers_are_the_reason():
    text = "prterun noise\n------\nThere are not enough slots\nin the system.\n------\nmore\n"
    assert reason(text) == "There are not enough slots in the system."
    assert reason("kumiko: error: of the run\n-----\nx\n-----\n") == "of the run"
    assert reason("one\ntwo\n") == "two"
    assert reason("") == "it printed no message"


def test_given_an_error_of_too_long_steps_then_the_number_is_read():
    text = "has CFL number 79.8 at t = 0, but solver 'upwind1' takes up to 1; 'time.steps' must be 798 at least, by an"
    assert steps_needed(Refused(text)) == 798
    assert steps_needed(Refused("'time.steps' is missing")) is None


def test_given_a_second_ctrl_c_then_a_program_that_does_not_end_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("kumiko.program.TIME_TO_END", 1000.0)
    twice = f"import os, time; [(os.kill({os.getpid()}, 2), time.sleep(0.3)) for _ in range(2)]"
    with Signals() as signals:
        timer = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(0.3); {twice}"])
        with pytest.raises(Interrupted, match="SIGINT"):
            run_program("trap '' TERM; while :; do sleep 1; done", signals)
        timer.wait()


def test_given_a_caller_that_is_woken_by_signals_then_it_is_so_afterwards():
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    try:
        with Signals():
            pass
        assert signal.set_wakeup_fd(-1) == write
    finally:
        signal.set_wakeup_fd(-1)
        os.close(read)
        os.close(write)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_given_a_signal_then_the_program_and_its_children_end(tmp_path):
    children = tmp_path / "children"
    script = f"sh -c 'echo $$ >> {children}; exec sleep 300' & echo $$ >> {children}; wait"
    with Signals() as signals:
        timer = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"""
import os, pathlib, signal, time
while not pathlib.Path({str(children)!r}).exists() or len(pathlib.Path({str(children)!r}).read_text().split()) < 2:
    time.sleep(0.01)
os.kill({os.getpid()}, signal.SIGTERM)
""",
            ]
        )
        with pytest.raises(Interrupted, match=r"ended by signal 15 \(SIGTERM\)"):
            run_program(script, signals)
        timer.wait()
        with pytest.raises(Interrupted):
            run_program("true", signals)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    deadline = time.monotonic() + 60.0
    while any(is_running(int(child)) for child in children.read_text().split()):
        assert time.monotonic() < deadline, "a child goes on alone"
        time.sleep(0.01)
