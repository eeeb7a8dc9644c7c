"""Contract: a figure is a well-formed file of its kind, the same bytes each time, with its texts as text; error bars
reach from the least to the most."""

from xml.etree import ElementTree

import pytest

from kumiko.figure import Axes, Chart, Line, Reference, bars, draw
from kumiko.measurement import Spread


def chart(log=True):
    line = Line("cubic <3>")
    line.add(Spread(0.9, 1.0, 1.3), 1e-2, "64")
    line.add(4.0, 2e-3, "128")
    return Chart(Axes("seconds", log), Axes("error & more", log), [line, Line("empty")], [Reference(5e-3, "published")])


def test_given_svg_then_it_is_well_formed_and_its_texts_can_be_searched(tmp_path):
    file = tmp_path / "figure.svg"
    draw([chart(), chart()], file, "A & B", "a caption")
    texts = [element.text for element in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("cubic <3>") == 1
    assert texts.count("64") == 2
    for text in ("A & B", "a caption", "error & more"):
        assert text in texts
    assert file.read_text().count('id="reference"') == 2
    assert [path.name for path in tmp_path.iterdir()] == ["figure.svg"]


@pytest.mark.parametrize(("suffix", "magic"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_given_a_format_then_the_file_is_of_it_and_the_same_each_time(tmp_path, suffix, magic):
    drawn = []
    for _ in range(2):
        file = tmp_path / f"figure.{suffix}"
        draw([chart()], file, "title")
        drawn.append(file.read_bytes())
    assert drawn[0].startswith(magic)
    assert drawn[0] == drawn[1]


def test_given_nothing_to_show_then_the_chart_says_so(tmp_path):
    draw([Chart(Axes("x", True), Axes("y", True), [Line("none")])], tmp_path / "a.svg", "empty")
    assert "no data" in (tmp_path / "a.svg").read_text()


def test_given_spreads_then_bars_are_distances_from_the_median():
    assert bars([Spread(1.0, 2.0, 5.0), 3.0]) == [[1.0, 0.0], [3.0, 0.0]]
    assert bars([1.0, 2.0]) is None
