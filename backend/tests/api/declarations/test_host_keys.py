"""Hosts that must be checked before the rest of a file can be applied."""

from typing import Any

from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from sqlalchemy import select
from testing.api import Appliance

from .applying import (
    KEY,
    OTHER_KEY,
    actions,
    applied,
    apply,
    audited,
    change,
    checking,
    errors_of,
    fingerprint,
    names,
)


def test_a_key_of_the_file_is_approved_and_targets_follow(appliance: Appliance) -> None:
    appliance.credential("lab key")
    text = f"""\
name: lab
hosts:
  - name: web-1
    address: 10.0.0.7
    user: assay
    credential: lab key
    host_key: {fingerprint(KEY)}
    targets: [{{path: /mnt/a}}]
"""
    with checking(appliance, KEY):
        plan = applied(appliance, text)
    assert plan["complete"] is True
    assert actions(plan) == [("create", "host", "web-1"), ("create", "target", "web-1/mnt/a")]
    assert change(plan, "web-1")["fields"][-1]["field"] == "host_key"
    (host,) = appliance.viewer.get("/hosts").json()["items"]
    assert host["host_key"]["fingerprint"] == fingerprint(KEY)
    assert audited(appliance).count("host.key_approved") == 1
    with checking(appliance, KEY):
        again = applied(appliance, text)
    assert {action for action, _, _ in actions(again)} == {"unchanged"}


def test_another_key_is_not_approved_and_named(appliance: Appliance) -> None:
    appliance.credential("lab key")
    text = f"""\
name: lab
hosts:
  - name: web-1
    address: 10.0.0.7
    user: assay
    credential: lab key
    host_key: {fingerprint(KEY)}
    targets: [{{path: /mnt/a}}]
"""
    with checking(appliance, OTHER_KEY):
        plan = applied(appliance, text)
    assert plan["complete"] is False
    assert change(plan, "web-1/mnt/a")["action"] == "wait"
    assert fingerprint(OTHER_KEY) in change(plan, "web-1")["reason"]
    (host,) = appliance.viewer.get("/hosts").json()["items"]
    assert (host["host_key"], host["state"]) == (None, "key_unapproved")
    answer = apply(appliance.operator, text)
    assert errors_of(answer, "file_refused") == [("hosts.0.host_key", 7, 5)]


def test_an_unapproved_key_makes_targets_wait_with_the_remedy(appliance: Appliance) -> None:
    appliance.credential("lab key")
    text = """\
name: lab
hosts:
  - {name: web-1, address: h, user: u, credential: lab key, targets: [{path: /mnt/a}]}
"""
    with checking(appliance, KEY):
        plan = applied(appliance, text)
    assert plan["complete"] is False
    target = change(plan, "web-1/mnt/a")
    assert target["action"] == "wait"
    assert "unapproved host key" in target["reason"]
    host = appliance.viewer.get("/hosts").json()["items"][0]["id"]
    appliance.operator.post(f"/hosts/{host}/host-key", {"fingerprint": fingerprint(KEY)})
    with checking(appliance, KEY):
        plan = applied(appliance, text)
    assert plan["complete"] is True
    assert ("create", "target", "web-1/mnt/a") in actions(plan)


def test_an_approved_key_is_replaced_only_by_the_offered_one(appliance: Appliance) -> None:
    columns: dict[str, Any] = {"connection": "ssh", "address": "h", "user": "u"}
    host = appliance.host(
        "web-1", **columns, approved_key=KEY, credential_id=appliance.credential()
    )
    text = f"name: lab\nhosts:\n  - name: web-1\n    host_key: {fingerprint(OTHER_KEY)}\n"
    answer = apply(appliance.operator, text)
    assert errors_of(answer, "file_refused") == [("hosts.0.host_key", 4, 5)]
    assert fingerprint(KEY) in answer.json()["detail"]
    with writing() as session:
        changed = session.get_one(Host, host)
        changed.offered_key, changed.state = OTHER_KEY, "key_changed"
    with checking(appliance, OTHER_KEY):
        plan = applied(appliance, text)
    assert change(plan, "web-1")["fields"] == [
        {"field": "host_key", "old": fingerprint(KEY), "new": fingerprint(OTHER_KEY)}
    ]
    with reading() as session:
        assert session.scalar(select(Host.approved_key)) == OTHER_KEY


def test_an_unreachable_host_waits_and_the_rest_is_applied(appliance: Appliance) -> None:
    appliance.credential("lab key")
    text = """\
name: lab
arrays: [{name: vault}]
hosts:
  - {name: web-1, address: h, user: u, credential: lab key, targets: [{path: /mnt/a}]}
"""
    failed = {"code": "unreachable", "title": "Not reachable", "detail": "No route."}
    with appliance.answering(error=failed, state="unreachable"):
        plan = applied(appliance, text)
    assert plan["complete"] is False
    assert "could not be reached" in change(plan, "web-1/mnt/a")["reason"]
    assert names(appliance, "arrays") == ["vault"]
