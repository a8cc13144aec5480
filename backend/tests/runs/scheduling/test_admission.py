"""Which runs start, which wait, and that none waits forever."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta

from assay.runs.scheduling.admission import COURTESY, PATIENCE, Obstacle, Wish, admit
from hypothesis import given, settings
from hypothesis import strategies as st

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
MANY = 10**6
"""More slots of workers than there are runs."""

HOSTS = [f"host:{number}" for number in range(5)]


def wish(
    run_id: int, *needs: str, after: timedelta = timedelta(0), scheduled: bool = False
) -> Wish:
    return Wish(run_id, frozenset(needs), NOON + after, scheduled)


needs = st.frozensets(st.sampled_from(HOSTS), min_size=1, max_size=3)
wishes = st.lists(
    st.builds(
        Wish,
        st.integers(1, 10**6),
        needs,
        st.integers(0, 4 * 3600).map(lambda seconds: NOON + seconds * SECOND),
        st.booleans(),
    ),
    max_size=30,
    unique_by=lambda one: one.run_id,
)
held = st.dictionaries(st.sampled_from(HOSTS), st.integers(-9, -1), max_size=4)
presents = st.integers(0, 6 * 3600).map(lambda seconds: NOON + seconds * SECOND)


@given(wishes, held, presents)
def test_no_resource_is_reserved_twice_and_every_run_is_considered(
    waiting: list[Wish], taken: dict[str, int], present: datetime
) -> None:
    found = admit(waiting, taken, present, MANY)
    by_id = {one.run_id: one for one in waiting}
    given_out = [resource for run_id in found.admitted for resource in by_id[run_id].needs]
    assert len(given_out) == len(set(given_out))
    assert not set(given_out) & set(taken)
    assert set(found.admitted) | set(found.obstacles) == set(by_id)
    assert not set(found.admitted) & set(found.obstacles)


@given(wishes, held, presents)
def test_a_queued_run_names_its_obstacle_and_the_run_before_it(
    waiting: list[Wish], taken: dict[str, int], present: datetime
) -> None:
    found = admit(waiting, taken, present, MANY)
    by_id = {one.run_id: one for one in waiting}
    for run_id, obstacle in found.obstacles.items():
        assert obstacle.resource in by_id[run_id].needs
        if obstacle.run_id in by_id:
            assert by_id[obstacle.run_id].turn < by_id[run_id].turn
        else:
            assert taken[obstacle.resource] == obstacle.run_id


@given(wishes, held, presents)
def test_free_resources_stay_idle_only_for_a_run_that_waited_too_long(
    waiting: list[Wish], taken: dict[str, int], present: datetime
) -> None:
    found = admit(waiting, taken, present, MANY)
    for obstacle in found.obstacles.values():
        if not obstacle.held:
            older = next(one for one in waiting if one.run_id == obstacle.run_id)
            assert present - older.turn[0] >= PATIENCE


def test_a_later_run_uses_what_an_earlier_one_cannot_use_yet() -> None:
    found = admit([wish(1, "a", "b"), wish(2, "a", after=SECOND)], {"b": 9}, NOON + MINUTE, MANY)
    assert found.admitted == [2]
    assert found.obstacles == {1: Obstacle("b", 9, held=True)}


def test_a_run_that_has_waited_too_long_delays_later_ones() -> None:
    found = admit([wish(1, "a", "b"), wish(2, "a", after=SECOND)], {"b": 9}, NOON + PATIENCE, MANY)
    assert found.admitted == []
    assert found.obstacles[2] == Obstacle("a", 1, held=False)


def test_a_resource_stays_reserved_for_the_first_run_that_has_waited_too_long() -> None:
    waiting = [wish(1, "a", "b"), wish(2, "a", "c", after=SECOND), wish(3, "a", after=MINUTE)]
    found = admit(waiting, {"b": 9}, NOON + 2 * PATIENCE, MANY)
    assert found.admitted == []
    assert found.obstacles == {
        1: Obstacle("b", 9, held=True),
        2: Obstacle("a", 1, held=False),
        3: Obstacle("a", 1, held=False),
    }


def test_a_run_launched_by_a_person_precedes_an_earlier_scheduled_one() -> None:
    scheduled = wish(1, "a", scheduled=True)
    assert admit([scheduled, wish(2, "a", after=MINUTE)], {}, NOON + MINUTE, MANY).admitted == [2]


def test_a_scheduled_run_yields_only_for_a_limited_time() -> None:
    scheduled, late = wish(1, "a", scheduled=True), wish(2, "a", after=COURTESY + SECOND)
    assert admit([scheduled, late], {}, late.since, MANY).admitted == [1]


def test_a_free_host_is_used_by_a_scheduled_run_at_once() -> None:
    assert admit([wish(1, "a", scheduled=True)], {}, NOON, MANY).admitted == [1]


@given(wishes, held, presents, st.integers(0, 5))
def test_only_as_many_runs_start_as_workers_have_slots(
    waiting: list[Wish], taken: dict[str, int], present: datetime, slots: int
) -> None:
    found = admit(waiting, taken, present, slots)
    assert len(found.admitted) <= slots
    decided = [set(found.admitted), set(found.obstacles), found.without_worker]
    assert sum(map(len, decided)) == len(waiting)
    if len(found.admitted) < slots:
        assert found.without_worker == set()
    unlimited = admit(waiting, taken, present, MANY).admitted
    assert found.admitted == unlimited[: len(found.admitted)]


def simulate(arrivals: dict[int, list[Wish]], minutes: dict[int, int]) -> dict[int, int]:
    """Make a round per minute until all runs have ended; return when each started."""
    waiting: dict[int, Wish] = {}
    ends: dict[int, int] = {}
    began: dict[int, int] = {}
    taken: dict[str, int] = {}
    minute = 0
    while waiting or ends or any(at >= minute for at in arrivals):
        over = {run_id for run_id, end in ends.items() if end <= minute}
        ends = {run_id: end for run_id, end in ends.items() if run_id not in over}
        taken = {resource: by for resource, by in taken.items() if by not in over}
        waiting |= {one.run_id: one for one in arrivals.get(minute, [])}
        for run_id in admit(waiting.values(), taken, NOON + minute * MINUTE, MANY).admitted:
            assert not waiting[run_id].needs & taken.keys()
            taken |= dict.fromkeys(waiting.pop(run_id).needs, run_id)
            began[run_id], ends[run_id] = minute, minute + minutes[run_id]
        minute += 1
        assert minute < 10_000, "a run starves"
    return began


@given(
    st.lists(st.tuples(st.integers(0, 60), needs, st.integers(1, 20), st.booleans()), max_size=60)
)
@settings(max_examples=50)
def test_every_run_is_started_eventually(
    asked: list[tuple[int, frozenset[str], int, bool]],
) -> None:
    arrivals: defaultdict[int, list[Wish]] = defaultdict(list)
    for run_id, (minute, needed, _, scheduled) in enumerate(asked):
        arrivals[minute].append(Wish(run_id, needed, NOON + minute * MINUTE, scheduled))
    began = simulate(arrivals, {run_id: one[2] for run_id, one in enumerate(asked)})
    assert len(began) == len(asked)


@given(st.integers(2, 15), st.integers(1, 6))
@settings(max_examples=25)
def test_a_run_of_two_hosts_is_not_starved_by_runs_of_one(length: int, hosts_ahead: int) -> None:
    """Without holding back others, the two hosts would never be free at once."""
    arrivals: defaultdict[int, list[Wish]] = defaultdict(list)
    minutes = {0: 5}
    for minute in range(-hosts_ahead, 60):
        for host in ("a", "b"):
            run_id = len(minutes)
            minutes[run_id] = length + (host == "b")
            begin = max(minute, 0)
            arrivals[begin].append(Wish(run_id, frozenset({host}), NOON + minute * MINUTE))
    arrivals[0].append(Wish(0, frozenset({"a", "b"}), NOON))
    began = simulate(arrivals, minutes)
    longest = length + 1
    assert began[0] <= PATIENCE / MINUTE + (hosts_ahead + 1) * longest
