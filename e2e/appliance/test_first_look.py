"""The first look at this machine: it finishes, its result is right, and it is taken once."""

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from stack import Appliance, processes_with, until

GIVEN = {"ASSAY_FIRST_LOOK": "yes"}


def campaign(client: httpx.Client, wait: float = 0) -> dict[str, Any]:
    items = client.get("/campaigns").json()["items"]
    assert len(items) == 1, items
    return client.get(f"/campaigns/{items[0]['id']}", params={"wait": wait}).json()


def trials_done(client: httpx.Client) -> int:
    return sum(run["trials_done"] for run in campaign(client)["runs"])


def assert_measured_once(client: httpx.Client, run: dict[str, Any]) -> None:
    """Each trial has one attempt that counts, and no event is missing or doubled."""
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


def assert_scratch_is_clean(appliance: Appliance) -> None:
    assert list((appliance.home / "scratch").iterdir()) == []


@pytest.fixture
def looking(appliances: Callable[..., Appliance]) -> Appliance:
    made = appliances(**GIVEN)
    made.start()
    return made


def test_it_finishes_on_a_fresh_home_and_is_not_repeated(looking: Appliance) -> None:
    with looking.client() as client:
        until("the launch", lambda: client.get("/campaigns").json()["items"])
        ended = campaign(client, wait=240)
        assert ended["state"] == "done", ended
        assert [run["kind"] for run in ended["runs"]] == ["write", "read"]
        host = client.get("/hosts").json()["items"][0]
        assert (host["name"], host["connection"], host["state"]) == (
            "this machine",
            "local",
            "ready",
        )
        target = client.get("/targets").json()["items"][0]
        assert target["path"] == str((looking.home / "scratch").resolve())
        told = "with O_DIRECT" if target["direct"] == "real" else "through the page cache"
        assert told in looking.log
        for run in ended["runs"]:
            matrix = client.get(f"/runs/{run['id']}/matrix").json()
            assert {cell["state"] for cell in matrix["cells"]} == {"done"}
            rate = "durable" if run["kind"] == "write" else "application"
            for cell in matrix["cells"]:
                trials = [trial[f"{rate}_bps"] for trial in cell["trials"]]
                assert cell[rate]["mean"] == pytest.approx(sum(trials) / len(trials))
            assert_measured_once(client, run)
    assert_scratch_is_clean(looking)
    looking.interrupt()
    looking.start()
    with looking.client() as client:
        assert len(client.get("/campaigns").json()["items"]) == 1
        assert len(client.get("/hosts").json()["items"]) == 1


def test_ctrl_c_stops_the_test_here_and_the_next_start_goes_on(looking: Appliance) -> None:
    with looking.client() as client:
        until(
            "some trials",
            lambda: client.get("/campaigns").json()["items"] and trials_done(client) >= 2,
        )
    looking.interrupt()
    assert processes_with(f"ASSAY_HOME={looking.home}") == {}
    assert_scratch_is_clean(looking)
    looking.start()
    with looking.client() as client:
        ended = campaign(client, wait=240)
        assert ended["state"] == "done", ended
        for run in ended["runs"]:
            assert_measured_once(client, run)


def test_everything_killed_at_once_loses_nothing(looking: Appliance) -> None:
    with looking.client() as client:
        until(
            "some trials",
            lambda: client.get("/campaigns").json()["items"] and trials_done(client) >= 2,
        )
    assert looking.process is not None
    looking.process.send_signal(signal.SIGKILL)
    looking.process.wait()
    until(
        "the end of its children", lambda: not looking.child("queue") and not looking.child("api")
    )
    looking.start()
    with looking.client() as client:
        ended = campaign(client, wait=240)
        assert ended["state"] == "done", ended
        for run in ended["runs"]:
            assert_measured_once(client, run)
    assert_scratch_is_clean(looking)


def test_it_is_left_out_when_the_settings_say_so(appliance: Appliance) -> None:
    with appliance.client() as client:
        until("the scratch target", lambda: client.get("/targets").json()["items"])
        assert client.get("/campaigns").json()["items"] == []
        target = client.get("/targets").json()["items"][0]
        assert Path(target["path"]).is_dir()


def test_a_deleted_machine_does_not_come_back(appliance: Appliance) -> None:
    with appliance.client() as client:
        target = until("the target", lambda: client.get("/targets").json()["items"])[0]
        assert client.delete(f"/targets/{target['id']}").is_success
        assert client.delete(f"/hosts/{target['host_id']}").is_success
    appliance.interrupt()
    appliance.start()
    until("the first look's end", lambda: appliance.log.count("ready after") == 2)
    with appliance.client() as client:
        assert client.get("/hosts").json()["items"] == []
