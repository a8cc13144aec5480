"""What a sink's page cache does to durable rates, and trials far below their repeats."""

from dataclasses import replace

import pytest
from assay.analysis.excess import DeviceReadings
from assay.kinds.path.result import PathLimit, PathResult

from .simulated import MB, SECOND, Ends, attempt, both, judged, together

REST_S, MOVE_S, SYNC_S = 2, 10, 4


def buffered(ramp_s: int = 0) -> Ends:
    """A transfer at 100 MB/s whose sink rests, then writes it back in 12 s, up to the sync."""
    whole_s = ramp_s + MOVE_S + SYNC_S
    written = [0 if at < REST_S else 1000 * MB // (whole_s - REST_S) for at in range(whole_s)]
    none = [0] * whole_s
    ends = [SECOND * (at + 1) for at in range(whole_s)]
    device = DeviceReadings(ends, [SECOND] * whole_s, none, none, written, none)
    sender = attempt("sender", "disk", 100 * MB, ramp_s=ramp_s)
    receiver = attempt("receiver", "disk", 100 * MB, ramp_s=ramp_s, sync_s=SYNC_S)
    return sender, replace(receiver, device=device)


def said(result: PathResult, code: str) -> list[PathLimit]:
    return [one for one in result.warnings if one.code == code]


def test_a_durable_rate_says_the_time_before_writeback() -> None:
    result = judged({"disk": [buffered()] * 2}, sink_cache="page")
    (limit,) = said(result, "writeback_delay")
    assert "2.00 s of 14.0 s. From then on the data reached the device at 83.3 MB/s" in (
        limit.message
    )
    (one, _) = result.legs[0].trials
    assert one.writeback
    assert one.writeback.bytes_per_s == pytest.approx(1000 * MB / 12, rel=0.001)
    several = judged(
        {"disk": [buffered()] * 2, "memory": [both("memory", 200 * MB)] * 2}, sink_cache="page"
    )
    (limit,) = said(several, "writeback_delay")
    assert "14.0 s for disk to disk (1 MiB, four streams). From" in limit.message


def test_the_time_before_writeback_counts_from_the_end_of_the_ramp_up() -> None:
    (limit,) = said(judged({"disk": [buffered(1)] * 2}, sink_cache="page"), "writeback_delay")
    assert limit.figures["delay_ns"] == SECOND
    assert limit.figures["duration_ns"] == (MOVE_S + SYNC_S) * SECOND
    assert not said(judged({"disk": [buffered(2)] * 2}, sink_cache="page"), "writeback_delay")


def test_direct_sinks_have_no_writeback() -> None:
    result = judged({"disk": [buffered()] * 2})
    assert result.legs[0].trials[0].writeback is None
    assert not said(result, "writeback_delay")


def test_several_pairs_have_no_writeback_together() -> None:
    pairs = together(buffered(), buffered())
    result = judged({"disk": [pairs]}, boots=tuple("abcd"), sink_cache="page")
    assert result.legs[0].trials[0].writeback is None
    assert not said(result, "writeback_delay")


def test_a_trial_far_below_its_repeats_is_named_with_its_leg() -> None:
    slow, usual = both("disk", 30 * MB), both("disk", 100 * MB)
    memory = [both("memory", rate * MB) for rate in (500, 500, 100)]
    result = judged({"disk": [slow, usual, usual], "memory": memory})
    first, other = said(result, "below_repeats")
    assert first.message.startswith(
        "Repeat 1 for disk to disk (1 MiB, four streams) reached 30.0 MB/s, 70.0 % below"
    )
    assert "allocates its space at the first write" in first.message
    assert other.message.startswith("Repeat 3 for memory to memory (1 MiB, four streams) reached")
    assert "The cause is unknown" in other.message
    again = judged({"disk": [usual, slow, usual]})
    (limit,) = said(again, "below_repeats")
    assert limit.message.startswith("Repeat 2 reached 30.0 MB/s")
    assert "allocates" not in limit.message
