"""Tables of runs: runs, participants, trials, attempts, reservations and the raw record."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, WriteOnlyMapped, mapped_column, relationship

from assay.tables.campaigns import Campaign
from assay.tables.clock import moment
from assay.tables.database import Base
from assay.tables.hosts import Host
from assay.tables.ownership import Owned
from assay.tables.targets import Target

MOST_CELL = 400
"""Characters of a cell in words that are kept of a figure."""


class Run(Owned):
    """One test over one or more participants: the unit of scheduling.

    Its owner drives it; `worker` is the process that it was assigned to. `revision` grows with
    every change that a live page shows; a campaign's revision is the sum of its runs' revisions.
    `parameters` is the test with its expressions resolved to values. Runs with the same `subject`
    repeat each other (`assay.runs.participants.subject`). At the target
    `read_back_target_id` another host reads the files back; it is reserved, too. `rules` and
    `build` identify its newest stored result, `figures_rules` the rules by which its figures were
    read from it. At `raw_removed_at` and `samples_removed_at` its raw log and its samples were
    removed; its stored results and figures stay.
    """

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_state_owned_until", "state", "owned_until"),
        Index("ix_runs_state_ended_at", "state", "ended_at"),  # recent results
        Index("ix_runs_created_at_id", "created_at", "id"),
        Index("ix_runs_subject_campaign_id", "subject", "campaign_id"),
    )

    campaign_id: Mapped[int] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    number: Mapped[int]
    title: Mapped[str] = mapped_column(String(200))
    kind: Mapped[str] = mapped_column(String(20))
    parameters: Mapped[dict[str, Any]]
    subject: Mapped[str | None] = mapped_column(String(64))
    read_back_target_id: Mapped[int | None] = mapped_column(ForeignKey("targets.id"), index=True)
    state: Mapped[str] = mapped_column(String(20), default="queued")
    state_since: Mapped[datetime] = mapped_column(default=moment())
    state_code: Mapped[str | None] = mapped_column(String(40))
    state_reason: Mapped[str | None] = mapped_column(String(1000))
    waits_for: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    worker: Mapped[str | None] = mapped_column(String(120))
    unreachable_since: Mapped[datetime | None]
    retry_at: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column(default=1)
    trials_total: Mapped[int]
    trials_done: Mapped[int] = mapped_column(default=0)
    rules: Mapped[str | None] = mapped_column(String(20), index=True)
    build: Mapped[int] = mapped_column(default=0)
    figures_rules: Mapped[str | None] = mapped_column(String(20), index=True)
    created_at: Mapped[datetime] = mapped_column(default=moment())
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    raw_removed_at: Mapped[datetime | None]
    samples_removed_at: Mapped[datetime | None]

    campaign: Mapped[Campaign] = relationship(lazy="raise")
    participants: Mapped[list["Participant"]] = relationship(lazy="raise", back_populates="run")


class Participant(Base):
    """A run's part on one host, with its probe, spool and ingest offset.

    The inventory, the array and its name, identity and declared cache are stored as of the launch,
    so that later changes of the target or the array do not change the result. So are the `labels`
    and external references of `host`, `target` and `array`. When its array is deleted, `array_id`
    becomes null and `deleted_array_id` names the `DeletedArray`.
    `offset` is the first byte of the spool not yet stored, `next_seq` the event expected there.
    Before byte `merged` of its log, small raw chunks have been merged into large ones.
    `conditions` are those of its host at the run's `start` and `end`.
    `ready` is the attempt of its current trial that waits at the barrier, `listening` the port and
    the address at which that trial accepts the other end of a transfer. `read_back` is how far
    another host is with reading its files back. `clock` has readings,
    `start`, `worst` and `end`, of how far its boot clock is ahead of the worker's, each with its
    uncertainty, in ns.
    """

    __tablename__ = "participants"
    __table_args__ = (UniqueConstraint("run_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(default=0)
    role: Mapped[str] = mapped_column(String(20))
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id"), index=True)
    target_id: Mapped[int | None] = mapped_column(ForeignKey("targets.id"), index=True)
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id"))
    array_id: Mapped[int | None] = mapped_column(
        ForeignKey("arrays.id", ondelete="SET NULL"), index=True
    )
    deleted_array_id: Mapped[int | None] = mapped_column(index=True)
    array_name: Mapped[str | None] = mapped_column(String(200))
    array_cache_bytes: Mapped[int | None]
    array_identity: Mapped[dict[str, Any] | None]
    labels: Mapped[dict[str, Any]] = mapped_column(default=dict)
    external_references: Mapped[dict[str, Any]] = mapped_column(default=dict)
    run_dir: Mapped[str | None] = mapped_column(String(4096))
    hello: Mapped[dict[str, Any] | None]
    conditions: Mapped[dict[str, Any] | None]
    offset: Mapped[int] = mapped_column(default=0)
    next_seq: Mapped[int] = mapped_column(default=0)
    merged: Mapped[int] = mapped_column(default=0)
    current_trial_id: Mapped[int | None]
    ready: Mapped[int | None]
    listening: Mapped[list[Any] | None]
    read_back: Mapped[dict[str, Any] | None]
    clock: Mapped[dict[str, Any] | None]
    swept_at: Mapped[datetime | None]

    run: Mapped[Run] = relationship(lazy="raise", back_populates="participants")
    host: Mapped[Host] = relationship(lazy="raise")
    target: Mapped[Target | None] = relationship(lazy="raise")


class FormerPlace(Base):
    """What a participant was of before a decision gave its run to a host, target or array."""

    __tablename__ = "former_places"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    participant_id: Mapped[int] = mapped_column(
        ForeignKey("participants.id", ondelete="CASCADE"), primary_key=True
    )
    decision_id: Mapped[int] = mapped_column(
        ForeignKey("history_decisions.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id"), index=True)
    target_id: Mapped[int | None] = mapped_column(ForeignKey("targets.id"), index=True)
    array_id: Mapped[int | None] = mapped_column(ForeignKey("arrays.id", ondelete="SET NULL"))
    deleted_array_id: Mapped[int | None]


class Trial(Base):
    """One execution with fixed parameters; `position` is its index in the order of measurement.

    `cell` names the parameter combination; each repeat of it is a trial. `released` is the newest
    attempt that was released to the run's participants; 0 before.
    """

    __tablename__ = "trials"
    __table_args__ = (UniqueConstraint("run_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    position: Mapped[int]
    repeat: Mapped[int]
    cell: Mapped[str] = mapped_column(String(100))
    parameters: Mapped[dict[str, Any]]
    released: Mapped[int] = mapped_column(default=0)

    attempts: Mapped[list["Attempt"]] = relationship(
        lazy="raise", back_populates="trial", order_by="Attempt.number"
    )


class Attempt(Base):
    """One attempt at a trial at one participant; only complete and timed-out ones enter a cell.

    `status` is running, complete, timed_out, stopped, failed, suspended, starved or interrupted.
    `result` is the probe's `result` event without its histogram; `histogram` is
    `[[index, count], …]`. `host_paused_ns` is the longest pause of the host's machine during the
    attempt, as seen by the worker. The first `sealed` samples are in blocks; the others are in the
    raw chunks, from byte `unsealed_from` of the participant's log on. So are the marks after the
    first `marks_sealed`. An attempt that continues earlier ones has what they measured, in
    `done_bytes` and `done_ns`; none of its own figures includes it. `read_ops` are those of `ops`
    that read, null unless the attempt also writes.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("trial_id", "participant_id", "number"),
        Index("ix_attempts_participant_id_status", "participant_id", "status"),  # every batch
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    trial_id: Mapped[int] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"))
    participant_id: Mapped[int] = mapped_column(ForeignKey("participants.id", ondelete="CASCADE"))
    number: Mapped[int]
    status: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str | None] = mapped_column(String(1000))
    started_at: Mapped[datetime | None]
    total_bytes: Mapped[int | None]
    bytes: Mapped[int] = mapped_column(default=0)
    ops: Mapped[int] = mapped_column(default=0)
    read_ops: Mapped[int | None]
    app_ns: Mapped[int | None]
    durable_ns: Mapped[int | None]
    lat_max_ns: Mapped[int | None]
    host_paused_ns: Mapped[int] = mapped_column(default=0)
    sample_count: Mapped[int] = mapped_column(default=0)
    sealed: Mapped[int] = mapped_column(default=0)
    unsealed_from: Mapped[int] = mapped_column(default=0)
    mark_count: Mapped[int] = mapped_column(default=0)
    marked_bytes: Mapped[int] = mapped_column(default=0)
    marks_sealed: Mapped[int] = mapped_column(default=0)
    done_bytes: Mapped[int] = mapped_column(default=0)
    done_ns: Mapped[int] = mapped_column(default=0)
    result: Mapped[dict[str, Any] | None]
    histogram: Mapped[list[Any] | None]

    trial: Mapped[Trial] = relationship(lazy="raise", back_populates="attempts")


