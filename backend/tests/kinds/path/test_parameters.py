"""The parameters of a path test, its plan from a source to a sink, and the probe's fields."""

from datetime import UTC, datetime
from typing import Any

import pytest
from assay.kinds.path.estimate import PlannedPath, plan
from assay.kinds.path.parameters import PathTest
from assay.kinds.planning import Place
from pydantic import ValidationError

from .simulated import KIND

GB = 10**9


def place(host: int, **known: Any) -> Place:
    given: dict[str, Any] = {
        "target_id": host,
        "host_id": host,
        "host_name": f"host-{host}",
        "path": "/mnt/a",
        "fs_type": "xfs",
        "provable": True,
        "free_bytes": 100 * GB,
        "free_at": datetime(2026, 11, 1, tzinfo=UTC),
        "reserve_bytes": 0,
        "ram": 8 * GB,
        "cpus": 8,
        "direct": "real",
        "alignment": 512,
        "devices": ("sda",),
    }
    return Place(**(given | known))


def path(**given: Any) -> PathTest:
    return PathTest.model_validate({"kind": "path", "title": "Path", "length": GB, **given})


def planned(test: PathTest, source: Place | None = None, sink: Place | None = None) -> PlannedPath:
    run, problems = plan(0, test, source or place(1), sink or place(2), lambda _, field: field)
    assert run is not None and not problems, problems
    return run


def cautions(run: PlannedPath) -> set[str]:
    return {one.code for part in run.participants for one in part.cautions()}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"block": [5000]}, "block"),
        ({"duration_ms": 1000, "ramp_ms": 1000}, "ramp_ms"),
        ({"port": 0, "last_port": 9000}, "last_port"),
        ({"small_files": 10, "legs": ["memory"]}, "small_files"),
        ({"small_files": 10, "small_file_bytes": 65537, "block": [65536]}, "small_file_bytes"),
        ({"port": 9001, "last_port": 9000}, "last_port"),
        ({"streams": list(range(1, 21)), "block": [4096 * n for n in range(1, 11)]}, "repeats"),
    ],
)
def test_parameters_that_do_not_fit_together_are_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        path(**given)
    (error,) = refused.value.errors()
    assert error["ctx"]["field"] == field
    assert error["ctx"]["remedy"]


@pytest.mark.parametrize(
    "given",
    [
        {"streams": [129]},
        {"block": [2048]},
        {"legs": []},
        {"legs": ["read", "read"]},
        {"sink_address": "box37"},
    ],
)
def test_values_out_of_bounds_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        path(**given)


def test_legs_without_network_have_no_streams() -> None:
    run = planned(path(streams=[1, 8], repeats=1))
    cells = [(cell.leg, cell.streams) for cell in run.planned_cells]
    assert cells == [
        ("read", 0),
        ("memory", 1),
        ("memory", 8),
        ("write", 0),
        ("disk", 1),
        ("disk", 8),
    ]
    assert len({cell.key for cell in run.planned_cells}) == run.cells == run.test.cells


def test_an_expression_fits_both_ends() -> None:
    small, large = place(1, free_bytes=10 * GB), place(2, ram=16 * GB)
    assert planned(path(length="free / 2"), small, large).file_size == 5 * GB
    assert planned(path(length="2 * ram"), small, large).file_size == 32 * GB
    _, problems = plan(0, path(length="2 * ram"), place(1, ram=None), place(2, ram=None), _name)
    assert [one.field for one in problems] == ["length"]


def _name(_: int, field: str) -> str:
    return field


def test_space_is_needed_only_where_a_leg_uses_the_disk() -> None:
    sender, receiver = planned(path(legs=["read"])).participants
    assert (sender.peak_bytes, receiver.peak_bytes) == (GB, 0)
    sender, receiver = planned(path(legs=["write"])).participants
    assert (sender.peak_bytes, receiver.peak_bytes) == (0, GB)
    trials = [{"leg": "write", "length_bytes": GB}, {"leg": "read", "length_bytes": 2 * GB}]
    assert KIND.peak_bytes(trials, "sender") == 2 * GB
    assert KIND.peak_bytes(trials, "receiver") == GB


def test_small_files_need_space_time_and_inodes_where_a_leg_uses_the_disk() -> None:
    small = {"small_files": 200_000, "small_file_bytes": 5000}
    without, run = planned(path()), planned(path(**small))
    sender, receiver = run.participants
    assert (sender.peak_bytes, receiver.peak_bytes) == (2 * GB, 2 * GB)
    assert sender.bytes_written - without.bytes_written == 2 * 3 * GB  # read and disk, three times
    assert run.shortest_s >= without.shortest_s + 3 * 3 + 2 * 3
    cells = {cell.leg: cell.small_files for cell in run.planned_cells}
    assert cells == {"read": 200_000, "memory": 0, "write": 200_000, "disk": 200_000}
    trials = [cell.model_dump() for cell in run.planned_cells]
    assert KIND.peak_bytes(trials, "sender") == 2 * GB
    (said,) = [one.message for one in sender.cautions() if one.code == "small_files"]
    assert "200 201 inodes at host-1 /mnt/a and 200 201 inodes at host-2 /mnt/a" in said
    assert "small_files" not in cautions(without)


def test_the_probes_get_small_files_only_for_legs_with_a_disk() -> None:
    run = planned(path(small_files=10, small_file_bytes=4096))
    fields = {
        cell.leg: KIND.plan_fields(run.parameters, cell.model_dump(), role="sender", direct=True)
        for cell in run.planned_cells
    }
    assert fields["disk"]["small_files"] == fields["read"]["small_files"] == 10
    assert fields["disk"]["small_file_bytes"] == 4096
    assert "small_files" not in fields["memory"]


