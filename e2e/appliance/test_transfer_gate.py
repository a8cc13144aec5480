"""A transfer as a gate of a pipeline: over plain HTTP, and by the command line's exit code."""

import os
import subprocess
from typing import Any

import pytest
from testing.appliance import UP, Appliance

pytestmark = pytest.mark.alone

MET, MISSED = "path.rate >= 1 MB/s", "path.rate >= 900 TB/s"
SET = {"duration_ms": 1500, "ramp_ms": 200, "streams": [2], "repeats": 1}


def run(appliance: Appliance, *options: str) -> tuple[int, str]:
    """Return the exit code of `assay campaign run --wait`, and what it printed."""
    done = subprocess.run(
        [UP[0], "campaign", "run", "--wait", *options],
        env={
            **os.environ,
            "ASSAY_HOME": str(appliance.home),
            "ASSAY_PORT": str(appliance.port),
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def host(appliance: Appliance) -> dict[str, Any]:
    """This machine, whose memory is both ends of the transfers."""
    with appliance.client() as client:
        made = client.post("/hosts", json={"name": "here", "connection": "local"})
        assert made.status_code == 201, made.text
        host = made.json()
        ready = client.post(f"/hosts/{host['id']}/check", params={"wait": 60}).json()
        assert ready["state"] == "ready", ready
        return host


def test_a_transfer_passes_one_criterion_and_fails_another(
    appliance: Appliance, host: dict[str, Any]
) -> None:
    with appliance.client() as client:
        profiles = client.get("/profiles", params={"limit": 200}).json()["items"]
        profile = next(one for one in profiles if one["slug"] == "fdt-memory-to-memory")
        end = {"host_id": host["id"]}
        plan = {
            "profile_id": profile["id"],
            "sources": [end],
            "sinks": [end],
            "overrides": SET,
            "criteria": [{"criterion": MET}, {"criterion": MISSED}],
        }
        made = client.post("/campaigns", json=plan)
        assert made.status_code == 201, made.text
        where = f"/campaigns/{made.json()['id']}"
        ended = client.get(where, params={"wait": 60}).json()
        assert ended["state"] == "done", ended
        verdict = client.get(f"{where}/verdict").json()
        (judged,) = verdict["runs"]
        assert verdict["outcome"] == "fail"
        assert [row["outcome"] for row in judged["rows"]] == ["pass", "fail"], judged

    assignments = [f"{name}={value}" for name, value in SET.items()]
    options = [word for one in assignments for word in ("--set", one)]
    ends = ["--profile", "FDT memory to memory", "--source", "here", "--sink", "here"]
    for criterion, code, outcome in ((MET, 0, "pass"), (MISSED, 99, "fail")):
        exited, shown = run(appliance, *ends, *options, "--criterion", criterion)
        assert exited == code, shown
        assert f"verdict: {outcome}" in shown and criterion in shown, shown
