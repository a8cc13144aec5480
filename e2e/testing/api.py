"""An API on a migrated database of a test's own, with clients of every role.

Rows that a worker writes (results of checks, states of hosts and runs) are written here as by the
worker: these tests cover the API's side of the tables.
"""

import contextlib
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from assay.api.tokens.queries import issue
from assay.base.identity import ROLES, Identity
from assay.base.messaging.changes import announce
from assay.inventory.credentials.sealing import seal
from assay.tables.credentials import Credential
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check, Host, Inventory
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

GB = 10**9

on_sqlite = pytest.mark.parametrize("configured", ["sqlite"], indirect=True)
"""For a test whose request is rejected before any table is read."""

on_both = pytest.mark.parametrize("configured", ["sqlite", "postgresql"], indirect=True)
"""For a test of locks or constraints in a folder whose other tests need only SQLite."""

LOGIN_KEY = "login of hosts"

SETTING_UP = Identity("test", "admin", "local")
"""The creator of the callers' tokens: no user, as on the command line."""

INVENTORY: dict[str, Any] = {
    "contract": 2,
    "hostname": "web-1",
    "kernel": "6.12.9",
    "os": "Debian GNU/Linux 13",
    "arch": "x86_64",
    "cpus": {"count": 16, "model": "EPYC 7343"},
    "mem_total_bytes": 64 * GB,
    "filesystems": [],
    "devices": [{"name": "nvme0n1", "model": "Acme P5", "rotational": False}],
    "nics": [
        {"name": "eth0", "speed_bits_per_s": 10_000_000_000},
        {"name": "eth1", "speed_bits_per_s": None},
    ],
}

FOUND: dict[str, Any] = {
    "path": "/mnt/a",
    "exists": True,
    "is_directory": True,
    "writable": True,
    "mount": "/mnt/a",
    "source": "/dev/nvme0n1",
    "type": "ext4",
    "uuid": "6f1d",
    "options": "rw,relatime",
    "kind": "local",
    "device": "nvme0n1p1",
    "device_bytes": 1024 * GB,
    "model": "Acme P5",
    "rotational": False,
    "free_bytes": 900 * GB,
    "size_bytes": 1000 * GB,
    "is_root_fs": False,
    "direct": "real",
    "alignment_bytes": 512,
    "write_cache": "write through",
    "scheduler": "none",
    "read_ahead_bytes": 131072,
    "problem": None,
}
"""The response of the probe's `inspect` for a valid target."""


def login_key(session: Session) -> int:
    """Return the id of the credential of hosts that no test logs in to."""
    key = session.scalars(select(Credential).where(Credential.name == LOGIN_KEY)).first()
    if key is None:
        key = Credential(name=LOGIN_KEY, kind="password", sealed=seal("hunter2 hunter2"))
        session.add(key)
        session.flush()
    return key.id


@dataclass
class Caller:
    """A client with a token."""

    http: TestClient
    token: str | None

    def _headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return own | dict(more or {})

    def get(self, path: str, **query: Any) -> Response:
        return self.http.get(f"/api/v1{path}", params=query, headers=self._headers())

    def get_with(self, headers: Mapping[str, str], path: str) -> Response:
        return self.http.get(f"/api/v1{path}", headers=self._headers(headers))

    def post(self, path: str, body: Any = None, key: str | None = None) -> Response:
        headers = self._headers({"Idempotency-Key": key} if key is not None else None)
        return self.http.post(f"/api/v1{path}", json=body, headers=headers)

    def put(self, path: str, body: Any, if_match: str | None = None) -> Response:
        return self.http.put(f"/api/v1{path}", json=body, headers=self._if(if_match))

    def patch(self, path: str, body: Any, if_match: str | None = None) -> Response:
        return self.http.patch(f"/api/v1{path}", json=body, headers=self._if(if_match))

    def delete(self, path: str, if_match: str | None = None) -> Response:
        return self.http.delete(f"/api/v1{path}", headers=self._if(if_match))

    def _if(self, if_match: str | None) -> dict[str, str]:
        return self._headers({"If-Match": if_match} if if_match is not None else None)


