"""The size of a file of records, as far as it is known before."""

import json

import pytest
from assay.kinds.records.estimate import line_bytes


def written(sender: int, record: bytes) -> int:
    """Return the length of the line that the probe writes, as contract/plan.md describes it."""
    text = record.decode("latin-1").removesuffix("\n")
    return len(json.dumps({"sender": sender, "record": text}, separators=(",", ":")) + "\n")


@pytest.mark.parametrize("senders", [1, 3, 10, 11, 32])
def test_no_line_of_a_record_of_one_byte_is_longer_than_estimated(senders: int) -> None:
    """Its byte is 8 × its sender, and a number from 1 to 7."""
    lines = [
        written(sender, bytes([8 * sender + number]))
        for sender in range(senders)
        for number in range(1, 8)
    ]
    assert max(lines) <= line_bytes(1, senders) <= max(lines) + 1


@pytest.mark.parametrize(
    "record", [b"AB", b"A12345678", b"A12345678\n", b"A" * 1023 + b"\n"], ids=len
)
@pytest.mark.parametrize("senders", [1, 10, 11, 32])
def test_the_line_of_a_longer_record_is_estimated_exactly(record: bytes, senders: int) -> None:
    assert line_bytes(len(record), senders) == written(senders - 1, record)
