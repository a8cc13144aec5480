import re
from dataclasses import replace

import pytest
from assay.analysis.contention import ContentionState
from assay.analysis.served_by import Counter, Evidence, application, durable, weakest
from hypothesis import given
from hypothesis import strategies as st

GB = 10**9
WRITE = Evidence(
    kind="write",
    cache="page",
    fs_type="ext4",
    claimed=10 * GB,
    device_app=10 * GB,
    device_durable=10 * GB,
    working_set=10 * GB,
    mem_limit_bytes=8 * GB,
    array_cache=None,
    resident_checked=0,
    resident_pages=0,
)
READ = replace(WRITE, kind="read", device_durable=None)


def test_each_rate_uses_the_device_bytes_at_its_own_end() -> None:
    cached = replace(WRITE, device_app=GB)
    assert application(cached).source == "page_cache"
    assert "10 % of the data" in application(cached).evidence
    assert durable(cached).source == "device"


@pytest.mark.parametrize(
    ("share", "source"), [(0.89, "page_cache"), (0.9, "device"), (1.2, "device")]
)
def test_the_device_must_move_ninety_percent_of_the_bytes(share: float, source: str) -> None:
    moved = int(share * WRITE.claimed)
    assert application(replace(WRITE, device_app=moved)).source == source
    assert durable(replace(WRITE, device_durable=moved, sync="bounded")).source == source
    assert application(replace(READ, device_app=moved)).source == source


def test_a_device_shared_with_siblings_proves_neither_the_device_nor_amplification() -> None:
    shared = replace(WRITE, device_app=20 * GB, device_durable=20 * GB, siblings_bytes=10 * GB)
    assert durable(shared).reason == "shared_device"
    assert application(replace(shared, device_app=GB)).source == "page_cache"


def test_a_ring_that_was_overwritten_in_memory_was_served_by_the_page_cache() -> None:
    """The sync writes the footprint; what was overwritten before never reaches the device."""
    ring = replace(WRITE, working_set=GB, device_app=0, device_durable=GB)
    assert application(ring).source == durable(ring).source == "page_cache"
    assert durable(ring).evidence == (
        "After the sync, 10 % of the data had reached the device; the rest was overwritten in "
        "memory."
    )
    direct = replace(ring, cache="direct")
    assert durable(direct).source == "unknown"
    missed = replace(ring, device_durable=GB // 2)
    assert durable(missed).reason == "bytes_not_counted"


@pytest.mark.parametrize("taken", [0, GB, 8 * GB])
def test_a_counter_that_misses_synced_bytes_is_ignored_for_both_rates(taken: int) -> None:
    """XFS realtime, hidden paths, a counter that does not move: no byte is only in memory."""
    still = replace(WRITE, device_app=0, device_durable=taken)
    for found in (application(still), durable(still)):
        assert (found.source, found.reason) == ("unknown", "bytes_not_counted")
        assert "sync returned" in found.evidence
    bounded = durable(replace(still, device_durable=0, sync="bounded"))
    assert (bounded.source, bounded.reason) == ("unknown", "bytes_not_counted")
    assert bounded.evidence.startswith("When the sync timed out, ")
    assert "The sync returned" not in bounded.evidence


def test_a_cold_read_that_the_counter_misses_is_unknown() -> None:
    cold = replace(READ, device_app=0, resident_checked=1000, resident_pages=0)
    found = application(cold)
    assert (found.source, found.reason) == ("unknown", "bytes_not_counted")


def test_disabled_statistics_are_unknown_unless_the_counter_changes() -> None:
    off = Counter("device", ("loop0",), reason="iostats_off")
    still = replace(WRITE, cache="direct", counter=off, device_app=0, device_durable=0)
    for found in (application(still), durable(still)):
        assert (found.source, found.reason) == ("unknown", "iostats_off")
        assert "I/O statistics are switched off (queue/iostats=0) on loop0" in found.evidence
    read = application(replace(READ, counter=off, device_app=0))
    assert (read.source, read.reason) == ("unknown", "iostats_off")
    old_kernel = replace(WRITE, counter=off)
    assert durable(old_kernel).source == "device"
    assert application(replace(old_kernel, device_app=GB)).source == "page_cache"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("members_unknown", "cannot be listed"),
        ("mixed_profiles", "several profiles"),
        ("too_many_members", "more devices"),
        ("unreadable", "cannot be read"),
    ],
)
def test_a_missing_counter_is_unknown_with_its_reason(reason: str, words: str) -> None:
    counter = Counter("none", ("sda",), reason=reason)
    found = durable(replace(WRITE, counter=counter, device_app=None, device_durable=None))
    assert (found.source, found.reason) == ("unknown", reason)
    assert words in found.evidence