class Appliance:
    """The API and its clients."""

    def __init__(self, http: TestClient) -> None:
        self.http = http
        self.anonymous = Caller(http, None)
        with writing() as session:
            tokens = [issue(session, SETTING_UP, role, role, None)[1] for role in ROLES]
        self.viewer, self.operator, self.admin = (Caller(http, token) for token in tokens)

    def credential(self, name: str = "lab key") -> int:
        answer = self.admin.post("/credentials", {"name": name, "kind": "generated"})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def host(self, name: str = "web-1", **columns: Any) -> int:
        """A host that was checked: ready, with an inventory; Assay's own if `local`."""
        with writing() as session:
            values = {"connection": "ssh", "state": "ready", **columns}
            if values["connection"] == "ssh":
                values = {"address": f"{name}.example", "user": "assay", **values}
                if "credential_id" not in values:
                    values["credential_id"] = login_key(session)
            host = Host(name=name, **values)
            session.add(host)
            session.flush()
            session.add(Inventory(host_id=host.id, probe="0.1.0", body=INVENTORY))
            return host.id

    def target(self, host_id: int, path: str = "/mnt/a", **found: Any) -> int:
        """A target, registered over the API by whom the host allows it."""
        with reading() as session:
            is_local = session.get_one(Host, host_id).connection == "local"
        caller = self.admin if is_local else self.operator
        with self.answering({**FOUND, "path": path, **found}):
            answer = caller.post("/targets", {"host_id": host_id, "path": path})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def profile(self, slug: str = "filecatalyst-default-write") -> int:
        profiles = self.viewer.get("/profiles").json()["items"]
        return next(profile["id"] for profile in profiles if profile["slug"] == slug)

    def audit(self) -> list[dict[str, Any]]:
        """Return the audit entries since the callers got their tokens, newest first."""
        entries = self.admin.get("/audit", limit=200).json()["items"]
        return [entry for entry in entries if entry["actor"] != SETTING_UP.actor]

    @contextlib.contextmanager
    def answering(
        self,
        answer: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
        **host: Any,
    ) -> Generator[None]:
        """Answer checks as a worker does: with `answer` or `error`, and columns of the host."""
        stop = threading.Event()

        def work() -> None:
            while not stop.wait(0.01):
                with reading() as session:
                    waiting = session.scalars(select(Check.id).where(Check.state == "queued")).all()
                for check_id in waiting:
                    self.answer(check_id, answer, error, **host)

        worker = threading.Thread(target=work)
        worker.start()
        try:
            yield
        finally:
            stop.set()
            worker.join()

    def answer(
        self,
        check_id: int,
        answer: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
        **host: Any,
    ) -> None:
        with writing() as session:
            check = session.get_one(Check, check_id)
            check.state = "failed" if error else "ok"
            check.answer, check.error = answer, error
            check.started_at = check.ended_at = now()
            changed = session.get_one(Host, check.host_id)
            for name, value in host.items():
                setattr(changed, name, value)
            announce(f"check:{check_id}", f"host:{check.host_id}", after=session)


def problem(answer: Response, status: int, code: str) -> dict[str, Any]:
    """Return the problem document of a rejection, which must be this one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["code"] == code, document
    assert document["status"] == status
    assert document["title"]
    assert document["detail"]
    for error in document["errors"]:
        assert error["field"]
        assert error["message"]
        assert error["remedy"]
    return document


def fields(document: dict[str, Any]) -> list[str]:
    """Return the fields that a problem names."""
    return [error["field"] for error in document["errors"]]


def at_once(
    monkeypatch: pytest.MonkeyPatch, endpoints: ModuleType, *requests: Callable[[], Response]
) -> list[Response]:
    """Return the responses to two concurrent requests that reach the same point.

    They wait where `endpoints` writes to the audit log, after all checks and before the commit.
    """
    written, both = endpoints.record, threading.Barrier(2)

    def together(*args: Any, **detail: Any) -> None:
        with contextlib.suppress(threading.BrokenBarrierError):  # the other one may not get here
            both.wait(0.5)
        written(*args, **detail)

    monkeypatch.setattr(endpoints, "record", together)
    with ThreadPoolExecutor(2) as people:
        return list(people.map(lambda request: request(), requests))
