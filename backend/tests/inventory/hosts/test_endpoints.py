"""Hosts: registration, checks, key approval, deletion."""

import threading
import time
from typing import Any

import asyncssh
import pytest
from assay.base.messaging.changes import _client
from assay.base.messaging.queue import redis_url
from assay.inventory.hosts.deletion import CLEANUP, UNINSTALL, complete_deletion
from assay.runs.scheduling import capacity
from assay.tables.accounts import AuditEntry
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check, Host
from assay.tables.runs import Participant, Run
from sqlalchemy import func, select, update
from testing.api import Appliance, fields, on_sqlite, problem

OLD = asyncssh.generate_private_key("ssh-ed25519")
NEW = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
ODD_NAME = "web '1' \"a\" $(reboot) `x` \u00fc \u6f22 \U0001f4be"


def _line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


@pytest.fixture
def body(appliance: Appliance) -> dict[str, Any]:
    return {
        "name": ODD_NAME,
        "connection": "ssh",
        "address": "10.0.0.7",
        "port": 2222,
        "user": "assay",
        "credential_id": appliance.credential(),
    }


def test_unusual_host_names_are_accepted(appliance: Appliance, body: dict[str, Any]) -> None:
    made = appliance.operator.post("/hosts", body)
    assert made.status_code == 201
    assert made.json()["name"] == ODD_NAME
    assert made.json()["state"] == "new"
    shown = appliance.viewer.get(f"/hosts/{made.json()['id']}").json()
    assert shown == made.json()
    assert [host["name"] for host in appliance.viewer.get("/hosts").json()["items"]] == [ODD_NAME]


def test_ssh_needs_address_user_and_credential(appliance: Appliance) -> None:
    answer = appliance.operator.post("/hosts", {"name": "web-1", "connection": "ssh"})
    assert fields(problem(answer, 422, "invalid")) == ["address", "user", "credential_id"]


@on_sqlite
@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("port", 0),
        ("port", 65536),
        ("address", ""),
        ("address", "a b"),
        ("address", "-oProxyCommand=x"),
        ("name", " \n"),
        ("credential_id", 999),
        ("probe_dir", "relative"),
    ],
)
def test_invalid_fields_are_named(
    appliance: Appliance, body: dict[str, Any], field: str, wrong: Any
) -> None:
    answer = appliance.operator.post("/hosts", {**body, field: wrong})
    assert fields(problem(answer, 422, "invalid")) == [field]
    assert appliance.viewer.get("/hosts").json()["items"] == []


def test_an_unknown_host_is_not_found(appliance: Appliance) -> None:
    problem(appliance.viewer.get("/hosts/99"), 404, "not_found")
    problem(appliance.operator.post("/hosts/99/check"), 404, "not_found")
    problem(appliance.operator.delete("/hosts/99"), 404, "not_found")


def test_names_are_unique(appliance: Appliance, body: dict[str, Any]) -> None:
    appliance.operator.post("/hosts", body)
    problem(appliance.operator.post("/hosts", body), 409, "name_taken")


def test_a_check_is_stored_and_a_worker_is_woken(appliance: Appliance) -> None:
    host = appliance.host()
    queue = _client(redis_url())
    queue.delete("celery")
    answer = appliance.operator.post(f"/hosts/{host}/check")
    assert answer.status_code == 202
    assert answer.json()["check"]["state"] == "queued"
    check_id = answer.json()["check"]["id"]
    message = queue.lrange("celery", 0, -1)[0]
    assert b'"assay.run_check"' in message
    again = appliance.operator.post(f"/hosts/{host}/check")
    assert again.json()["check"]["id"] == check_id


def test_a_check_is_waited_for(appliance: Appliance) -> None:
    host = appliance.host(state="new")
    with appliance.answering({}, state="ready"):
        answer = appliance.http.post(
            f"/api/v1/hosts/{host}/check?wait=20",
            headers={"Authorization": f"Bearer {appliance.operator.token}"},
        )
    assert answer.status_code == 200
    assert answer.json()["check"]["state"] == "ok"
    assert answer.json()["state"] == "ready"


