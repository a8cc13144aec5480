"""A write whose files another host reads back: two real hosts that share a directory."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assay.kinds.sustained.read_back import ReadBackFigures
from assay.kinds.sustained.result import SustainedResult
from assay.runs.recording.increment import HANDED_OVER
from assay.runs.results import judge
from assay.runs.scheduling import capacity
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.runs import Reservation, Run
from assay_worker.connectors.connection import Stream
from assay_worker.driver import read_back
from assay_worker.errors import ConnectionLostError
from assay_worker.probe import Probe
from sqlalchemy import select
from testing.api import Appliance
from testing.assertions import assert_nothing_stays
from testing.installation import BOTH, MB, Installation, wait_until
from testing.sshd import Sshd

WRITE: dict[str, Any] = {
    "kind": "sustained",
    "operation": "write",
    "title": "Shared",
    "length": 8 * MB,
    "cache": "page",
    "block": [100_000],
    "mark_bytes": 1_000_000,
    "read_back": "other_host",
}


def launched(
    installation: Installation, api: Appliance, writer: int, reader: int, **where: Path
) -> int:
    """Launch a write at one host that the other reads back; return the run."""
    own = installation.target(writer, where["folder"])
    other = installation.target(reader, where.get("seen_as", where["folder"]))
    with writing() as session:  # this machine is both hosts, which is refused
        session.get_one(Host, reader).machine_id = "another-machine"
    criteria = [{"criterion": "verify.errors <= 0"}]
    body = {"name": "Shared", "body": {"tests": [WRITE], "criteria": criteria}}
    profile = api.operator.post("/profiles", body)
    assert profile.status_code == 201, profile.text
    asked = {
        "profile_id": profile.json()["id"],
        "target_ids": [own],
        "read_back_target_id": other,
    }
    answer = api.operator.post("/campaigns", asked)
    assert answer.status_code == 201, answer.text
    return answer.json()["runs"][0]["id"]


def verified(run_id: int) -> ReadBackFigures:
    with reading() as session:
        found = judge(session, session.get_one(Run, run_id))
    assert isinstance(found, SustainedResult)
    figures = found.cells[0].trials[0].read_back
    assert figures is not None
    return figures


def handed_over(installation: Installation, run_id: int) -> bool:
    return HANDED_OVER in (installation.participant(run_id).hello or {})


def hosts(installation: Installation, sshd: Sshd) -> tuple[int, int]:
    """Return the writer and the reader, both checked."""
    found = installation.local_host(), installation.ssh_host(sshd)
    for host_id in found:
        assert installation.check(host_id).error is None
    return found


@BOTH
def test_the_other_host_verifies_every_byte(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    installation.drive_to_the_end(run_id)
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    found = verified(run_id)
    assert (found.whole, found.elsewhere, found.error) == (True, True, None)
    assert (found.bytes, found.errors) == (8 * MB, 0)
    shown = api.operator.get(f"/runs/{run_id}").json()["read_back_by"]
    assert (shown["host"]["id"], shown["target"]["path"]) == (reader, str(folder))
    assert not handed_over(installation, run_id)
    assert_nothing_stays(tmp_path, folder)


def test_the_other_host_is_reserved_until_the_end(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    writer, reader = hosts(installation, sshd)
    with writing() as session:
        capacity.announce(session, "worker:1", 1)
    run_id = launched(installation, api, writer, reader, folder=tmp_path / "shared")
    with reading() as session:
        held = select(Reservation.resource).where(Reservation.run_id == run_id)
        assert {f"host:{writer}", f"host:{reader}"} <= set(session.scalars(held))
    refused = api.operator.delete(f"/hosts/{reader}")
    assert (refused.status_code, refused.json()["runs"]) == (409, [run_id])
    installation.drive_to_the_end(run_id)
    with reading() as session:
        assert session.scalars(select(Reservation.resource)).all() == []


def test_another_directory_is_the_reason_and_nothing_stays(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    writer, reader = hosts(installation, sshd)
    folder, apart = tmp_path / "shared", tmp_path / "apart"
    run_id = launched(installation, api, writer, reader, folder=folder, seen_as=apart)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    found = verified(run_id)
    assert (found.whole, found.bytes) == (False, 0)
    assert "not the same directory of one file system" in (found.error or "")
    verdict = api.operator.get(f"/runs/{run_id}/verdict").json()
    assert [row["outcome"] for row in verdict["rows"]] == ["inconclusive"]
    assert_nothing_stays(tmp_path, folder)


def test_a_host_that_is_gone_ends_the_wait(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_back, "GIVE_UP_S", 1.0)
    monkeypatch.setattr(read_back, "RETRY_S", 0.2)
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    sshd.stop()
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    found = verified(run_id)
    assert (found.whole, found.elsewhere) == (False, True)
    assert (found.error or "").startswith("The connection was refused")
    assert installation.attempts(run_id)[0].status == "complete"
    assert_nothing_stays(tmp_path, folder)


def test_another_worker_repeats_an_interrupted_read_back(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    with monkeypatch.context() as patched:
        patched.setattr(read_back, "LOOK_S", 60)
        patched.setattr(read_back, "_handed_over", _nothing)
        installation.drive_until(run_id, lambda: handed_over(installation, run_id))
    assert installation.attempts(run_id)[0].status == "complete"
    installation.drive_to_the_end(run_id)
    assert (verified(run_id).whole, verified(run_id).bytes) == (True, 8 * MB)
    assert_nothing_stays(tmp_path, folder)


def test_a_cancel_while_the_other_host_reads_leaves_nothing(
    installation: Installation, api: Appliance, sshd: Sshd, tmp_path: Path
) -> None:
    writer, reader = hosts(installation, sshd)
    folder, apart = tmp_path / "shared", tmp_path / "apart"
    run_id = launched(installation, api, writer, reader, folder=folder, seen_as=apart)
    seen: list[str] = []

    def cancel() -> None:
        hang(folder, apart)
        wait_until(lambda: handed_over(installation, run_id) and bool(readers(apart)))
        seen.extend(readers(apart))
        campaign = installation.run(run_id).campaign_id
        assert api.operator.post(f"/campaigns/{campaign}/cancel").status_code == 200

    thread = threading.Thread(target=cancel)
    thread.start()
    installation.drive_to_the_end(run_id)
    thread.join()
    assert len(seen) == 1
    found = verified(run_id)
    assert (found.whole, found.error, found.bytes) == (False, None, 0)
    wait_until(lambda: not readers(apart))
    assert_nothing_stays(tmp_path, folder)


def test_a_read_that_hangs_is_given_up(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its probe goes on printing lines, whose bytes do not grow."""
    monkeypatch.setattr(read_back, "SILENT_S", 2.5)
    writer, reader = hosts(installation, sshd)
    folder, apart = tmp_path / "shared", tmp_path / "apart"
    run_id = launched(installation, api, writer, reader, folder=folder, seen_as=apart)
    thread = threading.Thread(target=hang, args=[folder, apart])
    thread.start()
    installation.drive_to_the_end(run_id)
    thread.join()
    assert (installation.run(run_id).state, installation.run(run_id).error) == ("done", None)
    found = verified(run_id)
    assert found.whole is False
    assert "has verified nothing for 2.5 s, after 0 bytes" in (found.error or "")
    wait_until(lambda: not readers(apart))
    assert_nothing_stays(tmp_path, folder)


