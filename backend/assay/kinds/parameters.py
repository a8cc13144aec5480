"""How the parameters of a test are declared: once, beside their types.

A field of a test is `Annotated[type, Parameter(…)]`. Its words, its group, when it is used and how
it is written are published with the API's schema; forms, overrides, the conditions of a result and
the pages of `docs` are derived from them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, GetJsonSchemaHandler, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from assay.base import words
from assay.base.field_types import RequestBody
from assay.kinds.expressions import duration_ms

EXTENSION = "x-parameter"
"""The key of a declaration in the schema of its field, beside `title` and `description`."""

Format = Literal[
    "address",
    "choice",
    "choices",
    "count",
    "counts",
    "cpus",
    "duration_ms",
    "duration_ns",
    "durations_ms",
    "expression",
    "legs",
    "length",
    "name",
    "rate",
    "rates",
    "size",
    "sizes",
    "switch",
    "tools",
]
"""How people write a value; the plural is a list, one cell for each. An *expression* is a size or a
formula of sizes, a *length* also a duration."""

NULLABLE: frozenset[Format] = frozenset({"address", "cpus", "name"})
"""The formats of text, in which null leaves the choice to the host, in place of 0."""

WRITTEN: dict[Format, str] = {
    "size": "In bytes.",
    "sizes": "In bytes.",
    "expression": "In bytes, or an expression such as `2 * ram`.",
    "length": "In bytes, an expression such as `2 * ram`, or a duration such as `25 h`.",
}
"""How a request has values whose names do not say their unit."""


@dataclass(frozen=True)
class Group:
    """The heading under which forms show parameters; a folded one has those that few change."""

    title: str
    folded: bool = False


@dataclass(frozen=True)
class Choice:
    """A value that can be selected, its label, and what it means, where the label does not say.

    One that is not `in_plan` is replaced by another before a probe gets it.
    """

    value: str
    label: str
    note: str = ""
    in_plan: bool = True

    @property
    def published(self) -> dict[str, str]:
        """The choice in the API's schema."""
        said = {"value": self.value, "label": self.label, "note": self.note}
        return {name: text for name, text in said.items() if text}


