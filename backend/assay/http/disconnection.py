"""Whether the client of a request is still there."""

import asyncio
import contextlib
from collections.abc import Generator

from fastapi import Request


@contextlib.contextmanager
def disconnection(request: Request) -> Generator[asyncio.Task[None]]:
    """Yield a task that ends when the client of a request disconnects; its body was read before."""

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task = asyncio.create_task(wait())
    try:
        yield task
    finally:
        task.cancel()
