"""Definitions of tools: what they may contain, and the built-in ones."""

from typing import Any

import pytest
from assay.kinds.programs import EXAMPLE, ToolDefinition
from assay.runs.tools.builtin import BUILTINS
from pydantic import ValidationError

GIVEN = {
    "name": "x",
    "title": "X",
    "input": "files",
    "source_command": "cp {source_file} /dev/null",
}


def refusal(**fields: object) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        ToolDefinition.model_validate(GIVEN | fields)
    (error,) = caught.value.errors()
    return error["ctx"] if "ctx" in error else {"field": error["loc"][0]}


def test_the_example_is_a_tool() -> None:
    ToolDefinition.model_validate(EXAMPLE)


@pytest.mark.parametrize("builtin", BUILTINS, ids=lambda one: one.name)
def test_a_built_in_tool_says_what_it_needs_and_checks_it(builtin: ToolDefinition) -> None:
    assert builtin.needs_at_source and builtin.source_check
    assert builtin.needs_at_sink
    assert builtin.title and builtin.description


def test_an_unknown_placeholder_is_named() -> None:
    found = refusal(source_command="cp {source_disk} x")
    assert found["field"] == "source_command"
    assert "{source_disk}" in str(found["message"])
    assert "{source_directory}" in str(found["remedy"])


def test_a_placeholder_of_the_other_side_is_unknown() -> None:
    assert "{source_directory}" in str(refusal(sink_command="ls {source_directory}")["message"])


def test_a_check_knows_no_directories() -> None:
    assert "{sink_directory}" in str(refusal(sink_check="ls {sink_directory}")["message"])


def test_a_tool_of_memory_has_no_files_and_reports_its_bytes() -> None:
    assert refusal(input="memory")["field"] == "source_command"
    assert refusal(input="memory", source_command="x")["field"] == "reported_bytes"
    assert refusal(reported_bytes="([0-9]+)")["field"] == "reported_bytes"


@pytest.mark.parametrize("pattern", ["(", "[0-9]+", "([0-9])([0-9])"])
def test_a_pattern_has_one_group(pattern: str) -> None:
    fields = {"input": "memory", "source_command": "x", "reported_bytes": pattern}
    assert refusal(**fields)["field"] == "reported_bytes"


def test_readiness_needs_something_to_wait_for() -> None:
    assert refusal(ready="port")["field"] == "ready"
    assert refusal(sink_command="sleep 1", ready="line")["field"] == "ready_line"
