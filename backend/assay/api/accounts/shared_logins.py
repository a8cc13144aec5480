"""Authentication of requests that wait: they come and end in crowds, often with one login."""

from dataclasses import replace

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from assay.api.accounts.authentication import COOKIE, address_of, admit, identify
from assay.api.http.waiting import waits
from assay.base.identity import Identity
from assay.base.shared_reads import SharedReads
from assay.base.turns import Turns


class SharedLogins:
    """Authenticates with one read all requests that have the same login; used by one event loop."""

    def __init__(self) -> None:
        """Know nobody."""
        self._reads: SharedReads[tuple[str | None, str | None], Identity] = SharedReads()

    async def identify(self, request: Request) -> Identity:
        """Return the identity of a request that only reads; raises what `identify` raises.

        A login that was revoked before this call is noticed.
        """
        mine: list[Identity] = []

        def read() -> Identity:
            mine.append(identify(request))
            return mine[0]

        login = request.headers.get("Authorization"), request.cookies.get(COOKIE)
        found = await self._reads.get(login, read)
        # the use of a token is recorded by the request whose read it was
        return found if mine else replace(found, address=address_of(request), is_use_due=False)


async def identified_together(request: Request) -> None:
    """Authenticate a request before its endpoint's permission is required.

    A dependency of endpoints that may wait and only read.
    """
    if not waits(request.scope):  # its answer must not wait for those of others
        admit(request, await run_in_threadpool(identify, request))
        return
    logins: SharedLogins = request.app.state.logins
    identity = await logins.identify(request)
    turns: Turns = request.app.state.turns
    await turns.take()
    admit(request, identity)
