"""Qualification files over the API, and workers that answer for their hosts."""

import contextlib
import threading
from collections.abc import Generator
from typing import Any

from assay.inventory.hosts.keys import fingerprints
from assay.tables.database import reading
from assay.tables.hosts import Check, Host
from httpx import Response
from sqlalchemy import select
from testing.api import FOUND, Appliance, Caller, problem

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}"
KEY = ED25519.format("Kf0mFQd8sJ0V0bC0rJmJ0nY3cJ3xkE3s1o0m8b2Xn0A")
OTHER_KEY = ED25519.format("Bf0mFQd8sJ0V0bC0rJmJ0nY3cJ3xkE3s1o0m8b2Xn0A")

PROFILE = """\
profiles:
  - name: Nightly
    tests:
      - {kind: matrix, title: W, operation: write, block: [4096], threads: [1], file_size: 1 MB}
"""

LAB = f"""\
name: lab
arrays:
  - name: vault
    vendor: Acme
    labels: {{site: fra}}
hosts:
  - name: web-1
    connection: local
    reference: CMDB-1
    targets:
      - path: /mnt/a
        array: vault
        labels: {{change: firmware}}
{PROFILE}"""


def fingerprint(key: str) -> str:
    return fingerprints(key)[0].fingerprint


def apply(caller: Caller, text: str, **options: Any) -> Response:
    query = "&".join(f"{name}={str(value).lower()}" for name, value in options.items())
    return caller.post(f"/apply?{query}", {"text": text})


def applied(appliance: Appliance, text: str, **options: Any) -> dict[str, Any]:
    answer = apply(appliance.admin, text, **options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def actions(plan: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["action"], one["kind"], one["name"]) for one in plan["changes"]]


def change(plan: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [one for one in plan["changes"] if one["name"] == name]
    return found


def names(appliance: Appliance, noun: str) -> list[str]:
    return [one["name"] for one in appliance.viewer.get(f"/{noun}").json()["items"]]


def audited(appliance: Appliance) -> list[str]:
    return [entry["action"] for entry in reversed(appliance.audit())]


def errors_of(answer: Response, code: str = "invalid") -> list[tuple[Any, ...]]:
    document = problem(answer, 409 if code == "file_refused" else 422, code)
    for error in document["errors"]:
        if "line" in error:
            assert f"line {error['line']}, column {error['column']}: " in document["detail"]
    return [(one["field"], one.get("line"), one.get("column")) for one in document["errors"]]


@contextlib.contextmanager
def checking(appliance: Appliance, key: str) -> Generator[None]:
    """A worker whose hosts offer `key`, and are ready once it is approved."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.01):
            with reading() as session:
                asked = session.scalars(select(Check).where(Check.state == "queued")).all()
                hosts = {one.id: one for one in session.scalars(select(Host))}
            for check in asked:
                approved = hosts[check.host_id].approved_key
                if check.kind == "target":
                    appliance.answer(check.id, {**FOUND, "path": check.request["path"]})
                elif approved == key:
                    appliance.answer(check.id, {}, state="ready", offered_key=None)
                else:
                    state = "key_changed" if approved else "key_unapproved"
                    appliance.answer(check.id, {}, state=state, offered_key=key)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()