class Reservation(Base):
    """The run that holds a resource, such as `host:5` or `array:2`, while it is active."""

    __tablename__ = "reservations"

    resource: Mapped[str] = mapped_column(String(60), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    taken_at: Mapped[datetime] = mapped_column(default=moment())


class Notice(Base):
    """A notice or error about a run, from its probe or its worker.

    `participant_id` is the participant whose probe reported it; null if it is the worker's. It is
    deleted with its run, as the participant is.
    """

    __tablename__ = "notices"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    participant_id: Mapped[int | None] = mapped_column()
    at: Mapped[datetime] = mapped_column(default=moment())
    level: Mapped[str] = mapped_column(String(10))
    code: Mapped[str] = mapped_column(String(60))
    message: Mapped[str] = mapped_column(String(2000))
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)


class RawChunk(Base):
    """Whole event lines as read from the probe, compressed with zlib: the record of the run.

    `start` and `length` are in uncompressed bytes of the participant's spool.
    """

    __tablename__ = "raw_chunks"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    participant_id: Mapped[int] = mapped_column(primary_key=True)
    start: Mapped[int] = mapped_column(primary_key=True)
    length: Mapped[int]
    received_at: Mapped[datetime] = mapped_column(default=moment())
    data: Mapped[bytes] = mapped_column(LargeBinary)


