"""The process's asyncio loop, and the threads in which its coroutines use the database.

Connections to hosts and the drivers of runs share the loop, which has its own thread. A
database call on that thread would block all of them, so coroutines call the database in a small
thread pool.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

from assay.base.singletons import singleton

from assay_worker import background

NAME = "connections"
"""Name of the loop's thread."""

DATABASE_THREADS = 8

P = ParamSpec("P")
T = TypeVar("T")


@singleton
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    background.start(NAME, loop.run_forever)
    return loop


@singleton
def _database_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")


def begin(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Run `coroutine` on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


def wait_for(coroutine: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
    """Run `coroutine` on the loop and wait for its result or its exception.

    Raises TimeoutError after `timeout_s`; the coroutine continues.
    """
    return begin(coroutine).result(timeout_s)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `function`, which uses the database, in one of the pool's threads."""
    loop, context = asyncio.get_running_loop(), copy_context()
    return await loop.run_in_executor(
        _database_threads(), lambda: context.run(function, *args, **kwargs)
    )
