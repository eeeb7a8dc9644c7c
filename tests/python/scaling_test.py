"""Contract: speed-ups, spreads and notes follow from the runs' seconds; points are the ones that were asked for."""

import csv
import io

import pytest

from kumiko.program import Failed
from kumiko.scaling import (
    ScalingRequest,
    check_ranks,
    check_state,
    points_of,
    report,
    table_of,
)
from stored import FOLDER, only, stored_scaling


def test_given_stored_summaries_then_the_table_has_an_earlier_versions_numbers():
    earlier = list(csv.DictReader((FOLDER / "scaling.csv").read_text().splitlines()))
    table = only(table_of(stored_scaling()), lambda column: column.name, list(earlier[0]))
    own = list(csv.DictReader(io.StringIO(table.csv())))
    assert [list(row) for row in own] == [list(row) for row in earlier]
    for mine, theirs in zip(own, earlier, strict=True):
        for column, text in theirs.items():
            assert mine[column] == text or float(mine[column]) == pytest.approx(float(text), rel=1e-14), column


def test_given_uneven_runs_then_the_report_has_a_note_for_each_point():
    scaling = stored_scaling()
    assert report(scaling).count("\nnote: ") == sum(
        max(point.wall_s) > 4.0 / 3.0 * min(point.wall_s) for point in scaling.points
    )


def test_given_backends_then_the_reference_comes_first_and_no_point_twice():
    request = ScalingRequest("case.toml", worker_counts=(1, 2), backends=("threads", "pthread", "serial"))
    assert [(point.backend, point.workers) for point in points_of(request)] == [
        ("pthread", 1), ("threads", 1), ("threads", 2), ("pthread", 2), ("serial", 1),
    ]  # fmt: skip


def test_given_ranks_then_each_has_every_number_of_workers():
    request = ScalingRequest("case.toml", worker_counts=(1, 4), rank_counts=(1, 2))
    assert [point.label for point in points_of(request)] == [
        "1 rank, 1 worker each", "1 rank, 4 workers each", "2 ranks, 1 worker each", "2 ranks, 4 workers each",
    ]  # fmt: skip


def test_given_another_state_then_the_results_differ():
    scaling = stored_scaling()
    with pytest.raises(Failed, match="the results differ: pthread, 1 worker ended in the state"):
        check_state(scaling, scaling.points[1], {"state_hash": "another"})


def test_given_a_launcher_of_another_mpi_then_the_number_of_ranks_tells():
    request = ScalingRequest("case.toml", worker_counts=(1,), rank_counts=(2,), launcher="mpirun -n {ranks}")
    with pytest.raises(Failed, match="by 'mpirun -n 2': the run had 1 rank"):
        check_ranks(request, points_of(request)[0], {})
