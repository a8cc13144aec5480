"""What the barrier decides, by how far each participant is."""

from assay_worker.driver.barrier import Abort, Standing, to_abort, to_release


def test_an_attempt_is_released_when_all_are_ready_for_it() -> None:
    assert to_release({1: Standing(ready=(4, 1)), 2: Standing(ready=(4, 1))}) == (4, 1)
    assert to_release({1: Standing(ready=(4, 1)), 2: Standing()}) is None
    assert to_release({1: Standing(ready=(4, 1)), 2: Standing(ready=(4, 2))}) is None
    assert to_release({1: Standing(), 2: Standing()}) is None


def test_where_one_failed_the_others_that_still_make_the_attempt_stop_it() -> None:
    standings = {
        1: Standing(ended=(4, 1), status="failed"),
        2: Standing(ended=(3, 1), status="complete"),
        3: Standing(ready=(4, 1)),
        4: Standing(ended=(4, 1), status="complete"),
    }
    assert to_abort(standings) == [Abort(2, (4, 1)), Abort(3, (4, 1))]


def test_an_attempt_that_was_disturbed_stops_no_other() -> None:
    standings = {1: Standing(ended=(4, 1), status="suspended"), 2: Standing()}
    assert to_abort(standings) == []


def test_participants_that_wait_for_different_attempts_give_up_the_earliest() -> None:
    standings = {1: Standing(ready=(5, 1), ended=(4, 1), status="complete")}
    standings |= {2: Standing(ready=(4, 1)), 3: Standing(ready=(5, 1), ended=(4, 1))}
    assert to_abort(standings) == [Abort(2, (4, 1))]