def test_waiting_does_not_block_other_requests(appliance: Appliance) -> None:
    host = appliance.host()
    headers = {"Authorization": f"Bearer {appliance.operator.token}"}

    def wait() -> None:
        answer = appliance.http.post(f"/api/v1/hosts/{host}/check?wait=20", headers=headers)
        assert answer.status_code == 200

    waiters = [threading.Thread(target=wait) for _ in range(45)]
    for waiter in waiters:
        waiter.start()
    while _times_asked() < len(waiters):
        time.sleep(0.01)
    assert appliance.operator.post("/arrays", {"name": "vault"}).status_code == 201
    assert appliance.anonymous.get("/health").status_code == 200
    assert all(waiter.is_alive() for waiter in waiters)
    appliance.answer(_pending(host)[0], {})
    for waiter in waiters:
        waiter.join(20)
        assert not waiter.is_alive()
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(Check)) == 1


def _times_asked() -> int:
    with reading() as session:
        asked = select(func.count()).where(AuditEntry.action == "host.checked")
        return session.scalars(asked).one()


def _pending(host: int) -> list[int]:
    with reading() as session:
        return list(
            session.scalars(select(Check.id).where(Check.host_id == host, Check.state == "queued"))
        )


def test_a_failed_check_has_a_reason(appliance: Appliance) -> None:
    host = appliance.host(state="new")
    error = {"code": "refused", "title": "Refused", "detail": "port 22", "remedy": "Start sshd."}
    with appliance.answering(error=error, state="unreachable", state_reason="refused"):
        answer = appliance.http.post(
            f"/api/v1/hosts/{host}/check?wait=20",
            headers={"Authorization": f"Bearer {appliance.operator.token}"},
        )
    assert answer.json()["check"]["error"] == error
    assert answer.json()["state"] == "unreachable"


def test_a_key_is_approved_by_its_fingerprint(appliance: Appliance) -> None:
    host = appliance.host(state="key_unapproved", offered_key=_line(OLD))
    path = f"/hosts/{host}/host-key"
    offered = appliance.viewer.get(path).json()
    assert offered == {
        "approved": None,
        "offered": {"type": "ssh-ed25519", "fingerprint": OLD.get_fingerprint()},
    }
    wrong = appliance.operator.post(path, {"fingerprint": NEW.get_fingerprint()})
    document = problem(wrong, 409, "host_key_mismatch")
    assert OLD.get_fingerprint() in document["detail"]
    right = appliance.operator.post(path, {"fingerprint": OLD.get_fingerprint()})
    assert right.json() == {"approved": offered["offered"], "offered": None}
    assert appliance.viewer.get(f"/hosts/{host}").json()["state"] == "new"


def test_approving_the_approved_key_again_changes_nothing(appliance: Appliance) -> None:
    host = appliance.host(state="ready", approved_key=_line(OLD))
    path = f"/hosts/{host}/host-key"
    again = appliance.operator.post(path, {"fingerprint": OLD.get_fingerprint()})
    assert (again.status_code, again.json()["offered"]) == (200, None)
    assert again.json()["approved"]["fingerprint"] == OLD.get_fingerprint()
    assert appliance.viewer.get(f"/hosts/{host}").json()["state"] == "ready"
    assert appliance.audit() == []
    other = appliance.operator.post(path, {"fingerprint": NEW.get_fingerprint()})
    problem(other, 409, "no_key_offered")


def test_a_changed_key_shows_old_and_new(appliance: Appliance) -> None:
    host = appliance.host(state="key_changed", approved_key=_line(OLD), offered_key=_line(NEW))
    keys = appliance.viewer.get(f"/hosts/{host}/host-key").json()
    assert keys["approved"]["fingerprint"] == OLD.get_fingerprint()
    assert keys["offered"]["fingerprint"] == NEW.get_fingerprint()
    appliance.operator.post(f"/hosts/{host}/host-key", {"fingerprint": NEW.get_fingerprint()})
    with reading() as session:
        assert session.get_one(Host, host).approved_key == _line(NEW)
    assert appliance.audit()[0]["detail"]["old"] == OLD.get_fingerprint()


