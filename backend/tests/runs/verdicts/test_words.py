"""Values as text: in the limit's unit, and never equal to a limit that they miss."""

import json
from pathlib import Path

import pytest
from assay.runs.verdicts.words import judged_cell, judged_participant, margin, measured, notes


@pytest.mark.parametrize(
    ("value", "dimension", "criterion", "text"),
    [
        (1.14e9, "rate", "durable.mean >= 1250 MB/s", "1140 MB/s"),
        (1.14e9, "rate", "durable.mean >= 10 Gb/s", "9.12 Gb/s"),
        (1.24996e9, "rate", "durable.mean >= 1250 MB/s", "1249.96 MB/s"),
        (1.25e9, "rate", "durable.mean >= 1250 MB/s", "1250 MB/s"),
        (2.34e6, "duration", "write.p99 < 20 ms", "2.34 ms"),
        (0.0312, "share", "repeat.cv < 5 %", "3.12 %"),
        (0, "count", "verify.errors <= 0", "0"),
        (1_234_567, "count", "verify.errors <= 0", "1234567"),
        (1.1e8, "duration", "write.p99 < 1 h", "110 ms"),
        (1.86e8, "rate", "durable.mean >= 1 kB/s", "186 MB/s"),
        (None, "rate", "durable.mean >= 1250 MB/s", "–"),
        (7.11e-9, "share", "path.retransmitted < 1 %", "under 0.01 %"),
        (7.11e-9, "share", "path.retransmitted < 0.001 %", "under 0.0001 %"),
        (2e-5, "share", "path.retransmitted < 0.001 %", "0.00200 %"),
        (0.00042, "share", "path.retransmitted < 1 %", "0.0420 %"),
        (0, "share", "path.retransmitted < 1 %", "0 %"),
        (-0.0312, "share", "slowdown < 5 %", "−3.12 %"),
        (-0.0042, "share", "slowdown < 5 %", "−0.420 %"),
    ],
)
def test_a_value_has_the_unit_of_its_limit(
    value: float | None, dimension: str, criterion: str, text: str
) -> None:
    assert measured(value, dimension, criterion) == text  # type: ignore[arg-type]


def test_the_leading_cell_of_several_is_named() -> None:
    assert judged_cell("bursts of 12", 6) == (
        "Judged in the leading cell of 6: bursts of 12. The other 5 were not judged."
    )
    assert [judged_cell("bursts of 12", n) for n in (1, None)] == [None, None]


def test_the_worst_of_several_participants_is_named() -> None:
    assert judged_participant("web-2 /mnt/a") == "Judged at the worst participant: web-2 /mnt/a."
    assert judged_participant(None) is None


def test_doubts_are_reasons_of_an_inconclusive_row_and_notes_of_others() -> None:
    assert notes("inconclusive", ["Others wrote 4 GB."]) == ["Others wrote 4 GB."]
    for judged in ("pass", "fail"):
        assert notes(judged, ["A.", "B."]) == [
            "Does not change the outcome: A.",
            "Does not change the outcome: B.",
        ]


def test_a_margin_has_a_sign_or_is_a_multiple_of_the_limit() -> None:
    assert [margin(share) for share in (0.112, -0.088, None)] == ["+11.2 %", "−8.80 %", "–"]
    assert [margin(share) for share in (186_000, -46)] == [
        "over 1000 × the limit",
        "47.0 × the limit",
    ]


MARGINS: list[tuple[float | None, str]] = json.loads(
    (Path(__file__).parents[2] / "golden/margins.json").read_text()
)
"""Margins with their text; the browser's test reads them, too."""


@pytest.mark.parametrize(("value", "text"), MARGINS)
def test_a_margin_reads_as_in_the_browser(value: float | None, text: str) -> None:
    assert margin(value) == text
