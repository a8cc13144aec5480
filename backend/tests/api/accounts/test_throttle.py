"""Growth of waits, and what they apply to."""

import pytest
from assay.api.accounts.login import (
    FAILURES_OF_AN_ADDRESS,
    FORGOTTEN_AFTER_S,
    REMEMBERED,
    Throttle,
    TooManyLogins,
    pair,
    whole_address,
)

ADA = pair("ada", "10.0.0.1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_waits_double_up_to_a_maximum() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(5):
        throttle.check(ADA)
        throttle.failed(ADA)
    for wait in (2, 4, 8):
        with pytest.raises(TooManyLogins, match=f"{wait} s"):
            throttle.check(ADA)
        clock.now += wait
        throttle.check(ADA)
        throttle.failed(ADA)


def test_a_success_resets_only_its_pair() -> None:
    throttle, address = Throttle(Clock()), whole_address("10.0.0.1")
    for _ in range(FAILURES_OF_AN_ADDRESS):
        throttle.failed(ADA, address)
    throttle.succeeded(ADA)
    throttle.check(ADA)
    with pytest.raises(TooManyLogins):
        throttle.check(address)


def test_failures_of_other_accounts_and_addresses_do_not_throttle() -> None:
    throttle = Throttle(Clock())
    for _ in range(5):
        throttle.failed(ADA, whole_address("10.0.0.1"))
    throttle.check(pair("ada", "10.0.0.2"), whole_address("10.0.0.2"))
    throttle.check(pair("grace", "10.0.0.1"), whole_address("10.0.0.1"))


def test_an_address_that_tries_many_accounts_is_throttled() -> None:
    throttle, address = Throttle(Clock()), whole_address("10.0.0.1")
    for number in range(FAILURES_OF_AN_ADDRESS):
        throttle.check(address)
        throttle.failed(pair(f"name {number}", "10.0.0.1"), address)
    with pytest.raises(TooManyLogins):
        throttle.check(pair("ada", "10.0.0.1"), address)


def test_addresses_of_one_ipv6_network_count_as_one() -> None:
    assert pair("ada", "2001:db8::1") == pair("ada", "2001:db8::ffff:2")
    assert pair("ada", "2001:db8::1") != pair("ada", "2001:db8:0:1::1")
    assert pair("ada", "10.0.0.1") != pair("ada", "10.0.0.2")


def test_old_failures_are_forgotten() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    for _ in range(5):
        throttle.failed(ADA)
    clock.now += FORGOTTEN_AFTER_S + 1
    throttle.failed(ADA)
    throttle.check(ADA)


def test_memory_is_limited() -> None:
    throttle = Throttle(Clock())
    for number in range(REMEMBERED + 10):
        throttle.failed(pair(f"name {number}", "10.0.0.1"))
    assert len(throttle._failures) == REMEMBERED
