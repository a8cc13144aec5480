"""Reading a qualification file: a text becomes a valid declaration, or errors with positions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from pydantic import ValidationError

from assay.api.declarations import yaml_text
from assay.api.declarations.schemas import Declaration
from assay.api.declarations.yaml_text import TEXT, Located
from assay.base.errors import Invalid
from assay.base.field_errors import FieldError, from_pydantic
from assay.runs.profiles.schemas import refuse_unused


@dataclass(frozen=True)
class QualificationFile:
    """A valid file, and where each of its fields is."""

    declaration: Declaration
    located: Located

    def placed(self, errors: Iterable[FieldError]) -> list[FieldError]:
        """Return the errors with line and column, in the order of the file."""
        return _placed(self.located, errors)


def read(text: str) -> QualificationFile:
    """Return the file; raises Invalid with line and column of each mistake."""
    located = yaml_text.read(text)
    given: object = located.value
    if not isinstance(given, dict):
        message = "must be names with values"
        raise Invalid([FieldError(TEXT, message, "Begin with `name: …`.", at=(1, 1))])
    try:
        declaration = Declaration.model_validate(given)
    except ValidationError as error:
        found = from_pydantic(error.errors(), cast("object", given), Declaration)
        raise Invalid(_placed(located, found)) from None
    if mistakes := list(_unused(declaration)):
        raise Invalid(_placed(located, mistakes))
    return QualificationFile(declaration, located)


def _unused(declaration: Declaration) -> Iterable[FieldError]:
    """Yield the values that a profile's test does not use."""
    for number, profile in enumerate(declaration.profiles):
        try:
            refuse_unused(profile.tests)
        except Invalid as invalid:
            for error in invalid.errors:
                field = error.field.removeprefix("body.")
                yield replace(error, field=f"profiles.{number}.{field}")


def _placed(located: Located, errors: Iterable[FieldError]) -> list[FieldError]:
    found = [replace(error, at=error.at or located.at(error.field)) for error in errors]
    return sorted(found, key=lambda error: error.at or (0, 0))
