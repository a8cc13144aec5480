"""The first look at this machine: it finishes, its result is correct, and it runs once."""

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from testing.appliance import Appliance, processes_with, until

GIVEN = {"ASSAY_FIRST_LOOK": "yes"}
KEPT_OUT = {"contended", "suspended", "starved", "too_short"}


def launched(client: httpx.Client) -> list[dict[str, Any]]:
    """The first look's campaign, once its calibration has ended."""
    items = client.get("/campaigns").json()["items"]
    return [item for item in items if item["name"] == "First look"]


def campaign(client: httpx.Client, wait: float = 0) -> dict[str, Any]:
    (item,) = launched(client)
    return client.get(f"/campaigns/{item['id']}", params={"wait": wait}).json()


def trials_done(client: httpx.Client) -> int:
    return sum(run["trials_done"] for run in campaign(client)["runs"])


def assert_measured_once(client: httpx.Client, run: dict[str, Any]) -> None:
    """Assert that each trial has one attempt that counts, and no event is lost or duplicated."""
    trials = client.get(f"/runs/{run['id']}/trials").json()["items"]
    assert len(trials) == run["trials_total"]
    for trial in trials:
        attempts = client.get(f"/trials/{trial['id']}").json()["attempts"]
        counted = [one for one in attempts if one["status"] in {"complete", "timed_out"}]
        assert len(counted) == 1, attempts
    lines = client.get(f"/runs/{run['id']}/events").text.splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["seq"] for event in events] == list(range(len(events)))
    sampled: Counter[tuple[int, int]] = Counter()
    for event in events:
        key = (event.get("trial"), event.get("attempt"))
        if event["ev"] == "sample":
            sampled[key] += event["s"][4]
        elif event["ev"] == "result":
            assert sampled[key] == event["bytes"], key


def assert_long_enough(client: httpx.Client, run: dict[str, Any]) -> None:
    """Assert that a trial lasted a second or more, or that the result says it was too short.

    The files suit five times the rate of the calibration; whatever else this machine does may slow
    the calibration by more than that.
    """
    matrix = client.get(f"/runs/{run['id']}/result").json()
    for trial in (trial for cell in matrix["cells"] for trial in cell["trials"]):
        attempt = client.get(f"/trials/{trial['id']}").json()["attempts"][-1]
        short = {flag["code"]: flag["rates"] for flag in trial["flags"]}.get("too_short", [])
        assert "application" in short or attempt["app_ns"] >= 10**9, (trial, attempt)


def sound(trials: list[dict[str, Any]], rate: str) -> list[dict[str, Any]]:
    """Return the trials of a cell's `rate`: those not excluded, or all if no other is left."""
    found = [
        trial
        for trial in trials
        if not any(flag["code"] in KEPT_OUT and rate in flag["rates"] for flag in trial["flags"])
    ]
    return found or trials


def assert_scratch_is_clean(appliance: Appliance) -> None:
    assert list((appliance.home / "scratch").iterdir()) == []


@pytest.fixture
def looking(appliances: Callable[..., Appliance]) -> Appliance:
    made = appliances(**GIVEN)
    made.start()
    return made


def until_done(appliance: Appliance, number: int) -> None:
    """Wait until `number` trials of the first look are done."""
    with appliance.client() as client:
        until("some trials", lambda: launched(client) and trials_done(client) >= number, 120)


def until_looked(appliance: Appliance) -> None:
    """Wait for the end of the process that each start runs once, just after it is ready."""
    until("the first look's start", lambda: appliance.child("first look"), 30)
    until("the first look's end", lambda: not appliance.child("first look"))


def kill_everything(appliance: Appliance) -> None:
    assert appliance.process is not None
    appliance.process.send_signal(signal.SIGKILL)
    appliance.process.wait()
    until("its children's end", lambda: not appliance.child("queue") and not appliance.child("api"))


def assert_this_machine_is_registered(appliance: Appliance, client: httpx.Client) -> None:
    (host,) = client.get("/hosts").json()["items"]
    assert (host["name"], host["connection"], host["state"]) == ("this machine", "local", "ready")
    target = client.get("/targets").json()["items"][0]
    assert target["path"] == str((appliance.home / "scratch").resolve())
    told = "with O_DIRECT" if target["direct"] == "real" else "through the page cache"
    assert told in appliance.log


def assert_rates_are_means_of_trials(client: httpx.Client, run: dict[str, Any]) -> None:
    matrix = client.get(f"/runs/{run['id']}/result").json()
    assert {cell["state"] for cell in matrix["cells"]} == {"done"}
    rate = "durable" if run["participants"][0]["role"] == "writer" else "application"
    for cell in matrix["cells"]:
        trials = [trial[f"{rate}_bytes_per_s"] for trial in sound(cell["trials"], rate)]
        assert cell[rate]["mean"] == pytest.approx(sum(trials) / len(trials))


@pytest.mark.timeout(600)
def test_stopped_and_killed_it_finishes_with_a_correct_result_and_is_not_repeated(
    looking: Appliance,
) -> None:
    """The first look is long, so one is stopped by Ctrl-C, then killed, and then finishes."""
    until_done(looking, 2)
    looking.interrupt()
    assert processes_with(f"ASSAY_HOME={looking.home}") == {}
    assert_scratch_is_clean(looking)
    looking.start()
    until_done(looking, 6)
    kill_everything(looking)
    looking.start()
    with looking.client() as client:
        ended = campaign(client, wait=240)
        assert ended["state"] == "done", ended
        assert [run["participants"][0]["role"] for run in ended["runs"]] == ["writer", "reader"]
        assert_this_machine_is_registered(looking, client)
        for run in ended["runs"]:
            assert_rates_are_means_of_trials(client, run)
            assert_measured_once(client, run)
            assert_long_enough(client, run)
    assert_scratch_is_clean(looking)
    looking.interrupt()
    looking.start()
    until_looked(looking)
    with looking.client() as client:
        names = [item["name"] for item in client.get("/campaigns").json()["items"]]
        assert sorted(names) == ["Calibration", "First look"]
        assert len(client.get("/hosts").json()["items"]) == 1


def test_it_is_skipped_if_the_settings_say_so(appliance: Appliance) -> None:
    until_looked(appliance)
    with appliance.client() as client:
        assert client.get("/campaigns").json()["items"] == []
        (target,) = client.get("/targets").json()["items"]
        assert Path(target["path"]).is_dir()


def test_a_deleted_local_host_is_not_registered_again(appliance: Appliance) -> None:
    with appliance.client() as client:
        target = until("the target", lambda: client.get("/targets").json()["items"])[0]
        assert client.delete(f"/targets/{target['id']}").is_success
        assert client.delete(f"/hosts/{target['host_id']}").is_success
    appliance.interrupt()
    appliance.start()
    until_looked(appliance)
    with appliance.client() as client:
        assert client.get("/hosts").json()["items"] == []
