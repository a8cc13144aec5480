"""Threads for each physical device below a target."""

from hypothesis import given
from hypothesis import strategies as st

from .simulated import KIND
from .test_parameters import cautions, path, place, planned


def threads(per_device: int, devices: int) -> object:
    return KIND.disk_fields({"threads_per_device": per_device}, devices)["disk_threads"]


def test_a_disk_has_a_thread_for_each_device_by_default() -> None:
    raid = place(1, devices=("sda", "sdb", "sdc"))
    sender, receiver = planned(path(), source=raid, sink=place(2, devices=("sda",))).participants
    assert (sender.disk_threads, receiver.disk_threads) == (3, 1)
    given = sender.parameters
    assert KIND.disk_fields(given, 3) == {"disk_threads": 3}
    assert KIND.disk_fields(given, 1) == {"disk_threads": 1}


def test_only_an_end_whose_disk_is_used_has_disk_threads() -> None:
    sender, receiver = planned(path(legs=["write"], threads_per_device=2)).participants
    assert (sender.disk_threads, receiver.disk_threads) == (None, 2)


def test_runs_of_before_leave_the_number_of_threads_to_the_probe() -> None:
    assert KIND.disk_fields({}, 4) == {}


def test_unknown_devices_count_as_one_with_a_warning() -> None:
    found = planned(path(threads_per_device=2), source=place(1, devices=()))
    (warning,) = [one for one in found.cautions() if one.code == "devices_unknown"]
    assert "below /mnt/a" in warning.message and "two threads" in warning.message
    assert "devices_unknown" not in cautions(planned(path()))
    # of a disk that no leg uses, nothing needs to be known
    assert "devices_unknown" not in cautions(
        planned(path(legs=["write"]), source=place(1, devices=()))
    )


def test_more_threads_than_a_target_can_have_are_limited_with_a_warning() -> None:
    shelf = place(1, devices=tuple(f"sd{number}" for number in range(20)))
    found = planned(path(threads_per_device=2), source=shelf)
    assert found.disk_threads == 32
    (warning,) = [one for one in found.cautions() if one.code == "disk_threads_limited"]
    assert "20 devices" in warning.message


@given(st.integers(min_value=1, max_value=32), st.integers(min_value=0, max_value=64))
def test_threads_are_within_the_limits_of_the_plan(per_device: int, devices: int) -> None:
    found = threads(per_device, devices)
    assert isinstance(found, int) and 1 <= found <= 32
    assert found == min(32, per_device * max(1, devices))
    assert found >= min(32, devices)
