"""Names of what transactions see."""

import pytest
from assay.runs.scheduling.capacity import announce
from assay.tables.arrays import Array
from assay.tables.database import reading, writing
from assay.tables.snapshot import BEATS_KEPT, Snapshots, seen
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from testing.api import Appliance

on_postgresql = pytest.mark.parametrize("configured", ["postgresql"], indirect=True)


@st.composite
def snapshots(draw: st.DrawFn) -> tuple[int, set[int], int, set[int], set[int]]:
    """Two snapshots, the second later: the end and the running ones of each; and heartbeats."""
    numbers = st.integers(1, 12)
    first, second = sorted((draw(numbers), draw(numbers)))
    running = draw(st.sets(st.integers(1, 12)))
    before = {one for one in running if one < first}
    later = {
        one
        for one in draw(st.sets(st.sampled_from([*before, *range(first, second), 99])))
        if one < second
    }
    return first, before, second, later, draw(st.sets(st.integers(1, 12)))


def text(end: int, running: set[int], beats: set[int]) -> str:
    listed = ",".join(map(str, sorted(running)))
    return " ".join([f"{min([end, *running])}:{end}:{listed}", *map(str, beats)])


@given(snapshots())
def test_the_same_name_means_the_same_transactions_apart_from_heartbeats(
    found: tuple[int, set[int], int, set[int], set[int]],
) -> None:
    first, before, second, later, beats = found
    names = Snapshots()
    one = names.name(text(first, before, beats))
    other = names.name(text(second, later, beats))
    ended_first = {*range(1, first)} - before - beats
    ended_second = {*range(1, second)} - later - beats
    if one == other:
        assert ended_first == ended_second
    elif before == later == set():
        assert ended_first != ended_second


def test_the_newest_heartbeats_are_remembered_when_many_came() -> None:
    names = Snapshots()
    for beat in range(1, 3 * BEATS_KEPT):
        names.name(f"{beat + 1}:{beat + 1}: {beat}")
    end = 3 * BEATS_KEPT
    (last,) = names.name(f"{end}:{end}:")
    assert 0 < last < end - BEATS_KEPT // 2


@on_postgresql
def test_a_heartbeat_keeps_the_name_and_a_change_does_not(appliance: Appliance) -> None:
    names = Snapshots()

    def name() -> object:
        with reading() as session:
            return names.name(session.scalars(select(seen())).one())

    beat()
    first = name()
    beat()
    assert name() == first
    with writing() as session:
        session.add(Array(name="vault"))
    changed = name()
    assert changed != first
    beat()
    assert name() == changed


def beat() -> None:
    with writing() as session:
        announce(session, "worker-1", 1)


@pytest.mark.parametrize("configured", ["sqlite"], indirect=True)
def test_sqlite_has_no_name(appliance: Appliance) -> None:
    beat()
    with reading() as session:
        assert session.scalars(select(seen())).one() is None
