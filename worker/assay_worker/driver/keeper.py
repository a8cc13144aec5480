"""Renewing the ownerships that this process has, in one thread for all."""

import logging
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from assay.database import writing
from assay.once import once
from assay.runs.ownership import Ownership, renew
from assay.settings import settings
from sqlalchemy.exc import SQLAlchemyError

log = logging.getLogger(__name__)

_kept: set[Ownership] = set()


@contextmanager
def keeping(ownership: Ownership) -> Generator[None]:
    """Renew `ownership` for as long as the block lasts."""
    _thread()
    _kept.add(ownership)
    try:
        yield
    finally:
        _kept.discard(ownership)


@once
def _thread() -> threading.Thread:
    thread = threading.Thread(target=_renew_forever, name="keeper", daemon=True)
    thread.start()
    return thread


def _renew_forever() -> None:
    while True:
        time.sleep(settings().ownership_seconds / 3)
        kept = list(_kept)
        if not kept:
            continue
        try:
            with writing() as session:
                renewed = renew(session, kept)
            _kept.difference_update(set(kept) - renewed)
        except SQLAlchemyError as error:
            log.warning("ownerships not renewed: %s", error)
