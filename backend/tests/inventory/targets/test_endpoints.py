"""Targets: acceptance, limitations, registration and checks."""

import random
from typing import Any

import pytest
from assay.base.host_field_types import LONGEST_PATH
from assay.inventory.targets.reserve import reserve_bytes
from assay.tables.database import writing
from assay.tables.runs import Run
from sqlalchemy import update
from testing.api import FOUND, GB, Appliance, fields, on_sqlite, problem

ODD_PATH = "/mnt/a 'b' \"c\"\n$(reboot) \u00fc"


def test_a_target_shows_its_file_system_and_device(appliance: Appliance) -> None:
    target = appliance.target(appliance.host())
    shown = appliance.viewer.get(f"/targets/{target}").json()
    assert shown["host_name"] == "web-1"
    assert shown["fs_type"] == "ext4"
    assert shown["direct"] == "real"
    assert shown["alignment_bytes"] == 512
    assert shown["device_info"] == {
        "model": "Acme P5",
        "rotational": False,
        "size_bytes": 1024 * GB,
        "scheduler": "none",
        "read_ahead_bytes": 131072,
        "write_cache": "write through",
    }
    assert shown["reserve_bytes"] == 50 * GB
    assert shown["notes"] == []
    listed = appliance.viewer.get("/targets", host_id=shown["host_id"]).json()["items"]
    assert listed == [shown]
    assert appliance.viewer.get("/targets", host_id=99).json()["items"] == []


def test_unusual_paths_are_accepted(appliance: Appliance) -> None:
    target = appliance.target(appliance.host(), ODD_PATH)
    assert appliance.viewer.get(f"/targets/{target}").json()["path"] == ODD_PATH


@pytest.mark.parametrize(
    ("probe_code", "code"),
    [
        ("missing", "path_missing"),
        ("not_directory", "not_directory"),
        ("not_writable", "not_writable"),
        ("symlink_other_fs", "symlink_other_fs"),
        ("block_device", "block_device"),
        ("read_only", "read_only"),
        ("of_tomorrow", "unusable"),
    ],
)
def test_an_unusable_directory_is_rejected_with_the_reason(
    appliance: Appliance, probe_code: str, code: str
) -> None:
    host = appliance.host()
    found = {**FOUND, "problem": {"code": probe_code, "message": "because"}}
    with appliance.answering(found):
        answer = appliance.operator.post("/targets", {"host_id": host, "path": "/mnt/a"})
    document = problem(answer, 422, code)
    assert fields(document) == ["path"]
    assert document["errors"][0]["value"] == "/mnt/a"
    assert document["detail"].startswith("path: ")
    assert document["detail_repeats_errors"] is True
    assert appliance.viewer.get("/targets").json()["items"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, None) for name in ("type", "source", "direct", "free_bytes", "size_bytes")),
        *(("type", "x" * 61), ("source", "x" * 1001), ("uuid", "x" * 101)),
        *(("direct", "perhaps"), ("rotational", "x"), ("model", 7), ("device_bytes", "many")),
        *(("alignment_bytes", 0), ("free_bytes", 2**63), ("is_root_fs", "no")),
    ],
    ids=str,
)
def test_an_invalid_response_creates_no_target(appliance: Appliance, name: str, value: Any) -> None:
    target = appliance.target(appliance.host())
    with appliance.answering({**FOUND, name: value}):
        again = appliance.operator.post(f"/targets/{target}/check")
        body = {"host_id": appliance.host("web-2"), "path": "/mnt/a"}
        new = appliance.operator.post("/targets", body)
    for answer in (again, new):
        (error,) = problem(answer, 422, "not_judged")["errors"]
        assert (error["field"], error["value"]) == ("path", "/mnt/a")
        assert f"invalid response from the host, {name}: must " in error["message"]
    assert [one["id"] for one in appliance.viewer.get("/targets").json()["items"]] == [target]


@pytest.mark.parametrize(
    ("is_root", "through", "reason"),
    [
        (True, None, "/var/scratch is on the host's root file system"),
        (
            True,
            "/img/disk",
            "/var/scratch stores its data in /img/disk on the host's root file system",
        ),
        (
            None,
            "/gone",
            "/var/scratch stores its data by way of /gone, which may be on the host's root file "
            "system",
        ),
    ],
)
def test_writes_that_may_reach_the_root_file_system_need_consent(
    appliance: Appliance, is_root: bool | None, through: str | None, reason: str
) -> None:
    host = appliance.host()
    body: dict[str, Any] = {"host_id": host, "path": "/var/scratch"}
    with appliance.answering({**FOUND, "is_root_fs": is_root, "root_fs_through": through}):
        answer = appliance.operator.post("/targets", body)
        document = problem(answer, 422, "root_fs_consent_required")
        assert fields(document) == ["root_consent"]
        assert document["errors"][0]["message"] == f"{reason}, which the host needs to run"
        answer = appliance.operator.post("/targets", {**body, "root_consent": True})
    assert answer.status_code == 201
    assert answer.json()["is_root_fs"] is is_root
    assert appliance.audit()[0]["detail"]["root_consent"] is True


