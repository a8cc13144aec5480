"""Pages of lists that many requests ask for at once: each is read once per change of the database.

Authentication finds out what the database shows to the request: with the same name of a snapshot
(`assay.tables.snapshot`), two requests would read the same rows. So a page is sent again only to a
caller that would read the same one, and a client finds at once what it wrote, in whichever process.
SQLite has no such names: each request reads its page.

Also JSON documents that many requests receive: each is encoded and compressed once.
"""

import asyncio
import gzip
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self
from weakref import WeakValueDictionary

from anyio import CapacityLimiter
from cachetools import TTLCache
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from starlette.background import BackgroundTask

from assay.api.accounts.authentication import authorize, record_use, requirement
from assay.api.http.routes import Handler
from assay.tables.snapshot import Name, Snapshots

COMPRESSED_FROM = 1000
"""Bytes; compression makes a shorter response hardly smaller."""
LEVEL = 4
"""Of gzip: level 6 takes three times as long and saves 6 %."""


@dataclass(frozen=True)
class Encoded:
    """A JSON document as it is sent."""

    plain: bytes
    compressed: bytes

    @classmethod
    def of(cls, document: bytes) -> Self:
        """Compress a document, which takes a while."""
        return cls(document, gzip.compress(document, LEVEL, mtime=0))

    @property
    def size(self) -> int:
        """The bytes of memory."""
        return len(self.plain) + len(self.compressed)

    def response(self, request: Request, headers: Mapping[str, str] | None = None) -> Response:
        """Return the response to `request`, compressed if its client accepts that."""
        given = dict(headers or {})
        accepted = request.headers.get("Accept-Encoding", "")
        if len(self.plain) < COMPRESSED_FROM or "gzip" not in accepted:
            return Response(self.plain, headers=given, media_type="application/json")
        given |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(self.compressed, headers=given, media_type="application/json")


MOST_BYTES = 32 << 20
DUE_S, LONGEST_S = 10.0, 15.0
"""Some of a page depends on the time, such as whether a certificate or a link has expired."""
READERS = 2
"""Reads at once: they need CPU time, of which more of them would leave known pages too little."""


@dataclass(frozen=True)
class _Page:
    snapshot: Name
    began: float
    due: float
    encoded: Encoded

    @property
    def size(self) -> int:
        return self.encoded.size

    def is_due(self, now: float) -> bool:
        """Return whether the next request should read the page again; others need not wait."""
        return now >= self.due


class PageCache:
    """The pages of the last seconds, by caller and request; used by one event loop."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        """Create an empty cache; `timer` returns seconds."""
        self._timer = timer
        self._pages: TTLCache[Hashable, _Page] = TTLCache(
            MOST_BYTES, LONGEST_S, timer, getsizeof=lambda page: page.size
        )
        self._snapshots = Snapshots()
        self._readers = CapacityLimiter(READERS)
        self._turns: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, route: APIRoute, request: Request, handle: Handler) -> Response:
        """Return the requested page; `handle` reads it unless it is known.

        Requests for the same page take turns, so that all but the first find it: what was read
        after a request arrived is an answer to it. Raises what authentication and `handle` raise.
        """
        arrived = self._timer()
        wanted = requirement(route)
        if wanted is None:
            return await handle(request)
        caller = await run_in_threadpool(authorize, request, wanted)
        seen: str | None = request.state.seen
        if seen is None:
            return await handle(request)
        snapshot = self._snapshots.name(seen)
        key = (caller.principal, request.url.path, request.url.query)
        turn = self._turns.setdefault(key, asyncio.Lock())
        page = self._known(key, snapshot, arrived)
        if page is None or (page.is_due(self._timer()) and not turn.locked()):
            async with turn:
                page = self._known(key, snapshot, arrived)
                if page is None or page.is_due(self._timer()):
                    async with self._readers:
                        began = self._timer()
                        response = await handle(request)
                    if response.status_code != HTTPStatus.OK:
                        return response
                    page = await run_in_threadpool(
                        self._page, snapshot, began, bytes(response.body)
                    )
                    if page.size < MOST_BYTES:
                        self._pages[key] = page
        answer = page.encoded.response(request)
        if caller.is_use_due and caller.token_id is not None:
            answer.background = BackgroundTask(record_use, caller.token_id)
        return answer

    def _known(self, key: Hashable, snapshot: Name, arrived: float) -> _Page | None:
        """Return the page if it shows the same rows, or was read after the request arrived."""
        page = self._pages.get(key)
        if page is None or (page.snapshot != snapshot and page.began <= arrived):
            return None
        return page

    def _page(self, snapshot: Name, began: float, body: bytes) -> _Page:
        return _Page(snapshot, began, began + DUE_S, Encoded.of(body))
