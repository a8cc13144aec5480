"""When a message is sent again."""

from datetime import timedelta

from assay.tables.outbox import JITTER, LONGEST_PAUSE, MOST_TRIES, PAUSES, pause


def test_pauses_grow_and_vary_by_a_fifth() -> None:
    for tries_left, planned in zip(range(MOST_TRIES - 1, 0, -1), PAUSES, strict=True):
        found = [pause(tries_left) for _ in range(200)]
        assert planned * (1 - JITTER) <= min(found) < planned < max(found)
        assert max(found) <= planned * (1 + JITTER)
    assert list(PAUSES) == sorted(PAUSES)


def test_a_receiver_may_ask_for_a_longer_pause_but_for_no_endless_one() -> None:
    first = MOST_TRIES - 1
    assert pause(first, timedelta(hours=1)) == timedelta(hours=1)
    assert pause(first, timedelta(days=300)) == LONGEST_PAUSE
    for short in (timedelta(), timedelta(hours=-1)):
        assert pause(first, short) >= PAUSES[0] * (1 - JITTER)


def test_a_message_is_tried_for_most_of_a_day() -> None:
    total = sum(PAUSES, timedelta())
    assert timedelta(hours=17) < total < timedelta(hours=18)
    assert max(PAUSES) < LONGEST_PAUSE