@on_sqlite
@pytest.mark.parametrize(
    "path", ["", "relative", "~/a", "a\x00b", "/" + "a" * 5000, "/" + "\u6f22" * 700]
)
def test_an_impossible_path_is_rejected_immediately(appliance: Appliance, path: str) -> None:
    answer = appliance.operator.post("/targets", {"host_id": appliance.host(), "path": path})
    assert fields(problem(answer, 422, "invalid")) == ["path"]


def test_the_longest_path_can_be_stored(appliance: Appliance) -> None:
    path = f"/{random.Random(1).randbytes(LONGEST_PATH // 2).hex()}"[:LONGEST_PATH]
    target = appliance.target(appliance.host(), path)
    assert appliance.viewer.get(f"/targets/{target}").json()["path"] == path


@pytest.mark.parametrize(
    ("state", "why", "remedy"),
    [
        ("new", "has not been checked", "Check"),
        ("key_unapproved", "an unapproved host key", "Verify"),
        ("key_changed", "a changed host key", "verify the new fingerprint"),
        ("unreachable", "could not be reached", "Check"),
        ("error", "failed the last check", "Fix the cause"),
        ("deleting", "is being deleted", "another host"),
    ],
)
def test_a_host_has_to_be_ready(appliance: Appliance, state: str, why: str, remedy: str) -> None:
    host = appliance.host("Ada's", state=state, state_reason="Port 22 is closed.")
    answer = appliance.operator.post("/targets", {"host_id": host, "path": "/mnt/a"})
    (error,) = problem(answer, 409, "host_not_ready")["errors"]
    assert (error["field"], error["value"]) == ("host_id", host)
    assert error["message"].startswith("the host 'Ada's' ")
    assert why in error["message"] and "(Port 22 is closed)" in error["message"]
    assert remedy in error["remedy"]
    assert state == "new" or state not in error["message"]


def test_unknown_host_and_array_are_named(appliance: Appliance) -> None:
    answer = appliance.operator.post("/targets", {"host_id": 99, "path": "/mnt/a"})
    assert fields(problem(answer, 422, "invalid")) == ["host_id"]
    body = {"host_id": appliance.host(), "path": "/mnt/a", "array_id": 99}
    assert fields(problem(appliance.operator.post("/targets", body), 422, "invalid")) == [
        "array_id"
    ]


def test_a_directory_is_registered_once(appliance: Appliance) -> None:
    host = appliance.host()
    appliance.target(host)
    answer = appliance.operator.post("/targets", {"host_id": host, "path": "/mnt/a/"})
    (error,) = problem(answer, 409, "target_exists")["errors"]
    assert (error["field"], error["value"]) == ("path", "/mnt/a")


def test_a_directory_is_registered_once_under_any_path(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host, real_path="/mnt/a")
    for path in ("/mnt/a/../a", "/mnt/link"):
        with appliance.answering({**FOUND, "path": path, "real_path": "/mnt/a"}):
            answer = appliance.operator.post("/targets", {"host_id": host, "path": path})
        assert "/mnt/a" in problem(answer, 409, "target_exists")["detail"]
    elsewhere = appliance.host("web-2")
    appliance.target(elsewhere, "/mnt/link", real_path="/mnt/a")
    assert appliance.operator.delete(f"/targets/{target}").status_code == 204
    appliance.target(host, "/mnt/link", real_path="/mnt/a")


def test_a_failed_inspection_returns_the_error_of_the_worker(appliance: Appliance) -> None:
    host = appliance.host()
    error = {"code": "refused", "title": "Refused", "detail": "Port 22.", "remedy": "Start sshd."}
    with appliance.answering(error=error):
        answer = appliance.operator.post("/targets", {"host_id": host, "path": "/mnt/a"})
    document = problem(answer, 422, "refused")
    assert document["detail"] == "Port 22."


