"""Registration of a host in one call, with a real sshd and the real probe."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from assay.tables.database import reading
from assay.tables.hosts import Check
from assay_worker.connectors.keys import fingerprint
from sqlalchemy import select
from testing.api import Appliance, fields, problem
from testing.installation import Installation, run_check
from testing.sshd import Sshd, free_port

pytestmark = pytest.mark.usefixtures("installation")


def registration(server: Sshd, **more: Any) -> dict[str, Any]:
    credential = {"name": "key of web-1", "kind": "private_key", "private_key": server.private_key}
    return {
        "name": "web-1",
        "address": "127.0.0.1",
        "port": server.port,
        "user": server.user,
        "new_credential": credential,
        "fingerprint": fingerprint(server.host_key),
        **more,
    }


@contextmanager
def working() -> Iterator[None]:
    """Run queued checks, as a worker does."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.02):
            with reading() as session:
                waiting = session.scalars(select(Check.id).where(Check.state == "queued")).all()
            for check_id in waiting:
                run_check(check_id)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


def register(api: Appliance, body: dict[str, Any]) -> Any:
    with working():
        return api.admin.post("/hosts?wait=40", body)


def nothing_stays(api: Appliance, server: Sshd) -> None:
    assert api.admin.get("/hosts").json()["items"] == []
    assert api.admin.get("/targets").json()["items"] == []
    assert api.admin.get("/credentials").json()["items"] == []
    assert list((server.home / ".cache").rglob("assay-probe")) == []


def test_one_call_registers_key_credential_targets_and_labels(
    api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "disk").mkdir()
    target = {"path": str(tmp_path / "disk"), "labels": {"rack": "b7"}, "root_consent": True}
    answer = register(api, registration(sshd, targets=[target], labels={"site": "fra"}))
    assert answer.status_code == 201, answer.text
    host = answer.json()
    assert (host["state"], host["labels"]) == ("ready", {"site": "fra"})
    assert host["host_key"]["fingerprint"] == fingerprint(sshd.host_key)
    assert (host["offered_key"], host["expected_keys"]) == (None, [])
    assert [one["path"] for one in host["targets"]] == [target["path"]]
    (made,) = api.admin.get("/targets").json()["items"]
    assert (made["labels"], made["host_id"]) == ({"rack": "b7"}, host["id"])
    actions = [entry["action"] for entry in api.audit()]
    assert {"host.created", "host.key_approved", "target.created"} <= set(actions)


def test_the_key_of_a_hashed_line_is_chosen_among_several(
    api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    """The host prefers its Ed25519 key, and the line has its ECDSA key."""
    key = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    path = sshd.folder / "second_key"
    path.write_bytes(key.export_private_key())
    path.chmod(0o600)
    sshd.stop()
    sshd.options = [f"HostKey {path}"]
    sshd.start()
    file = tmp_path / "known_hosts"
    public = key.export_public_key().decode().strip()
    file.write_text(f"[127.0.0.1]:{sshd.port} {public}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", file], check=True, capture_output=True)
    body = registration(sshd, known_hosts=file.read_text()) | {"fingerprint": None}
    answer = register(api, body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["state"] == "ready"
    assert answer.json()["host_key"]["type"] == "ecdsa-sha2-nistp256"
    by_fingerprint = registration(sshd, fingerprint=key.get_fingerprint(), name="web-2")
    by_fingerprint["new_credential"]["name"] = "another"
    assert register(api, by_fingerprint).json()["host_key"]["fingerprint"] == key.get_fingerprint()


def test_another_key_is_rejected_by_name_and_nothing_stays(api: Appliance, sshd: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519").get_fingerprint()
    found = problem(register(api, registration(sshd, fingerprint=other)), 422, "host_key_mismatch")
    assert fields(found) == ["fingerprint"]
    assert fingerprint(sshd.host_key) in found["detail"]
    assert other in found["detail"]
    assert "Accepted" not in (sshd.folder / "log").read_text()
    nothing_stays(api, sshd)


def test_a_rejected_target_leaves_nothing_not_even_the_probe(
    api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "disk").mkdir()
    targets = [
        {"path": str(tmp_path / "disk"), "root_consent": True},
        {"path": str(tmp_path / "none"), "root_consent": True},
    ]
    found = problem(register(api, registration(sshd, targets=targets)), 422, "path_missing")
    assert fields(found) == ["targets.1.path"]
    assert str(tmp_path / "none") in found["detail"]
    nothing_stays(api, sshd)
    answer = register(api, registration(sshd, targets=targets[:1]))
    assert answer.status_code == 201, answer.text


def test_two_paths_of_one_directory_are_rejected(
    api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    targets = [{"path": str(tmp_path / n), "root_consent": True} for n in ("disk", "link")]
    found = problem(register(api, registration(sshd, targets=targets)), 422, "target_exists")
    assert fields(found) == ["targets.1.path"]
    nothing_stays(api, sshd)


def test_a_wrong_login_with_targets_leaves_nothing(
    api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    body = registration(sshd, user="nobody-like-this", targets=[{"path": str(tmp_path)}])
    found = problem(register(api, body), 422, "auth_failed")
    assert fields(found) == ["new_credential"]
    nothing_stays(api, sshd)


def test_an_unreachable_host_stays_and_its_key_is_approved_later(
    api: Appliance, sshd: Sshd
) -> None:
    answer = register(api, registration(sshd, port=free_port()))
    assert (answer.status_code, answer.json()["state"]) == (201, "unreachable")
    host = answer.json()["id"]
    assert api.operator.patch(f"/hosts/{host}", {"port": sshd.port}).status_code == 200
    with working():
        checked = api.operator.post(f"/hosts/{host}/check?wait=40")
    assert (checked.json()["state"], checked.json()["expected_keys"]) == ("ready", [])


def test_after_a_202_a_rejected_target_is_the_reason_of_the_check(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    targets = [{"path": str(tmp_path / "none")}]
    answer = api.admin.post("/hosts", registration(sshd, targets=targets))
    assert answer.status_code == 202
    run_check(answer.json()["check"]["id"])
    host = api.admin.get(answer.headers["location"].removeprefix("/api/v1")).json()
    assert host["targets"] == []
    assert host["check"]["error"]["code"] == "path_missing"
    assert installation.check(host["id"]).error is None
