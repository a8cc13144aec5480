"""Limit of the request body, so that nobody can exhaust the memory without logging in."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 2 * 2**20
"""Ten times the size of a launch on a hundred targets."""


class BodyLimit:
    """Rejects a body that is too large, with status 413."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request, and count the bytes of its body."""
        size = 0

        async def receive_counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > LARGEST_BODY:
                raise HTTPException(413, f"The maximum body size is {LARGEST_BODY} bytes.")
            return message

        await self.app(scope, receive_counted, send)