def test_without_a_worker_the_request_times_out(
    appliance: Appliance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.api.endpoints.targets.INSPECTION_TIMEOUT_S", 0.1)
    body = {"host_id": appliance.host(), "path": "/mnt/a"}
    problem(appliance.operator.post("/targets", body), 504, "check_pending")


@pytest.mark.parametrize(
    ("found", "word"),
    [
        ({"kind": "network", "direct": "unprovable"}, "network file system"),
        ({"kind": "zfs", "direct": "buffered"}, "ARC"),
        ({"kind": "memory", "direct": "refused"}, "in memory"),
        ({"direct": "refused"}, "O_DIRECT is not supported"),
        ({"direct": "buffered"}, "accepted here but buffered"),
    ],
)
def test_limitations_of_results_are_listed(
    appliance: Appliance, found: dict[str, Any], word: str
) -> None:
    target = appliance.target(appliance.host(), **found)
    assert word in " ".join(appliance.viewer.get(f"/targets/{target}").json()["notes"])


def test_a_repeated_check_updates_the_target(appliance: Appliance) -> None:
    target = appliance.target(appliance.host())
    with appliance.answering({**FOUND, "free_bytes": 5 * GB}):
        answer = appliance.operator.post(f"/targets/{target}/check")
    assert answer.json()["free_bytes"] == 5 * GB


def test_another_file_system_at_the_path_is_detected(appliance: Appliance) -> None:
    target = appliance.target(appliance.host())
    with appliance.answering({**FOUND, "uuid": "other", "source": "/dev/vda1"}):
        answer = appliance.operator.post(f"/targets/{target}/check")
    document = problem(answer, 409, "target_changed")
    assert document["was"]["source"] == "/dev/nvme0n1"
    assert document["found"]["source"] == "/dev/vda1"
    assert appliance.viewer.get(f"/targets/{target}").json()["fs_uuid"] == "6f1d"


def test_a_deleted_target_can_be_registered_again(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    plan = {"profile_id": appliance.profile(), "target_ids": [target]}
    campaign = appliance.operator.post("/campaigns", plan).json()
    problem(appliance.operator.delete(f"/targets/{target}"), 409, "target_busy")
    appliance.operator.post(f"/campaigns/{campaign['id']}/cancel")
    with writing() as session:
        session.execute(update(Run).values(state="cancelled"))
    assert appliance.operator.delete(f"/targets/{target}").status_code == 204
    problem(appliance.viewer.get(f"/targets/{target}"), 404, "not_found")
    assert appliance.target(host, uuid="new") == target
    assert appliance.viewer.get(f"/targets/{target}").json()["fs_uuid"] == "new"


@pytest.mark.parametrize(
    ("chosen", "size_gb", "reserved_gb"),
    [
        *((None, 0, 0), (None, 4, 0.4), (None, 99, 9.9), (None, 100, 10), (None, 150, 10)),
        *((None, 200, 10), (None, 1000, 50), (0, 1000, 0), (3 * GB, 4, 3)),
    ],
)
def test_the_reserve_fits_the_file_system_unless_it_is_chosen(
    chosen: int | None, size_gb: int, reserved_gb: float
) -> None:
    assert reserve_bytes(chosen, size_gb * GB) == reserved_gb * GB


def test_name_array_and_reserve_can_change(appliance: Appliance) -> None:
    path = f"/targets/{appliance.target(appliance.host())}"
    changed = appliance.operator.patch(path, {"name": "scratch", "reserve_bytes": 0}).json()
    assert (changed["name"], changed["reserve_bytes"]) == ("scratch", 0)
    changed = appliance.operator.patch(path, {"reserve_bytes": None}).json()
    assert changed["reserve_bytes"] == 50 * GB
    for field, value in (("name", None), ("path", "/x")):
        answer = appliance.operator.patch(path, {field: value})
        assert fields(problem(answer, 422, "invalid")) == [field]


@pytest.mark.parametrize("host", [0, 2**63])
def test_a_list_for_an_impossible_host_id_is_rejected(appliance: Appliance, host: int) -> None:
    assert fields(problem(appliance.viewer.get("/targets", host_id=host), 422, "invalid")) == [
        "host_id"
    ]


def test_ids_of_deleted_targets_and_hosts_are_not_reused(appliance: Appliance) -> None:
    host = appliance.host()
    target = appliance.target(host)
    assert appliance.operator.delete(f"/targets/{target}").status_code == 204
    assert appliance.target(host) > target
    assert appliance.operator.delete(f"/hosts/{host}").status_code == 204
    assert appliance.host() > host
