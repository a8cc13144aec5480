"""The environment of faults: an appliance, and four hosts of a lab on which it measures.

A matrix runs on each host when the fault is injected: two write and two read, of each kind one in
the middle of a trial and one between two. One injection thus covers all four cases.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar

import httpx
from assay.base import home as installed
from assay.runs.samples.columns import NAMES
from assay.tables.database import make_engine
from assay.tables.runs import Reservation, Run
from lab import GIB, MIB, Disk, Host, Lab
from lab.clock import Clock
from sqlalchemy import select
from sqlalchemy.orm import Session
from testing.appliance import ADMIN_PASSWORD, UP, Appliance
from testing.services import Postgres, create_database, valkey

MB = 10**6
RATE = 20 * MIB
MEMORY = 512 * MIB
MID, BETWEEN = "mid-trial", "between"
MARKS = {MID: b"sample", BETWEEN: b"result"}
"""The last event at each moment."""
KINDS = ("write", "read")
SPOOLS = ".cache/assay/runs"
SETTINGS = {"ASSAY_LOST_AFTER_SECONDS": "5"}
"""All other settings have their defaults; this one would be a minute, too long for many rows."""

TEST: dict[str, Any] = {
    "block": [65536],
    "threads": [1],
    "file_size": 60 * MB,
    "cache": "direct",
    "timeout_ms": 300,
    "sample_ms": 100,
    "order": "given",
}
"""Trials of 0.3 s, since a disk of 20 MiB/s needs three seconds for a file."""


@dataclass
class Place:
    """A host with a disk, and the run in progress there."""

    kind: str
    moment: str
    host: Host
    disk: Disk
    clock: Clock
    """Wall clock of logins there."""
    host_id: int = 0
    target_id: int = 0
    run_id: int = 0
    path: Path = field(default_factory=Path)
    """The folder of the target that is tested, as the host sees it."""
    marks: ClassVar[Mapping[str, bytes]] = MARKS

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.moment}"

    @property
    def spool(self) -> Path:
        """The event log of the run in progress, which is the only one on the host."""
        return next((self.host.home / SPOOLS).glob("*/events.ndjson"), Path("/nowhere"))

    @property
    def spooled(self) -> int:
        """The number of bytes of events."""
        try:
            return self.spool.stat().st_size
        except OSError:
            return 0

    @property
    def oldest_s(self) -> float:
        """The age of the oldest operation in flight, by the newest sample."""
        with contextlib.suppress(OSError):
            for line in reversed(self.spool.read_bytes().split(b"\n")[:-1]):
                if b'"ev":"sample"' in line:
                    return json.loads(line)["s"][NAMES.index("oldest_ns")] / 1e9
        return 0

    @property
    def probes(self) -> list[int]:
        """The detached probes of the host."""
        words = {pid: Path(f"/proc/{pid}/cmdline") for pid in self.host.processes("assay-probe")}
        found: list[int] = []
        for pid, file in words.items():
            with contextlib.suppress(OSError):
                if b"\0start\0" in file.read_bytes():
                    found.append(pid)
        return found

    @property
    def measuring(self) -> int:
        """Return how many probes measure at one instant, of any run."""
        found = [pid for pid in self.host.processes("assay-probe") if _is_detached(pid)]
        return sum(map(_is_detached, found))  # again: the first may have ended as the last began

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the probe."""
        for pid in self.probes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def reach(self) -> None:
        """Wait for the moment, after a first trial; suspend the probe until `go_on`."""
        wanted = self.marks[self.moment]
        deadline = time.monotonic() + 30
        while not self._has_measured() or len(probes := self.probes) != 1:
            assert time.monotonic() < deadline, f"{self.name}: nothing is being measured"
            time.sleep(0.05)
        probe = probes[0]
        with self.spool.open("rb") as spool:
            while True:
                assert time.monotonic() < deadline, f"{self.name}: the moment did not come"
                if _last_event(spool) == wanted:
                    os.kill(probe, signal.SIGSTOP)
                    if _last_event(spool) == wanted:
                        return
                    os.kill(probe, signal.SIGCONT)
                time.sleep(0.0003)

    def _has_measured(self) -> bool:
        with contextlib.suppress(OSError):
            return b'"ev":"result"' in self.spool.read_bytes()
        return False

    def go_on(self) -> None:
        """Resume the probe, if there is one."""
        self.signal(signal.SIGCONT)

    def rebooted(self) -> None:
        """Restore what a reboot of the host does not: nothing here."""

    def leftovers(self) -> list[str]:
        """Return what a run has left on the host: processes, test files, its directory."""
        target = self.host.seen_from_here(self.path)
        files = [path.name for path in target.iterdir() if path.name.startswith(".assay")]
        runs = [path.name for path in (self.host.home / SPOOLS).iterdir()]
        return [f"process {pid}" for pid in self.host.processes("assay-probe")] + files + runs


