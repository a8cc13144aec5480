"""What cannot be measured at the same time: one machine or one device under several names."""

from typing import Any

import pytest
from testing.api import GB, Appliance

from .launching import launch_on, plan_on

pytestmark = pytest.mark.usefixtures("worker")


def test_hosts_on_one_file_system_run_one_after_the_other(appliance: Appliance) -> None:
    nas = {"kind": "network", "type": "nfs4", "source": "nas:/export", "free_bytes": 100 * GB}
    targets = [appliance.target(appliance.host(f"web-{n}"), **nas) for n in range(3)]
    plan = plan_on(appliance, *targets, overrides={"file_size": 20 * GB, "threads": [1]})
    answer = appliance.operator.post("/campaigns", plan)
    assert answer.status_code == 201, answer.text
    warnings = {warning["code"]: warning["message"] for warning in answer.json()["warnings"]}
    assert "nas:/export: their tests run one at a time" in warnings["one_device"]


def _same(appliance: Appliance, columns: tuple[dict[str, Any], ...], **found: Any) -> list[int]:
    """A target on each of some hosts."""
    return [
        appliance.target(appliance.host(f"box-{number}", **each), f"/mnt/{number}", **found)
        for number, each in enumerate(columns)
    ]


def _states(campaign: dict[str, Any]) -> list[str]:
    return [run["state"] for run in campaign["runs"]]


ONE_BOOT = {"machine_id": "4f3c", "boot_id": "b1"}
ANOTHER_BOOT = {"machine_id": "4f3c", "boot_id": "b2"}


def test_a_machine_registered_twice_runs_one_test_at_a_time(appliance: Appliance) -> None:
    targets = _same(appliance, (ONE_BOOT, ONE_BOOT))
    plan = plan_on(appliance, *targets)
    warned = appliance.viewer.post("/campaigns/estimate", plan).json()["warnings"]
    campaign = launch_on(appliance, *targets)
    assert campaign["warnings"] == warned
    (warning,) = (one for one in warned if one["code"] == "one_machine")
    message = "box-0 and box-1 are the same machine: their tests run one at a time."
    assert warning["message"] == message
    assert _states(campaign) == ["preparing", "queued"]
    waits_for = campaign["runs"][1]["waits_for"]
    first = campaign["runs"][0]
    said = f"the machine of box-1 is busy with run {first['id']}: {first['title']}"
    since = waits_for.pop("since")
    assert since and waits_for == {
        "kind": "machine",
        "name": "the machine of box-1",
        "run_id": first["id"],
        "run_title": first["title"],
        "held": True,
        "what": said,
    }


def test_a_second_entry_of_a_busy_machine_waits(appliance: Appliance) -> None:
    first, second = _same(appliance, (ONE_BOOT, ONE_BOOT))
    busy = launch_on(appliance, first)["runs"][0]["id"]
    estimate = appliance.viewer.post("/campaigns/estimate", plan_on(appliance, second)).json()
    assert [(one["name"], one["run_id"]) for one in estimate["hosts_busy"]] == [("box-1", busy)]
    campaign = launch_on(appliance, second)
    assert _states(campaign) == ["queued"]
    assert "one_machine" in {one["code"] for one in campaign["warnings"]}


def test_a_cloned_machine_id_warns_and_both_run(appliance: Appliance) -> None:
    campaign = launch_on(appliance, *_same(appliance, (ONE_BOOT, ANOTHER_BOOT)))
    assert _states(campaign) == ["preparing", "preparing"]
    assert "cloned_machine_id" in {one["code"] for one in campaign["warnings"]}


@pytest.mark.parametrize(
    "found",
    [
        {"disks": [{"name": "sdb", "wwid": "naa.600508b1001c"}]},
        {"kind": "network", "source": "filer:/export", "type": "nfs4", "disks": []},
    ],
    ids=["one LUN", "one NFS export"],
)
def test_one_device_on_two_hosts_is_used_by_one_run_at_a_time(
    appliance: Appliance, found: dict[str, Any]
) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b2"})
    campaign = launch_on(appliance, *_same(appliance, machines, **found))
    assert _states(campaign) == ["preparing", "queued"]
    assert campaign["runs"][1]["waits_for"]["kind"] == "device"
    assert "one_device" in {one["code"] for one in campaign["warnings"]}


def test_disks_of_the_same_name_on_two_machines_are_two(appliance: Appliance) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b2"})
    disks = [{"name": "sdb", "wwid": None}]
    campaign = launch_on(appliance, *_same(appliance, machines, disks=disks))
    assert _states(campaign) == ["preparing", "preparing"]


def test_one_disk_of_one_kernel_is_one_device_in_two_containers(appliance: Appliance) -> None:
    machines = ({"machine_id": "m1", "boot_id": "b1"}, {"machine_id": "m2", "boot_id": "b1"})
    disks = [{"name": "sdb", "wwid": None}]
    campaign = launch_on(appliance, *_same(appliance, machines, disks=disks))
    assert _states(campaign) == ["preparing", "queued"]
