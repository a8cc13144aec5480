"""Bodies have a largest size, so that nobody fills the memory before logging in."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 2 * 2**20
"""A launch on a hundred targets has a tenth of it."""


class BodyLimit:
    """Ends the reading of a body that is too large; the error's answer is made like any other's."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what is read of its body."""
        size = 0

        async def receive_counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > LARGEST_BODY:
                raise HTTPException(413, f"A body may have {LARGEST_BODY} bytes at most.")
            return message

        await self.app(scope, receive_counted, send)
