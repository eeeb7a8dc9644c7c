"""Contract: a case's table is described by a file; the values are those of its runs; a wrong description is refused
with the place and the remedy."""

import pytest

from kumiko.case_table import DEFAULT, Tables, TableStudy, read_table, table_file
from kumiko.program import Kumiko, Refused
from kumiko.study import Request

DESCRIPTION = {
    "case": {
        "extent": [1.0, 1.0],
        "published_values": [
            {"name": "rms.fine", "value": 0.25, "norm": "rms", "points": 128, "source": "a paper"},
            {"name": "wall.fine_over_amr", "value": 3.0, "norm": "", "points": None, "source": "a paper"},
        ],
    },
    "solver": {},
    "run": {
        "points": [32, 64],
        "levels": 3,
        "subcycling": True,
        "steps": 100,
        "stop_step": 50,
        "goes_to_the_end": True,
    },
}
RUN = '[[run]]\nname = "fine"\nmesh = "finest"\npublished = "rms.fine"\n[[run]]\nname = "amr"\n'
TABLE = '[[table]]\ntitle = "T, {workers}"\nrows = ["fine"]\ncolumns = [{ title = "s", value = "wall_s" }]\n'


def tables_of(tmp_path, text):
    file = tmp_path / "case.table"
    file.write_text(text)
    return Tables(read_table(file), DESCRIPTION)


def finished(tables):
    grid = {"fine": ([128, 256], 1), "amr": ([32, 64], 3)}
    for name, seconds, error in (("fine", 6.0, 0.24), ("amr", 2.0, 0.26)):
        base, levels = grid[name]
        tables.case.runs[name].summary = {
            "wall_s": seconds, "error": {"rms": error}, "workers": 2,
            "config": {"grid": {"base": base}, "amr": {"levels": levels}},
        }  # fmt: skip
    return tables


def test_given_no_file_of_its_own_then_a_case_has_the_usual_table(tmp_path):
    assert table_file(str(tmp_path / "case.toml")) == DEFAULT
    (tmp_path / "case.table").write_text("")
    assert table_file(str(tmp_path / "case.toml")) == tmp_path / "case.table"
    assert list(read_table(DEFAULT).runs) == ["coarse", "amr_threads", "amr_pthread", "fine"]


def test_given_the_finest_mesh_then_grid_and_steps_follow(tmp_path):
    tables = tables_of(tmp_path, RUN + TABLE)
    assert tables.settings_of(tables.case.runs["fine"]) == (
        "amr.levels=1", "grid.base=[128, 256]", "time.steps=400", "time.stop_step=200",
    )  # fmt: skip
    assert tables.settings_of(tables.case.runs["amr"]) == ()


def test_given_finished_runs_then_cells_ratios_and_published_values_are_theirs(tmp_path):
    text = (
        RUN
        + """
[[table]]
title = "T, {workers}"
rows = ["fine", "amr"]
columns = [
  { title = "paper", published = true, format = ".2f" },
  { title = "rms", value = "error.rms", format = ".2f" },
  { title = "part", value = "wall_s", over = "fine", percent = true, format = ".1f" },
]
[[table]]
title = "ratios"
rows = ["amr", { title = "fine / amr", over = ["fine", "amr"], published = "wall.fine_over_amr" }]
columns = [{ title = "ratio", ratio = "wall_s", format = ".2f" }, { title = "paper", published = true, format = ".1f" }]
"""
    )
    tables = finished(tables_of(tmp_path, text))
    first, second = (part.splitlines() for part in tables.text().split("\n\n"))
    assert first[0] == "T, 2 workers"
    words = [line.split() for line in first[2:]]
    assert words == [["fine", "0.25", "0.24", "100.0", "%"], ["amr", "0.26", "33.3", "%"]]
    assert second[-1].split() == ["fine", "/", "amr", "3.00", "3.0"]
    assert tables.json()["ratios"] == {"wall.fine_over_amr": 3.0}


def test_given_a_part_of_the_run_then_no_published_error_stands_in_it(tmp_path):
    tables = finished(tables_of(tmp_path, RUN + TABLE.replace('value = "wall_s"', "published = true")))
    tables.description = DESCRIPTION | {"run": DESCRIPTION["run"] | {"goes_to_the_end": False}}
    assert "0.25" not in tables.text()
    assert "the spacings 1/128" in tables.text()


def test_given_runs_without_errors_then_a_note_says_why(tmp_path):
    tables = finished(tables_of(tmp_path, RUN + TABLE.replace("wall_s", "error.rms")))
    assert "No errors" not in tables.text()
    tables.case.runs["fine"].summary["error"] = {"rms": None}
    assert "No errors are shown: the case has no exact solution" in tables.text()


def test_given_a_place_that_summaries_lack_then_those_that_they_have_are_listed(tmp_path):
    tables = tables_of(tmp_path, RUN + TABLE.replace("wall_s", "error.l2"))
    summary = {
        "error": {"rms": 0.1, "l1": None},
        "case": "disk",
        "open_domain": False,
        "config": {"amr": {"levels": 2}},
    }
    with pytest.raises(Refused, match=r"no number at 'error.l2'; it can be error.rms, error.l1, or a key"):
        TableStudy(Request(str(tmp_path / "case.toml")), Kumiko("/nowhere")).check_places(tables, summary)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[[run", "it is not TOML"),
        (TABLE, "the key 'run' is missing"),
        (RUN + RUN + TABLE, "the name 'fine' is taken"),
        (RUN.replace("finest", "fine") + TABLE, "mesh is 'fine'; it can be file, coarse, finest"),
        (RUN + "colour = 1\n" + TABLE, "there is no key 'colour'; it can be name, label"),
        (RUN + 'set = ["amr.levels"]\n' + TABLE, "not of the form KEY=VALUE"),
        (RUN + TABLE.replace('["fine"]', '["fien"]'), "there is no run 'fien'; it can be fine, amr"),
        (RUN + TABLE.replace('["fine"]', '[{ title = "r", over = ["fine"] }]'), "names 1 runs; name two"),
        (RUN + TABLE.replace(', value = "wall_s"', ""), "needs one of 'value', 'ratio' and 'published'"),
        (RUN + TABLE.replace('"wall_s"', '"wall_s", format = "x3"'), "the format 'x3' of 's' is not"),
        (RUN + TABLE.replace('"T, {workers}"', "3"), "'title' is not a text"),
    ],
)
def test_given_a_wrong_description_then_it_is_refused_with_its_place(tmp_path, text, word):
    with pytest.raises(Refused, match=word) as refused:
        tables_of(tmp_path, text)
    assert "case.table" in str(refused.value)
