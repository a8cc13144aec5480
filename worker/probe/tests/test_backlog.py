"""The buffer by Lindley's recursion bridges the same stalls in a simulation of a finite buffer.

The simulated source delivers at a constant rate into memory and loses what does not fit. A write
begins when a block is there, takes as long as the recorded one, and then frees the block.
"""

import ctypes
import subprocess
from collections.abc import Callable, Sequence

import pytest
import spool_rules
from hypothesis import given, settings
from hypothesis import strategies as some

SOURCE = spool_rules.CONTRACT.parent / "src"
MS, BLOCK = 10**6, 800_000
RATES = [19_440_000, 125_000_000, 1_250_000_000]

REPLAY = """
#include "sustained/backlog.h"
double replay(double rate, const uint64_t *busy_ns, uint64_t count, uint64_t block);
double replay(double rate, const uint64_t *busy_ns, uint64_t count, uint64_t block)
{
    static struct backlog_rates rates;
    struct backlog backlog = {0};
    rates.count = 1;
    rates.bytes_per_s[0] = rate;
    for (uint64_t i = 0; i < count; i++)
        backlog_add(&backlog, &rates, 1, busy_ns[i], block, 0);
    backlog_settle(&backlog, &rates);
    return backlog.most[0];
}

struct found { double rate, now, most; uint64_t most_ns; };
uint64_t all_rates(struct found *found, const uint64_t *calls, uint64_t count);
uint64_t all_rates(struct found *found, const uint64_t *calls, uint64_t count)
{
    static struct backlog_rates rates;
    struct backlog backlog = {0};
    backlog_rates_make(&rates, NULL, 0);
    for (uint64_t i = 0; i < count; i++)
        backlog_add(&backlog, &rates, 1, calls[2 * i], calls[2 * i + 1], i + 1);
    backlog_settle(&backlog, &rates);
    for (uint64_t i = 0; i < rates.count; i++)
        found[i] = (struct found){rates.bytes_per_s[i], backlog.now[i], backlog.most[i],
                                  backlog.most_ns[i]};
    return rates.count;
}
"""


class Found(ctypes.Structure):
    """A backlog's state at one rate."""

    _fields_ = (
        ("rate", ctypes.c_double),
        ("now", ctypes.c_double),
        ("most", ctypes.c_double),
        ("most_ns", ctypes.c_uint64),
    )


Replay = Callable[[int, Sequence[int]], float]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the probe's source as a library."""
    folder = tmp_path_factory.mktemp("backlog")
    (folder / "replay.c").write_text(REPLAY)
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-iquote", SOURCE]
    made = folder / "replay.so"
    parts = [folder / "replay.c", SOURCE / "sustained/backlog.c"]
    subprocess.run([*command, *parts, "-o", made], check=True)
    return ctypes.CDLL(str(made))


@pytest.fixture(scope="module")
def replay(library: ctypes.CDLL) -> Replay:
    """Return the largest backlog at a rate by the probe's source, of writes that took so long."""
    library.replay.restype = ctypes.c_double
    library.replay.argtypes = [ctypes.c_double, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]

    def most(rate: int, took_ns: Sequence[int]) -> float:
        return library.replay(rate, (ctypes.c_uint64 * len(took_ns))(*took_ns), len(took_ns), BLOCK)

    return most


def lost(memory: float, rate: int, took_ns: Sequence[int]) -> float:
    """Return the bytes that a source loses whose memory is so large."""
    level = missing = 0.0
    for took in took_ns:
        level = max(level, BLOCK) + rate * took / 1e9  # waits for a block, then writes it
        missing += max(0.0, level - memory)
        level = min(level, memory) - BLOCK
    return missing


TIMES = some.lists(
    some.one_of(some.integers(1, 5 * MS), some.integers(50 * MS, 2000 * MS)),
    min_size=1,
    max_size=200,
)


@settings(deadline=None)
@given(took_ns=TIMES, rate=some.sampled_from(RATES))
def test_the_computed_buffer_and_the_block_in_transfer_lose_nothing(
    replay: Replay, took_ns: list[int], rate: int
) -> None:
    assert lost(replay(rate, took_ns) + BLOCK + 1, rate, took_ns) == 0


@settings(deadline=None)
@given(took_ns=TIMES, rate=some.sampled_from(RATES))
def test_a_buffer_that_is_smaller_by_a_block_loses_data(
    replay: Replay, took_ns: list[int], rate: int
) -> None:
    smaller = replay(rate, took_ns) - BLOCK
    if smaller >= BLOCK:  # the source needs a block at least
        assert lost(smaller, rate, took_ns) > 0


def rested(stall_ns: int, rate: int) -> list[int]:
    """Return a stall, and as many writes at four times the rate as empty the queue after it."""
    quick_ns = BLOCK * 10**9 // rate // 4
    return [stall_ns, *[quick_ns] * (2 * stall_ns // quick_ns // 3 + 2)]


@settings(deadline=None)
@given(
    stalls_ns=some.lists(some.integers(50 * MS, 500 * MS), min_size=1, max_size=5),
    rate=some.sampled_from(RATES),
)
def test_peak_times_rate_bridges_stalls_after_which_the_queue_empties(
    stalls_ns: list[int], rate: int
) -> None:
    took_ns = [took for stall in stalls_ns for took in rested(stall, rate)]
    assert lost(rate * max(stalls_ns) / 1e9 + 2 * BLOCK, rate, took_ns) == 0


@settings(deadline=None)
@given(stall_ns=some.integers(100 * MS, 2000 * MS), rate=some.sampled_from(RATES))
def test_peak_times_rate_loses_data_if_stalls_follow_each_other(
    replay: Replay, stall_ns: int, rate: int
) -> None:
    took_ns = [stall_ns] * 3
    by_peak = rate * stall_ns / 1e9
    assert lost(by_peak + 2 * BLOCK, rate, took_ns) > 0 or by_peak < 3 * BLOCK
    assert lost(replay(rate, took_ns) + BLOCK + 1, rate, took_ns) == 0


CALLS = some.lists(
    some.tuples(
        some.one_of(some.integers(1, 100_000), some.integers(MS, 2000 * MS)),
        some.sampled_from([512, 4096, 4096, 4096, BLOCK]),
    ),
    min_size=1,
    max_size=60,
)


@settings(deadline=None)
@given(calls=CALLS)
def test_each_rate_has_the_backlog_of_its_own_queue(
    library: ctypes.CDLL, calls: list[tuple[int, int]]
) -> None:
    found = (Found * 128)()
    flat = [number for call in calls for number in call]
    count = library.all_rates(found, (ctypes.c_uint64 * len(flat))(*flat), len(calls))
    assert count == 64
    for one in found[:count]:
        level, levels = 0.0, list[float]()
        for took, moved in calls:
            levels.append(level + one.rate * took / 1e9)
            level = max(0.0, levels[-1] - moved)
        assert one.now == pytest.approx(level, rel=1e-9, abs=1e-3)
        assert one.most == pytest.approx(max(levels), rel=1e-9, abs=1e-3)
        assert levels[one.most_ns - 1] == pytest.approx(one.most, rel=1e-9, abs=1e-3)
