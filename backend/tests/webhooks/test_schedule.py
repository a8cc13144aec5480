"""When a message is sent again."""

from datetime import timedelta

from assay.webhooks.schedule import JITTER, LONGEST_PAUSE, MOST_TRIES, PAUSES, pause


def test_pauses_grow_and_vary_by_a_fifth() -> None:
    for tries_left, planned in zip(range(MOST_TRIES - 1, 0, -1), PAUSES, strict=True):
        found = [pause(tries_left) for _ in range(200)]
        assert planned * (1 - JITTER) <= min(found) < planned < max(found)
        assert max(found) <= planned * (1 + JITTER)
    assert list(PAUSES) == sorted(PAUSES)


def test_a_message_is_tried_for_most_of_a_day() -> None:
    total = sum(PAUSES, timedelta())
    assert timedelta(hours=17) < total < timedelta(hours=18)
    assert max(PAUSES) < LONGEST_PAUSE
