"""An installation of Assay in the directory of a test, and operations on it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from assay.base.settings import settings
from assay.base.states import LOST
from assay.inventory.credentials.sealing import seal
from assay.runs import lifecycle
from assay.runs.lifecycle import FINAL
from assay.runs.scheduling import capacity, reservations
from assay.tables.campaigns import Campaign
from assay.tables.credentials import Credential
from assay.tables.database import now, reading, writing
from assay.tables.hosts import Check, Host
from assay.tables.profiles import Profile
from assay.tables.runs import Attempt, Notice, Participant, Reservation, Run, Trial
from assay.tables.targets import Target
from assay_worker import loop
from assay_worker.checks import answering
from assay_worker.driver import run as driver
from assay_worker.ownership_renewal import worker_name
from sqlalchemy import func, select

from testing import seeds
from testing.sshd import Sshd

BOTH = pytest.mark.parametrize("installation", ["sqlite", "postgresql"], indirect=True)
"""For a test that must pass on either database."""

MB = 10**6

TEST = seeds.TEST | {"file_size": 2 * MB, "sync_timeout_ms": 60_000}

SLOW: dict[str, Any] = {
    "open_mode": "rwd",
    "block": [4096],
    "file_size": 100 * MB,
    "timeout_ms": 300,
}
"""Trials of 0.3 s each on any disk, which write little."""


class Installation:
    """Rows are created as by the API; processes are the real ones."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.processes: list[subprocess.Popen[bytes]] = []

    def local_host(self, name: str = "this machine") -> int:
        with writing() as session:
            host = Host(name=name, connection="local", state="ready")
            session.add(host)
            session.flush()
            return host.id

    def ssh_host(self, server: Sshd, approved: bool = True, **fields: Any) -> int:
        name = fields.get("name", f"host-{server.port}")
        with writing() as session:
            credential = Credential(
                name=f"key of {name}", kind="private_key", sealed=seal(server.private_key)
            )
            session.add(credential)
            session.flush()
            values: dict[str, Any] = {
                "name": name,
                "connection": "ssh",
                "address": "127.0.0.1",
                "port": server.port,
                "user": server.user,
                "credential_id": credential.id,
                "approved_key": server.host_key if approved else None,
                "state": "ready" if approved else "new",
            }
            host = Host(**(values | fields))
            session.add(host)
            session.flush()
            return host.id

    def check(self, host_id: int, kind: str = "host", **request: Any) -> Check:
        with writing() as session:
            check = Check(host_id=host_id, kind=kind, request=request)
            session.add(check)
            session.flush()
        run_check(check.id)
        with reading() as session:
            return session.get_one(Check, check.id)

    def answered(self, check_id: int) -> bool:
        with reading() as session:
            return session.get_one(Check, check_id).state in ("ok", "failed")

    def target(self, host_id: int, path: Path) -> int:
        """Create a target in a new directory of this machine."""
        path.mkdir(exist_ok=True)
        return self.known_target(host_id, path)

    def known_target(self, host_id: int, path: Path) -> int:
        """Create a target in an existing directory of the host."""
        check = self.check(host_id, "target", path=str(path))
        assert check.error is None, check.error
        assert check.answer is not None
        facts = check.answer
        assert facts["problem"] is None, facts
        with writing() as session:
            target = Target(
                host_id=host_id,
                name=path.name,
                path=str(path),
                fs_type=facts["type"],
                fs_source=facts["source"],
                fs_uuid=facts["uuid"],
                reserve_bytes=0,
                root_consent=True,
                facts=facts,
            )
            session.add(target)
            session.flush()
            return target.id

    def target_row(self, host_id: int) -> int:
        """Create a target that was never inspected, for tests that do not reach its host."""
        with writing() as session:
            target = Target(
                host_id=host_id,
                name="scratch",
                path="/mnt/a",
                fs_type="ext4",
                fs_source="/dev/vda",
                facts={},
            )
            session.add(target)
            session.flush()
            return target.id

    def condition(self, run_id: int) -> str | None:
        """Return `lost`, or None."""
        with reading() as session:
            run = session.get_one(Run, run_id)
            return LOST if lifecycle.lost_among(session, [run]) else None

    def revisions(self) -> list[int]:
        with reading() as session:
            return list(session.scalars(select(Run.revision).order_by(Run.id)))

    def launch(self, *target_ids: int, watch_ms: int = 600_000, **parameters: Any) -> int:
        """Launch a campaign of one run on all targets together; return the run's id."""
        values = TEST | parameters
        cells = [
            (repeat, block, threads)
            for repeat in range(values["repeats"])
            for block in values["block"]
            for threads in values["threads"]
        ]
        body = {"tests": [values], "watch_ms": watch_ms}
        with writing() as session:
            targets = [session.get_one(Target, one) for one in target_ids]
            for host_id in sorted({target.host_id for target in targets}):
                session.get(Host, host_id, with_for_update=True)
            slug = f"profile-{time.monotonic_ns()}"
            profile = Profile(slug=slug, name="Matrix", body=body, created_by="test")
            session.add(profile)
            session.flush()
            campaign = Campaign(
                name="Campaign",
                profile_id=profile.id,
                profile_snapshot={"name": "Matrix", "body": body},
                created_by="test",
            )
            session.add(campaign)
            session.flush()
            run = Run(
                campaign_id=campaign.id,
                number=1,
                title=values["title"],
                kind="matrix",
                parameters=seeds.resolved(values),
                trials_total=len(cells),
            )
            session.add(run)
            session.flush()
            session.add_all(
                Participant(
                    run_id=run.id,
                    position=position,
                    role="writer",
                    host_id=target.host_id,
                    target_id=target.id,
                )
                for position, target in enumerate(targets)
            )
            for position, (repeat, block, threads) in enumerate(cells):
                session.add(
                    Trial(
                        run_id=run.id,
                        position=position,
                        repeat=repeat,
                        cell=f"{block}x{threads}",
                        parameters={
                            "block": block,
                            "threads": threads,
                            "files": min(values["files"], threads),
                            "file_size": -(-values["file_size"] // block) * block,
                        },
                    )
                )
            return run.id

    def cancel(self, run_id: int) -> None:
        with writing() as session:
            campaign_id = session.get_one(Run, run_id).campaign_id
            session.get_one(Campaign, campaign_id).cancel_requested_at = now()

    def reread_settings(self) -> None:
        settings.cache_clear()

    def drive_to_the_end(self, run_id: int, seconds: float = 40) -> None:
        """Drive at once after each retry, as the reconciler would after a pause."""
        wait_until(
            lambda: drive(run_id) or is_over(self, run_id)(),
            seconds,
            lambda: f"the run's end; it {self.told(run_id)}",
        )

    def drive_until(self, run_id: int, true: Callable[[], bool], seconds: float = 60) -> None:
        """Drive at once after each retry, then release the run like a worker that shuts down."""
        enough = threading.Event()

        def work() -> None:
            while not enough.is_set() and not is_over(self, run_id)():
                drive(run_id)
                enough.wait(0.05)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            wait_until(true, seconds, lambda: f"what the run should do; it {self.told(run_id)}")
        finally:
            enough.set()
            for _ in range(20):  # it may be about to drive
                shut_down()
                thread.join(0.5)
                if not thread.is_alive():
                    break

    def told(self, run_id: int) -> str:
        """Return what a run says of itself, for a test that fails."""
        run = self.run(run_id)
        with reading() as session:
            notices = session.scalars(select(Notice.message).where(Notice.run_id == run_id))
            return f"is {run.state} ({run.state_reason}): {'; '.join(notices)}"

    def host(self, host_id: int) -> Host:
        with reading() as session:
            return session.get_one(Host, host_id)

    def spool(self, run_id: int, position: int = 0) -> Path:
        return Path(self.participant(run_id, position).run_dir or "") / "events.ndjson"

    def remove_spool(self, run_id: int) -> None:
        shutil.rmtree(self.spool(run_id).parent)

    def kill_probe(self, run_id: int, position: int = 0) -> None:
        """Kill only the detached probe."""
        self.signal_probe(run_id, signal.SIGKILL, position)

    def signal_probe(self, run_id: int, number: signal.Signals, position: int = 0) -> None:
        pid = int((self.spool(run_id, position).parent / "lock").read_text().split()[0])
        os.kill(pid, number)

    def running_attempt(self, run_id: int) -> int | None:
        """Return the number of the attempt in progress."""
        numbers = [a.number for a in self.attempts(run_id) if a.status == "running"]
        return numbers[0] if numbers else None

    def run(self, run_id: int) -> Run:
        with reading() as session:
            return session.get_one(Run, run_id)

    def participant(self, run_id: int, position: int = 0) -> Participant:
        with reading() as session:
            return session.scalars(
                select(Participant).where(
                    Participant.run_id == run_id, Participant.position == position
                )
            ).one()

    def attempts(self, run_id: int) -> list[Attempt]:
        with reading() as session:
            return list(
                session.scalars(
                    select(Attempt)
                    .join(Trial)
                    .where(Trial.run_id == run_id)
                    .order_by(Trial.position, Attempt.number, Attempt.participant_id)
                )
            )

    def notices(self, run_id: int) -> list[str]:
        with reading() as session:
            return list(session.scalars(select(Notice.code).where(Notice.run_id == run_id)))

    def reservations(self, run_id: int) -> list[str]:
        with reading() as session:
            held = select(Reservation.resource).where(Reservation.run_id == run_id)
            return list(session.scalars(held))

    def sample_count(self, run_id: int) -> int:
        with reading() as session:
            of_run = (
                select(func.sum(Attempt.sample_count)).join(Trial).where(Trial.run_id == run_id)
            )
            return session.scalar(of_run) or 0

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a real worker; this process is no longer one."""
        with writing() as session:
            capacity.withdraw(session, worker_name())
        arguments = ["-A", "assay_worker.application", "worker", "-P", "threads", "-l", "INFO"]
        return self._start("celery", *arguments, "--without-gossip", "--without-mingle")

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start("assay_worker.scheduler")

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.home / f"{module}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def end(self) -> None:
        """End what the test started: a probe that stayed would hold its disk."""
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        tests = self.home.parent
        for pid in probes_of(tests):
            with suppress(ProcessLookupError):  # it ended since
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not probes_of(tests), what="the end of a probe that was killed")


def drive(run_id: int) -> None:
    """Admit a run if it is queued, then drive it to its end or to its next retry."""
    if _is_queued(run_id):
        dispatch()
    since = time.monotonic()
    if (own := driver.claim(run_id)) is not None:
        with suppress(CancelledError):  # it was shut down
            loop.wait_for(driver.drive(own, since))


def try_now(run_id: int) -> None:
    """Drive a run without the pause before its next try."""
    with writing() as session:
        session.get_one(Run, run_id).retry_at = None
    drive(run_id)


def _is_queued(run_id: int) -> bool:
    with reading() as session:
        run = session.get(Run, run_id)
        return run is not None and run.state == lifecycle.QUEUED


def shut_down() -> None:
    """Release all runs, like a worker that shuts down, and be ready for others."""
    driver.leave()
    driver.stopping.clear()


def run_check(check_id: int) -> None:
    """Answer a check, unless another worker does."""
    since = time.monotonic()
    if (claimed := answering.claim_check(check_id)) is not None:
        loop.wait_for(answering.answer(*claimed, since))


def wait_until(
    true: Callable[[], Any], seconds: float = 60.0, what: str | Callable[[], str] = ""
) -> Any:
    """Return the first true result; fail after `seconds`."""
    until = time.monotonic() + seconds
    while not (answer := true()):
        if time.monotonic() > until:
            said = what if isinstance(what, str) else what()
            raise AssertionError(f"not within {seconds} s: {said}")
        time.sleep(0.05)
    return answer


def is_over(installation: Installation, run_id: int) -> Callable[[], bool]:
    return lambda: installation.run(run_id).state in FINAL


_announcing = threading.Lock()
"""Two threads would both insert the worker of this process."""


def announce(slots: int = 1000) -> None:
    """Be a worker with this capacity, for as long as a heartbeat is valid."""
    with _announcing, writing() as session:
        capacity.announce(session, worker_name(), slots)


def dispatch(slots: int = 1000) -> list[int]:
    """Return the runs that the dispatcher admits now for a worker with this capacity."""
    announce(slots)
    with writing() as session:
        return reservations.dispatch(session)


def release(run_id: int) -> None:
    """End a run without a driver, and release its reservations."""
    with writing() as session:
        session.get_one(Run, run_id).state = "done"
        reservations.release(session, run_id)


def probes_of(folder: Path) -> list[int]:
    """Return processes of a probe whose command line or open files refer to `folder`."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _is_probe(entry) and _touches(entry, str(folder)):
            found.append(int(entry.name))
    return found


def _is_probe(entry: Path) -> bool:
    try:
        return (entry / "comm").read_text().strip() == "assay-probe"
    except OSError:
        return False


def _touches(entry: Path, folder: str) -> bool:
    try:
        if folder in (entry / "cmdline").read_bytes().decode(errors="replace"):
            return True
        return any(folder in str(fd.readlink()) for fd in (entry / "fd").iterdir())
    except OSError:
        return False


def files_below(folders: Iterable[Path]) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*")]
