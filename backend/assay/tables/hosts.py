"""Tables of hosts, their inventories and their checks."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from assay.base.host_field_types import LONGEST_USER_NAME
from assay.tables.clock import moment
from assay.tables.database import Base
from assay.tables.ownership import Owned


class Host(Base):
    """A Linux machine that Assay connects to; its states are in `hosts/lifecycle.py`.

    `expected_keys` are those that the registration gave (`ExpectedKey`), until one is approved.
    `state_code` is the code of the error that `state_reason` describes, if it is one.
    `unreachable_at` is when it last stopped responding, `retired_at` when it was deleted.
    """

    __tablename__ = "hosts"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    connection: Mapped[str] = mapped_column(String(10))
    address: Mapped[str | None] = mapped_column(String(255))
    port: Mapped[int] = mapped_column(default=22)
    user: Mapped[str | None] = mapped_column(String(LONGEST_USER_NAME))
    credential_id: Mapped[int | None] = mapped_column(ForeignKey("credentials.id"), index=True)
    jump_host_id: Mapped[int | None] = mapped_column(ForeignKey("hosts.id"), index=True)
    probe_dir: Mapped[str | None] = mapped_column(String(4096))
    state: Mapped[str] = mapped_column(String(20), default="new")
    state_reason: Mapped[str | None] = mapped_column(String(1000))
    state_code: Mapped[str | None] = mapped_column(String(60))
    approved_key: Mapped[str | None] = mapped_column(String(4000))
    offered_key: Mapped[str | None] = mapped_column(String(4000))
    expected_keys: Mapped[list[Any]] = mapped_column(default=list)
    machine_id: Mapped[str | None] = mapped_column(String(64), index=True)
    boot_id: Mapped[str | None] = mapped_column(String(64))
    reference: Mapped[str | None] = mapped_column(String(200))
    managed_by: Mapped[str | None] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=moment())
    last_checked_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]
    unreachable_at: Mapped[datetime | None]
    retired_at: Mapped[datetime | None]


CLOCK_AHEAD = "clock_ahead_ns"
"""In an inventory's body: how far the host's wall clock was ahead of the worker's, at least."""


class Inventory(Base):
    """The result of one inspection; append-only, so that results keep their conditions."""

    __tablename__ = "inventories"

    id: Mapped[int] = mapped_column(primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    taken_at: Mapped[datetime] = mapped_column(default=moment())
    probe: Mapped[str] = mapped_column(String(80))
    body: Mapped[dict[str, Any]]


class Check(Owned):
    """One check of a host, requested by the API and run by the worker that owns it.

    `kind` is `host` or `target`, or one of `hosts/deletion.py`; `state` is queued, running, ok or
    failed; `error` has code, title, detail and remedy.
    """

    __tablename__ = "checks"

    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    request: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(String(20), default="queued")
    step: Mapped[str | None] = mapped_column(String(60))
    answer: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=moment())
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
