"""What can be requested of objects without types of their own here: webhooks, schedules, …"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from assay.client.nouns import Reference
from assay.client.transport import Body, Transport

Document = dict[str, Any]


class Collection:
    """A list of the API with its objects, as JSON documents; each is given by id or name."""

    def __init__(self, api: Transport, path: str) -> None:
        """Use the list at `path`."""
        self._api, self._path = api, path

    def list(self, *, most: int | None = None, **where: object) -> Iterator[Document]:
        """Yield the objects that match all filters of the API, or the first `most`."""
        return self._api.pages(self._path, most=most, **where)

    def get(self, which: Reference) -> Document:
        """Return an object; raises NotFoundError."""
        return self._api.get(self.path_of(which))

    def create(self, body: Body, *, key: str | None = None) -> Document:
        """Create an object; a secret is only in this response. `key` is its idempotency key."""
        return self._api.post(self._path, body, key=key)

    def change(self, which: Reference, changes: Body, *, etag: str | None = None) -> Document:
        """Change fields; omitted ones stay. `etag` as in `delete`."""
        return self._api.patch(self.path_of(which), changes, etag=etag)

    def delete(self, which: Reference, *, etag: str | None = None) -> None:
        """Delete an object; with `etag`, only if nobody changed it since."""
        self._api.delete(self.path_of(which), etag=etag)

    def path_of(self, which: Reference) -> str:
        """Return the path of an object, below which its further endpoints are."""
        return f"{self._path}/{quote(str(which), safe='')}"