def test_a_new_address_revokes_the_key_approval(appliance: Appliance) -> None:
    credential = appliance.credential()
    host = appliance.host(
        connection="ssh",
        address="10.0.0.7",
        user="assay",
        credential_id=credential,
        approved_key=_line(OLD),
    )
    path = f"/hosts/{host}"
    assert appliance.operator.patch(path, {"name": "web-2"}).json()["state"] == "ready"
    moved = appliance.operator.patch(path, {"port": 2200}).json()
    assert moved["state"] == "new"
    assert moved["host_key"] is None
    document = problem(appliance.operator.patch(path, {"user": None}), 422, "invalid")
    assert fields(document) == ["user"]


def test_the_inventory_is_summarized(appliance: Appliance) -> None:
    host = appliance.host()
    shown = appliance.viewer.get(f"/hosts/{host}").json()
    assert shown["summary"] == {
        "os": "Debian GNU/Linux 13",
        "kernel": "6.12.9",
        "cpus": 16,
        "cpu_model": "EPYC 7343",
        "mem_total_bytes": 64_000_000_000,
        "nic_bits_per_s": 10_000_000_000,
    }
    inventory = appliance.viewer.get(f"/hosts/{host}/inventory").json()
    assert inventory["body"]["hostname"] == "web-1"
    listed = appliance.viewer.get(f"/hosts/{host}/inventories").json()["items"]
    assert [one["id"] for one in listed] == [inventory["id"]]


def test_two_entries_of_one_machine_cause_a_warning(appliance: Appliance) -> None:
    first = appliance.host("web-1", machine_id="4f3c", boot_id="b1")
    appliance.host('web-2\'s\n"twin"', machine_id="4f3c", boot_id="b1")
    appliance.host("web-3")
    (warning,) = appliance.viewer.get(f"/hosts/{first}").json()["warnings"]
    assert "as 'web-2's\n\"twin\"' (same" in warning
    assert "do not overlap" in warning


def test_a_cloned_machine_id_causes_a_warning(appliance: Appliance) -> None:
    first = appliance.host("web-1", machine_id="4f3c", boot_id="b1")
    appliance.host("web-2", machine_id="4f3c", boot_id="b2")
    (warning,) = appliance.viewer.get(f"/hosts/{first}").json()["warnings"]
    assert "'web-2' has the same machine-id but a different boot id" in warning


def test_a_host_without_results_is_removed_on_deletion(appliance: Appliance) -> None:
    host = appliance.host()
    appliance.target(host)
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    problem(appliance.viewer.get(f"/hosts/{host}"), 404, "not_found")
    assert appliance.viewer.get("/targets").json()["items"] == []


def test_a_worker_uninstalls_from_a_reached_host_before_its_deletion(
    appliance: Appliance,
) -> None:
    credential = appliance.credential()
    host = appliance.host(connection="ssh", credential_id=credential, last_seen_at=now())
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    assert appliance.viewer.get("/hosts").json()["items"] == []
    appliance.host("web-1")
    with writing() as session:
        check = session.scalars(select(Check)).one()
        assert (check.kind, check.host_id) == (UNINSTALL, host)
        complete_deletion(session, session.get_one(Host, host), "no route to it")
    problem(appliance.viewer.get(f"/hosts/{host}"), 404, "not_found")
    newest = appliance.audit()[0]
    assert (newest["actor"], newest["action"]) == ("worker", "host.not_cleared")
    assert newest["detail"] == {"reason": "no route to it"}
    assert appliance.admin.delete(f"/credentials/{credential}").status_code == 204


def test_a_worker_cleans_up_the_previous_directory(appliance: Appliance) -> None:
    credential = appliance.credential()
    reached = {"connection": "ssh", "address": "10.0.0.7", "user": "assay", "last_seen_at": now()}
    host = appliance.host(credential_id=credential, probe_dir="/srv/a", **reached)
    path = f"/hosts/{host}"
    assert appliance.operator.patch(path, {"probe_dir": "/srv/a"}).status_code == 200
    assert appliance.operator.patch(path, {"probe_dir": None}).status_code == 200
    assert appliance.operator.patch(path, {"probe_dir": "/srv/b"}).status_code == 200
    with reading() as session:
        asked = session.scalars(select(Check).order_by(Check.id)).all()
    assert [(check.kind, check.request) for check in asked] == [
        (CLEANUP, {"folder": "/srv/a"}),
        (CLEANUP, {"folder": None}),
    ]


