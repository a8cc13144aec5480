"""The one loop of a process."""

import asyncio
import threading

from assay_worker import loop


async def which() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_threads_that_come_first_at_the_same_time_share_one_loop() -> None:
    loop._loop.cache_clear()  # pyright: ignore[reportPrivateUsage]
    together = threading.Barrier(20)
    found: set[asyncio.AbstractEventLoop] = set()

    def ask() -> None:
        together.wait()
        found.add(loop.wait_for(which()))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
