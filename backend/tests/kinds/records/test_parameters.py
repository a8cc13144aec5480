"""Which parameters of a records test its run uses."""

from typing import Any

import pytest
from assay.base.errors import Invalid
from assay.kinds.records.parameters import RecordsTest
from assay.kinds.registry import KINDS
from assay.runs.profiles.schemas import refuse_unused

KIND = KINDS["records"]


def records(**values: Any) -> RecordsTest:
    return RecordsTest.model_validate({"kind": "records", "title": "Records", **values})


def test_a_sink_in_memory_does_not_use_syncs() -> None:
    of_file = records().model_dump(mode="json")
    syncs = {"sync_ms", "sync_bytes", "sync_timeout_ms"}
    without_port = frozenset({"last_port"})
    assert KIND.unused(of_file) == without_port
    assert KIND.unused({**of_file, "sink": "memory"}) == syncs | without_port
    assert KIND.unused({**of_file, "medium": "memory"}) == syncs | without_port


@pytest.mark.parametrize(
    ("values", "message", "remedy"),
    [
        (
            {"acknowledge": "none", "in_flight_batches": 4},
            'is given, but the test does not use it: acknowledge is "none"',
            'Use its default, 16, or set acknowledge to "received", "written" or "synced".',
        ),
        (
            {"sink": "memory", "sync_timeout_ms": 5000},
            'is given, but the test does not use it: sink is "memory"',
            'Use its default, 600000, or set sink to "as_chosen".',
        ),
    ],
)
def test_a_profile_refuses_what_its_records_do_not_use(
    values: dict[str, Any], message: str, remedy: str
) -> None:
    with pytest.raises(Invalid) as refused:
        refuse_unused([records(**values)])
    (found,) = refused.value.errors
    assert (found.message, found.remedy) == (message, remedy)
