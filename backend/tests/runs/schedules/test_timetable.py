"""Fire times in real time zones: daylight saving time and blackouts."""

from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from assay.runs.schedules.timetable import DAYS, Dated, FireTime, Timetable, Weekly
from hypothesis import given, settings
from hypothesis import strategies as st


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def first(count: int, table: Timetable, after: str) -> list[FireTime]:
    return list(islice(table.fire_times(utc(after)), count))


def times(count: int, table: Timetable, after: str) -> list[str]:
    return [f"{one.local:%m-%d %H:%M %z}" for one in first(count, table, after)]


def test_fire_times_follow_the_clocks_of_the_zone() -> None:
    berlin = Timetable("0 2 * * *", "Europe/Berlin")
    assert times(3, berlin, "2026-03-26T12:00") == [
        "03-27 02:00 +0100",
        "03-28 02:00 +0100",
        "03-29 03:00 +0200",
    ]
    assert times(2, Timetable("0 9 * * *", "Asia/Kolkata"), "2026-11-27T00:00") == [
        "11-27 09:00 +0530",
        "11-28 09:00 +0530",
    ]


@pytest.mark.parametrize(
    ("zone", "cron", "after", "at"),
    [
        ("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),
        ("America/New_York", "15 2 * * *", "2026-03-07T12:00", "2026-03-08T07:00"),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T05:00", "2026-10-03T15:30"),
        ("America/Santiago", "30 0 * * *", "2026-09-05T12:00", "2026-09-06T04:00"),
        ("Pacific/Apia", "0 9 * * *", "2011-12-30T01:00", "2011-12-30T10:00"),
    ],
)
def test_a_time_that_does_not_exist_fires_at_the_first_moment_after_the_gap(
    zone: str, cron: str, after: str, at: str
) -> None:
    found = first(1, Timetable(cron, zone), after)[0]
    assert (found.at, found.adjustment) == (utc(at), "gap")
    before = found.at - timedelta(seconds=1)
    offsets = [one.astimezone(ZoneInfo(zone)).utcoffset() for one in (before, found.at)]
    assert offsets[0] != offsets[1], "the clocks change exactly then"


def test_several_times_in_one_gap_fire_once() -> None:
    berlin = Timetable("*/15 1-3 * * *", "Europe/Berlin")
    assert times(4, berlin, "2026-03-29T00:20") == [
        "03-29 01:30 +0100",
        "03-29 01:45 +0100",
        "03-29 03:00 +0200",
        "03-29 03:15 +0200",
    ]


@pytest.mark.parametrize(
    ("zone", "cron", "after", "at"),
    [
        ("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00", "2026-10-25T00:30"),
        ("America/New_York", "30 1 * * *", "2026-10-31T12:00", "2026-11-01T05:30"),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T05:00", "2026-04-04T14:45"),
    ],
)
def test_a_time_that_occurs_twice_fires_at_its_first_occurrence(
    zone: str, cron: str, after: str, at: str
) -> None:
    found, following = first(2, Timetable(cron, zone), after)
    assert (found.at, found.adjustment) == (utc(at), "repeated")
    assert following.at - found.at > timedelta(hours=24), "not again when it is repeated"


def test_a_repeated_hour_fires_each_minute_once() -> None:
    berlin = Timetable("*/30 * * * *", "Europe/Berlin")
    assert times(4, berlin, "2026-10-25T00:10") == [
        "10-25 02:30 +0200",
        "10-25 03:00 +0100",
        "10-25 03:30 +0100",
        "10-25 04:00 +0100",
    ]


def test_after_the_second_occurrence_the_first_one_is_not_repeated() -> None:
    assert times(1, Timetable("30 2 * * *", "Europe/Berlin"), "2026-10-25T01:10") == [
        "10-26 02:30 +0100"
    ]


def test_utc_has_no_daylight_saving_time() -> None:
    found = first(800, Timetable("0 * * * *", "UTC"), "2026-03-01T00:00")
    assert {later.at - one.at for one, later in pairwise(found)} == {timedelta(hours=1)}


NIGHTS = Weekly(frozenset(DAYS), time(22), time(6))
WEEKEND = Weekly(frozenset({"sat", "sun"}), time(), time())


def test_a_weekly_blackout_skips_its_hours_also_past_midnight() -> None:
    table = Timetable("0 */4 * * *", "Europe/Berlin", [NIGHTS])
    assert times(5, table, "2026-11-27T05:00") == [
        "11-27 08:00 +0100",
        "11-27 12:00 +0100",
        "11-27 16:00 +0100",
        "11-27 20:00 +0100",
        "11-28 08:00 +0100",
    ]


def test_a_blackout_includes_its_start_and_excludes_its_end() -> None:
    table = Timetable("0 6,22 * * *", "Europe/Berlin", [NIGHTS])
    assert times(2, table, "2026-11-27T12:00") == ["11-28 06:00 +0100", "11-29 06:00 +0100"]


def test_whole_days_are_blacked_out_on_the_clocks_of_the_zone() -> None:
    table = Timetable("30 0 * * *", "Asia/Tokyo", [WEEKEND])
    assert times(2, table, "2026-11-27T00:00") == ["11-30 00:30 +0900", "12-01 00:30 +0900"]


def test_a_dated_blackout_skips_the_days_between() -> None:
    freeze = Dated(datetime(2026, 12, 24), datetime(2027, 1, 2))
    table = Timetable("0 2 * * *", "Europe/Berlin", [], [freeze])
    assert times(2, table, "2026-12-22T12:00") == ["12-23 02:00 +0100", "01-02 02:00 +0100"]


def test_a_time_moved_out_of_a_gap_is_judged_where_it_fires() -> None:
    before = Weekly(frozenset({"sun"}), time(2), time(3))
    after = Weekly(frozenset({"sun"}), time(3), time(4))
    for blackout, expected in ((before, "03-29 03:00 +0200"), (after, "03-30 02:30 +0200")):
        table = Timetable("30 2 * * *", "Europe/Berlin", [blackout])
        assert times(1, table, "2026-03-28T12:00") == [expected]


def test_skipped_times_are_told_with_the_end_of_the_blackout() -> None:
    table = Timetable("0 2 * * *", "Europe/Berlin", [WEEKEND])
    found = list(islice(table.all_times(utc("2026-11-27T12:00")), 3))
    assert [(f"{one.local:%a %H:%M}", end) for one, end in found] == [
        ("Sat 02:00", datetime(2026, 11, 29)),
        ("Sun 02:00", datetime(2026, 11, 30)),
        ("Mon 02:00", None),
    ]


def test_blackouts_that_cover_everything_leave_no_fire_time() -> None:
    always = Weekly(frozenset(DAYS), time(), time())
    assert first(1, Timetable("*/15 * * * *", "UTC", [always]), "2026-11-27T00:00") == []
    mondays = Weekly(frozenset({"mon"}), time(8), time(10))
    assert first(1, Timetable("0 9 * * 1", "UTC", [mondays]), "2026-11-27T00:00") == []
    for end in (datetime(2060, 1, 1), datetime(9999, 12, 31, 23, 59)):
        ages = Dated(datetime(1, 1, 1), end)
        assert first(1, Timetable("0 9 * * 1", "UTC", [], [ages]), "2026-11-27T00:00") == []


def test_a_leap_day_is_found_years_ahead() -> None:
    found = first(2, Timetable("0 12 29 2 *", "UTC"), "2026-11-27T00:00")
    assert [one.at for one in found] == [utc("2028-02-29T12:00"), utc("2032-02-29T12:00")]


ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca")


@settings(max_examples=40)
@given(
    zone=st.sampled_from(ZONES),
    cron=st.sampled_from(("*/15 * * * *", "30 2 * * *", "0 1-3 * * *", "45 0 1 * *")),
    after=st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)),
    start=st.integers(0, 23),
)
def test_fire_times_increase_and_are_outside_of_blackouts(
    zone: str, cron: str, after: datetime, start: int
) -> None:
    blackout = Weekly(frozenset({"sun", "mon"}), time(start), time((start + 5) % 24))
    table = Timetable(cron, zone, [blackout])
    found = list(islice(table.fire_times(after), 20))
    assert len(found) == 20
    assert all(one.at > after for one in found)
    assert all(later.at > one.at for one, later in pairwise(found))
    assert all(blackout.end_at(one.local.replace(tzinfo=None)) is None for one in found)
    # asking again from a fire time continues with the next one
    assert next(iter(table.fire_times(found[3].at))) == found[4]
