"""The programs of the suite io: echo servers with their client, and writers of a file."""

import ctypes
import errno
import os
import time
from collections import Counter

from conversation import Conversation, words_of
from programs import GO, Programs

THREADS, GO_NET = "OS threads", "Go"
# By title: the end of a program's name, and its arguments.
KUMIKO = {f"Kumiko, {engine}": ("kumiko", {"engine": engine}) for engine in ("auto", "io_uring", "epoll")}
SERVERS = KUMIKO | {THREADS: ("threads", {}), GO_NET: ("go", {})}
POOLS = {f"pool of {threads}": ("pool", {"threads": threads}) for threads in (2, 8, 16)}
WRITERS = KUMIKO | POOLS
IO_URING_SETUP = 425  # the system call's number on every architecture


def io_uring_refusal() -> str:
    """Empty where a ring can be made."""
    libc = ctypes.CDLL(None, use_errno=True)
    ring = libc.syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(256))
    if ring < 0:
        code = ctypes.get_errno()
        return f"io_uring is refused here: {errno.errorcode.get(code, code)}"
    os.close(ring)
    return ""


def difference(before: dict, after: dict) -> dict:
    return {name: after[name] - before[name] for name in after}


def server(programs: Programs, benchmark: str, system: str, workers: int) -> Conversation:
    program, arguments = SERVERS[system]
    # An OS thread for each connection of a ping-pong: nothing that could be limited.
    limit = {} if (benchmark, system) == ("pingpong", THREADS) else {"workers": workers}
    path = programs.path(f"{benchmark}_{program}", GO if system == GO_NET else None)
    return Conversation(path, *words_of(arguments | limit))


def client(programs: Programs, port: str, size: dict) -> Conversation:
    return Conversation(programs.path("io_client"), *words_of({"port": port, "ready": 1} | size))


def pingpong(programs: Programs, system: str, workers: int, size: dict) -> dict:
    """The client's figures, and how the server used its CPU time."""
    with server(programs, "pingpong", system, workers) as echo, client(programs, echo.word("PORT"), size) as one:
        one.word("READY")
        before = echo.ask()
        one.tell()
        traffic = one.report()
        used = difference(before, echo.ask())
    figures = traffic | {f"server_{name}": value for name, value in used.items()}
    figures["cpu_us"] = used["cpu_seconds"] * 1e6 / traffic["transactions"]
    shares = {part: used[f"{part}_seconds"] / used["cpu_seconds"] for part in ("searching", "polling")
              if f"{part}_seconds" in used}
    figures |= {f"{part}_share": share for part, share in shares.items()}
    return figures | ({"useful_share": 1 - sum(shares.values())} if shares else {})


def load(programs: Programs, system: str, workers: int, size: dict) -> dict:
    """The computation alone and with echoes, in turn, so that a disturbance hits both."""
    alone, together = Counter(), Counter()
    with server(programs, "load", system, workers) as echo, client(programs, echo.word("PORT"), size) as one:
        one.word("READY")
        before = echo.ask()
        for round_to_come in reversed(range(size["rounds"])):
            time.sleep(size["seconds"])
            between = echo.ask()
            one.tell()
            traffic = one.word("READY") if round_to_come else one.report()
            after = echo.ask()
            alone.update(difference(before, between))
            together.update(difference(between, after))
            before = after
    rates = {}
    for per, seconds in (("second", "wall_seconds"), ("cpu_second", "cpu_seconds")):
        with_echoes, without = (used["patches"] / used[seconds] for used in (together, alone))
        rates |= {f"patches_per_{per}_with": with_echoes, f"patches_per_{per}_without": without,
                  f"kept_per_{per}": with_echoes / without}
    return traffic | rates


def files(programs: Programs, system: str, workers: int, size: dict) -> dict:
    program, arguments = WRITERS[system]
    limit = {} if system in POOLS else {"workers": workers}
    arguments = arguments | size | {"folder": programs.folder.parent} | limit
    with Conversation(programs.path(f"files_{program}"), *words_of(arguments)) as writers:
        return writers.report()
