"""One asyncio loop in a thread of its own, for all connections of this process.

Tasks run in ordinary threads and hand coroutines over: a task is straight code that may use a
database session, and hundreds of connections still share one loop.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from assay.once import once

from assay_worker import background

T = TypeVar("T")


@once
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    background.start("connections", loop.run_forever)
    return loop


def begin(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run `coroutine` on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the loop and wait for its result or its exception."""
    return begin(coroutine).result()
