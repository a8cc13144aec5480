"""Names in place of ids: the only object that a name means, or the names nearest to it."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError, unlisted
from assay.base.suggestions import did_you_mean

MOST_LISTED = 5

SUGGESTED = 2
"""How many names of each object may be suggested; further ones are variants of these."""


def slug(name: str) -> str:
    """Return the letters and digits of a name in lower case, with hyphens between its words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


@dataclass(frozen=True)
class Known:
    """The names of all objects of a noun, by id: first an object's own name, then others.

    `address` is the part of the API that lists them. Where no name matches, the digits of an id do.
    """

    noun: str
    address: str
    names: Mapping[int, Sequence[str]]

    def find(self, field: str, wanted: str) -> int:
        """Return the id of the object with this name; a name of its own comes before a slug.

        Raises Invalid for `field` with the nearest names, or with the ids if several have it.
        """
        for rank in range(max(map(len, self.names.values()), default=0)):
            found = [
                number for number, names in self.names.items() if wanted in names[rank : rank + 1]
            ]
            if len(found) == 1:
                return found[0]
            if found:
                raise Invalid([self._ambiguous(field, wanted, found)])
        if wanted.isdecimal() and int(wanted) in self.names:
            return int(wanted)
        every = [name for names in self.names.values() for name in names[:SUGGESTED]]
        message = f"there is no such {self.noun}"
        if remedy := did_you_mean(wanted, every):
            raise Invalid([FieldError(field, message, remedy, wanted)])
        raise Invalid([unlisted(field, message, self.address, wanted)])

    def _ambiguous(self, field: str, wanted: str, found: Sequence[int]) -> FieldError:
        some = [f"{self.names[number][0]} ({number})" for number in found[:MOST_LISTED]]
        listed = ", ".join(some) + (", …" if len(found) > MOST_LISTED else "")
        message = f"means several {self.noun}s: {listed}"
        return FieldError(field, message, "Give the id instead.", wanted)


def given(
    field: str, number: int | None, name: str | None, known: Callable[[], Known]
) -> int | None:
    """Return the id of an object that a query names by `field`, or by its id in `field`_id.

    None if it names none; raises Invalid for both, and for a name that means no or several objects.
    """
    if name is None:
        return number
    if number is not None:
        message = f"must be given by either `{field}_id` or `{field}`"
        raise Invalid([FieldError(field, message, "Give one of them.", name)])
    return known().find(field, name)
