"""Recovery after a cliff: what each rest restored, and how long a storage must rest."""

import pytest
from assay.analysis.recovery import RestedTrial, recovery
from hypothesis import given
from hypothesis import strategies as st

GB = 10**9
SECOND = 10**9
FAST, SLOW = 100e6, 30e6


def fell(number: int, rest_s: float | None, fast_bytes: int, rate: float = FAST) -> RestedTrial:
    rest_ns = None if rest_s is None else round(rest_s * SECOND)
    return RestedTrial(number, rest_ns, 3 * GB, 50e6, (rate, SLOW, fast_bytes))


def level(number: int, rest_s: float, rate: float) -> RestedTrial:
    return RestedTrial(number, round(rest_s * SECOND), 3 * GB, rate, None)


def test_the_recovery_lies_between_two_rests() -> None:
    found = recovery(
        [
            fell(1, None, GB),
            level(2, 1, SLOW),
            fell(3, 5, GB // 2),
            fell(4, 10, round(0.95 * GB)),
            fell(5, 30, GB),
        ]
    )
    assert found is not None
    assert (found.fast_bytes_per_s, found.slow_bytes_per_s, found.fast_bytes) == (FAST, SLOW, GB)
    assert [(one.trial_id, one.share) for one in found.rests] == [
        (2, 0),
        (3, 0.5),
        (4, pytest.approx(0.95)),
        (5, 1),
    ]
    assert (found.beyond_ns, found.within_ns) == (5 * SECOND, 10 * SECOND)


def test_a_longer_rest_that_restores_less_is_believed() -> None:
    found = recovery([fell(1, None, GB), fell(2, 5, GB), fell(3, 10, GB // 2), fell(4, 20, GB)])
    assert found is not None
    assert (found.beyond_ns, found.within_ns) == (10 * SECOND, 20 * SECOND)


def test_nothing_is_known_of_a_rest_after_a_trial_that_ended_fast() -> None:
    found = recovery([fell(1, None, GB), level(2, 5, FAST), level(3, 1, FAST)])
    assert found is not None
    assert [(one.rest_ns, one.restored) for one in found.rests] == [
        (SECOND, "unknown"),
        (5 * SECOND, "at_least"),
    ]
    assert (found.beyond_ns, found.within_ns) == (None, 5 * SECOND)


def test_a_trial_that_ended_early_restores_at_least_what_it_wrote() -> None:
    short = RestedTrial(2, SECOND, GB // 2, FAST, None)
    found = recovery([fell(1, None, GB), short])
    assert found is not None
    assert (found.rests[0].restored, found.rests[0].share) == ("at_least", 0.5)
    assert (found.beyond_ns, found.within_ns) == (None, None), "too short to tell"


def test_a_fall_from_a_lower_level_restores_nothing() -> None:
    found = recovery([fell(1, None, GB), fell(2, 5, GB, rate=40e6)])
    assert found is not None
    assert (found.rests[0].share, found.within_ns) == (0, None)


@pytest.mark.parametrize(
    ("rests", "words"),
    [
        (
            [fell(2, 5, GB // 2), fell(3, 10, GB)],
            "After 10 s of rest the storage again takes at least nine tenths of the first "
            "1.00 GB at 100 MB/s; 5.00 s were not enough.",
        ),
        (
            [fell(2, 5, GB)],
            "After 5.00 s of rest the storage again takes at least nine tenths of the first "
            "1.00 GB at 100 MB/s.",
        ),
        (
            [level(2, 5, SLOW)],
            "After 5.00 s of rest the storage had not recovered: at first it took 1.00 GB at "
            "100 MB/s.",
        ),
        (
            [RestedTrial(2, SECOND, GB // 2, FAST, None)],
            "Whether the storage recovers is not known: no rest followed a full cache.",
        ),
    ],
)
def test_storage_is_not_called_recovered_unless_a_rest_was_enough(
    rests: list[RestedTrial], words: str
) -> None:
    found = recovery([fell(1, None, GB), *rests])
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    "trials", [[], [level(1, 1, FAST), level(2, 1, FAST)], [fell(1, None, GB)]], ids=len
)
def test_without_a_trial_after_a_fall_there_is_none(trials: list[RestedTrial]) -> None:
    assert recovery(trials) is None


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, GB)), min_size=1, max_size=20))
def test_the_bounds_never_contradict_each_other(rests: list[tuple[int, int]]) -> None:
    later = [fell(at, rest, fast) for at, (rest, fast) in enumerate(rests, 2)]
    found = recovery([fell(1, None, GB), *later])
    assert found is not None
    assert len(found.rests) == len(rests)
    if found.within_ns is not None and found.beyond_ns is not None:
        assert found.beyond_ns < found.within_ns
    enough = [one for one in found.rests if one.rest_ns >= (found.within_ns or 10**20)]
    assert all((one.share or 0) >= 0.9 for one in enough)
