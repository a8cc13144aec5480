from dataclasses import replace

import pytest
from assay.analysis.honesty import Evidence, application, durable, gravest
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
    mem_limit=8 * GB,
    array_cache=None,
    resident_checked=0,
    resident_pages=0,
)
READ = replace(WRITE, kind="read", device_durable=None)


def test_each_rate_is_judged_by_the_device_bytes_of_its_own_end() -> None:
    cached = replace(WRITE, device_app=GB)
    assert application(cached).mark == "cache"
    assert "10 % of the bytes" in application(cached).evidence
    assert durable(cached).mark == "honest"


@pytest.mark.parametrize(("share", "mark"), [(0.89, "cache"), (0.9, "honest"), (1.2, "honest")])
def test_ninety_percent_of_the_claim_is_the_limit(share: float, mark: str) -> None:
    moved = int(share * WRITE.claimed)
    assert application(replace(WRITE, device_app=moved)).mark == mark
    assert durable(replace(WRITE, device_durable=moved)).mark == mark
    assert application(replace(READ, device_app=moved)).mark == mark


def test_without_a_local_device_nothing_is_proven() -> None:
    remote = replace(WRITE, fs_type="nfs4", device_app=None, device_durable=None)
    for mark in (application(remote), durable(remote)):
        assert mark.mark == "unprovable" and "nfs4" in mark.evidence
    small = replace(remote, working_set=GB)
    assert "fits into the memory" in application(small).evidence


def test_a_working_set_under_twice_the_arrays_cache_may_be_served_by_the_array() -> None:
    assert durable(replace(WRITE, array_cache=6 * GB)).mark == "array"
    assert durable(replace(WRITE, array_cache=5 * GB)).mark == "honest"
    remote = replace(WRITE, device_durable=None, array_cache=6 * GB)
    assert durable(remote).mark == "array"


def test_direct_writes_found_in_the_page_cache_were_buffered() -> None:
    buffered = replace(WRITE, cache="direct", resident_checked=1000, resident_pages=950)
    assert application(buffered).code == durable(buffered).code == "resident"
    assert application(replace(buffered, resident_pages=5)).mark == "honest"
    assert application(replace(buffered, cache="page")).mark == "honest"


def test_a_read_from_resident_pages_is_a_read_from_the_cache() -> None:
    assert application(replace(READ, resident_checked=100, resident_pages=100)).mark == "cache"


def test_a_later_read_of_a_region_says_that_it_is_one() -> None:
    first, later = (replace(READ, first_read=told) for told in (10 * GB, 4 * GB))
    assert "read before" not in application(first).evidence
    assert "60 % of the bytes had been read before" in application(later).evidence
    assert application(later).mark == "honest"


def test_amplified_small_writes_are_honest_and_told() -> None:
    found = durable(replace(WRITE, device_durable=70 * GB))
    assert (found.mark, found.code) == ("honest", "amplified")
    assert "7.0 times" in found.evidence


def test_the_gravest_mark_speaks_for_a_cell() -> None:
    honest, cached = application(WRITE), application(replace(WRITE, device_app=0))
    assert gravest([honest, cached, honest]) == cached
    assert gravest([]) is None


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
        mem_limit=COUNTS,
        array_cache=st.none() | COUNTS,
        resident_checked=st.none() | COUNTS,
        resident_pages=st.none() | COUNTS,
    )
)
def test_whatever_was_seen_a_mark_has_evidence_and_no_device_is_never_honest(e: Evidence) -> None:
    for mark, moved in ((application(e), e.device_app), (durable(e), e.device_durable)):
        assert mark.evidence.endswith(".")
        if moved is None:
            assert mark.mark != "honest"
