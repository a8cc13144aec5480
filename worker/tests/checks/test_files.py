"""A qualification file on a real host: its key, its check and its directories."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay.tables.database import reading
from assay.tables.hosts import Check
from sqlalchemy import select
from testing.api import Appliance
from testing.installation import run_check
from testing.sshd import Sshd


@pytest.fixture
def worker(api: Appliance) -> Iterator[None]:
    """A thread that answers checks as a worker does."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.05):
            with reading() as session:
                asked = session.scalars(select(Check.id).where(Check.state == "queued")).all()
            for check_id in asked:
                run_check(check_id)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def described(sshd: Sshd, host_key: str, path: Path) -> str:
    return f"""\
name: lab
hosts:
  - name: web-1
    address: 127.0.0.1
    port: {sshd.port}
    user: {sshd.user}
    credential: lab key
    probe_dir: {sshd.folder / "probe"}
    host_key: {host_key}
    targets:
      - path: {path}
        root_consent: true
"""


def apply(api: Appliance, text: str) -> dict[str, Any]:
    answer = api.operator.post("/apply", {"text": text})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_one_application_registers_approves_checks_and_adds_targets(
    api: Appliance, worker: None, sshd: Sshd, tmp_path: Path
) -> None:
    body = {"name": "lab key", "kind": "private_key", "private_key": sshd.private_key}
    assert api.admin.post("/credentials", body).status_code == 201
    key = asyncssh.import_public_key(sshd.host_key).get_fingerprint()
    other = asyncssh.generate_private_key("ssh-ed25519").get_fingerprint()
    folder = tmp_path / "data"
    folder.mkdir()

    refused = apply(api, described(sshd, other, folder))
    assert refused["complete"] is False
    assert key in refused["changes"][0]["reason"]
    (host,) = api.viewer.get("/hosts").json()["items"]
    assert host["host_key"] is None

    plan = apply(api, described(sshd, key, folder))
    assert plan["complete"] is True, plan
    (target,) = api.viewer.get("/targets").json()["items"]
    assert (target["path"], target["managed_by"]) == (str(folder), "lab")
    assert target["size_bytes"] > 0

    missing = described(sshd, key, folder) + f"      - path: {tmp_path / 'none'}\n"
    answer = api.operator.post("/apply", {"text": missing})
    assert answer.status_code == 409, answer.text
    (error,) = answer.json()["errors"]
    assert (error["field"], error["line"]) == ("hosts.0.targets.1.path", 13)
    assert "does not exist on the host" in error["message"]
    again = apply(api, described(sshd, key, folder))
    assert {change["action"] for change in again["changes"]} == {"unchanged"}
