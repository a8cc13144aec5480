"""Turns of requests that arrive in a crowd."""

import asyncio
import time

from assay.base.turns import SLICE_S, Turns


def test_turns_are_taken_in_the_order_of_arrival() -> None:
    async def taken() -> list[int]:
        turns, order = Turns(), list[int]()

        async def take(number: int) -> None:
            await turns.take()
            order.append(number)

        await asyncio.gather(*map(take, range(50)))
        return order

    assert asyncio.run(taken()) == list(range(50))


def test_a_canceled_turn_is_passed_on() -> None:
    async def taken() -> None:
        turns = Turns()
        first, second = (asyncio.create_task(turns.take()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait_for(second, 10)

    asyncio.run(taken())


def test_others_run_between_the_turns_of_a_crowd() -> None:
    async def longest_pause() -> tuple[float, int]:
        turns, longest, looks = Turns(), 0.0, 0

        async def work() -> None:
            await turns.take()
            until = time.thread_time() + SLICE_S
            while time.thread_time() < until:
                pass

        crowd = asyncio.gather(*(work() for _ in range(50)))
        while not crowd.done():
            began = time.thread_time()  # others' use of the CPU does not count
            await asyncio.sleep(0)
            longest, looks = max(longest, time.thread_time() - began), looks + 1
        return longest, looks

    longest, looks = asyncio.run(longest_pause())
    assert longest < 5 * SLICE_S  # all at once: 50
    assert looks > 50
