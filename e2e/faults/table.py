"""The faults: their injection, what operators see, and how soon a run continues."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

from assay_worker.errors import ConnectionLostError, UnreachableError
from faults import strikes
from faults.places import Place, Scene
from faults.transfers import Peer

Strike = (
    Callable[[Scene], strikes.Struck]
    | Callable[[Place], strikes.Struck]
    | Callable[[Peer], strikes.Struck]
)


@dataclass(frozen=True)
class View:
    """What a run's row shows: state, beginnings of reason and remedy, and condition."""

    state: str
    reason: str
    remedy: str = ""
    condition: str | None = None

    @classmethod
    def of(cls, run: dict[str, Any]) -> Self:
        """Return what the API shows of a run."""
        error, waits = run["error"] or {}, run["waits_for"] or {}
        reason = run["state_reason"] or waits.get("what") or ""
        if error:
            reason = f"{error['title']}: {error['detail']}"
        return cls(run["state"], reason, error.get("remedy") or "", run["condition"])


OF_OTHER_ENDS = ("peer_ended", "resumed")
"""Notices of a transfer whose trial ended at the other end, or is repeated by both after a pause:
each end was suspended until the moment of the fault.
"""


@dataclass(frozen=True)
class Fault:
    """A row of the table.

    `sees` is shown while it lasts; None means that the run looks undisturbed. `why` is shown of a
    run that it ends. `notes` are the codes of all notices of the run in addition to those of an
    undisturbed one; `may_note` those that depend on the interrupted call.
    """

    name: str
    strikes: Strike
    ended_by: str
    lasts_s: float | None = None
    """Seconds until it is repaired from outside; None is an event that the appliance handles
    itself.
    """
    sees: View | None = None
    ends: str = "done"
    why: View | None = None
    notes: tuple[str, ...] = ()
    may_note: tuple[str, ...] = ()
    spares_reads: bool = False
    """Whether a read matrix is unaffected."""
    at_once: bool = False
    """Whether one injection affects all four runs; else each host has its own moment."""
    clears_up: bool = False
    """Whether files may remain on the host until the next run there."""
    on: str = "sqlite"
    hangs: bool = False
    """Whether the runs are launched on a file system that can hang."""
    cancels: bool = False
    """Whether the operator cancels the runs while it lasts."""
    keeps_host: bool = False
    """Whether each host must stay reserved while it lasts."""
    repeats: int = 20
    watch_ms: int = 600_000
    test: dict[str, Any] = field(default_factory=dict[str, Any])
    transfer: dict[str, Any] = field(default_factory=dict[str, Any])
    """The fields that differ if it strikes an end of a transfer."""

    @property
    def of_transfer(self) -> Self:
        """The row as it is for a transfer, in which no end is unaffected."""
        test = {name: value for name, value in self.test.items() if name != "cache"}
        may_note = tuple({*self.may_note, *OF_OTHER_ENDS} - {*self.notes})
        return replace(self, spares_reads=False, test=test, may_note=may_note, **self.transfer)

    def feels(self, kind: str) -> bool:
        """Return whether a matrix of this kind is affected."""
        return not (self.spares_reads and kind == "read")

    def seen_of(self, kind: str) -> View | None:
        """Return what the row of a matrix of this kind shows of it."""
        return self.sees if self.feels(kind) else None


def of_the_appliance(name: str, how: Callable[[Scene], strikes.Struck], **more: Any) -> Fault:
    """Return a fault that affects all runs at once."""
    return Fault(name, how, at_once=True, **more)


SUPERVISOR = "the supervisor starts it again"
LOST_CONNECTION = View("running", ConnectionLostError.title, ConnectionLostError.remedy)
LOST_HOST = View("running", UnreachableError.title, UnreachableError.remedy, "lost")
NO_PAGES = View("", "the pages do not respond")
ENDED_THERE = View(
    "failed", "The probe ended the test", "Fix the problem named in the detail and launch again."
)
NOT_ALL = View(
    "done", "Some trials have no result", "Fix the problems in the notices and launch again."
)
STUCK = View(
    "running",
    "The probe is stuck in the host's kernel",
    "The host stays reserved until it exits or the host is rebooted.",
)
STOPPING = View("running", "Stopping: waiting for")

OF_THE_APPLIANCE = (
    of_the_appliance("worker killed", strikes.killed("worker"), ended_by=SUPERVISOR),
    of_the_appliance("API killed", strikes.killed("api"), ended_by=SUPERVISOR, sees=NO_PAGES),
    of_the_appliance("scheduler killed", strikes.killed("scheduler"), ended_by=SUPERVISOR),
    of_the_appliance("queue (Valkey) killed", strikes.killed("queue"), ended_by=SUPERVISOR),
    of_the_appliance(
        "everything killed at once",
        strikes.power_lost,
        ended_by="a manual restart",
        sees=NO_PAGES,
    ),
    of_the_appliance(
        "redeployed: SIGTERM to everything, then started",
        strikes.redeployed,
        ended_by="the start",
        sees=NO_PAGES,
    ),
    of_the_appliance(
        "one message delivered three times", strikes.delivered_again, ended_by="the ownership"
    ),
    of_the_appliance(
        "SQLite locked for 10 s", strikes.database_locked, ended_by="the lock is freed", lasts_s=10
    ),
    of_the_appliance(
        "the appliance's own disk full", strikes.home_full, ended_by="space is freed", lasts_s=5
    ),
    of_the_appliance(
        "PostgreSQL killed, away for 3 s",
        strikes.database_killed,
        ended_by="a manual restart",
        lasts_s=3,
        sees=NO_PAGES,
        on="postgresql",
    ),
    of_the_appliance(
        "PostgreSQL's tables locked for 10 s",
        strikes.database_locked,
        ended_by="the lock is freed",
        lasts_s=10,
        sees=NO_PAGES,
        on="postgresql",
    ),
    of_the_appliance(
        "two workers believe that they own a run",
        strikes.two_owners,
        ended_by="the generation fences the older one",
        on="postgresql",
        repeats=70,
    ),
    of_the_appliance(
        "the appliance's clock set back one hour, then corrected",
        strikes.clock_back,
        ended_by="not necessary",
        lasts_s=5,
        on="clock",
        repeats=50,
    ),
)

