"""Periodic syncs of sustained writes: after so much data, or after so much time."""

from probe_driver import Probe, of
from sustained_driver import BLOCK, MB, STRACE, result_of, sustained


def test_a_slow_periodic_sync_is_reported_by_its_name(shipped: Probe) -> None:
    delayed = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=4000000:when=1")
    trial = {"sync_bytes": 2 * BLOCK, "timeout_ms": 300}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    notices = [one for one in of(shipped.events(), "notice") if one["code"] == "interrupted"]
    assert [one["call"] for one in notices] == ["fdatasync"]
    assert shipped.problems() == []


def test_a_periodic_sync_is_counted_apart_from_writes(shipped: Probe) -> None:
    delayed = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_exit=200000:when=2")
    trial = {"length_bytes": 16 * BLOCK, "sync_bytes": 4 * BLOCK}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    result = result_of(shipped.events())
    syncs = result["detail"]["syncs"]
    assert syncs["count"] == 4
    assert 200 * MB <= syncs["max_ns"] <= syncs["sum_ns"]
    assert result["lat_max_ns"] < 200 * MB
    assert sum(count for _, count in syncs["hist"]) == 4


def test_a_periodic_sync_follows_the_first_write_after_its_interval(probe: Probe) -> None:
    paced = {"pace": "rate", "rate_bytes_per_s": 20 * BLOCK, "length_bytes": 0}
    events = sustained(probe, paced | {"duration_ms": 2000, "sync_ms": 400})
    syncs = result_of(events)["detail"]["syncs"]
    # of 2 s, with the next write after each 400 ms
    assert syncs["count"] == 4
    assert syncs["max_ns"] < 400 * MB


def test_syncs_of_the_ramp_up_are_in_no_figure(shipped: Probe) -> None:
    delayed = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_exit=300000:when=1")
    paced = {"pace": "rate", "rate_bytes_per_s": 20 * BLOCK, "length_bytes": 0}
    trial = paced | {"duration_ms": 1500, "ramp_ms": 600, "sync_ms": 300}
    shipped.start(shipped.plan(trial, job="sustained"), prefix=(*STRACE, *delayed))
    shipped.follow()
    syncs = result_of(shipped.events())["detail"]["syncs"]
    assert 2 <= syncs["count"] <= 3
    assert syncs["max_ns"] < 300 * MB
