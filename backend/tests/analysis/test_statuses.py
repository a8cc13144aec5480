"""The status of a trial, and the reason why it failed, from those of its participants."""

import pytest
from assay.analysis.statuses import of_trial, reason_of_trial


@pytest.mark.parametrize(
    ("reasons", "reason"),
    [
        ([], None),
        ([None, None], None),
        (["peer_ended", "no_space"], "no_space"),
        (["peer_silent", None, "hung"], "hung"),
        (["connect_failed", "port_taken"], "port_taken"),
        (["peer_ended", "peer_silent"], "peer_silent"),
        (["peer_ended", "connect_failed"], "connect_failed"),
        (["peer_ended", None], "peer_ended"),
        (["io", "no_space"], "io"),
    ],
)
def test_a_consequence_is_the_reason_only_without_a_cause(
    reasons: list[str | None], reason: str | None
) -> None:
    assert reason_of_trial(reasons) == reason


def test_a_trial_counts_only_if_it_does_at_all_participants() -> None:
    assert of_trial(["complete", "failed"]) == "failed"
    assert of_trial(["complete", "waiting"]) == "running"
    assert of_trial(["complete", "timed_out"]) == "timed_out"
    assert of_trial(["complete", "complete"]) == "complete"
