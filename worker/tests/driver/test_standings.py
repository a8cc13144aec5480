"""Decisions of the barrier, by the progress of each participant."""

from assay.runs.recording.spool_state import Listener
from assay_worker.driver.standings import Abort, Standing, to_abort, to_connect, to_release, to_stop


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


def test_a_listener_is_passed_to_the_other_ends_of_its_exchange_alone() -> None:
    listens = Standing((4, 1), listening=Listener(5000, None))
    standings = {1: Standing((4, 1)), 2: listens, 3: Standing((4, 1)), 4: listens}
    pairs = {1: 0, 2: 0, 3: 1, 4: 1}
    assert to_connect(standings, pairs) == [(2, 1), (4, 3)]
    many_to_one = {1: Standing((4, 1)), 2: Standing((4, 1)), 3: listens}
    assert to_connect(many_to_one, dict.fromkeys(many_to_one, 0)) == [(3, 1), (3, 2)]


def test_an_end_that_is_connected_or_at_another_attempt_is_passed_no_listener() -> None:
    listens = Standing((4, 1), listening=Listener(5000, None))
    exchange = {1: 0, 2: 0}
    assert to_connect({1: ready(4, 1), 2: listens}, exchange) == []
    assert to_connect({1: Standing((4, 2)), 2: listens}, exchange) == []
