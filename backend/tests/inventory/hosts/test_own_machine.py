"""Assay's own machine: the administrator's, except where Assay's own files are."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from assay.api.tokens.queries import issue
from assay.base.identity import Limits
from assay.base.messaging.queue import private_folder
from assay.base.settings import REPOSITORY, settings
from assay.inventory.hosts import own_machine
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.targets import Target
from httpx import Response
from sqlalchemy import func, select
from testing.api import FOUND, SETTING_UP, Appliance, Caller, fields, problem

LOCAL_HOST = {"name": "again", "connection": "local"}
FILE = "name: f\nhosts: [{name: again, connection: local}]"
OTHERS = ["/root", "/boot", "/var/lib"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The home directory of an installation with its queue and its scratch directory."""
    home = tmp_path / "assay"
    for name in ("queue", "scratch", "scratch/deep"):
        (home / name).mkdir(parents=True)
    monkeypatch.setenv("ASSAY_HOME", str(home))
    settings.cache_clear()
    yield home
    settings.cache_clear()


def narrowed(role: Any, *scopes: Any) -> str:
    with writing() as session:
        return issue(session, SETTING_UP, "x", role, None, limits=Limits(scopes=list(scopes)))[1]


@pytest.fixture
def refused(appliance: Appliance) -> dict[str, tuple[Caller, str]]:
    """Callers who may not touch this machine, and the code that each gets."""
    token = narrowed("admin", "read", "hosts", "edit")
    return {
        "an operator": (appliance.operator, "not_allowed"),
        "an administrator's token without the scope": (
            Caller(appliance.http, token),
            "scope_missing",
        ),
    }


def test_only_an_administrator_registers_and_changes_this_machine(
    appliance: Appliance, refused: dict[str, tuple[Caller, str]]
) -> None:
    here = appliance.host("here", connection="local")
    with appliance.answering(FOUND):
        made = appliance.admin.post("/targets", {"host_id": here, "path": "/mnt/a"})
        assert made.status_code == 201, made.text
        target = f"/targets/{made.json()['id']}"
        before = _rows(appliance)
        for who, (caller, code) in refused.items():
            with_targets = LOCAL_HOST | {"targets": [{"path": "/root", "reserve_bytes": 0}]}
            asked: dict[str, tuple[Response, list[str]]] = {
                "register": (caller.post("/hosts", LOCAL_HOST), ["connection"]),
                "with targets": (caller.post("/hosts", with_targets), ["connection"]),
                "by a file": (caller.post("/apply", {"text": FILE}), ["hosts.0.connection"]),
                "change": (caller.patch(f"/hosts/{here}", {"name": "mine"}), []),
                "delete": (caller.delete(f"/hosts/{here}"), []),
                "change a target": (caller.patch(target, {"reserve_bytes": 0}), []),
                "delete a target": (caller.delete(target), []),
            }
            for path in OTHERS:
                body = {"host_id": here, "path": path, "root_consent": True, "reserve_bytes": 0}
                asked[path] = caller.post("/targets", body), ["path"]
            for what, (answer, named) in asked.items():
                document = problem(answer, 403, code)
                assert fields(document) == named, f"{what} by {who}"
            assert _rows(appliance) == before
        assert appliance.operator.post(f"{target}/check").status_code == 200
        assert appliance.admin.patch(target, {"name": "fast"}).status_code == 200
        assert appliance.admin.post("/hosts", LOCAL_HOST).status_code == 201


def _rows(appliance: Appliance) -> list[Any]:
    with reading() as session:
        counts = [session.scalar(select(func.count(table.id))) for table in (Host, Target)]
    return [*counts, appliance.viewer.get("/hosts").json()["items"]]


def test_nobody_registers_a_directory_with_assays_own_files(
    appliance: Appliance, home: Path
) -> None:
    here = appliance.host("here", connection="local")
    with appliance.answering(FOUND):
        for path in (home, home / "queue", REPOSITORY / "backend"):
            answer = appliance.admin.post("/targets", {"host_id": here, "path": str(path)})
            error = problem(answer, 422, "appliance_directory")["errors"][0]
            assert (error["field"], error["value"]) == ("path", str(path))
            body = LOCAL_HOST | {"targets": [{"path": str(path)}]}
            answer = appliance.admin.post("/hosts", body)
            assert fields(problem(answer, 422, "appliance_directory")) == ["targets.0.path"]
    assert appliance.viewer.get("/targets").json()["items"] == []
    assert len(appliance.viewer.get("/hosts").json()["items"]) == 1


def test_assays_directories_are_found_under_every_name(home: Path, tmp_path: Path) -> None:
    link, to_queue, beside = tmp_path / "link", home / "scratch" / "q", tmp_path / "beside"
    link.symlink_to(home)
    to_queue.symlink_to(home / "queue")
    beside.mkdir()
    own = [
        *(home, home / "queue", home / "not there yet", home / "scratch" / ".." / "queue"),
        *(link, link / "queue", to_queue, home / "scratchy", private_folder()),
        *(REPOSITORY, REPOSITORY / "frontend" / "dist", Path(sys.prefix) / "lib"),
    ]
    assert [path for path in own if not own_machine.is_assays(str(path))] == []
    others = [
        *(home / "scratch", home / "scratch" / "deep", link / "scratch", tmp_path, beside),
        *map(Path, ("/", "/boot", "/root", "/mnt")),
    ]
    assert [path for path in others if own_machine.is_assays(str(path))] == []


def test_the_directory_of_a_database_elsewhere_is_assays(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    (folder / "disk").mkdir(parents=True)
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{folder / 'assay.db'}")
    settings.cache_clear()
    assert own_machine.is_assays(str(folder))
    assert not own_machine.is_assays(str(folder / "disk"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts")
def test_a_bind_mount_of_a_directory_of_assay_is_assays(home: Path, tmp_path: Path) -> None:
    for source, expected in ((home / "queue", True), (home, True), (home / "scratch", False)):
        mounted = tmp_path / "mounted"
        mounted.mkdir(exist_ok=True)
        subprocess.run(["mount", "--bind", source, mounted], check=True)
        try:
            assert own_machine.is_assays(str(mounted)) is expected, source
        finally:
            subprocess.run(["umount", mounted], check=True)