def test_a_host_with_active_runs_is_not_deleted(appliance: Appliance) -> None:
    host = appliance.host()
    campaign = _launch(appliance, host)
    run = campaign["runs"][0]["id"]
    document = problem(appliance.operator.delete(f"/hosts/{host}"), 409, "host_busy")
    assert document["runs"] == [run]
    assert appliance.viewer.get(f"/hosts/{host}").json()["busy_run_id"] == run


def test_the_address_of_a_host_with_active_runs_cannot_change(appliance: Appliance) -> None:
    host = appliance.host(address="10.0.0.7")
    _launch(appliance, host)
    path = f"/hosts/{host}"
    for change in ({"address": "10.0.0.8"}, {"probe_dir": "/srv/b"}):
        problem(appliance.operator.patch(path, change), 409, "host_busy")
    assert appliance.operator.patch(path, {"name": "web-2"}).status_code == 200


def test_deleting_a_host_keeps_its_results_and_frees_its_name(appliance: Appliance) -> None:
    host = appliance.host()
    campaign = _launch(appliance, host)
    with writing() as session:
        session.get_one(Run, campaign["runs"][0]["id"]).state = "done"
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    assert appliance.viewer.get("/hosts").json()["items"] == []
    assert appliance.viewer.get("/targets").json()["items"] == []
    shown = appliance.viewer.get(f"/campaigns/{campaign['id']}").json()
    assert "deleted" in shown["runs"][0]["participants"][0]["host"]["name"]
    appliance.host("web-1")
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(Participant)) == 1


def _launch(appliance: Appliance, host: int) -> dict[str, Any]:
    target = appliance.target(host)
    with writing() as session:
        capacity.announce(session, "worker:1", 1)
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    answer = appliance.operator.post("/campaigns", plan)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_deleted_host_with_results_can_be_seen_but_not_changed(appliance: Appliance) -> None:
    host = appliance.host()
    _launch(appliance, host)
    with writing() as session:
        session.execute(update(Run).values(state="done"))
    path = f"/hosts/{host}"
    assert appliance.operator.delete(path).status_code == 204
    name = appliance.viewer.get(path).json()["name"]
    for answer in (
        appliance.operator.delete(path),
        appliance.operator.patch(path, {"port": 2222}),
        appliance.operator.post(f"{path}/check"),
        appliance.operator.post(f"{path}/host-key", {"fingerprint": "SHA256:x"}),
    ):
        problem(answer, 404, "not_found")
    kept = appliance.viewer.get(path).json()
    assert (kept["name"], kept["state"]) == (name, "deleting")


@pytest.mark.parametrize(
    ("address", "stored"),
    [
        ("[fe80::1%eth0]", "fe80::1%eth0"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("[2001:db8::7]", "2001:db8::7"),
        (".".join(["a" * 62, "b" * 62, "c" * 62, "d" * 61, "e"]), None),
    ],
)
def test_an_address_may_have_brackets_a_zone_or_253_characters(
    appliance: Appliance, address: str, stored: str | None
) -> None:
    body = {"name": "web-9", "address": address, "user": "a"}
    body |= {"credential_id": appliance.credential()}
    made = appliance.operator.post("/hosts", body)
    assert (made.status_code, made.json()["address"]) == (201, stored or address)


@pytest.mark.parametrize("address", ["[10.0.0.7]:22", "[web-1]", "[]", "[fe80::1]:22", "::1]"])
def test_brackets_around_anything_else_are_rejected(appliance: Appliance, address: str) -> None:
    body = {"name": "web-9", "address": address, "user": "a"}
    assert fields(problem(appliance.operator.post("/hosts", body), 422, "invalid"))[0] == "address"


@pytest.mark.parametrize("address", ["ssh://10.0.0.7", "ada@10.0.0.7", "10.0.0.7/mnt"])
def test_an_address_with_a_scheme_user_or_path_is_rejected(
    appliance: Appliance, address: str
) -> None:
    answer = appliance.operator.post("/hosts", {"name": "web-9", "address": address, "user": "a"})
    (error,) = problem(answer, 422, "invalid")["errors"]
    assert (error["field"], error["value"]) == ("address", address)
    assert "`port`" in error["remedy"]
