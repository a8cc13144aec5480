"""Renewal of the ownerships that this process holds, in one thread for all.

Each is valid until an instant by this process's own clock. A driver whose ownership could not be
renewed in time stops before another worker may take the run, so that two never follow it at once.
The thread is separate from the batch writer's, so that renewals do not wait behind batches.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from assay.base.settings import settings
from assay.base.singletons import singleton
from assay.tables.database import writing
from assay.tables.ownership import Owned, Ownership, renew

from assay_worker import background

_lock = threading.Lock()
_ends: dict[Ownership[Any], float] = {}

_needed = threading.Event()
"""Set while this process holds ownerships."""


def worker_name() -> str:
    """Return the name of this worker process: `HOSTNAME:PID`."""
    return f"{socket.gethostname()}:{os.getpid()}"


def new_owner() -> str:
    """Return the name of a new owner in this process; each claim gets its own."""
    return f"{worker_name()}:{secrets.token_hex(4)}"


@contextmanager
def renewed(ownership: Ownership[Any], since: float) -> Generator[None]:
    """Renew `ownership`, claimed at `since` on the monotonic clock, while the block runs."""
    _thread()
    with _lock:
        _ends[ownership] = since + settings().ownership_seconds
        _needed.set()
    try:
        yield
    finally:
        with _lock:
            _ends.pop(ownership, None)
            if not _ends:
                _needed.clear()


def is_valid(ownership: Ownership[Any]) -> bool:
    """Return whether no other process can have taken the owned object."""
    return time.monotonic() < _ends.get(ownership, 0)


@singleton
def _thread() -> threading.Thread:
    return background.repeat("ownership renewal", _round, _pause)


def _round() -> None:
    renew_all()


def _pause() -> None:
    _needed.wait()  # a pause that began before the first ownership could last longer than it
    time.sleep(settings().ownership_seconds / 3)


def renew_all() -> None:
    """Renew all ownerships of this process; drop those that another worker has taken."""
    kept = list(_ends)
    for of in {ownership.of for ownership in kept}:
        _renew(of, [ownership for ownership in kept if ownership.of is of])


def _renew(of: type[Owned], kept: list[Ownership[Any]]) -> None:
    since = time.monotonic()
    with writing() as session:
        renewed = renew(session, of, kept)
    end = since + settings().ownership_seconds
    with _lock:
        for ownership in _ends.keys() & kept:
            if ownership in renewed:
                _ends[ownership] = end
            else:
                del _ends[ownership]
