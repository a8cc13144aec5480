"""Renewing the ownerships that this process has, in one thread for all.

Each holds until an end that this process knows by its own clock. A follower whose ownership could
not be renewed in time leaves before anybody else may take the run: two never follow it at once.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from assay.db.database import writing
from assay.db.ownership import Owned, Ownership, renew
from assay.once import once
from assay.settings import settings

from assay_worker import background

_lock = threading.Lock()
_ends: dict[Ownership[Any], float] = {}


def new_owner() -> str:
    """The name of an owner in this process: each task is one of its own."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


@contextmanager
def keeping(ownership: Ownership[Any], since: float) -> Generator[None]:
    """Renew `ownership` for as long as the block lasts; it was asked for at `since`, monotonic."""
    _thread()
    with _lock:
        _ends[ownership] = since + settings().ownership_seconds
    try:
        yield
    finally:
        with _lock:
            _ends.pop(ownership, None)


def holds(ownership: Ownership[Any]) -> bool:
    """Whether nobody else can have taken what is owned."""
    return time.monotonic() < _ends.get(ownership, 0)


@once
def _thread() -> threading.Thread:
    return background.repeat("ownership renewal", _round, _pause)


def _round() -> None:
    renew_all()


def _pause() -> None:
    time.sleep(settings().ownership_seconds / 3)


def renew_all() -> None:
    """Renew what is kept; what another worker has taken is kept no longer."""
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
