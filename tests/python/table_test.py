"""Contract: a table that is declared once has the same values in its text, Markdown, LaTeX, CSV and JSON; text keeps to
its width; other programs read its CSV and JSON back."""

import csv
import io
import json

import pytest

from kumiko.measurement import Spread
from kumiko.table import Column, Table

ROWS = [("alpha, beta", 3, 0.00012345, None), ("gamma|delta", 12, 1234.5, Spread(1.0, 2.0, 3.0))]
COLUMNS = [
    Column(lambda row: row[0], "name", "name", is_key=True),
    Column(lambda row: row[1], "count", "n"),
    Column(lambda row: row[2], "error", "error", ".2e", unit="m"),
    Column(lambda row: row[3], "time", "time", ".1f"),
    Column(lambda row: row[1] * 2, "twice"),
    Column(lambda row: row[1] + 1, title="next"),
]


def test_given_a_table_then_its_text_is_in_columns_with_numbers_flush_right():
    lines = Table(COLUMNS, ROWS, "Results").text().splitlines()
    assert lines[0] == "Results"
    assert lines[1] == "  name          n  error (m)            time  next"
    assert lines[2] == "  alpha, beta   3   1.23e-04               -     4"
    assert lines[3] == "  gamma|delta  12   1.23e+03  2.0 (1.0..3.0)    13"


def test_given_a_csv_then_a_reader_gets_every_digit_and_the_named_columns():
    rows = list(csv.DictReader(io.StringIO(Table(COLUMNS, ROWS).csv())))
    assert list(rows[0]) == ["name", "count", "error", "time", "twice"]
    assert [row["name"] for row in rows] == ["alpha, beta", "gamma|delta"]
    assert [float(row["error"]) for row in rows] == [0.00012345, 1234.5]
    assert [row["time"] for row in rows] == ["", "2"]


def test_given_json_then_a_spread_has_its_three_numbers():
    records = json.loads(json.dumps(Table(COLUMNS, ROWS).json()))
    assert records[1]["time"] == {"least": 1.0, "median": 2.0, "most": 3.0}
    assert records[0]["time"] is None


def test_given_markdown_then_no_cell_ends_at_a_bar_of_its_text():
    lines = Table(COLUMNS, ROWS).markdown().splitlines()
    assert lines[1] == "|---|---:|---:|---:|---:|"
    assert lines[3].replace("\\|", "").count("|") == 6


def test_given_latex_then_its_special_characters_are_escaped():
    rows = [("a_b & 50 %", 1, 1.0, None)]
    text = Table(COLUMNS, rows).latex()
    assert r"a\_b \& 50 \%" in text
    assert text.startswith("\\begin{tabular}{lrrrr}")
    assert text.count(r"\\") == 2


@pytest.mark.parametrize("width", [40, 60, 100])
def test_given_more_columns_than_fit_then_blocks_keep_the_width_and_repeat_the_keys(width):
    columns = [Column(lambda row: row, title="key", is_key=True)]
    columns += [Column(lambda row, n=n: float(n * row), title=f"column {n}", format=".3f") for n in range(20)]
    text = Table(columns, [1, 2]).text(width)
    assert max(map(len, text.splitlines())) <= width
    blocks = text.split("\n\n")
    assert len(blocks) > 1
    shown = []
    for block in blocks:
        titles, *rows = block.splitlines()
        assert titles.split()[0] == "key"
        assert [row.split()[0] for row in rows] == ["1", "2"]
        shown += [float(word) for word in rows[0].split()[1:]]
    assert shown == [float(n) for n in range(20)]


def test_given_a_value_that_is_not_finite_or_missing_then_the_check_names_its_cell():
    rows = [("fine", 1, 1.0, 2.0), ("wrong", 1, float("nan"), None)]
    faults = Table(COLUMNS, rows, "Results").faults()
    assert len(faults) == 2
    assert "row 'wrong', column 'error'" in faults[0]
    assert "column 'time': it has no value" in faults[1]