def test_mirrored_members_must_receive_every_copy() -> None:
    mirror = Counter("members", ("sda", "sdb"), copies=2)
    both = replace(WRITE, counter=mirror, device_app=10 * GB, device_durable=20 * GB)
    assert application(both).source == "page_cache"
    assert "50 % of the data had reached the devices sda and sdb" in application(both).evidence
    assert (durable(both).source, durable(both).reason) == ("device", "device_bytes")
    assert application(replace(READ, counter=mirror)).source == "device"


def test_a_servers_bytes_prove_only_the_clients_cache() -> None:
    server = Counter("server", ("nfs4",))
    sent = replace(WRITE, fs_type="nfs4", counter=server, device_app=4 * GB)
    assert application(sent).source == "page_cache"
    assert "40 % of the data had reached the NFS server" in application(sent).evidence
    found = durable(sent)
    assert (found.source, found.reason) == ("unknown", "server_bytes")
    assert "After the sync, 100 % of the data had reached the NFS server" in found.evidence


def test_without_a_local_device_the_source_is_unknown() -> None:
    remote = replace(WRITE, fs_type="nfs4", device_app=None, device_durable=None)
    for found in (application(remote), durable(remote)):
        assert found.source == "unknown" and "nfs4" in found.evidence
    small = replace(remote, working_set=GB)
    assert "fits into the memory" in application(small).evidence


def test_a_working_set_under_twice_the_arrays_cache_may_be_served_by_the_array() -> None:
    cached = durable(replace(WRITE, array_cache=6 * GB))
    assert cached.source == "array_cache"
    # what it means is in the source, which every page words itself
    assert "possibly" not in cached.evidence
    assert durable(replace(WRITE, array_cache=5 * GB)).source == "device"
    remote = replace(WRITE, device_durable=None, array_cache=6 * GB)
    assert durable(remote).source == "array_cache"


def test_direct_writes_found_in_the_page_cache_were_buffered() -> None:
    """That is about the application rate: after the sync, the device has the data."""
    buffered = replace(
        WRITE, cache="direct", device_app=4 * GB, resident_checked=1000, resident_pages=950
    )
    assert application(buffered).reason == "resident"
    assert (durable(buffered).source, durable(buffered).reason) == ("device", "device_bytes")
    assert application(replace(buffered, resident_pages=5)).reason == "device_bytes"
    assert application(replace(buffered, device_app=10 * GB)).source == "device"
    nowhere = replace(buffered, device_app=None, device_durable=None, counter=Counter("none"))
    assert application(nowhere).reason == "resident"
    assert durable(nowhere).source == "unknown"


@pytest.mark.parametrize(
    ("app", "durable_bytes", "contention", "sources"),
    [
        (20 * GB, 20 * GB, "others_or_amplification", ("device", "device")),
        (19 * GB, 20 * GB, "none", ("device", "device")),
        (10 * GB, 20 * GB, "none", ("page_cache", "device")),  # only the journal has it
        (0, 20 * GB, "none", ("page_cache", "device")),
        (20 * GB, 20 * GB, "contended", ("page_cache", "device")),  # it may be the others'
    ],
)
def test_the_device_overrules_the_pages_of_a_journal_of_data(
    app: int, durable_bytes: int, contention: ContentionState, sources: tuple[str, str]
) -> None:
    """With `data=journal` all pages stay in memory, and the device receives everything twice."""
    journaled = replace(
        WRITE,
        cache="direct",
        device_app=app,
        device_durable=durable_bytes,
        resident_checked=1000,
        resident_pages=1000,
        contention=contention,
    )
    assert (application(journaled).source, durable(journaled).source) == sources


def test_a_read_from_resident_pages_is_a_read_from_the_cache() -> None:
    assert (
        application(replace(READ, resident_checked=100, resident_pages=100)).source == "page_cache"
    )


def test_a_direct_read_found_in_the_page_cache_was_buffered() -> None:
    read = replace(READ, cache="direct", resident_checked=1000, resident_pages=0)
    buffered = replace(read, resident_after_checked=1000, resident_after_pages=990)
    found = application(buffered)
    assert (found.source, found.reason) == ("page_cache", "resident")
    assert "O_DIRECT was accepted" in found.evidence
    assert application(replace(buffered, cache="page")).source == "device"
    assert application(replace(buffered, resident_after_pages=5)).source == "device"


