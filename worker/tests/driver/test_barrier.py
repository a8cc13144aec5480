"""Decisions of the barrier, by the progress of each participant."""

from assay_worker.driver.barrier import Abort, Standing, to_abort, to_release, to_stop


def ready(*attempt: int) -> Standing:
    return Standing((attempt[0], attempt[1]), ready=True)


def test_an_attempt_is_released_when_all_are_ready_for_it() -> None:
    assert to_release({1: ready(4, 1), 2: ready(4, 1)}) == (4, 1)
    assert to_release({1: ready(4, 1), 2: Standing((4, 1))}) is None
    assert to_release({1: ready(4, 1), 2: ready(4, 2)}) is None
    assert to_release({1: Standing(), 2: Standing()}) is None


def test_if_one_attempt_fails_the_others_stop_theirs() -> None:
    standings = {
        1: Standing(over=True, unfinished={(4, 1), (5, 1)}),
        2: Standing((3, 1)),
        3: ready(4, 1),
        4: Standing((5, 1)),
        5: Standing((6, 1)),
    }
    assert to_abort(standings, released={(4, 1)}) == [Abort(3, (4, 1)), Abort(4, (5, 1))]


def test_an_attempt_that_another_participant_has_passed_is_aborted() -> None:
    standings = {1: ready(5, 1), 2: ready(4, 1), 3: Standing((5, 1))}
    assert to_abort(standings, released=set()) == [Abort(2, (4, 1))]
    assert to_abort({1: ready(4, 2), 2: ready(4, 1)}, released=set()) == [Abort(2, (4, 1))]


def test_a_released_attempt_without_samples_is_not_aborted() -> None:
    assert to_abort({1: Standing((5, 1)), 2: ready(4, 1)}, released={(4, 1)}) == []
    assert to_stop({1: Standing(over=True), 2: ready(4, 1)}, released={(4, 1)}) == []


def test_participants_that_wait_for_an_ended_probe_are_stopped() -> None:
    standings = {1: Standing(over=True), 2: ready(4, 1), 3: Standing((4, 1))}
    assert to_abort(standings, released=set()) == []
    assert to_stop(standings, released=set()) == [2]
    assert to_stop({2: ready(4, 1), 3: Standing((4, 1))}, released=set()) == []


def test_an_attempt_that_failed_where_the_probe_has_ended_is_aborted_not_stopped() -> None:
    standings = {1: Standing(over=True, unfinished={(4, 1)}), 2: ready(4, 1)}
    assert to_abort(standings, released=set()) == [Abort(2, (4, 1))]
    assert to_stop(standings, released=set()) == []
