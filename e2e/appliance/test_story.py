"""The main workflow through the API alone, on a host reached by SSH on another port."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from testing.appliance import Appliance, processes_with, until
from testing.sshd import Sshd

MB = 10**6
SETTINGS = {"numBlockWriters", "writeBufferSizeKB", "writeFileMode"}
OTHERS = {"contended", "suspended", "starved"}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "sshd")
    server.start()
    yield server
    server.stop()


def made(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def registered(client: httpx.Client, server: Sshd, scratch: Path) -> dict[str, Any]:
    """Return a target on a host whose key was approved, registered as a user does it."""
    credential = made(
        client,
        "/credentials",
        {"name": "lab key", "kind": "private_key", "private_key": server.private_key},
    )
    host = made(
        client,
        "/hosts",
        {
            "name": "lab",
            "address": "127.0.0.1",
            "port": server.port,
            "user": server.user,
            "credential_id": credential["id"],
        },
    )
    seen = client.post(f"/hosts/{host['id']}/check", params={"wait": 60}).json()
    assert seen["state"] == "key_unapproved", seen
    offered = client.get(f"/hosts/{host['id']}/host-key").json()["offered"]
    wrong = client.post(f"/hosts/{host['id']}/host-key", json={"fingerprint": "SHA256:other"})
    assert (wrong.status_code, wrong.json()["code"]) == (409, "host_key_mismatch")
    approval = {"fingerprint": offered["fingerprint"]}
    answer = client.post(f"/hosts/{host['id']}/host-key", json=approval)
    assert answer.is_success, answer.text
    ready = client.post(f"/hosts/{host['id']}/check", params={"wait": 60}).json()
    assert ready["state"] == "ready", ready
    assert ready["summary"]["cpus"] >= 1

    target = {"host_id": host["id"], "path": str(scratch)}
    refused = client.post("/targets", json=target)
    if refused.status_code == 422:
        assert refused.json()["code"] == "root_fs_consent_required", refused.text
        return made(client, "/targets", target | {"root_consent": True})
    return refused.json()


def clean(server: Sshd, scratch: Path) -> bool:
    """Assert that neither a probe process nor a test file is left on the host."""
    return not processes_with(str(server.home)) and list(scratch.iterdir()) == []


def reliable_only_after_a_second(client: httpx.Client, matrix: dict[str, Any]) -> None:
    """Check that only trials of 20 MB that took a second give a best cell and settings."""
    sound = set[tuple[int, int]]()
    for cell in matrix["cells"]:
        for trial in cell["trials"]:
            attempt = client.get(f"/trials/{trial['id']}").json()["attempts"][-1]
            needed = max(5, 10 * (cell["threads"] - 1))
            short = attempt["durable_ns"] < 10**9 or attempt["ops"] < needed
            flags = [flag["rates"] for flag in trial["flags"] if flag["code"] == "too_short"]
            assert short == any("durable" in rates for rates in flags), (attempt, flags)
            if not short and not OTHERS & {flag["code"] for flag in trial["flags"]}:
                sound.add((cell["block"], cell["threads"]))
    assert "too_short" in {limit["code"] for limit in matrix["warnings"]}
    best, advice = matrix["best"]["durable"], matrix["advice"]["durable"]
    if not sound:
        assert (best, advice) == (None, None)
        assert matrix["headline"]["no_result"]
        return
    assert (best["block"], best["threads"]) in sound
    assert set(advice["settings"]) == SETTINGS


def test_filecatalyst_matrix_on_an_ssh_host_and_cancellation_of_a_second_one(
    appliance: Appliance, host: Sshd, tmp_path: Path
) -> None:
    scratch = tmp_path / "a 'quoted' $(touch pwned) föld\ner"
    scratch.mkdir()
    with appliance.client() as client:
        target = registered(client, host, scratch)
        profiles = client.get("/profiles").json()["items"]
        profile = next(one for one in profiles if one["slug"] == "filecatalyst-default-write")
        plan = {
            "profile_id": profile["id"],
            "target_ids": [target["id"]],
            "overrides": {"file_size": 20 * MB},
        }
        estimate = client.post("/campaigns/estimate", json=plan).json()
        assert (estimate["cells"], estimate["trials"], estimate["fits"]) == (35, 175, True)

        campaign = made(client, "/campaigns", plan)
        ended = client.get(f"/campaigns/{campaign['id']}", params={"wait": 240}).json()
        assert ended["state"] == "done", ended
        run = ended["runs"][0]
        assert run["trials_done"] == run["trials_total"] == 175
        matrix = client.get(f"/runs/{run['id']}/result").json()
        assert len(matrix["cells"]) == 35
        assert {cell["state"] for cell in matrix["cells"]} == {"done"}
        assert all(cell["repeats_done"] == 5 for cell in matrix["cells"])
        reliable_only_after_a_second(client, matrix)
        assert client.get(f"/runs/{run['id']}/result.csv").text.count("\n") > 35
        until("a clean host", lambda: clean(host, scratch), 10)

        second = made(client, "/campaigns", plan)
        where = f"/campaigns/{second['id']}"
        until("some trials", lambda: client.get(where).json()["runs"][0]["trials_done"] >= 3)
        assert client.post(f"{where}/cancel").is_success
        ended = client.get(where, params={"wait": 60}).json()
        assert ended["state"] == "cancelled"
        run = ended["runs"][0]
        assert 3 <= run["trials_done"] < 175
        until("a clean host", lambda: clean(host, scratch), 10)
        kept = client.get(f"/runs/{run['id']}/result").json()
        assert sum(cell["repeats_done"] for cell in kept["cells"]) >= 3
    assert not (scratch.parent / "pwned").exists()