OF_A_HOST = (
    Fault(
        "SSH connection reset",
        strikes.connection_reset,
        ended_by="the worker connects again",
        sees=LOST_CONNECTION,
    ),
    Fault(
        "network silent for 25 s",
        strikes.network_silent,
        ended_by="packets pass again",
        lasts_s=25,
        sees=LOST_CONNECTION,
        may_note=("timeout", "host_returned"),  # if an attempt to reconnect ends earlier
    ),
    Fault(
        "sshd restarted",
        strikes.sshd_restarted,
        ended_by="the worker connects again",
        sees=LOST_CONNECTION,
    ),
    Fault(
        "host away for longer than the watch deadline (10 s)",
        strikes.host_away,
        ended_by="the host returns",
        lasts_s=12,
        sees=LOST_HOST,
        notes=("timeout", "host_returned", "watch_deadline", "resumed"),
        watch_ms=10_000,
        repeats=60,
    ),
    Fault(
        "probe killed",
        strikes.probe_killed,
        ended_by="the worker starts a new one",
        notes=("probe_died", "resumed"),
    ),
    Fault(
        "probe killed by the OOM killer",
        strikes.out_of_memory,
        ended_by="the worker starts a new one",
        notes=("probe_died", "resumed"),
    ),
    Fault(
        "host rebooted",
        strikes.host_rebooted,
        ended_by="the worker starts the probe again",
        sees=LOST_CONNECTION,
        notes=("probe_died", "rebooted", "resumed"),
    ),
    Fault(
        "the clock of the host's logins set back one hour",
        strikes.host_clock_back,
        ended_by="not necessary: the probe uses the kernel's clock",
        lasts_s=1,
    ),
    Fault(
        "disk filled by other processes",
        strikes.disk_full,
        ended_by="space is freed",
        lasts_s=1,
        sees=ENDED_THERE,
        ends="failed",
        why=ENDED_THERE,
        notes=("no_space",),
        spares_reads=True,
        clears_up=True,
    ),
    Fault(
        "file system read-only",
        strikes.disk_read_only,
        ended_by="it is remounted",
        lasts_s=1,
        sees=ENDED_THERE,
        ends="failed",
        why=ENDED_THERE,
        notes=("read_only", "not_swept"),
        clears_up=True,
    ),
    Fault(
        "file system returns EIO",
        strikes.disk_broken,
        ended_by="it is remounted",
        lasts_s=1,
        sees=NOT_ALL,
        why=NOT_ALL,
        notes=("io", "not_swept"),
        clears_up=True,
    ),
    Fault(
        "mount gone",
        strikes.unmounted,
        ended_by="it is remounted",
        lasts_s=1,
        sees=ENDED_THERE,
        ends="failed",
        why=ENDED_THERE,
        notes=("target_changed",),
        clears_up=True,
    ),
    Fault(
        "storage (FUSE) hangs for 6 s",
        strikes.storage_hung,
        ended_by="it responds again",
        lasts_s=6,
        notes=("files_named",),
        may_note=("interrupted",),
        hangs=True,
        test={"cache": "page"},
    ),
    Fault(
        "storage (FUSE) hangs, and the probe is killed",
        strikes.killed_while_hung,
        ended_by="it responds again",
        lasts_s=1,
        sees=STUCK,
        notes=("files_named", "stuck", "probe_died", "resumed"),
        hangs=True,
        keeps_host=True,
    ),
    Fault(
        "storage (FUSE) hangs, and the run is canceled",
        strikes.storage_hung,
        ended_by="it responds again",
        lasts_s=1,
        sees=STOPPING,
        ends="cancelled",
        notes=("files_named",),
        hangs=True,
        cancels=True,
        keeps_host=True,
        repeats=60,
        test={"cache": "page"},
        transfer={"strikes": strikes.operation_hung},  # a sender that only waits ends at once
    ),
)

OF_A_LINK = (
    Fault(
        "the link silent for 5 s",
        strikes.link_silent,
        ended_by="packets pass again",
        lasts_s=5,
    ),
    Fault(
        "the link silent for longer than the limit of a silent end (30 s)",
        strikes.link_silent,
        ended_by="packets pass again",
        lasts_s=45,
        why=NOT_ALL,
        notes=("peer_silent",),
        may_note=("connect_failed",),
    ),
    Fault(
        "packets of 1000 bytes and more vanish (a black hole of the MTU)",
        strikes.large_packets_lost,
        ended_by="packets pass again",
        lasts_s=45,
        why=NOT_ALL,
        notes=("peer_silent",),
    ),
    Fault(
        "a firewall begins to drop connections of the source to the sink",
        strikes.new_connections_dropped,
        ended_by="it lets them pass again",
        lasts_s=75,
        why=NOT_ALL,
        notes=("connect_failed",),
    ),
)
"""Faults between the ends of a transfer; the connections to the hosts are not affected."""

FAULTS = OF_THE_APPLIANCE + OF_A_HOST
OF_TRANSFERS = FAULTS + OF_A_LINK
