"""How parameters are declared, and what follows from a declaration."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from assay.base.field_types import RequestBody
from assay.kinds.parameters import (
    EXTENSION,
    Choice,
    Format,
    Group,
    Parameter,
    When,
    conditions_of,
    declared,
    overrides_of,
    without_declarations,
)
from assay.kinds.registry import KINDS
from pydantic import Field, ValidationError

SPEED = Group("Speed", folded=True)


class TapeTest(RequestBody):
    kind: Literal["tape"]
    tapes: Annotated[list[str], Parameter("Tapes", "All of them.", "tools", fixed=True)]
    mode: Annotated[
        Literal["wind", "rewind"],
        Parameter("Mode", group=SPEED, choices=(Choice("wind", "Wind", "forwards"),)),
    ] = "wind"
    speed: Annotated[
        Annotated[int, Field(strict=True, ge=1, le=9)],
        Parameter("Speed", "In m/s.", "count", SPEED, used=((When("mode", ("wind",)),),)),
    ] = 3
    label: str | None = None


class ResolvedTape(TapeTest):
    operators: Annotated[int, Parameter("Operators")]


def test_a_declaration_is_published_with_the_bounds_of_its_type() -> None:
    fields = TapeTest.model_json_schema()["properties"]
    assert fields["speed"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "default": 3,
        "title": "Speed",
        "description": "In m/s.",
        EXTENSION: {
            "format": "count",
            "help": "In m/s.",
            "group": "Speed",
            "folded": True,
            "used": [[{"name": "mode", "values": ["wind"]}]],
        },
    }
    choices = [{"value": "wind", "label": "Wind", "note": "forwards"}]
    assert fields["mode"][EXTENSION]["choices"] == choices
    tapes = {"format": "tools", "help": "All of them.", "fixed": True}
    assert fields["tapes"][EXTENSION] == tapes
    resolved = ResolvedTape.model_json_schema()["properties"]["operators"]
    assert resolved == {"title": "Operators", "type": "integer"}


def test_overrides_have_the_types_of_the_test_and_nothing_that_tells_tests_apart() -> None:
    overrides = overrides_of(TapeTest)
    assert overrides.__name__ == "TapeOverrides"
    assert list(overrides.model_fields) == ["mode", "speed"]
    assert overrides().model_dump(exclude_none=True) == {}
    assert overrides.model_validate({"speed": 9}).model_dump(exclude_none=True) == {"speed": 9}
    for wrong in ({"speed": 10}, {"speed": "9"}, {"mode": "eject"}, {"tapes": ["a"]}):
        with pytest.raises(ValidationError):
            overrides.model_validate(wrong)
    assert EXTENSION not in str(overrides.model_json_schema())


def test_conditions_are_those_of_the_test_and_then_those_of_the_run() -> None:
    found = conditions_of(TapeTest, ResolvedTape)
    assert list(found) == ["tapes", "mode", "speed", "operators"]
    assert found["operators"].label == "Operators"


@pytest.mark.parametrize(
    ("when", "parameters", "holds"),
    [
        (When("mode", ("ring", "sequence")), {"mode": "ring"}, True),
        (When("mode", ("ring", "sequence")), {"mode": "one"}, False),
        (When("mode", ("ring",)), {}, False),
        (When("legs", ("memory",)), {"legs": ["disk", "memory"]}, True),
        (When("legs", ("memory",)), {"legs": ["disk"]}, False),
        (When("port", none_of=(0,)), {"port": 0}, False),
        (When("port", none_of=(0,)), {"port": 9000}, True),
        (When("medium", none_of=("memory",)), {}, True),
        (When("length", is_duration=False), {"length": "25 h"}, False),
        (When("length", is_duration=False), {"length": "2 * ram"}, True),
        (When("length", is_duration=True), {"length": 10_000}, False),
    ],
)
def test_a_condition_holds_for_one_of_its_values(
    when: When, parameters: dict[str, Any], holds: bool
) -> None:
    assert when.holds(parameters) is holds


def test_a_parameter_is_used_if_one_alternative_holds_entirely() -> None:
    ring, random = When("mode", ("ring",)), When("access", ("random",))
    either = Parameter("Size", used=((ring,), (random,)))
    both = Parameter("Size", used=((ring, random),))
    for mode, access, of_either, of_both in (
        ("ring", "random", True, True),
        ("ring", "sequential", True, False),
        ("one", "random", True, False),
        ("one", "sequential", False, False),
    ):
        values = {"mode": mode, "access": access}
        assert (either.is_used(values), both.is_used(values)) == (of_either, of_both)
    assert Parameter("Size").is_used({})


def test_what_a_parameter_needs_is_said_as_its_field_has_it() -> None:
    assert When("mode", ("one",)).wanted == '"one"'
    assert When("mode", ("one", "two", "three")).wanted == '"one", "two" or "three"'
    assert When("port", none_of=(0,), words="a port").wanted == "a port"


def test_declarations_of_every_kind_agree_with_their_tests() -> None:
    """Choices are those of the type, conditions name parameters, and nothing is undeclared."""
    wrong: list[str] = []
    for kind in KINDS.values():
        schema = kind.test.model_json_schema()["properties"]
        for name, one in declared(kind.test).items():
            of = schema[name].get("items", schema[name])
            values = [choice.value for choice in one.choices]
            if one.format != "switch" and one.choices and sorted(of["enum"]) != sorted(values):
                wrong.append(f"{kind.name}.{name}: {of['enum']} has the choices {values}")
            if one.format in ("choice", "choices") and not one.choices:
                wrong.append(f"{kind.name}.{name} has no choices")
            names = {when.name for alternative in one.used for when in alternative}
            known = {*kind.test.model_fields, *kind.resolved.model_fields}
            wrong += [f"{kind.name}.{name} depends on {other}" for other in names - known]
            if one.used and not all(alternative[0].wanted for alternative in one.used):
                wrong.append(f"{kind.name}.{name} does not say when it is used")
        undeclared = set(kind.test.model_fields) - set(declared(kind.test)) - {"kind", "title"}
        wrong += [f"{kind.name}.{name} is not declared" for name in sorted(undeclared)]
    assert wrong == []


def test_a_schema_is_the_same_without_declarations() -> None:
    schema = {"a": [{EXTENSION: 1, "type": "integer"}], EXTENSION: {}}
    assert without_declarations(schema) == {"a": [{"type": "integer"}]}


def test_requests_have_0_or_null_where_a_form_has_auto() -> None:
    size = Parameter("Ring", "Memory at each end.", "size", SPEED, automatic="fits the cache.")
    name = Parameter("Control", "Such as cubic.", "name", SPEED, automatic="is the host's.")
    assert size.description == "Memory at each end; 0 fits the cache. In bytes."
    assert name.description == "Such as cubic; null is the host's."


def test_the_condition_that_does_not_hold_decides() -> None:
    kind = KINDS["sustained"]
    values = {"operation": "write", "read_pace": "rate"}
    assert kind.used_with("read_rate_bytes_per_s", values) == ("operation", '"both"')
    assert kind.used_with("read_rate_bytes_per_s", values | {"read_pace": "same"}) == (
        "read_pace",
        '"rate"',
    )
    assert kind.used_with("operation", values) is None


@pytest.mark.parametrize("name", ["auto", "0"])
def test_a_forms_word_is_no_congestion_control(name: str) -> None:
    overrides = KINDS["path"].overrides
    with pytest.raises(ValidationError, match="no congestion control"):
        overrides.model_validate({"congestion_control": name})
    assert overrides.model_validate({"congestion_control": "bbr"})


VALUES: list[tuple[Format, Any, str]] = json.loads(
    (Path(__file__).parents[1] / "golden/parameters.json").read_text()
)
"""Values of parameters by format with their text; the browser's test reads them, too."""


@pytest.mark.parametrize(("written", "value", "text"), VALUES)
def test_a_value_is_written_as_in_the_browser(written: Format, value: Any, text: str) -> None:
    assert Parameter("It", format=written).words(value, {}) == text


def test_a_value_has_the_label_of_its_choice() -> None:
    choices = (Choice("fifo", "Real-time, first in"), Choice("rr", "Real-time, in turns"))
    parameter = Parameter("It", format="choices", choices=choices)
    assert parameter.words(["fifo", "rr"], {}) == "Real-time, first in, Real-time, in turns"


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        (Parameter("It", format="rate", automatic="is the host's."), 0, "auto"),
        (Parameter("It", format="name", automatic="is the host's."), None, "auto"),
        (Parameter("It", format="size", used=((When("mode", ("ring",)),),)), 4096, "not used"),
        (Parameter("It", format="tools"), [{"title": "cp", "name": "copy"}], "cp"),
        (Parameter("It", format="size"), None, None),
    ],
)
def test_what_a_value_is_may_depend_on_the_test(
    parameter: Parameter, value: Any, said: str | None
) -> None:
    assert parameter.words(value, {"mode": "files"}) == said
