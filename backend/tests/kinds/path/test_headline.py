"""The headline of a path in words."""

from typing import Any

import pytest
from assay.base.worded import parts_of
from assay.kinds.headline import sentences
from assay.kinds.path.result import PathHeadline
from assay.kinds.transfer.evidence import Limit, limited_words

HEADLINE = PathHeadline(
    kind="path",
    leg="disk",
    rate="durable",
    bytes_per_s=545e6,
    tb_per_hour=1.962,
    block=1_048_576,
    streams=4,
    efficiency=0.982,
    limit="sink_disk",
    others=[],
    no_result=None,
    limited="limited by the sink's disk",
)
NONE = {"leg": None, "bytes_per_s": None, "limited": None}


def said(**given: Any) -> str:
    found = HEADLINE.model_copy(update=given)
    (sentence,) = sentences(found.model_dump(mode="json"))
    return sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {},
            "545 MB/s disk to disk, durable (1.96 TB/h), 98.2 % of what its legs predict; "
            "limited by the sink's disk.",
        ),
        (
            {"full_duplex": True, "efficiency": None},
            "545 MB/s disk to disk, both directions together, durable (1.96 TB/h); "
            "limited by the sink's disk.",
        ),
        (
            {"leg": "memory", "rate": "application", "efficiency": None, "limited": None},
            "545 MB/s memory to memory (1.96 TB/h).",
        ),
        (
            {"leg": "memory", "rate": "application", "limited": "limit undetermined"},
            "545 MB/s memory to memory (1.96 TB/h), 98.2 % of what its legs predict; "
            "limit undetermined.",
        ),
        (
            {"tb_per_hour": None, "efficiency": None, "limited": None},
            "545 MB/s disk to disk, durable.",
        ),
    ],
)
def test_it_says_what_was_reached_and_what_limits_it(given: dict[str, Any], sentence: str) -> None:
    assert said(**given) == sentence


def test_the_volume_per_hour_is_a_quantity_with_all_that_its_reader_may_leave_out() -> None:
    rest = HEADLINE.model_copy(update={"rate": "application"}).words.rest
    assert parts_of(rest)[:3] == ["disk to disk", {"tb_per_hour": 1.962}, ", "]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"no_result": "cache_inflated"},
            "No result: a cache at the sink makes the rate higher than what its disk holds.",
        ),
        (
            {"no_result": "not_measured", "limited": "limited by the sender's CPU"},
            "No result: nothing was measured; limited by the sender's CPU.",
        ),
        ({"no_result": "wrong_data"}, "No result: data did not arrive as it was sent."),
        (
            {"no_result": "unreliable", "flags": ["contended", "too_short"]},
            "No result: no trial is reliable (contended, too short).",
        ),
        ({"no_result": "unreliable"}, "No result: no trial is reliable."),
    ],
)
def test_without_a_rate_it_says_why(given: dict[str, Any], sentence: str) -> None:
    assert said(**(NONE | given)) == sentence


@pytest.mark.parametrize(
    ("limit", "others", "names", "text"),
    [
        ("sink_disk", [], [], "limited by the sink's disk"),
        ("sink_disk", ["link"], [], "limited by the sink's disk and the link"),
        ("sink_disk", [], ["the disks of web-1"], "limited by the disks of web-1"),
        ("undetermined", [], [], "limit undetermined"),
        (
            "undetermined",
            ["pacing", "sink_disk"],
            [],
            "limit undetermined: the pacing that the test asked for or the sink's disk",
        ),
    ],
)
def test_limits_are_listed_with_those_that_cannot_be_told_apart(
    limit: Limit, others: list[Limit], names: list[str], text: str
) -> None:
    assert limited_words(limit, others, names) == text
