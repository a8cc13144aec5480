"""The headline of a tool test in words."""

from typing import Any

import pytest
from assay.kinds.headline import sentences
from assay.kinds.tool.result import ToolHeadline

HEADLINE = ToolHeadline(
    kind="tool",
    tool="rsync-ssh",
    title="rsync over ssh",
    input="files",
    files=1000,
    rate="durable",
    bytes_per_s=412e6,
    cpu_s_per_gb=4.6,
    of_tools=2,
    no_result=None,
)
ALONE = {"of_tools": 1, "files": None, "rate": "application", "cpu_s_per_gb": None}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {},
            "412 MB/s durable, rsync over ssh with 1000 files; 4.60 CPU s/GB; "
            "fastest of two tools.",
        ),
        (
            {"files": 1},
            "412 MB/s durable, rsync over ssh with one file; 4.60 CPU s/GB; fastest of two tools.",
        ),
        (ALONE, "412 MB/s rsync over ssh."),
        (
            {"bytes_per_s": None, "no_result": "unreliable", "flags": ["contended", "too_short"]},
            "No result: no trial is reliable (contended, too short).",
        ),
        (
            {"bytes_per_s": None, "no_result": "data_lost"},
            "No result: no tool delivered all data as it was.",
        ),
        ({"bytes_per_s": None, "no_result": "not_measured"}, "No result: nothing was measured."),
    ],
)
def test_it_names_the_fastest_tool_its_input_and_cost_or_why_there_is_none(
    given: dict[str, Any], sentence: str
) -> None:
    found = HEADLINE.model_copy(update=given)
    assert sentences(found.model_dump(mode="json")) == [sentence]
