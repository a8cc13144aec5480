"""A caller has a rate of requests, and a burst after a pause."""

import pytest
from assay.api.accounts import authentication
from assay.api.accounts.authentication import BURST_S, Pace, TooManyRequests
from assay.base.settings import settings
from testing.api import Appliance, problem

BURST = int(10 * BURST_S)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def sent(pace: Pace, caller: str = "token 1") -> int:
    """Return how many requests are accepted at once."""
    for number in range(10_000):
        try:
            pace.take(caller, 10)
        except TooManyRequests:
            return number
    raise AssertionError("no limit")


def test_a_quiet_caller_has_a_burst_and_then_its_rate() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert sent(pace) == BURST
    clock.now += 1
    assert sent(pace) == 10
    clock.now += 3600
    assert sent(pace) == BURST


def test_callers_do_not_share_their_rates() -> None:
    pace = Pace(Clock())
    assert sent(pace, "token 1") == BURST
    assert sent(pace, "token 2") == BURST


def test_zero_is_no_limit() -> None:
    pace = Pace(Clock())
    for _ in range(1000):
        pace.take("token 1", 0)


def test_a_rejected_request_is_told_when_to_try_again(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_REQUESTS_PER_SECOND", "1")
    settings.cache_clear()
    monkeypatch.setattr(authentication, "pace", Pace(Clock()))
    accepted = [appliance.viewer.get("/arrays") for _ in range(int(BURST_S))]
    assert {answer.status_code for answer in accepted} == {200}
    rejected = appliance.viewer.get("/arrays")
    assert "1 request per second" in problem(rejected, 429, "too_many_requests")["detail"]
    assert rejected.headers["Retry-After"] == "1"
    assert appliance.operator.get("/arrays").status_code == 200
    assert appliance.anonymous.get("/health").status_code == 200
