"""The headline of a records test in words."""

from typing import Any

import pytest
from assay.kinds.headline import sentences
from assay.kinds.records.result import RecordsHeadline
from testing.levels import held_levels

HEADLINE = RecordsHeadline(
    kind="records",
    senders=2,
    sink="disk",
    format="raw",
    record_bytes=4096,
    records_per_s=64_900,
    bytes_per_s=266e6,
    served_by="page_cache",
    limit="sink_disk",
    lost=0,
    lengths=[],
    no_result=None,
    limited="limited by the sink's disk",
)
CACHED = "Served by the page cache: "
TO_MEMORY = {"sink": "memory", "served_by": None, "limited": None, "senders": 1}
NONE = {"records_per_s": None, "bytes_per_s": None, "record_bytes": None, "limited": None}


def said(**given: Any) -> str:
    found = HEADLINE.model_copy(update=given)
    (sentence,) = sentences(found.model_dump(mode="json"))
    return sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {},
            f"{CACHED}64 900 records/s of 4 KiB (266 MB/s payload) from two senders to a file; "
            "limited by the sink's disk; no records lost.",
        ),
        (
            {"format": "json", "served_by": "device", "senders": 16},
            "64 900 records/s of 4 KiB (266 MB/s payload) from 16 senders to a file of JSON "
            "lines; limited by the sink's disk; no records lost.",
        ),
        (
            TO_MEMORY | {"lost": 1200},
            "64 900 records/s of 4 KiB (266 MB/s payload) from one sender to memory; "
            "1200 records lost.",
        ),
        (
            TO_MEMORY | {"lost": None},
            "64 900 records/s of 4 KiB (266 MB/s payload) from one sender to memory.",
        ),
        (
            {
                "records_per_s": None,
                "bytes_per_s": None,
                "levels": held_levels((123e6, 1.9), (29.6e6, 4.1)),
                "senders": 3,
            },
            f"{CACHED}123 MB/s for 1.90 s (234 MB), then 29.6 MB/s payload in 4 KiB records from "
            "three senders to a file; limited by the sink's disk; no records lost.",
        ),
    ],
)
def test_it_has_the_rates_the_route_the_limit_and_what_was_lost(
    given: dict[str, Any], sentence: str
) -> None:
    assert said(**given) == sentence


def test_it_leads_with_records_unless_their_rate_did_not_hold() -> None:
    assert HEADLINE.words.figure == {"records_per_s": 64_900}
    levels = held_levels((123e6, 1.9), (29.6e6, 4.1))
    assert HEADLINE.model_copy(update={"levels": levels}).words.figure is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"no_result": "wrong_records"}, "records did not arrive and stay as they were sent"),
        ({"no_result": "not_measured"}, "nothing was measured"),
        (
            {"no_result": "unreliable", "flags": ["starved", "too_short"]},
            "no trial is reliable (starved, too short)",
        ),
    ],
)
def test_without_a_rate_it_says_why(given: dict[str, Any], why: str) -> None:
    assert said(**NONE, **given) == f"No result: {why}."