class Result(Base):
    """The result of a run by one version of the rules; immutable once stored.

    `build` numbers the results of the run: `assay rebuild` adds another. `outcome` is the part that
    lists show, `body` the complete result, `sparkline` the best trial's throughput over time in
    bytes per second.
    """

    __tablename__ = "results"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    rules: Mapped[str] = mapped_column(String(20), primary_key=True)
    build: Mapped[int] = mapped_column(primary_key=True)
    stored_at: Mapped[datetime] = mapped_column(default=moment())
    outcome: Mapped[dict[str, Any]]
    sparkline: Mapped[list[Any]]
    body: Mapped[dict[str, Any]]

    figures: WriteOnlyMapped["StoredFigure"] = relationship(
        cascade="all, delete-orphan", passive_deletes=True
    )


class StoredFigure(Base):
    """A figure of a run's newest result; `assay.kinds.figures` makes all of them again.

    `cell` names the cell by its arguments; empty for the run, whose value is that of its leading
    cell, or of all. `value` is in the unit of the metric's dimension, null if not measured.
    `repeats` is how many trials it rests on, `spread` their standard deviation ÷ mean. `doubts`
    are codes with the bound and the ends of the true value's range; the result words them.
    `shown_cell` and `trial_id` are where the result shows it. `leading`: it is the leading cell's;
    `headline`: lists show it as the run's.
    """

    __tablename__ = "figures"
    __table_args__ = (
        ForeignKeyConstraint(
            ["run_id", "rules", "build"],
            ["results.run_id", "results.rules", "results.build"],
            ondelete="CASCADE",
        ),
        Index(  # of many runs at once
            "ix_figures_headline",
            "run_id",
            "value",
            sqlite_where=text("headline"),
            postgresql_where=text("headline"),
        ),
    )

    run_id: Mapped[int] = mapped_column(primary_key=True)
    metric: Mapped[str] = mapped_column(String(60), primary_key=True)
    cell: Mapped[str] = mapped_column(String(200), primary_key=True)
    rules: Mapped[str] = mapped_column(String(20))
    build: Mapped[int]
    value: Mapped[float | None] = mapped_column(Float)
    repeats: Mapped[int]
    spread: Mapped[float | None] = mapped_column(Float)
    doubts: Mapped[list[Any]]
    shown_cell: Mapped[str | None] = mapped_column(String(MOST_CELL))
    trial_id: Mapped[int | None]
    leading: Mapped[bool]
    headline: Mapped[bool]


class WorkerSeen(Base):
    """A worker process: its last heartbeat, its capacity in runs, and its current problem."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(default=moment())
    capacity: Mapped[int] = mapped_column(default=0)
    load: Mapped[float] = mapped_column(Float, default=0)
    problem: Mapped[str | None] = mapped_column(String(1000))
    beat_xid: Mapped[int | None]
    """PostgreSQL's transaction of the last heartbeat."""
