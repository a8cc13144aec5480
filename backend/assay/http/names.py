"""Names in place of ids: the only object that a name means, or the names nearest to it."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.http.suggestions import did_you_mean

MOST_LISTED = 5


def slug(name: str) -> str:
    """Return the letters and digits of a name in lower case, with hyphens between its words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


@dataclass(frozen=True)
class Known:
    """The names of all objects of a noun, by id: first an object's own name, then others.

    `address` is the part of the API that lists them.
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
        every = [name for names in self.names.values() for name in names]
        remedy = did_you_mean(wanted, every) or f"GET /api/v1/{self.address} lists them."
        raise Invalid([FieldError(field, f"there is no such {self.noun}", remedy, wanted)])

    def _ambiguous(self, field: str, wanted: str, found: Sequence[int]) -> FieldError:
        some = [f"{self.names[number][0]} ({number})" for number in found[:MOST_LISTED]]
        listed = ", ".join(some) + (", …" if len(found) > MOST_LISTED else "")
        message = f"means several {self.noun}s: {listed}"
        return FieldError(field, message, "Give the id instead.", wanted)
