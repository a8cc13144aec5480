"""What a cell's figure is of, and what it leaves out."""

import pytest
from assay.analysis.flags import Flag, FlagCode, Rate
from assay.analysis.repeats import describe
from assay.base.worded import plain
from assay.kinds.cells import BaseTrial, repeats_words, with_left_out


def trial(number: int, *flags: tuple[FlagCode, Rate], status: str = "complete") -> BaseTrial:
    return BaseTrial(
        id=number,
        repeat=number,
        status=status,
        reason=None,
        attempts=1,
        again=False,
        flags=[Flag(code, "why", {}, (rate,)) for code, rate in flags],
    )


def test_a_trial_that_a_figure_is_not_of_has_the_reason_for_each_rate() -> None:
    sound, contended = trial(1), trial(2, ("contended", "durable"), ("too_short", "durable"))
    broken, failed = trial(3), trial(4, status="failed")
    rateless = trial(5)
    kept = with_left_out(
        [sound, contended, broken, failed, rateless],
        {"durable": [sound], "application": [sound, contended]},
        lambda one: "wrong_data" if one is broken else None,
    )
    assert [one.left_out for one in kept] == [
        {},
        {"durable": "contended"},
        {"durable": "wrong_data", "application": "wrong_data"},
        {},  # it measured nothing
        {},  # it has no such rate
    ]


@pytest.mark.parametrize(
    ("left_out", "done", "values", "said"),
    [
        ([], 3, [100.0, 101.0, 102.0], "3, CV 0.99 %"),
        ([], 3, [100.0], "1"),
        ([], 1, [100.0], "1 of 3"),
        ([], 3, [], "3"),
        (["contended", "contended", "contended"], 3, [], "none of 3; 3 contended, not counted"),
        (["contended"], 3, [100.0, 110.0], "2, CV 6.73 %; 1 contended, not counted"),
        (
            ["contended", "too_short"],
            3,
            [100.0],
            "1; 1 contended, 1 too short, not counted",
        ),
    ],
)
def test_repeats_are_those_that_the_rate_is_of(
    left_out: list[FlagCode], done: int, values: list[float], said: str
) -> None:
    trials = [
        *(trial(one, (code, "durable")) for one, code in enumerate(left_out)),
        *(trial(10 + one) for one in range(3 - len(left_out))),
    ]
    kept = with_left_out(trials, {"durable": trials[len(left_out) :]})
    found = describe(values) if values else None
    assert plain(repeats_words(kept, "durable", found, done=done)) == said
