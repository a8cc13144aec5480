"""Which attempts decide a trial, alone and with several participants."""

from assay.analysis.statuses import of_trial
from assay.runs.attempts import deciding, status_of
from assay.runs.models import Attempt


def attempt(participant_id: int, number: int, status: str) -> Attempt:
    return Attempt(participant_id=participant_id, number=number, status=status)


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
