"""Which attempts decide a trial, alone and with several participants."""

from assay.analysis.statuses import of_trial
from assay.runs.attempts import continued, deciding, status_of
from assay.tables.runs import Attempt


def attempt(participant_id: int, number: int, status: str) -> Attempt:
    return Attempt(participant_id=participant_id, number=number, status=status)


def segment(number: int, begin: int, end: int) -> Attempt:
    """Return an interrupted attempt whose marks hold the bytes between, one in each nanosecond."""
    marked: dict[str, int] = {"mark_count": 1, "marked_bytes": end - begin}
    done: dict[str, int] = {"done_bytes": begin, "done_ns": begin}
    return Attempt(participant_id=1, number=number, status="interrupted", **done, **marked)


def test_an_attempt_continues_those_whose_marks_reach_it() -> None:
    attempts = [segment(1, 0, 50), segment(2, 50, 70), segment(3, 70, 90)]
    assert [one.number for one in continued(attempts, attempts[2])] == [1, 2]


def test_an_attempt_that_ended_before_the_continued_data_is_superseded() -> None:
    lost_its_spool = segment(2, 50, 70)  # of the first attempt's 100 it knew only 50
    attempts = [segment(1, 0, 100), lost_its_spool, segment(3, 100, 130)]
    assert [one.number for one in continued(attempts, attempts[2])] == [1]
    assert [one.number for one in continued(attempts, lost_its_spool)] == [1]


def test_the_last_attempt_that_counts_at_every_participant_decides() -> None:
    attempts = [
        attempt(1, 1, "complete"),
        attempt(2, 1, "timed_out"),
        attempt(1, 2, "complete"),
        attempt(2, 2, "stopped"),
    ]
    assert [one and one.number for one in deciding(attempts, [1, 2])] == [1, 1]
    assert status_of(attempts, [1, 2]) == "timed_out"


def test_without_an_attempt_that_counts_everywhere_the_last_number_decides() -> None:
    attempts = [attempt(1, 1, "complete"), attempt(2, 1, "suspended"), attempt(1, 2, "running")]
    assert [one and one.status for one in deciding(attempts, [1, 2])] == ["running", None]
    assert status_of(attempts, [1, 2]) == "running"


def test_a_trial_without_attempts_waits() -> None:
    assert deciding([], [1, 2]) == [None, None]
    assert status_of([], [1, 2]) == "waiting"


def test_a_trial_is_complete_only_if_complete_at_all_participants() -> None:
    assert of_trial(["complete", "complete"]) == "complete"
    assert of_trial(["complete", "timed_out"]) == "timed_out"
    assert of_trial(["complete", "stopped"]) == "stopped"
    assert of_trial(["stopped", "failed"]) == "failed"
    assert of_trial(["complete", "starved"]) == "starved"
    assert of_trial(["complete", "waiting"]) == "running"