PlaceT = TypeVar("PlaceT", bound=Place)


def _is_detached(pid: int) -> bool:
    """Return whether a probe, or a remaining thread of it, has detached from its starter.

    It detaches before it measures; the call itself, and every other verb, has a pipe as its input.
    """
    inputs = Path(f"/proc/{pid}/task").glob("*/fd/0")
    with contextlib.suppress(OSError):
        return any(link.readlink() == Path("/dev/null") for link in inputs)
    return False


def _last_event(spool: BinaryIO) -> bytes:
    """Return the kind of the last whole event; empty if there is none."""
    spool.seek(max(0, spool.seek(0, os.SEEK_END) - 16 * 1024))
    lines = spool.read().split(b"\n")
    found = re.search(rb'"ev":"(\w+)"', lines[-2]) if len(lines) > 2 else None
    return found[1] if found else b""


class Scene:
    """An appliance and four hosts, used for one fault after the other."""

    kind = "matrices"
    usual_notices: Mapping[str, set[str]] = {"write": set(), "read": {"preparing", "prepared"}}
    """Notices of an undisturbed run at a place of each kind."""

    def __init__(self, folder: Path, lab: Lab, settings: Mapping[str, str], database: str) -> None:
        """Start nothing yet; `database` is a SQLAlchemy URL."""
        self.folder, self.lab, self.database = folder, lab, database
        self.appliance = Appliance(folder / "home", UP, {**SETTINGS, **settings})
        self.postgres: Postgres | None = None
        self.clock: Clock | None = None
        self.places: Sequence[Place] = []
        self.client = httpx.Client()
        self._mounts = 0

    def start(self) -> None:
        """Start the appliance, and log in."""
        self.appliance.start()
        self.client = httpx.Client(base_url=f"{self.appliance.url}/api/v1", timeout=70)
        login = {"name": "admin", "password": ADMIN_PASSWORD}
        self.client.headers["X-Assay-CSRF"] = self._post("/session", login)["csrf"]

    def end(self) -> None:
        """End the appliance."""
        self.client.close()
        if self.appliance.process is not None and self.appliance.process.poll() is None:
            self.appliance.interrupt(signal.SIGTERM)

    def raise_hosts(self) -> None:
        """Power on the hosts, and register them as an operator does."""
        credential = self._credential()
        self.places = [
            self._raise(Place, kind, moment, credential)
            for kind in KINDS
            for moment in (BETWEEN, MID)
        ]

    def _credential(self) -> int:
        key = {"name": "lab", "kind": "private_key", "private_key": self.lab.key.read_text()}
        return self._post("/credentials", key)["id"]

    def _raise(self, make: type[PlaceT], kind: str, moment: str, credential: int) -> PlaceT:
        """Power on a host whose disk reads or writes slowly, and register it."""
        name = f"{kind}-{moment}"
        rate = {kind: RATE}
        disk = self.lab.disk(name, 2 * GIB, **rate)
        host = self.lab.host(name, disk, memory=MEMORY)
        place = make(kind, moment, host, disk, _with_clock(host))
        place.host_id = self._register(host, credential)
        place.path = host.target(disk)
        place.target_id = self._target(place)
        return place

    def _register(self, host: Host, credential: int) -> int:
        body = {"name": host.name, "address": host.address, "user": host.user}
        made = self._post("/hosts", body | {"credential_id": credential})
        host_id = made["id"]
        self.client.post(f"/hosts/{host_id}/check", params={"wait": 60})
        self._post(f"/hosts/{host_id}/host-key", {"fingerprint": host.fingerprint})
        ready = self.client.post(f"/hosts/{host_id}/check", params={"wait": 60}).json()
        assert ready["state"] == "ready", ready
        return host_id

    def _target(self, place: Place) -> int:
        body = {"host_id": place.host_id, "path": str(place.path), "reserve_bytes": 0}
        # the lab's disks are images, perhaps on the machine's root file system
        return self._post("/targets", body | {"root_consent": True})["id"]

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.client.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    @contextlib.contextmanager
    def faulty_targets(self) -> Generator[str]:
        """Launch the runs on a file system that can hang; return its name on each host."""
        self._mounts += 1
        name = f"nas{self._mounts}"
        usual = [(place.path, place.target_id) for place in self.places]
        for place in self.places:
            place.path = place.host.mount_faulty(name)
            place.target_id = self._target(place)
        try:
            yield name
        finally:
            for place, (path, target_id) in zip(self.places, usual, strict=True):
                place.path, place.target_id = path, target_id

    def launch(self, repeats: int, watch_ms: int, **test: Any) -> list[int]:
        """Launch a write and a read matrix on two hosts each; return the campaigns."""
        campaigns: list[int] = []
        for kind in KINDS:
            places = [place for place in self.places if place.kind == kind]
            values = (
                TEST
                | {"kind": "matrix", "operation": kind, "title": kind, "repeats": repeats}
                | test
            )
            name = f"{kind} {time.monotonic_ns()}"
            body = {"tests": [values], "watch_ms": watch_ms}
            profile = self._post("/profiles", {"name": name, "body": body})["id"]
            targets = [place.target_id for place in places]
            made = self._post("/campaigns", {"profile_id": profile, "target_ids": targets})
            campaigns.append(made["id"])
            for run in self.client.get(f"/campaigns/{made['id']}").json()["runs"]:
                place = next(
                    p for p in places if p.target_id == run["participants"][0]["target"]["id"]
                )
                place.run_id = run["id"]
        return campaigns

    def kill(self, name: str) -> None:
        """Send SIGKILL to a process of the appliance."""
        os.kill(self.appliance.child(name), signal.SIGKILL)

    @property
    def broker(self) -> str:
        """The queue's address, for Celery."""
        given = self.appliance.settings.get("ASSAY_REDIS_URL")
        url = given or f"unix://{installed.queue_socket(self.appliance.home)}"
        return url.replace("unix://", "redis+socket://", 1)

    def second_worker(self) -> subprocess.Popen[bytes]:
        """Start a second worker like the existing one."""
        first = Path(f"/proc/{self.appliance.child('worker')}")
        command = (first / "cmdline").read_bytes().split(b"\0")[:-1]
        pairs = (first / "environ").read_bytes().split(b"\0")[:-1]
        environment = dict(pair.split(b"=", 1) for pair in pairs)
        with (self.folder / "second-worker.log").open("ab") as log:
            return subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def owners(self) -> set[int]:
        """Return the processes that own the runs in progress; 0 if there is none."""
        engine = make_engine(self.database)
        with Session(engine) as session:
            runs = [place.run_id for place in self.places]
            owners = session.scalars(select(Run.owner).where(Run.id.in_(runs))).all()
        engine.dispose()
        return {int(owner.split(":")[1]) if owner else 0 for owner in owners}

    def reserved(self, place: Place) -> bool:
        """Return whether the host is reserved by the run in progress there."""
        engine = make_engine(self.database)
        with Session(engine) as session:
            held = select(Reservation.resource).where(Reservation.run_id == place.run_id)
            found = session.scalars(held).all()
        engine.dispose()
        return f"host:{place.host_id}" in found

    def is_whole(self) -> bool:
        """Return whether all parts of the appliance respond."""
        try:
            health = self.client.get("/health", timeout=2).json()
        except (httpx.HTTPError, ValueError):
            return False
        return health.get("status") == "ok" and self.appliance.child("scheduler") > 0