def test_a_report_survives_the_loss_of_the_writer(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_back, "RETRY_S", 0.1)
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    begun = counted(monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(Probe, "verified", raising(ConnectionLostError("cut")))
        installation.drive_until(run_id, lambda: "report" in handed(installation, run_id))
    assert len(begun) == 1
    installation.drive_to_the_end(run_id)
    assert len(begun) == 1
    assert (verified(run_id).whole, verified(run_id).bytes) == (True, 8 * MB)


def test_a_try_is_not_forgotten_while_the_log_goes_on(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The follower stores the progress of the waiting probe once per second."""
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    begun: list[object] = []
    logged: set[int] = set()

    def went_on() -> bool:
        if begun:
            logged.add(installation.participant(run_id).offset)
        return len(logged) > 2

    with monkeypatch.context() as patched:
        patched.setattr(Probe, "verify", raising(ConnectionLostError("cut"), begun))
        installation.drive_until(run_id, went_on)
    assert handed(installation, run_id)["begun"] == len(begun) == 1
    installation.drive_to_the_end(run_id)
    assert verified(run_id).whole is True


def test_reading_back_begins_a_limited_number_of_times_in_all(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_back, "RETRY_S", 0.3)
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    begun: list[object] = []
    monkeypatch.setattr(Probe, "verify", raising(ConnectionLostError("cut"), begun))
    installation.drive_until(run_id, lambda: len(begun) >= 2)
    installation.drive_to_the_end(run_id)
    assert len(begun) <= read_back.MOST_BEGUN
    found = verified(run_id)
    assert (found.whole, found.error) == (False, "The connection to the host was lost: cut")
    assert installation.attempts(run_id)[0].status == "complete"
    assert_nothing_stays(tmp_path, folder)


def test_an_unexpected_error_of_the_reader_is_the_reason(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_back, "RETRY_S", 0.1)
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)
    monkeypatch.setattr(read_back, "_reader", raising_at_once(ValueError("odd")))
    installation.drive_to_the_end(run_id)
    assert verified(run_id).error == "Internal error: ValueError: odd"


def test_a_report_that_the_probe_refuses_is_the_reason(
    installation: Installation,
    api: Appliance,
    sshd: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(read_back, "RETRY_S", 0.1)
    writer, reader = hosts(installation, sshd)
    folder = tmp_path / "shared"
    run_id = launched(installation, api, writer, reader, folder=folder)

    async def broken(*_: object) -> str:
        return "report of another version"

    monkeypatch.setattr(read_back, "_verify", broken)
    installation.drive_to_the_end(run_id)
    assert installation.run(run_id).state == "done"
    assert (verified(run_id).error or "").startswith("The probe rejected the plan")
    assert_nothing_stays(tmp_path, folder)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the targets at which the real probe is told to verify, from now on."""
    begun: list[str] = []
    real = Probe.verify

    async def verify(probe: Probe, target: str, manifest: str) -> Stream:
        begun.append(target)
        return await real(probe, target, manifest)

    monkeypatch.setattr(Probe, "verify", verify)
    return begun


def raising(error: Exception, calls: list[object] | None = None) -> Callable[..., Any]:
    async def call(*arguments: object) -> None:
        if calls is not None:
            calls.append(arguments)
        raise error

    return call


def raising_at_once(error: Exception) -> Callable[..., Any]:
    def call(*_: object) -> None:
        raise error

    return call


def handed(installation: Installation, run_id: int) -> dict[str, Any]:
    """Return what is known of the attempt that waits to be read back, without what is null."""
    found = installation.participant(run_id).read_back or {}
    return {name: value for name, value in found.items() if value is not None}


def hang(folder: Path, apart: Path) -> None:
    """Have the other host's read hang: there, the file is a pipe that nobody writes."""
    wait_until(lambda: bool(list(folder.glob(".assay-*/stream*"))))
    (workdir,) = folder.glob(".assay-*")
    twin = apart / workdir.name
    twin.mkdir()
    os.mkfifo(twin / next(workdir.glob("stream*")).name)


def _nothing(_participant_id: int) -> None:
    """See no write that waits."""


def readers(target: Path) -> list[str]:
    """Return the probes that read files back at a target."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if words[1:3] == [b"verify", str(target).encode()]:
            found.append(process.name)
    return found
