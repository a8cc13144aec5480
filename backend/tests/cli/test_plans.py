"""The options of a launch that are made of the declarations of parameters."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from assay.cli.plans import IMPLIED, NAMED, OPTIONS
from assay.kinds.registry import KINDS, Overrides


def option_of(name: str) -> Any:
    """Return the option of a parameter of a command."""
    return get_args(OPTIONS[name][0])[1]


@pytest.mark.parametrize(("name", "field"), NAMED.items())
def test_a_named_option_overrides_a_declared_parameter(name: str, field: str) -> None:
    declared = [kind.parameters[field] for kind in KINDS.values() if field in kind.parameters]
    assert declared and field in Overrides.model_fields
    said = option_of(name).help
    assert said.startswith(declared[0].label)
    for one in declared:
        assert all(choice.value in said for choice in one.choices)
    assert all(one in Overrides.model_fields for one in IMPLIED.get(name, {}))


def test_the_bounds_in_help_are_the_declared_ones() -> None:
    bounds = KINDS["matrix"].test.model_json_schema()["properties"]["repeats"]
    assert f"{bounds['minimum']} to {bounds['maximum']}" in option_of("repeats").help


def test_what_all_kinds_say_of_a_parameter_is_its_help() -> None:
    assert KINDS["sustained"].parameters["priority"].help.startswith("Of the streams' threads; ")
    assert ". Of the streams' threads; " in option_of("priority").help
    assert "Passes over the whole matrix" not in option_of("repeats").help


def test_values_are_completed() -> None:
    complete: Callable[[str], list[str]] = option_of("priority").autocompletion
    assert complete("f") == ["fifo"]
    assigned: Callable[[str], Any] = option_of("assignment").autocompletion
    assert [*assigned("full_d")] == ["full_duplex="]
    assert [*assigned("family=ip")] == ["family=ipv4", "family=ipv6"]
    assert "full_duplex=yes" in assigned("full_duplex=")