def _with_clock(host: Host) -> Clock:
    """Give logins on a host an adjustable clock; sshd itself has the machine's."""
    clock = Clock(host.folder / "clock")
    variables = " ".join(f"{name}={value}" for name, value in clock.environment.items())
    with (host.folder / "sshd_config").open("a") as config:
        config.write(f"SetEnv {variables}\n")
    host.stop_sshd()
    host.start_sshd()
    return clock


@contextlib.contextmanager
def scene(folder: Path, kind: str, made_as: type[Scene] = Scene) -> Generator[Scene]:
    """Provide a scene on `sqlite` with its own queue, on `postgresql`, or with a `clock` to set.

    Nothing of it remains. The home is a small file system, so that a fault can fill it.
    """
    with contextlib.ExitStack() as ends:
        home = folder / "home"
        home.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=192m,mode=0700", "none", home], check=True
        )
        ends.callback(subprocess.run, ["umount", "--lazy", home], check=True)
        settings: dict[str, str] = {}
        database = f"sqlite:///{home / 'assay.db'}"
        server = None
        if kind == "postgresql":
            server = Postgres()
            ends.callback(server.remove)
            server.start()
            database = create_database(server.address, "assay")
            settings["ASSAY_DATABASE_URL"] = database
            settings["ASSAY_REDIS_URL"] = ends.enter_context(valkey())
        clock = Clock(folder / "clock") if kind == "clock" else None
        settings |= clock.environment if clock else {}
        made = made_as(folder, ends.enter_context(Lab()), settings, database)
        made.postgres, made.clock = server, clock
        ends.callback(made.end)
        made.start()
        made.raise_hosts()
        yield made
