"""Values of a profile's tests that the tests, as their other values are, do not use."""

import json
from collections.abc import Sequence
from typing import Any, cast

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.kinds.kind import BaseTest
from assay.kinds.registry import KINDS


def refuse_unused(tests: Sequence[BaseTest]) -> None:
    """Raise Invalid if a test has a value of its own, not the default, that it does not use.

    Who reads the profile would believe that it matters.
    """
    problems = [one for number, test in enumerate(tests) for one in _unused(number, test)]
    if problems:
        raise Invalid(problems)


def _unused(number: int, test: BaseTest) -> list[FieldError]:
    kind, fields, values = KINDS[test.kind], type(test).model_fields, test.model_dump(mode="json")
    found: list[FieldError] = []
    for name in sorted(kind.unused(values)):
        if fields[name].is_required():
            continue
        default: Any = fields[name].get_default(call_default_factory=True)
        if getattr(test, name) == default:
            continue
        message = "is given, but the test does not use it"
        remedy = f"its default, {_shown(default)}"
        if used := kind.used_with(name, values):
            decides, wanted = used
            message += f": {decides} is {_shown(values[decides])}"
            remedy += f", or set {decides} to {wanted}"
        where = f"body.tests.{number}.{name}"
        found.append(FieldError(where, message, f"Use {remedy}.", values[name]))
    return found


def _shown(value: object) -> str:
    """Format a value as a request has it; a list of one as that."""
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)
