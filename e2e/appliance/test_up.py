"""`assay up`: start, restart and complete shutdown."""

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from testing.appliance import UP, Appliance, free_port, processes_with, until

CHILDREN = ("queue", "worker", "scheduler", "api")
on_shared = pytest.mark.xdist_group("shared appliance")
"""Keeps the tests of one appliance in one process."""


def health(appliance: Appliance) -> dict[str, Any]:
    return httpx.get(f"{appliance.url}/api/v1/health").json()


def gone(appliance: Appliance) -> bool:
    return not processes_with(f"ASSAY_HOME={appliance.home}")


@on_shared
def test_it_prints_the_address_and_is_healthy(shared: Appliance) -> None:
    assert re.search(rf"^assay +ready after [\d.]+ s: {shared.url}$", shared.log, re.M)
    found = until("a worker", lambda: health(shared)["workers"] and health(shared))
    assert found["status"] == "ok"
    assert found["database"]["ok"] and found["queue"]["ok"]
    state = [shared.home, *shared.home.rglob("*")]
    assert [path for path in state if path.exists() and path.stat().st_mode & 0o077] == []


def test_ctrl_c_ends_every_process_and_leaves_no_socket(appliance: Appliance) -> None:
    for name in CHILDREN:
        until(name, lambda name=name: appliance.child(name))
    runtime = re.search(r"unix://(\S+)/queue.sock", _environment(appliance.child("api")))
    assert runtime is not None
    assert appliance.interrupt() == 0
    assert gone(appliance)
    assert not os.path.lexists(runtime.group(1))


def test_a_second_start_keeps_the_state(appliance: Appliance) -> None:
    with appliance.client() as client:
        made = client.post("/arrays", json={"name": "vault"})
        assert made.status_code == 201, made.text
    appliance.interrupt(signal.SIGTERM)
    appliance.start()
    with appliance.client() as client:
        assert [array["name"] for array in client.get("/arrays").json()["items"]] == ["vault"]


@on_shared
@pytest.mark.parametrize("name", CHILDREN)
def test_a_dead_child_is_restarted_and_logged(shared: Appliance, name: str) -> None:
    first = until(name, lambda: shared.child(name))
    os.kill(first, signal.SIGKILL)
    until("another process", lambda: shared.child(name) not in {0, first})
    assert f"{name} was killed by SIGKILL; restarting in" in shared.log

    def well() -> bool:
        try:
            return health(shared)["status"] == "ok"
        except httpx.TransportError:
            return False

    until("health", well)


def test_a_killed_supervisor_leaves_no_process(appliance: Appliance) -> None:
    appliance.process.kill()
    appliance.process.wait()
    until("the end of all children", lambda: gone(appliance), 15)
    appliance.start()


@on_shared
def test_a_second_supervisor_in_the_same_home_is_rejected(shared: Appliance) -> None:
    done = subprocess.run(
        UP,
        env=os.environ | {"ASSAY_HOME": str(shared.home), "ASSAY_PORT": str(free_port())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"is already running in {shared.home} (process {shared.process.pid})" in done.stdout
    assert health(shared)["database"]["ok"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ASSAY_PORT", "taken", "ASSAY_PORT"),
        ("ASSAY_PORT", "http", "ASSAY_PORT: "),
        ("ASSAY_HOME", "/proc/nowhere", "set ASSAY_HOME"),
        ("ASSAY_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none", "ASSAY_DATABASE_URL"),
    ],
)
def test_a_startup_error_is_one_line_with_the_remedy(
    tmp_path: Appliance, name: str, value: str, said: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        value = str(taken.getsockname()[1]) if value == "taken" else value
        done = subprocess.run(
            UP,
            env=os.environ | {"ASSAY_HOME": str(tmp_path / "home"), name: value},
            capture_output=True,
            text=True,
            check=False,
        )
    lines = [line for line in done.stdout.splitlines() if said in line]
    assert done.returncode == 1
    assert len(lines) == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_every_line_of_the_log_is_json_if_asked_and_metrics_have_a_port(
    appliances: Callable[..., Appliance],
) -> None:
    port = free_port()
    appliance = appliances(ASSAY_LOG_FORMAT="json", ASSAY_METRICS_PORT=str(port))
    appliance.start()
    until("a worker", lambda: health(appliance)["workers"])
    os.kill(until("the queue", lambda: appliance.child("queue")), signal.SIGKILL)
    until("a warning of another process", lambda: appliance.log.count('"level"') > 4)
    metrics = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    assert re.search(r"^assay_workers 1\.0$", metrics, re.M)
    assert appliance.interrupt() == 0
    lines = [json.loads(line) for line in appliance.log.splitlines()]
    assert {"assay"} < {line["process"] for line in lines}
    assert all({"time", "level", "logger", "message"} <= set(line) for line in lines)


def test_the_first_start_prints_a_setup_code_that_works_once(
    appliances: Callable[..., Appliance],
) -> None:
    appliance = appliances(ASSAY_ADMIN_PASSWORD="")
    appliance.start()
    found = until("a code", lambda: re.search(r"setup code .*: (\S+)", appliance.log))
    body = {"code": found.group(1), "name": "ada", "password": "a long enough password"}
    assert health(appliance)["setup_required"] is True
    setup = f"{appliance.url}/api/v1/setup"
    assert httpx.post(setup, json=body | {"code": "AAAA-AAAA"}).status_code == 403
    assert httpx.post(setup, json=body).status_code == 201
    assert httpx.post(setup, json=body).status_code == 409
    assert health(appliance)["setup_required"] is False
    appliance.interrupt()
    appliance.start()
    assert appliance.log.count("setup code") == 1


@on_shared
def test_the_administrators_password_reaches_no_child(shared: Appliance) -> None:
    for name in CHILDREN:
        process = until(name, lambda name=name: shared.child(name))
        assert "ASSAY_ADMIN_PASSWORD" not in _environment(process), name


def _environment(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode()