def test_a_later_read_of_a_region_is_identified() -> None:
    first, later = (replace(READ, first_read=told) for told in (10 * GB, 4 * GB))
    assert "read before" not in application(first).evidence
    assert "60 % of the data had been read before" in application(later).evidence
    assert application(later).source == "device"


@pytest.mark.parametrize(
    ("contention", "cause"),
    [
        ("contended", "other I/O"),
        ("none", "the file system's own writes"),
        (None, "other I/O or the file system's own writes"),
    ],
)
def test_a_device_that_took_more_than_the_data_shows_no_impossible_share(
    contention: str | None, cause: str
) -> None:
    busy = replace(WRITE, device_durable=int(12.8 * GB), contention=contention)
    assert (durable(busy).source, durable(busy).reason) == ("device", "device_bytes")
    assert durable(busy).evidence == (
        f"After the sync, the device had received more than the data written: {cause}."
    )
    read = application(replace(READ, device_app=int(12.8 * GB), contention="contended"))
    assert read.evidence == "The device had delivered more than the data read: other I/O."


@given(st.integers(9 * GB, 14 * GB))
def test_no_share_above_the_whole_is_shown(moved: int) -> None:
    for counter in (Counter(), Counter("server", ("nfs4",)), Counter("members", ("sda", "sdb"))):
        for siblings in (None, GB):
            write = replace(
                WRITE,
                counter=counter,
                device_app=moved,
                device_durable=moved,
                siblings_bytes=siblings,
            )
            read = replace(READ, counter=counter, device_app=moved, siblings_bytes=siblings)
            for found in (application(write), durable(write), application(read)):
                shares = [int(one) for one in re.findall(r"(\d+) %", found.evidence)]
                assert all(one <= 100 for one in shares), found.evidence


def test_amplified_small_writes_are_served_by_the_device() -> None:
    found = durable(replace(WRITE, device_durable=70 * GB, contention="none"))
    assert (found.source, found.reason) == ("device", "amplified")
    assert "7.0 times" in found.evidence


def test_amplification_is_claimed_only_without_contention() -> None:
    for contention in ("others_or_amplification", "unknown", None):
        found = durable(replace(WRITE, device_durable=20 * GB, contention=contention))
        assert (found.source, found.reason) == ("device", "others_or_amplification")
        assert found.evidence.endswith("2.0 times the data written: other I/O or amplification.")
    found = durable(replace(WRITE, device_durable=20 * GB, contention="contended"))
    assert "amplif" not in found.evidence


def test_a_cell_has_the_least_conclusive_source() -> None:
    device, cached = application(WRITE), application(replace(WRITE, device_app=0))
    assert weakest([device, cached, device]) == cached
    assert weakest([]) is None


COUNTS = st.integers(0, 2**62)


@given(
    st.builds(
        Evidence,
        kind=st.sampled_from(["write", "read"]),
        cache=st.sampled_from(["page", "direct"]),
        fs_type=st.none() | st.text(),
        claimed=COUNTS,
        device_app=st.none() | COUNTS,
        device_durable=st.none() | COUNTS,
        working_set=COUNTS,
        mem_limit_bytes=COUNTS,
        array_cache=st.none() | COUNTS,
        resident_checked=st.none() | COUNTS,
        resident_pages=st.none() | COUNTS,
        resident_after_checked=st.none() | COUNTS,
        resident_after_pages=st.none() | COUNTS,
        counter=st.builds(
            Counter,
            source=st.sampled_from(["none", "device", "members", "paths", "server"]),
            names=st.lists(st.text(), max_size=3),
            copies=st.integers(1, 4),
            reason=st.sampled_from([None, "iostats_off", "no_device", "unreadable"]),
        ),
        sync=st.sampled_from(["complete", "bounded", "none"]),
    )
)
def test_every_source_has_evidence_and_is_never_the_device_without_its_counter(e: Evidence) -> None:
    for found, moved in ((application(e), e.device_app), (durable(e), e.device_durable)):
        assert found.evidence.endswith(".")
        if moved is None:
            assert found.source != "device"


def test_the_figures_of_the_evidence_are_given_with_units() -> None:
    found = durable(replace(WRITE, device_durable=GB, sync="bounded", array_cache=20 * GB))
    assert found.figures == {
        "claimed_bytes": 10 * GB,
        "device_bytes": GB,
        "device_after_sync_bytes": GB,
        "copies": 1,
        "working_set_bytes": 10 * GB,
        "memory_limit_bytes": 8 * GB,
        "array_cache_bytes": 20 * GB,
    }
    read = application(replace(READ, resident_checked=1000, resident_pages=400))
    assert read.figures["resident_share"] == 0.4