def test_a_test_without_small_files_does_not_compare_their_size() -> None:
    memory = {"legs": ["memory"]}
    assert KIND.unused({"small_files": 0, **memory}) == {"small_files", "small_file_bytes"}
    assert KIND.unused({"small_files": 1, **memory}) == frozenset()


def test_legs_of_a_length_do_not_use_a_duration() -> None:
    files = {"small_files": 1}
    assert KIND.unused({"legs": ["disk", "read"], **files}) == {"duration_ms", "ramp_ms"}
    assert KIND.unused({"legs": ["disk", "memory"], **files}) == frozenset()


def test_one_device_under_both_ends_and_data_that_fits_in_memory_are_said() -> None:
    disk = {"device:1": "the disk sda of host-1"}
    source, sink = place(1, needs=disk), place(2, host_id=1, path="/mnt/b", needs=disk)
    assert cautions(planned(path(), source, sink)) == {
        "transfer_on_one_host",
        "transfer_on_one_device",
    }
    assert "fits_in_memory" in cautions(planned(path(sink_cache="page")))
    assert cautions(planned(path(length=9 * GB, sink_cache="page"))) == set()
    assert cautions(planned(path(legs=["disk"]))) == {"no_bottleneck"}


def test_direct_io_that_a_file_system_refuses_is_refused_if_its_disk_is_used() -> None:
    refusing = place(2, direct="refused")
    _, problems = plan(0, path(sink_cache="direct"), place(1), refusing, _name)
    assert [one.field for one in problems] == ["sink_cache"]
    assert planned(path(legs=["read"], sink_cache="direct"), sink=refusing)


def test_the_probes_get_the_same_trial_with_addresses_of_their_own() -> None:
    run = planned(path(source_address="192.0.2.1", sink_address="192.0.2.2", port=9000))
    trial = next(cell for cell in run.planned_cells if cell.leg == "disk").model_dump()
    fields = {
        role: KIND.plan_fields(run.parameters, trial, role=role, direct=True)
        | KIND.own_fields(run.parameters, role, 0)
        for role in ("sender", "receiver")
    }
    assert fields["sender"]["bind"] == "192.0.2.1"
    assert fields["receiver"]["bind"] == "192.0.2.2"
    assert [one["peer"] for one in fields.values()] == ["192.0.2.2", "192.0.2.1"]
    own = ("bind", "peer")
    shared = [{n: v for n, v in one.items() if n not in own} for one in fields.values()]
    assert shared[0] == shared[1]
    assert (shared[0]["leg"], shared[0]["source"], shared[0]["sink"]) == (
        "transfer",
        "disk",
        "disk",
    )
    assert (shared[0]["port_first"], shared[0]["port_last"]) == (9000, 9000)


def test_the_end_that_scores_a_leg_is_the_receiver_unless_it_only_reads() -> None:
    assert KIND.scored_role({"leg": "read"}) == "sender"
    assert KIND.scored_role({"leg": "write"}) == KIND.scored_role({"leg": "disk"}) == "receiver"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"source_address": "192.0.2.1", "family": "ipv6"}, "source_address"),
        ({"source_address": "192.0.2.1", "sink_address": "2001:db8::1"}, "sink_address"),
        ({"sink_address": "0.0.0.0"}, "sink_address"),
        ({"source_address": "224.0.0.1"}, "source_address"),
        ({"source_address": "fe80::1"}, "source_address"),
    ],
)
def test_addresses_that_cannot_meet_are_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        path(**given)
    (error,) = refused.value.errors()
    assert error["ctx"]["field"] == field


@pytest.mark.parametrize(
    ("given", "version"),
    [
        ({}, "ipv4"),
        ({"source_address": "2001:db8::1"}, "ipv6"),
        ({"sink_address": "2001:db8::1"}, "ipv6"),
        ({"family": "ipv6"}, "ipv6"),
    ],
)
def test_the_ip_version_is_that_of_the_addresses(given: dict[str, Any], version: str) -> None:
    run = planned(path(**given))
    trial = next(cell for cell in run.planned_cells if cell.leg == "disk").model_dump()
    assert KIND.plan_fields(run.parameters, trial, role="sender", direct=True)["family"] == version


@pytest.mark.parametrize(
    ("listening", "other", "given", "family"),
    [
        ("ipv6", "ipv6", {}, "ipv6"),
        ("ipv6", "ipv4", {}, "ipv6"),  # only the address of the end that listens is used
        ("ipv4", "ipv6", {}, "any"),
        (None, "ipv6", {}, "ipv6"),  # this machine, as it is seen from the other
        (None, None, {}, "any"),
        ("ipv6", "ipv6", {"family": "ipv4"}, "ipv4"),
        ("ipv6", "ipv6", {"sink_address": "192.0.2.7"}, "any"),
    ],
)
@pytest.mark.parametrize("listener", ["receiver", "sender"])
def test_hosts_that_are_reached_by_ipv6_are_connected_by_it(
    listening: str | None, other: str | None, given: dict[str, Any], family: str, listener: str
) -> None:
    versions = (other, listening) if listener == "receiver" else (listening, other)
    ends = [place(number, ip_version=one) for number, one in zip((1, 2), versions, strict=True)]
    assert planned(path(listener=listener, **given), *ends).parameters["family"] == family


def test_only_a_leg_that_ends_by_duration_has_a_ramp_up() -> None:
    run = planned(path(ramp_ms=2000))
    ramps = {
        cell.leg: KIND.plan_fields(run.parameters, cell.model_dump(), role="receiver", direct=True)[
            "ramp_ms"
        ]
        for cell in run.planned_cells
    }
    assert ramps == {"read": 0, "memory": 2000, "write": 0, "disk": 0}
