"""Reads a file of Chrome trace events, and holds it against what the format and its viewers ask for.

Times are whole nanoseconds here; the format has microseconds with decimals.
"""

import bisect
import json
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

REQUIRED = {
    "M": {"pid", "tid", "name", "args"},
    "X": {"pid", "tid", "name", "cat", "ts", "dur", "args"},
    "i": {"pid", "tid", "name", "ts", "s"},
    "C": {"pid", "name", "ts", "args"},
    "s": {"pid", "tid", "name", "cat", "ts", "id"},
    "f": {"pid", "tid", "name", "cat", "ts", "id", "bp"},
}


@dataclass(frozen=True)
class Slice:
    row: tuple
    begin: int
    end: int
    name: str
    category: str
    args: tuple

    def arg(self, name):
        return dict(self.args).get(name)


@dataclass
class ChromeTrace:
    names: dict = field(default_factory=dict)  # ("process" or "thread", pid, tid) -> name
    slices: list = field(default_factory=list)
    arrows: list = field(default_factory=list)  # (category, Slice from, Slice to)
    counters: dict = field(default_factory=lambda: defaultdict(list))  # name -> [(time, value)]
    instants: list = field(default_factory=list)

    def row(self, tid_name):
        """The slices of the row with this name, by time."""
        rows = [key[1:] for key, name in self.names.items() if key[0] == "thread" and name == tid_name]
        assert len(rows) == 1, (tid_name, rows)
        return sorted((s for s in self.slices if s.row == rows[0]), key=lambda s: (s.begin, s.end))


def nanoseconds(value):
    exact = Decimal(value) * 1000
    assert exact == int(exact), f"{value} us is not a whole number of nanoseconds"
    assert exact >= 0, f"{value} us is before the trace began"
    return int(exact)


def slice_at(slices_of_row, time):
    """The slice of the row that a viewer finds at a time: begun, and not yet over."""
    found = [s for s in slices_of_row if s.begin <= time < max(s.end, s.begin + 1)]
    assert found, f"no slice at {time} ns"
    return found[-1]


def add_event(trace, event, starts, finishes):
    phase = event["ph"]
    assert phase in REQUIRED, f"unknown phase {phase!r}"
    missing = REQUIRED[phase] - event.keys()
    assert not missing, f"{event} lacks {missing}"
    row = (event["pid"], event.get("tid"))
    if phase == "M":
        kind, _, what = event["name"].partition("_")
        if what == "name":
            assert (kind, *row) not in trace.names, f"two names: {event}"
            trace.names[(kind, *row)] = event["args"]["name"]
        return
    time = nanoseconds(event["ts"])
    if phase == "X":
        end = time + nanoseconds(event["dur"])
        args = tuple(sorted(event["args"].items()))
        trace.slices.append(Slice(row, time, end, event["name"], event["cat"], args))
    elif phase == "i":
        assert event["s"] in "tpg"
        trace.instants.append((row, time, event["name"], event["args"]))
    elif phase == "C":
        for series, value in event["args"].items():
            assert isinstance(value, (int, Decimal)) and not isinstance(value, bool), event
            trace.counters[event["name"]].append((time, value))
    else:
        ends = starts if phase == "s" else finishes
        assert event["id"] not in ends, f"two of arrow {event['id']}"
        assert phase == "s" or event["bp"] == "e", event
        ends[event["id"]] = (row, time, event["name"], event["cat"])


def check_rows(by_row):
    for row, slices in by_row.items():
        slices.sort(key=lambda s: (s.begin, s.end))
        for before, after in zip(slices, slices[1:]):
            assert before.end <= after.begin, f"row {row}: {before} and {after} overlap"


def bind_arrows(trace, by_row, starts, finishes):
    # A row's slices do not overlap: the one at a time is found by bisection.
    begins = {row: [s.begin for s in slices] for row, slices in by_row.items()}

    def bound(row, time):
        at = bisect.bisect_right(begins[row], time)
        return slice_at(by_row[row][max(at - 2, 0) : at], time)

    assert starts.keys() == finishes.keys(), "arrows without one of their ends"
    for number, (row, time, name, category) in starts.items():
        to_row, to_time, to_name, to_category = finishes[number]
        assert (name, category) == (to_name, to_category), f"arrow {number} changes its name"
        assert time <= to_time, f"arrow {number} goes back in time"
        trace.arrows.append((category, bound(row, time), bound(to_row, to_time)))


def read(path):
    """The trace in a file that keeps all rules; AssertionError says which one it breaks."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=Decimal)
    assert isinstance(document["traceEvents"], list)
    trace = ChromeTrace()
    starts, finishes = {}, {}
    for event in document["traceEvents"]:
        add_event(trace, event, starts, finishes)
    by_row = defaultdict(list)
    for one in trace.slices:
        by_row[one.row].append(one)
        assert ("thread", *one.row) in trace.names, f"the row of {one} has no name"
    assert all(any(key[:2] == ("process", row[0]) for key in trace.names) for row in by_row)
    check_rows(by_row)
    bind_arrows(trace, by_row, starts, finishes)
    for name, values in trace.counters.items():
        times = [time for time, _ in values]
        assert times == sorted(set(times)), f"{name} has two values at a time, or not in order"
    return trace
