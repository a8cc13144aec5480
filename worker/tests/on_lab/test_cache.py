"""Effects of the page cache on rates, on a host with known memory and disk."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pytest
from assay.base.worded import plain
from lab import GIB, MIB, Disk, Host, Lab
from testing.api import Appliance
from testing.installation import Installation

pytestmark = pytest.mark.alone

MEMORY = 128 * MIB
SMALL = MEMORY // 5
LARGE = MEMORY * 5 // 4

KNOWN = {"cache": "page", "threads": [1], "repeats": 1}


@dataclass
class Bench:
    """A target on a throttled disk of a host with little memory, used through the API."""

    installation: Installation
    api: Appliance
    disk: Disk
    host: Host
    target_id: int

    def measure(self, file_size: int, block: list[int]) -> dict[str, Any]:
        """Run a campaign of one write matrix from estimate to end; return the matrix."""
        overrides = {**KNOWN, "file_size": file_size, "block": block}
        plan = {
            "profile_id": self.api.profile("filecatalyst-default-write"),
            "target_ids": [self.target_id],
            "overrides": overrides,
        }
        estimate = self.api.operator.post("/campaigns/estimate", plan).json()
        expected = ["fits_in_memory"] if file_size < MEMORY else []
        warnings = estimate["warnings"]
        assert [warning["code"] for warning in warnings] == expected, warnings
        campaign = self.api.operator.post("/campaigns", plan)
        assert campaign.status_code == 201, campaign.text
        (run,) = campaign.json()["runs"]
        self.installation.drive_to_the_end(run["id"], 240)
        run = self.api.viewer.get(f"/runs/{run['id']}").json()
        assert run["state"] == "done", (run["state"], run["state_reason"])
        assert run["conditions"]["mem_limit_bytes"] == MEMORY
        return self.api.viewer.get(f"/runs/{run['id']}/result").json()

    def undisturbed(self, file_size: int, block: list[int]) -> dict[str, Any]:
        """Measure until the probe ran all the time, three times at most.

        Where little memory is full of unwritten data, the kernel may hold up a whole process for
        seconds; the result says so, and has no rates of that trial.
        """
        for _ in range(2):
            matrix = self.measure(file_size, block)
            trials = [trial for cell in matrix["cells"] for trial in cell["trials"]]
            if all(trial["status"] != "suspended" for trial in trials):
                return matrix
        return self.measure(file_size, block)


@pytest.fixture
def bench(
    installation: Installation, api: Appliance, lab: Lab, target_on: Callable[[Host, Disk], int]
) -> Bench:
    disk = lab.disk("a", 2 * GIB)
    host = lab.host("one", disk, memory=MEMORY)
    target_id = target_on(host, disk)
    host_id = api.viewer.get(f"/targets/{target_id}").json()["host_id"]
    assert installation.check(host_id).error is None  # the inventory, from which estimates come
    return Bench(installation, api, disk, host, target_id)


def rates(matrix: dict[str, Any], kind: str) -> list[float]:
    """Return the cells' mean rates, in bytes per second."""
    for cell in matrix["cells"]:
        told = [(trial["status"], trial["flags"]) for trial in cell["trials"]]
        assert cell[kind] is not None, told
    return [cell[kind]["mean"] for cell in matrix["cells"]]


def sources(matrix: dict[str, Any], kind: str) -> list[str]:
    return [cell["served_by"][kind]["source"] for cell in matrix["cells"]]


def test_a_write_is_served_by_the_page_cache_only_if_it_fits_in_memory(
    bench: Bench,
) -> None:
    bench.disk.set_rate(write=40 * MIB)
    bench.host.limit_waiting(bench.disk)
    fitting, exceeding = (bench.measure(size, [MIB]) for size in (SMALL, 3 * MEMORY))
    assert sources(fitting, "application") == ["page_cache"]
    assert sources(exceeding, "application") == ["device"]
    for matrix in (fitting, exceeding):
        assert sources(matrix, "durable") == ["device"]


def test_a_small_file_is_fast_only_in_the_page_cache(bench: Bench) -> None:
    """FileCatalyst's matrix, with a fifth of the memory and with more than all of it."""
    # slow, so that a tenth of a second counts little in a small file: the throttle gives that away
    # at a file's beginning, and filling the cache takes it
    bench.disk.set_rate(write=8 * MIB)
    small, large = (bench.undisturbed(size, [64 << 10, MIB]) for size in (SMALL, LARGE))
    for rate in ("application", "durable"):
        print(f"{rate}: small {rates(small, rate)}, large {rates(large, rate)}")
    assert min(rates(small, "application")) > 2 * max(rates(large, "application"))
    durable = [fmean(rates(matrix, "durable")) for matrix in (small, large)]
    assert durable[0] == pytest.approx(durable[1], rel=0.05)
    for cell in small["cells"]:
        served_by = cell["served_by"]["application"]
        assert served_by["source"] == "page_cache"
        assert "the rest was in memory" in plain(served_by["evidence"])
    assert sources(small, "durable") == ["device", "device"]
    (warning,) = [one for one in small["warnings"] if one["code"] == "served_by_page_cache"]
    assert plain(warning["message"]).startswith(
        "The application rate was served by the page cache in 2 of 2 cells"
    )
    # the evidence refers to the durable rate only
    assert small["advice"]["application"] is None
    assert small["advice"]["durable"] is not None
    assert small["best_bytes_per_s"] == max(rates(small, "durable"))
    assert small["headline"]["figure"]["rate"] == "durable"