@dataclass(frozen=True)
class When:
    """A condition on another parameter of the test: that it has one of these values, or none.

    A list has a value if it contains it. An absent parameter has none. With `is_duration`, a length
    has to be a duration, or must not be one.
    """

    name: str
    values: tuple[str | int, ...] = ()
    none_of: tuple[str | int, ...] = ()
    is_duration: bool | None = None
    words: str = ""
    """What to set the parameter to, where the values do not say it."""

    def holds(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether a test or a run with these parameters meets the condition."""
        value = parameters.get(self.name)
        if self.is_duration is not None:
            return (duration_ms(cast("int | str", value)) is not None) == self.is_duration
        had = set(cast("list[str | int]", value) if isinstance(value, list) else [value])
        return not had & set(self.none_of) and (not self.values or bool(had & set(self.values)))

    @property
    def published(self) -> dict[str, Any]:
        """The condition in the API's schema."""
        said = vars(self) | {"values": [*self.values], "none_of": [*self.none_of], "words": None}
        return {name: value for name, value in said.items() if value not in ([], None)}

    @property
    def wanted(self) -> str:
        """What the parameter has to be: `"received", "written" or "synced"`."""
        quoted = [f'"{value}"' for value in self.values or self.none_of]
        return self.words or ("" if self.values else "not ") + words.listed(quoted, "or")


@dataclass(frozen=True)
class Parameter:
    """What people read of a parameter, and where and when it applies."""

    label: str
    help: str = ""
    format: Format = "choice"
    group: Group | None = None
    """None: no form asks for it."""
    choices: tuple[Choice, ...] = ()
    used: tuple[tuple[When, ...], ...] = ()
    """A test uses it if all conditions of one of these alternatives hold; always, without any."""
    wide: bool = False
    """Its values are long."""
    common: bool = False
    """Launches often change it: the form shows it first, and the others behind *more*."""
    automatic: str = ""
    """What 0, or null for text, does if it leaves the choice to the host; forms write it *auto*."""
    fixed: bool = False
    """It tells the tests of a profile apart; no launch overrides it."""
    in_plan: bool = False
    """The line of each trial in the probe's plan has its value as it is."""
    plan_name: str = ""
    """The field of that line: of a copied value its name, if it is another one; of any other, the
    field that has one of its values. The probe's header has its bounds and words."""
    condition: bool = True
    """It is a condition of the result; of another, the run has the resolved value."""
    column: str = ""
    """Its name in exports, if it is not its own with its unit."""

    def in_group(self, group: Group, **changed: Any) -> "Parameter":
        """Return it with the group of a kind, and what else is different there."""
        return replace(self, group=group, **changed)

    def is_used(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether a test or a run with these parameters uses it."""
        return not self.used or any(
            all(when.holds(parameters) for when in alternative) for alternative in self.used
        )

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Publish the declaration with the schema of its field, if a form asks for it."""
        if self.group is None and not self.fixed:
            return handler(core_schema)
        said = {"title": self.label, "description": self.description}
        return handler(core_schema) | {k: v for k, v in said.items() if v} | self._extension()

    def column_name(self, name: str) -> str:
        """Return the name of its column in exports, which contains the unit; `name` is its own."""
        has_unit = self.format not in WRITTEN or name.endswith("_bytes")
        return self.column or (name if has_unit else f"{name}_bytes")

    def words(self, value: Any, parameters: Mapping[str, Any]) -> str | None:
        """Return the value that a test or a run with these parameters has, as people read it.

        None if it has none.
        """
        if not self.is_used(parameters):
            return "not used"
        if self.automatic and not value:
            return "auto"
        if value is None:
            return None
        labels = {one.value: one.label for one in self.choices}
        several = cast("list[Any]", value) if isinstance(value, list) else [value]
        return ", ".join(labels.get(str(one)) or self._written(one) for one in several)

    def _written(self, value: Any) -> str:
        """Return a single value with its unit."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            known = cast("dict[str, Any]", value)
            return str(known.get("title") or json.dumps(known, sort_keys=True))
        return _NUMBERS.get(self.format, str)(value)

    @property
    def description(self) -> str:
        """What the value means for who writes it in a request or a profile."""
        said = self.help
        if self.automatic:
            none = "null" if self.format in NULLABLE else "0"
            said = f"{said.removesuffix('.')}; {none} {self.automatic}"
        return " ".join(filter(None, (said, WRITTEN.get(self.format))))

    def _extension(self) -> JsonSchemaValue:
        declared: dict[str, Any] = {"format": self.format}
        texts = {"help": self.help, "automatic": self.automatic}
        declared |= {name: text for name, text in texts.items() if text}
        if self.group:
            declared["group"] = self.group.title
            declared["folded"] = self.group.folded
        if self.choices:
            declared["choices"] = [one.published for one in self.choices]
        if self.used:
            declared["used"] = [[one.published for one in group] for group in self.used]
        flags = {"wide": self.wide, "fixed": self.fixed, "common": self.common}
        return {EXTENSION: declared | {name: True for name, is_set in flags.items() if is_set}}


_NUMBERS: dict[Format, Callable[[int], str]] = {
    "expression": words.size,
    "length": words.size,
    "size": words.exact_size,
    "sizes": words.block,
    "duration_ms": lambda ms: words.span(ms * 10**6),
    "durations_ms": lambda ms: words.span(ms * 10**6),
    "duration_ns": words.exact_duration,
    "rate": words.exact_rate,
    "rates": words.exact_rate,
}
"""How a number of each format is written; one of any other has no unit."""


def declared(test: type[BaseModel]) -> dict[str, Parameter]:
    """Return the declared parameters of a test, in the order of its fields."""
    return {
        name: one
        for name, field in test.model_fields.items()
        for one in field.metadata
        if isinstance(one, Parameter)
    }


def bounds_of(schema: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the least and the highest value of a parameter, or of each value of its list.

    `schema` is that of its field; None if a value has no bounds.
    """
    for part in (schema, schema.get("items", {}), *schema.get("anyOf", ())):
        if "minimum" in part and "maximum" in part:
            return round(part["minimum"]), round(part["maximum"])
    return None


def conditions_of(*tests: type[BaseModel]) -> dict[str, Parameter]:
    """Return the parameters that are conditions of a result, in their order.

    Of several types of one test, later ones add what they have.
    """
    return {name: one for test in tests for name, one in declared(test).items() if one.condition}


def overrides_of(test: type[BaseModel]) -> type[RequestBody]:
    """Return a body with the parameters of a test that a launch can override, each optional."""
    name = f"{test.__name__.removesuffix('Test')}Overrides"
    types = get_type_hints(test, include_extras=True)
    fields: dict[str, Any] = {
        field: (_undeclared(types[field]) | None, None)
        for field, one in declared(test).items()
        if not one.fixed
    }
    doc = "Values that replace those of every test of the profile."
    return create_model(name, __base__=RequestBody, __doc__=doc, **fields)


def _undeclared(of: Any) -> Any:
    """Return an annotated type without its declaration."""
    if get_origin(of) is not Annotated:
        return of
    bare, *rest = get_args(of)
    kept = tuple(one for one in rest if not isinstance(one, Parameter))
    return Annotated[(bare, *kept)] if kept else bare


def without_declarations(schema: object) -> object:
    """Return a JSON Schema without the declarations that forms are made from."""
    if isinstance(schema, list):
        return [without_declarations(one) for one in cast("list[object]", schema)]
    if isinstance(schema, dict):
        items = cast("dict[str, object]", schema).items()
        return {name: without_declarations(value) for name, value in items if name != EXTENSION}
    return schema
