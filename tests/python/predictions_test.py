"""Contract: predictions are shown and saved as the program found them, with what follows from them; nothing else of the
program's record is in the JSON."""

import json

import pytest

from kumiko.predictions import PredictionRequest, show_predictions
from kumiko.program import Kumiko, Refused

COST = {"ns": 40.0, "from_trace": False}
SCHEDULES = ("dataflow", "level", "static", "openmp")
OF_EACH = dict.fromkeys(SCHEDULES, COST)
TRACE = {
    "case": "disk",
    "solver": "thinc",
    "recorded": {"backend": "threads", "schedule": "dataflow", "workers": 1, "base_steps": 4, "pieces": 100,
                 "seconds": 9.0},
    "seed": 1,
    "work_s": 8.0,
    "critical_path_s": 1.5,
    "average_parallelism": 8.0 / 1.5,
    "disturbed_share": 0.0,
    "overheads": {"piece": OF_EACH | {"dataflow": {"ns": 72.4, "from_trace": True}}, "beside": OF_EACH,
                  "phase": OF_EACH, "barrier": COST, "steal": COST, "look": COST},
    "piece_times": [],
    "given": ["barrier=40", "piece.level=40"],
}  # fmt: skip
WORKERS = TRACE | {
    "one_worker_s": {"dataflow": 8.8, "level": 9.0, "static": 9.9, "openmp": 9.9},
    "predictions": [
        {
            "schedule": schedule,
            "workers": workers,
            "seconds": seconds,
            "imbalance": 1.0,
            "utilisation": 0.5,
            "steals": 3,
        }
        for schedule, workers, seconds in (("dataflow", 1, 8.8), ("dataflow", 8, 2.2), ("level", 8, 3.0))
    ],
}
RANKS = TRACE | {
    "partition": "depth-first",
    "workers": 2,
    "network": {"name": "tcp", "overhead_ns": 3000.0, "item_ns": 50.0, "latency_ns": 20000.0, "gap_ns": 1000.0,
                "ns_per_byte": 0.32},
    "one_rank_s": 8.0,
    "predictions": [
        {"ranks": ranks, "seconds": seconds, "utilisation": 0.5, "imbalance": 1.0, "messages": 10, "edges": 12,
         "bytes": 4, "regrid_s": 1.0, "moved_patches": 0, "binds": "network"}
        for ranks, seconds in ((1, 8.0), (2, 5.0), (4, 6.0))
    ],
}  # fmt: skip


def show(found, **request):
    return show_predictions(PredictionRequest("run", found=found, **request), Kumiko("/nowhere"))


def test_given_schedules_then_bounds_and_speed_ups_follow_from_their_seconds(capsys):
    show(WORKERS, summary="-")
    record = json.loads(capsys.readouterr().out)
    assert "given" not in record and "one_worker_s" not in record
    assert record["static_one_worker_s"] == 9.9
    first, last = record["predictions"][0], record["predictions"][-1]
    assert (first["bound_s"], first["speed_up"], first["speed_up_over_static"]) == (8.0, 1.0, 9.9 / 8.8)
    assert (last["bound_s"], last["speed_up"], last["speed_up_over_static"]) == (1.5, 9.0 / 3.0, 9.9 / 3.0)


def test_given_schedules_then_each_overhead_has_its_source_and_phases_are_those_of_schedules_with_some(capsys):
    show(WORKERS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        "case disk, solver thinc; recorded: backend threads, schedule dataflow, 1 worker, 4 base steps, 100 pieces"
    )
    assert lines[1] == "work T1 8 s, critical path Tinf 1.5 s, average parallelism 5.333"
    assert lines[2] == (
        "overheads: dataflow 72 ns a piece; level 40 ns (given) a piece and 40 ns (assumed) a phase; a steal 40 ns "
        "(assumed), a barrier 40 ns (given) per doubling"
    )
    assert lines[3] == (
        "a second worker at work changes the time of a piece by: dataflow 40 ns (assumed); level 40 ns (assumed)"
    )
    assert lines[4] == ""
    assert lines[6].split() == ["dataflow", "1", "8.8", "8", "1.00", "1.12", "1.000", "0.500", "3"]


def test_given_a_trace_of_several_workers_then_nothing_is_told_of_a_second_one(capsys):
    show(WORKERS | {"recorded": TRACE["recorded"] | {"workers": 2}})
    assert "second worker" not in capsys.readouterr().out


@pytest.mark.parametrize(("share", "note"), [(0.02, ""), (0.031, "note: 3 % of the pieces' time")])
def test_given_disturbed_pieces_then_a_note_says_so_from_two_percent_on(capsys, share, note):
    for found in (WORKERS, RANKS):
        show(found | {"disturbed_share": share})
        text = capsys.readouterr().out
        assert note in text and ("note: 3 %" in text) == bool(note)


def test_given_ranks_then_counts_are_per_base_step_and_a_note_names_the_fastest(capsys, tmp_path):
    show(RANKS, output=str(tmp_path))
    record = json.loads((tmp_path / "ranks.json").read_text())
    assert list(record) == ["case", "solver", "base_steps", "work_s", "critical_path_s", "partition", "workers",
                            "network", "predictions"]  # fmt: skip
    row = record["predictions"][1]
    assert (row["workers"], row["speed_up"], row["efficiency"], row["messages_per_step"]) == (2, 1.6, 0.8, 2.5)
    assert (tmp_path / "ranks.csv").read_text().splitlines()[2] == "2,2,5,1.6,0.8,0.5,1,2.5,3,1,0.2,0,network"
    assert "note: more than 2 ranks would be slower\n" in capsys.readouterr().out
    show(RANKS | {"predictions": RANKS["predictions"][:2]})
    assert "note:" not in capsys.readouterr().out


def test_given_earlier_predictions_then_they_are_replaced_if_that_is_asked_for(tmp_path):
    (tmp_path / "simulate.csv").write_text("earlier")
    with pytest.raises(Refused, match="replace the predictions in that folder with --overwrite"):
        show(WORKERS, output=str(tmp_path))
    show(WORKERS, output=str(tmp_path), overwrite=True)
    assert len((tmp_path / "simulate.csv").read_text().splitlines()) == 4
