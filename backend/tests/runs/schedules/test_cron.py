"""Cron expressions: which are accepted, and what is wrong with others."""

from datetime import datetime
from itertools import islice

import pytest
from assay.runs.schedules import cron
from assay.runs.schedules.cron import CronError


@pytest.mark.parametrize(
    "expression",
    ["0 2 * * *", "*/15 * * * *", "0 2 * * 1-5", "0 2 L * *", "30 4 29 2 *", "0 9 * * MON#1"],
)
def test_common_expressions_are_accepted(expression: str) -> None:
    cron.check(expression)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("0 2 * *", "has 4 fields, but must have five"),
        ("0 0 2 * * *", "has 6 fields"),
        ("@daily", "has 1 fields"),
        ("61 2 * * *", "has '61' as minute"),
        ("0 24 * * *", "has '24' as hour"),
        ("0 2 32 * *", "has '32' as day of the month"),
        ("0 2 * 13 *", "has '13' as month"),
        ("0 2 * * someday", "has 'someday' as day of the week"),
        ("0 2 5-1 * *", "has '5-1' as day of the month"),
        ("0 2 31 2 *", "never fires"),
        ("0 2 30 2 *", "never fires"),
        ("0 2 31 4,6,9,11 *", "never fires"),
        ("* * * * *", "fires 1 min apart; the minimum is 15 min"),
        ("*/10 * * * *", "fires 10 min apart"),
        ("0,59 0,23 * * *", "fires 1 min apart"),
        ("0,5 2 1 1 *", "fires 5 min apart"),
    ],
)
def test_a_useless_expression_is_rejected_with_its_reason(expression: str, message: str) -> None:
    with pytest.raises(CronError, match=message) as error:
        cron.check(expression)
    assert error.value.remedy


def test_day_of_month_and_day_of_week_are_alternatives_as_in_a_crontab() -> None:
    found = islice(cron.after("0 0 1 * MON", datetime(2026, 11, 27)), 3)
    assert [f"{one:%a %d}" for one in found] == ["Mon 30", "Tue 01", "Mon 07"]


def test_an_expression_is_described_in_english() -> None:
    assert cron.description("0 2 * * 1-5") == "At 02:00 on Monday through Friday"
