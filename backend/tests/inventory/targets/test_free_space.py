"""The free space of a target comes from the newest observation, whatever its source."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from assay.tables.database import now, writing
from assay.tables.hosts import Inventory
from testing.api import FOUND, GB, INVENTORY, Appliance

MOUNTED = {name: FOUND[name] for name in ("mount", "source", "type", "uuid", "size_bytes")}


def _look(host: int, *, ago: float = 0.0, **changes: Any) -> datetime:
    """Store an observation of the host's file systems, this many seconds ago."""
    taken_at = now() - timedelta(seconds=ago)
    body = {**INVENTORY, "filesystems": [{**MOUNTED, "free_bytes": 5 * GB, **changes}]}
    with writing() as session:
        session.add(Inventory(host_id=host, probe="0.1.0", body=body, taken_at=taken_at))
    return taken_at


def _shown(appliance: Appliance, host: int, target: int) -> set[int]:
    """Return the free bytes of the target, from each endpoint that shows them."""
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    (run,) = appliance.viewer.post("/campaigns/estimate", plan).json()["runs"]
    return {
        run["free_after_bytes"] + run["peak_bytes"],
        appliance.viewer.get(f"/targets/{target}").json()["free_bytes"],
        appliance.viewer.get("/targets").json()["items"][0]["free_bytes"],
        appliance.viewer.get(f"/hosts/{host}").json()["targets"][0]["free_bytes"],
    }


def test_a_newer_inventory_updates_the_free_space_of_targets(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    assert _shown(appliance, host, target) == {900 * GB}
    _look(host)
    assert _shown(appliance, host, target) == {5 * GB}
    _look(host, free_bytes=800 * GB)
    assert _shown(appliance, host, target) == {800 * GB}


def test_a_newer_target_check_wins_over_the_inventory(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    _look(host)
    with appliance.answering({**FOUND, "free_bytes": 7 * GB}):
        appliance.operator.post(f"/targets/{target}/check")
    assert _shown(appliance, host, target) == {7 * GB}


def test_an_older_inventory_is_ignored(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    _look(host, ago=60)
    assert _shown(appliance, host, target) == {900 * GB}


@pytest.mark.parametrize(
    "change",
    [
        {"uuid": "other"},
        {"source": "/dev/vda1"},
        {"type": "xfs"},
        {"mount": "/mnt"},
        {"free_bytes": None, "size_bytes": None},
    ],
)
def test_another_file_system_or_one_without_figures_is_ignored(
    appliance: Appliance, change: dict[str, Any]
) -> None:
    host = appliance.host()
    target = appliance.target(host)
    _look(host, **change)
    assert _shown(appliance, host, target) == {900 * GB}


def test_estimate_and_target_have_the_time_of_the_observation(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    taken_at = _look(host)
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    (run,) = appliance.viewer.post("/campaigns/estimate", plan).json()["runs"]
    shown = appliance.viewer.get(f"/targets/{target}").json()
    for told in (run["free_at"], shown["free_at"]):
        assert datetime.fromisoformat(told) == taken_at
    assert datetime.fromisoformat(shown["checked_at"]) < taken_at
    assert shown["fs_uuid"] == "6f1d"


def test_the_reserve_uses_the_size_of_the_same_inspection(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    _look(host, size_bytes=2000 * GB)
    assert appliance.viewer.get(f"/targets/{target}").json()["reserve_bytes"] == 100 * GB
