"""What a page-cache rate includes, and trials that stand out among their repeats."""

from random import Random

import pytest
from assay.analysis.excess import DeviceReadings
from assay.analysis.writeback import mean_of, writeback
from assay.kinds.writeback import Repeat, below, delay, far_below

MS, SECOND, MB = 10**6, 10**9, 10**6


def readings(written: list[float], step_ns: int = 100 * MS) -> DeviceReadings:
    count, none = len(written), [0] * len(written)
    ends = [step_ns * (n + 1) for n in range(count)]
    return DeviceReadings(ends, [step_ns] * count, none, none, [round(w) for w in written], none)


@pytest.mark.parametrize("idle", [0, 1, 5, 20])
@pytest.mark.parametrize("amplified", [1.0, 1.1, 2.0])
def test_the_rate_from_writeback_on_is_the_devices(idle: int, amplified: float) -> None:
    """A device of 100 MB/s; a journal may write as much again beside the data."""
    each = 10 * MB
    seen = readings([0.0] * idle + [each * amplified] * 80)
    moved, durable_ns = 80 * each, (idle + 80) * 100 * MS
    found = writeback(seen, moved, durable_ns)
    assert found
    assert found.begins_ns == idle * 100 * MS
    assert found.bytes_per_s == pytest.approx(100 * MB, rel=0.001)
    assert found.share == pytest.approx(idle / (idle + 80))


@pytest.mark.parametrize("begins_ms", [0, 130, 400, 850])
def test_writeback_may_begin_within_a_long_interval(begins_ms: int) -> None:
    first = 100e6 * (1000 - begins_ms) / 1000
    seen = readings([first, *[100e6] * 4], SECOND)
    found = writeback(seen, round(sum(seen.dev_write_bytes)), 5 * SECOND)
    assert found
    assert found.begins_ns == pytest.approx(begins_ms * MS)
    assert found.bytes_per_s == pytest.approx(100 * MB)


def test_a_little_metadata_does_not_begin_the_writeback() -> None:
    found = writeback(readings([8192.0, 0, 4096, 0, *[10e6] * 50]), 500 * MB, 54 * 100 * MS)
    assert found
    assert found.begins_ns == 400 * MS


@pytest.mark.parametrize("early", [1e6, 4e6, 12e6])
def test_what_the_creation_of_files_writes_does_not_begin_it_either(early: float) -> None:
    """Three seconds of rest, then 100 MB/s for eight."""
    found = writeback(readings([early, *[0.0] * 29, *[10e6] * 80]), 800 * MB, 11 * SECOND)
    assert found
    assert found.begins_ns == 3 * SECOND
    assert found.bytes_per_s == pytest.approx(100 * MB, rel=0.02)


def test_what_was_written_in_a_moment_has_no_rate() -> None:
    found = writeback(readings([0, 0, 0, 5e6]), 5 * MB, 400 * MS)
    assert found
    assert found.bytes_per_s is None
    assert writeback(readings([0, 0]), 5 * MB, 200 * MS) is None
    assert mean_of([found]) is None


def test_the_delay_is_said_of_the_fastest_cell_that_has_one() -> None:
    late = writeback(readings([0.0] * 10 + [10e6] * 80), 800 * MB, 9 * SECOND)
    early = writeback(readings([10e6] * 80), 800 * MB, 8 * SECOND)
    assert delay([("", early), ("", None)]) is None
    said = delay([("with a", early), ("with b", late)])
    assert said
    message, figures = said
    assert "the time before the kernel began to write back: 1.00 s of 9.00 s with b" in message
    assert "From then on the data reached the device at 100 MB/s" in message
    assert figures["delay_ns"] == SECOND
    assert (figures["cells"], figures["of_cells"]) == (1.0, 2.0)


def repeats(rates: list[float]) -> list[Repeat]:
    return [Repeat(number, number, rate) for number, rate in enumerate(rates, 1)]


@pytest.mark.parametrize("count", range(2, 11))
def test_steady_noise_is_not_far_below(count: int) -> None:
    """Normal noise of 10 %: at most 0.5 % of cells, which is tuned to 0.2 %."""
    chance = Random(4 * 10**7 + count)
    false = sum(
        far_below(repeats([chance.gauss(1e8, 1e7) for _ in range(count)])) is not None
        for _ in range(10_000)
    )
    assert false <= 0.002 * 10_000


@pytest.mark.parametrize("count", range(2, 11))
def test_a_trial_at_30_percent_of_its_repeats_is_named(count: int) -> None:
    chance = Random(5 * 10**7 + count)
    for _ in range(1000):
        place = chance.randrange(count)
        rates = [chance.gauss(1e8, 1e7) for _ in range(count)]
        rates[place] = chance.gauss(3e7, 3e6)
        found = far_below(repeats(rates))
        assert found
        assert found[0].number == place + 1


def test_the_first_trial_of_the_run_may_be_first_write_cost() -> None:
    first = [("", repeats([30e6, 100e6, 102e6]))]
    said = below(first, first_trial_id=1, allocates=True)
    assert said
    message, figures = said
    assert message.startswith("Repeat 1 reached 30.0 MB/s, 70.3 % below the median of its other")
    assert "(101 MB/s)" in message
    assert "allocates its space at the first write" in message
    assert "another cause" in message
    assert figures["trial_id"] == 1
    for others in (
        below(first, first_trial_id=1, allocates=False),
        below([("", repeats([100e6, 30e6]))], first_trial_id=1, allocates=True),
    ):
        assert others
        assert "allocates" not in others[0]
        assert "The cause is unknown" in others[0]
    assert below([("", repeats([90e6, 100e6]))], first_trial_id=1, allocates=True) is None
    assert below([("", repeats([90e6]))], first_trial_id=1, allocates=True) is None


def test_a_trial_that_was_repeated_or_prepared_did_not_allocate() -> None:
    again = [Repeat(1, 1, 30e6, again=True), Repeat(2, 2, 100e6)]
    prepared = [Repeat(1, 1, 30e6), Repeat(2, 2, 100e6)]
    for repeats_, allocates in ((again, True), (prepared, False)):
        said = below([("", repeats_)], first_trial_id=1, allocates=allocates)
        assert said
        assert "The cause is unknown" in said[0]
