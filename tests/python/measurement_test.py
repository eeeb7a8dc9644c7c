"""Contract: rounds alternate, spreads and ratios are those of the values, a budget says whether it is kept."""

import pytest

from kumiko.measurement import Budget, Spread, ratio, repetitions_text, rounds


def test_given_points_then_every_other_round_goes_backwards():
    assert list(rounds("abc", 3)) == [
        (0, "a"), (0, "b"), (0, "c"), (1, "c"), (1, "b"), (1, "a"), (2, "a"), (2, "b"), (2, "c"),
    ]  # fmt: skip


def test_given_values_then_their_spread_has_the_median_of_an_even_and_an_odd_number():
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(1.0, 2.0, 3.0)
    assert Spread.of([4.0, 1.0, 2.0, 3.0]).median == 2.5


def test_given_a_spread_then_what_it_is_under_turns_its_ends_round():
    assert Spread(1.0, 2.0, 4.0).under(8.0) == Spread(2.0, 4.0, 8.0)
    assert Spread(1.0, 2.0, 4.0).times(2.0).plus(1.0) == Spread(3.0, 5.0, 9.0)


def test_given_two_series_then_the_ratio_is_of_values_of_one_round():
    assert ratio([2.0, 9.0, 4.0], [1.0, 3.0, 4.0]) == Spread(1.0, 2.0, 3.0)
    assert ratio([], []) is None
    with pytest.raises(ValueError):
        ratio([1.0], [1.0, 2.0])


def test_given_values_a_third_apart_then_the_machine_was_not_disturbed_and_beyond_it_was():
    assert not Spread.of([3.0, 4.0]).is_disturbed
    assert Spread.of([3.0, 4.001]).is_disturbed


@pytest.mark.parametrize(
    ("measured", "at_most", "judged", "verdict"),
    [
        (1.0, True, True, "met"),
        (1.1, True, True, "MISSED"),
        (1.1, False, True, "met"),
        (0.9, False, True, "MISSED"),
        (1.1, True, False, "not judged"),
        (None, True, True, "not measured"),
    ],
)
def test_given_a_bound_then_the_verdict_says_whether_it_is_kept(measured, at_most, judged, verdict):
    budget = Budget("time", 1.0, at_most, measured, judged)
    assert budget.verdict == verdict
    assert budget.as_json()["verdict"] == verdict


def test_given_an_ended_study_then_the_number_of_runs_says_so():
    assert repetitions_text([3, 3], 3) == "3 runs"
    assert repetitions_text([1], 1) == "1 run"
    assert repetitions_text([3, 2, 0], 500) == "2 to 3 of 500 runs"
    assert repetitions_text([0, 0], 5) == "5 runs"
