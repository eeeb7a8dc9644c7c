"""Contract: a comparison's numbers are those of its runs' summaries; solvers and sweeps are read as they are typed; a
wrong request is refused with a remedy."""

import csv
import io
import math

import pytest

from kumiko import comparison, errors
from kumiko.comparison import notes_of, runs_table
from kumiko.contender import CompareRequest, parse_contenders, parse_sweep, parts_of
from kumiko.program import Refused
from kumiko.table import Column
from stored import FOLDER, only, stored_comparison


def labels(**options):
    return [contender.label for contender in parse_contenders(CompareRequest("case.toml", **options), "of_file")]


@pytest.mark.parametrize(("name", "levels"), [("gaussian", 2), ("vortex", 1)])
def test_given_stored_summaries_then_the_page_is_the_one_of_an_earlier_version(name, levels, monkeypatch):
    earlier = (FOLDER / f"{name}_compare_page.txt").read_text()
    head = next(line for line in earlier.splitlines() if line.startswith("|"))
    headings = [cell.strip() for cell in head.split("|")]
    monkeypatch.setattr(comparison, "runs_table", lambda found: only(runs_table(found), Column.heading, headings))
    assert comparison.report(stored_comparison(name, levels), markdown=True) == earlier


@pytest.mark.parametrize("name", ["gaussian", "vortex"])
def test_given_stored_summaries_then_the_csv_has_the_same_numbers(name):
    earlier = list(csv.DictReader((FOLDER / f"{name}_compare.csv").read_text().splitlines()))
    table = only(runs_table(stored_comparison(name, 1)), lambda column: column.name, list(earlier[0]))
    own = list(csv.DictReader(io.StringIO(table.csv())))
    assert len(own) == len(earlier)
    for mine, theirs in zip(own, earlier, strict=True):
        for column, text in theirs.items():
            assert mine[column] == text or float(mine[column]) == pytest.approx(float(text), rel=1e-15), column


def test_given_a_fourth_order_error_then_the_order_is_four():
    assert errors.order(16.0e-5, 1.0e-5, 2.0) == pytest.approx(4.0)
    assert errors.order(1.0, 3.0**-2.5, 3.0) == pytest.approx(2.5)
    assert errors.order(None, 1.0, 2.0) is None
    assert errors.order(1.0, 0.0, 2.0) is None
    assert math.isclose(errors.order(1.0, 2.0, 2.0), -1.0)


def test_given_patches_then_covered_quadrants_do_not_count_as_leaves():
    assert errors.leaf_points([4]) == 4 * 256
    # A quadrant of a level-0 patch is covered by one level-1 patch of 256 points.
    assert errors.leaf_points([4, 1]) == 4 * 256 - 64 + 256
    assert errors.leaf_points([4, 16, 4]) == 16 * 256 - 4 * 64 + 4 * 256


def test_given_lists_in_brackets_then_their_commas_part_nothing():
    assert parts_of("a, amr.thresholds=[0.1, 0.2],b=1") == ["a", "amr.thresholds=[0.1, 0.2]", "b=1"]


def test_given_no_solver_then_the_files_is_the_only_one():
    assert labels() == ["of_file"]
    assert labels(solvers=("a", "b"), variants=("a,x=1",)) == ["a", "b", "a,x=1"]


def test_given_sweeps_then_each_solver_has_every_combination():
    found = labels(solvers=("a", "b"), sweeps=("amr.threshold=0.1,0.2", "amr.buffer=2,4"))
    assert len(found) == 8
    assert found[1] == "a,amr.threshold=0.1,amr.buffer=4"
    assert labels(sweeps=("amr.thresholds=[1,2],[3,4]",)) == [
        "of_file,amr.thresholds=[1,2]", "of_file,amr.thresholds=[3,4]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"solvers": ("a=1",)}, "is not a solver's name"),
        ({"solvers": ("a", "a")}, "named twice"),
        ({"variants": (",x=1",)}, "has no solver's name"),
        ({"variants": ("a,x",)}, "not of the form KEY=VALUE"),
        ({"variants": ("a,case.name=b",)}, "cannot be set here"),
        ({"variants": ("a,amr.buffer=2",), "sweeps": ("amr.buffer=2,4",)}, "sets this key, too"),
        ({"sweeps": ("amr.buffer=2,4", "amr.buffer=3")}, "another --sweep sets this key, too"),
        ({"sweeps": ("amr.buffer=2,4",), "settings": ("amr.buffer=3",)}, "--set amr.buffer=3 sets this key, too"),
    ],
)
def test_given_wrong_solvers_then_they_are_refused(options, word):
    with pytest.raises(Refused, match=word):
        labels(**options)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("amr.buffer", "KEY=VALUE,VALUE"),
        ("amr.buffer=2,,4", "KEY=VALUE,VALUE"),
        ("buffer=2", "name a key in full"),
        ("solver.name=a,b", "by --solvers"),
        ("grid.base=32,64", "--resolutions"),
        ("amr.buffer=2,2", "named twice"),
    ],
)
def test_given_a_wrong_sweep_then_it_is_refused(spec, word):
    with pytest.raises(Refused, match=word):
        parse_sweep(spec)


def test_given_repetitions_far_apart_then_a_note_says_so():
    found = stored_comparison("gaussian", 1)
    found.runs[0].wall_s = [1.0, 1.5]
    assert any("its runs took 1 to 1.5 s; other programs" in note for note in notes_of(found))
