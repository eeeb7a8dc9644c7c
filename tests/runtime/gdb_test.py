"""Run by gdb, where suspended_threads has stopped, or its copy without debugging information: checks
what scripts/gdb/kumiko.py lists."""

import re
from pathlib import Path

import gdb

source = Path(__file__).with_name("suspended_threads.cpp")


def line_of(text):
    (line,) = [n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line]
    return line


def check(condition, what):
    if not condition:
        raise gdb.GdbError(f"expected {what}")


def check_threads(listing):
    blocks = re.split(r"^(?=lightweight thread )|^(?=\d+ lightweight threads)", listing, flags=re.M)[1:]
    check(blocks[-1] == "5 lightweight threads\n", "5 threads")

    def check_one(title, creation, state, frame=None):
        head = f"lightweight thread {title}0x[0-9a-f]+, created at tests/runtime/suspended_threads.cpp:{creation}"
        # The first line, the second one, and the backtrace.
        pattern = rf"{head}\n  {state}\n(.*)"
        matches = [match for match in (re.fullmatch(pattern, b, re.S) for b in blocks) if match]
        check(len(matches) == 1, f"one thread as {pattern}")
        trace = matches[0].group(1)
        check(frame in trace if frame else trace == "", f"the backtrace to have {frame}")

    waits = r"waits for a Latch \(0x[0-9a-f]+\)"
    check_one('"waiting" ', line_of('"waiting"'), waits, "waits_inside")
    check_one("", line_of("rt::Thread([&state]"), waits, "waits_inside")
    check_one('"runnable" ', line_of("runtime.run([&state]"), "is runnable", "is_runnable_inside")
    check_one('"running" ', line_of('"running"'), r"runs on gdb's thread \d+")
    check_one("", line_of('"new"'), "has not begun")


listing = gdb.execute("kumiko threads", to_string=True)
print(listing)
if gdb.current_progspace().filename.endswith(".stripped"):
    check(re.fullmatch("no debugging information .* -g .*RelWithDebInfo.*\n", listing), "a hint")
else:
    check_threads(listing)
gdb.execute("continue")
check(gdb.parse_and_eval("$_exitcode") == 0, "the program to go on to its end")
check("no process" in gdb.execute("kumiko threads", to_string=True), "no process after that")
print("passed: gdb_test")
