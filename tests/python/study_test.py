"""Contract: a study's results are shown whatever becomes of its files; two studies do not write into one folder."""

import pytest

from kumiko.program import Failed, Kumiko, Refused
from kumiko.study import Request, Study, draw_all, write_text


class Counting(Study[list]):
    what = "count"
    text_files = {"count.txt": lambda found: f"{found[-1]}\n"}
    figure_files = {"count": lambda found, file: file.write_text(f"drawn {found}")}

    def plan(self):
        return []

    def measure(self, found, after):
        for number in (1, 2):
            found.append(number)
            after()

    def has_results(self, found):
        return bool(found)

    def report(self, found):
        return f"counted to {found[-1]}\n"

    def record(self, found):
        return {"count": found[-1]}


def study(**request):
    return Counting(Request("case.toml", **request), Kumiko("/nowhere"))


def test_given_a_folder_then_it_has_the_files_and_an_earlier_ones_figures_are_gone(tmp_path, capsys):
    (tmp_path / "count.png").write_text("of an earlier study")
    study(output=str(tmp_path), overwrite=True).carry_out()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["count.svg", "count.txt"]
    assert capsys.readouterr().out == f"counted to 2\n\nfiles in {tmp_path}/\n"
    with pytest.raises(Refused, match="already exists"):
        study(output=str(tmp_path)).carry_out()


def test_given_a_file_that_cannot_be_written_then_the_results_are_printed_and_it_is_named(tmp_path, capsys):
    def text_without_folder(found):
        if (tmp_path / "out").exists():
            (tmp_path / "out").rmdir()
        return ""

    class Full(Counting):
        text_files = {"count.txt": text_without_folder}

    with pytest.raises(Failed, match="cannot write '.*/out/count.txt': No such file"):
        Full(Request("case.toml", output=str(tmp_path / "out")), Kumiko("/nowhere")).carry_out()
    assert capsys.readouterr().out == "counted to 1\n"


def test_given_a_folder_that_a_study_writes_into_then_another_one_is_refused(tmp_path):
    class Slow(Counting):
        def measure(self, found, after):
            with pytest.raises(Refused, match="another study is writing into"):
                study(output=str(tmp_path), overwrite=True).carry_out()
            super().measure(found, after)

    Slow(Request("case.toml", output=str(tmp_path)), Kumiko("/nowhere")).carry_out()
    study(output=str(tmp_path), overwrite=True).carry_out()


def test_given_a_study_that_has_failed_then_its_folder_is_free_again(tmp_path):
    class Failing(Counting):
        def measure(self, found, after):
            raise Failed("no run")

    with pytest.raises(Failed, match="no run"):
        Failing(Request("case.toml", output=str(tmp_path)), Kumiko("/nowhere")).carry_out()
    study(output=str(tmp_path)).carry_out()


def test_given_a_matplotlib_that_cannot_be_loaded_then_a_note_says_so_and_the_results_stand(tmp_path, capsys):
    def draw(found, file):
        raise ImportError("numpy is of another version")

    class Broken(Counting):
        figure_files = {"count": draw}

    Broken(Request("case.toml", output=str(tmp_path)), Kumiko("/nowhere")).carry_out()
    captured = capsys.readouterr()
    assert captured.out.startswith("counted to 2")
    assert "count.svg is left out, since" in captured.err
    assert "cannot load matplotlib (numpy is of another version)" in captured.err


def test_given_a_summary_that_is_one_of_its_files_then_it_is_refused(tmp_path):
    with pytest.raises(Refused, match="is the name of another file of the count"):
        study(output=str(tmp_path), summary=str(tmp_path / "count.txt")).check()


def test_given_a_link_then_the_file_that_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    assert len(list(tmp_path.iterdir())) == 2


def test_given_settings_of_a_run_then_they_replace_those_of_the_same_keys_alone():
    request = Request("case.toml", settings=("grid.base=32", "amr.buffer=1"))
    assert request.job(("amr.buffer=4",)).settings == ("grid.base=32", "amr.buffer=4")


def test_given_an_unknown_format_then_it_is_refused():
    with pytest.raises(Refused, match="'jpg'; it can be svg, pdf, png"):
        study(format="jpg")


def test_given_no_figures_then_matplotlib_is_not_asked_for(capsys):
    draw_all({})
    assert capsys.readouterr().err == ""
