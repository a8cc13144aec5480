"""What can be requested of a noun of the API: a class for each verb, which nouns are made of.

An object is found by its id, or by its name (`lab1`, or of a target `lab1/mnt/disk`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypedDict, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from assay.api.notes import NotesOut
from assay.base.nouns import Noun
from assay.client.errors import ChangedError
from assay.client.transport import Transport, parsed
from assay.history.schemas import DecidedMatch

Reference = int | str
"""An id or a name."""

Key = TypeVar("Key", bound=Reference)
Out = TypeVar("Out", bound=BaseModel)
In = TypeVar("In", bound=BaseModel)
Made = TypeVar("Made", bound=BaseModel)
Change = TypeVar("Change", bound=BaseModel)

ATTEMPTS = 5
"""How often labels are merged anew because others changed the object in between."""

RENAMED = {"since": "from", "until": "to"}
"""The parameters of the API whose names are none in Python."""


class OrderFilter(TypedDict, total=False):
    """In which order a list is."""

    sort: str


class NameFilter(OrderFilter, total=False):
    """Which objects a list has, by the words of their names, and in which order."""

    q: str


class PlaceFilter(NameFilter, total=False):
    """Which hosts, targets or arrays a list has, and in which order."""

    host: str
    host_id: int
    array: str
    array_id: int
    label: str | Sequence[str]


def query(where: Mapping[str, object]) -> dict[str, Any]:
    """Return filters as parameters of the API."""
    return {RENAMED.get(name, name): value for name, value in where.items()}


def merged(labels: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return labels with changes; None removes one."""
    both = {**labels, **changes}
    return {key: value for key, value in both.items() if value is not None}


class Resource(Generic[Key, Out]):
    """A list of the API, whose objects can be read."""

    noun: ClassVar[Noun]
    _kind: type[Out]

    def __init__(self, api: Transport, path: str | None = None) -> None:
        """Use the noun's list, or the one at `path`."""
        self._api, self._path = api, self.noun.path if path is None else path

    def get(self, which: Key) -> Out:
        """Return an object; raises NotFoundError, or InvalidError for a name of several.

        The nearest names are the remedy.
        """
        return parsed(self._kind, self._api.get(self.path_of(which)))

    def path_of(self, which: Key) -> str:
        """Return the path of an object, below which its further endpoints are."""
        return f"{self._path}/{quote(str(which), safe='')}"

    def _all(self, most: int | None, where: Mapping[str, object]) -> Iterator[Out]:
        return self._api.items(self._kind, self._path, most=most, **query(where))


class Creatable(Resource[Key, Out], Generic[Key, Out, In, Made]):
    """Objects of type `In` are added; the response is of type `Made`."""

    _made: type[Made]

    def create(self, body: In | Mapping[str, object], *, key: str | None = None) -> Made:
        """Create an object; a secret is only in this response. `key` is its idempotency key."""
        return parsed(self._made, self._api.post(self._path, body, key=key))


class Replaceable(Resource[Key, Out], Generic[Key, Out, In]):
    """Objects are replaced as a whole."""

    def replace(
        self, which: Key, body: In | Mapping[str, object], *, etag: str | None = None
    ) -> Out:
        """Replace an object, of a profile by its next version: campaigns keep theirs.

        With `etag`, only if nobody changed it since.
        """
        return parsed(self._kind, self._api.put(self.path_of(which), body, etag=etag))


class Changeable(Resource[Key, Out], Generic[Key, Out, Change]):
    """Fields of objects are changed."""

    def change(
        self, which: Key, changes: Change | Mapping[str, object], *, etag: str | None = None
    ) -> Out:
        """Change fields; omitted ones stay. With `etag`, raise ChangedError if others changed it.

        A dictionary has the fields as the API takes them. `labels` replaces all labels.
        """
        return parsed(self._kind, self._api.patch(self.path_of(which), changes, etag=etag))


class Labeled(Changeable[Key, Out, Change], Generic[Key, Out, Change]):
    """Objects have labels, which several people change at the same time."""

    def label(self, which: Key, changes: Mapping[str, str | None]) -> Out:
        """Set labels, or remove those with None; others stay, also if they change meanwhile."""
        path = self.path_of(which)
        for _ in range(ATTEMPTS - 1):
            try:
                return self._relabel(path, changes)
            except ChangedError:
                continue
        return self._relabel(path, changes)

    def _relabel(self, path: str, changes: Mapping[str, str | None]) -> Out:
        found = self._api.get(path)
        body = {"labels": merged(found["labels"], changes)}
        return parsed(self._kind, self._api.patch(path, body, etag=found["etag"]))


class Deletable(Resource[Key, Out]):
    """Objects are deleted."""

    def delete(self, which: Key, *, etag: str | None = None) -> None:
        """Delete an object; with `etag`, only if nobody changed it since."""
        self._api.delete(self.path_of(which), etag=etag)


class Annotatable(Resource[Key, Out]):
    """Objects have notes."""

    def notes(self, which: Key) -> NotesOut:
        """Return the notes on an object; their text is empty if there are none."""
        return parsed(NotesOut, self._api.get(f"{self.path_of(which)}/notes"))

    def write_notes(self, which: Key, text: str) -> NotesOut:
        """Replace the notes with a text in Markdown; an empty one removes them."""
        return parsed(NotesOut, self._api.put(f"{self.path_of(which)}/notes", {"text": text}))


class Matched(Resource[Key, Out]):
    """Objects may be deleted ones that were registered again."""

    def decide(self, which: Key, earlier_id: int, *, same: bool) -> DecidedMatch:
        """Decide on a match; if both are the `same`, runs of the deleted one become the other's."""
        path = f"{self.path_of(which)}/matches/{earlier_id}"
        return parsed(DecidedMatch, self._api.put(path, {"same": same}))

    def undo_decision(self, which: Key, earlier_id: int) -> None:
        """Undo the decision on a match: its runs belong to the deleted one again."""
        self._api.delete(f"{self.path_of(which)}/matches/{earlier_id}")


class Managed(
    Creatable[Reference, Out, In, Made],
    Changeable[Reference, Out, Change],
    Deletable[Reference, Out],
    Generic[Out, In, Made, Change],
):
    """Objects are created, changed and deleted."""


class Equipment(
    Labeled[Reference, Out, Change],
    Matched[Reference, Out],
    Deletable[Reference, Out],
    Generic[Out, Change],
):
    """What tests run on: it is labeled, deleted, and may be a deleted one."""
