import pytest
from assay.analysis.ranking import Setting
from assay.analysis.ratio import Named, answer, ratios

MB = 1e6
ONE, TWO, FOUR, EIGHT = SETTINGS = [Setting(65536, threads) for threads in (1, 2, 4, 8)]


def once(*rates: int) -> dict[Setting, dict[int, float]]:
    """Each setting measured once, at these MB/s."""
    return {setting: {1: rate * MB} for setting, rate in zip(SETTINGS, rates, strict=True)}


def test_cells_of_both_are_divided_and_others_left_out() -> None:
    found = ratios({ONE: {1: 200.0}, TWO: {1: 100.0}}, {ONE: {1: 100.0}, FOUR: {1: 1.0}})
    assert list(found) == [ONE]
    assert found[ONE].ratio == 2 and found[ONE].significant


def test_the_answer_names_the_faster_at_its_best_and_counts_the_cells() -> None:
    a = Named("alpha", once(980, 1390, 500, 500))
    b = Named("beta", once(980, 700, 600, 700))
    assert answer(a, b, "durable") == (
        "At its best, alpha is 1.42 × as fast as beta: 1.39 GB/s against 980 MB/s durable. "
        "Of four common cells, alpha is faster in 1, slower in 2, and within noise in 1."
    )
    assert "alpha reaches 70 % of beta" not in answer(b, a, "durable")
    assert answer(b, a, "durable").startswith("At its best, beta reaches 71 % of alpha")


def test_equal_arrays_are_said_to_be_equal() -> None:
    a = Named("alpha", {ONE: {1: 100 * MB}})
    assert answer(a, Named("beta", {ONE: {1: 101 * MB}}), "durable").startswith(
        "At their best, alpha and beta do not differ: 100 MB/s against 101 MB/s durable."
    )


@pytest.mark.parametrize("rates", [{}, {TWO: {1: 0.0}}])
def test_nothing_measured_and_nothing_in_common_are_said(
    rates: dict[Setting, dict[int, float]],
) -> None:
    said = answer(Named("alpha", rates), Named("beta", {ONE: {1: 1 * MB}}), "durable")
    assert said
    assert ("measured no durable rate" in said) == (not rates)


LEVELS = "105 MB/s for 10.3 s, then 27.1 MB/s"


def test_nothing_is_called_faster_by_a_mean_over_a_cliff() -> None:
    a = Named("alpha", {ONE: {1: 48 * MB, 2: 47 * MB}}, {ONE: LEVELS})
    b = Named("beta", {ONE: {1: 39.7 * MB, 2: 39.8 * MB}})
    reached = {a.name: LEVELS, b.name: "39.8 MB/s"}
    for one, other in ((a, b), (b, a)):
        assert answer(one, other, "durable") == (
            f"At its best, {one.name} reaches {reached[one.name]}, "
            f"and {other.name} reaches {reached[other.name]} durable. "
            "Their means are not compared, because a rate changed for good during a trial. "
            "The rate changed for good in one common cell, and held in none."
        )


def test_cells_with_a_cliff_are_counted_apart_from_those_that_held_their_rate() -> None:
    a = Named("alpha", {ONE: {1: 90 * MB}, TWO: {1: 100 * MB}, FOUR: {1: 50 * MB}}, {FOUR: LEVELS})
    b = Named("beta", {ONE: {1: 80 * MB}, TWO: {1: 100 * MB}, FOUR: {1: 90 * MB}}, {ONE: LEVELS})
    said = answer(a, b, "durable")
    assert said.startswith("At their best, alpha and beta do not differ: 100 MB/s")
    assert said.endswith(
        "Of three common cells, alpha is faster in 0, slower in 0, and within noise in 1; "
        "in 2 the rate changed for good."
    )


@pytest.mark.parametrize(("left_out", "told"), [(99, True), (101, False)])
def test_a_best_that_was_outrun_by_cells_left_out_is_not_compared(
    left_out: int, told: bool
) -> None:
    a = Named("alpha", {ONE: {1: 100 * MB}}, left_out={TWO: left_out * MB, FOUR: 1 * MB})
    b = Named("beta", {ONE: {1: 80 * MB}})
    for one, other in ((a, b), (b, a)):
        said = answer(one, other, "durable")
        assert ("At its best" in said) == told
        assert told or said.startswith(
            "Which is faster at its best cannot be told: on alpha, one cell left out as doubtful "
            "was faster than the best of the others. Of one common cell, "
        )
