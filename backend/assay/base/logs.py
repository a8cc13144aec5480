"""Logs as JSON, one object per line, with the ids of what a line is about.

With `ASSAY_LOG_FORMAT=text` each process logs as its libraries do, and each message is one line:
what a host or a user sent cannot be mistaken for another message.
"""

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

from pythonjsonlogger.json import JsonFormatter

from assay.base.printable import one_line, printable
from assay.base.settings import settings

REQUEST_ID = "X-Request-Id"
"""Header with the id of a request: the client's own, or a random one."""

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
run_id: ContextVar[int | None] = ContextVar("run_id", default=None)
trial_id: ContextVar[int | None] = ContextVar("trial_id", default=None)

CONTEXT = (request_id, run_id, trial_id)
OF_LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "celery", "kombu")
"""Loggers with handlers of their own, or that log more than warnings."""


class _Context(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        """Add the ids that are known; reject nothing."""
        for variable in CONTEXT:
            if (value := variable.get()) is not None:
                setattr(record, variable.name, value)
        return True


class _OfOneLine(logging.LogRecord):
    def getMessage(self) -> str:  # noqa: N802 - the name is the library's
        """Return the message with line breaks and other control characters escaped."""
        return one_line(super().getMessage())


@contextmanager
def of_trial(trial: int | None) -> Generator[None]:
    """Let the log lines of the block carry the trial's id."""
    token = trial_id.set(trial)
    try:
        yield
    finally:
        trial_id.reset(token)


def line(process: str, text: str) -> str:
    """Return a process's output as a line of the log: what is JSON already stays as it is."""
    if text.startswith("{") and text.endswith("}"):
        return text
    record = logging.LogRecord(process, logging.INFO, "", 0, printable(text), None, None)
    return handler(process).format(record)


def handler(process: str) -> "logging.StreamHandler[TextIO]":
    """Return a handler that writes JSON lines to standard error."""
    made = logging.StreamHandler(sys.stderr)
    made.setFormatter(
        JsonFormatter(
            "%(levelname)s %(name)s %(message)s",
            rename_fields={"levelname": "level", "name": "logger"},
            static_fields={"process": process},
            timestamp="time",
        )
    )
    made.addFilter(_Context())
    return made


def configure(process: str, level: int = logging.WARNING) -> None:
    """Log as JSON if the settings say so; `process` is api, worker or scheduler."""
    if settings().log_format != "json":
        logging.setLogRecordFactory(_OfOneLine)
        return
    root = logging.getLogger()
    root.handlers, root.level = [handler(process)], level
    for name in OF_LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(logging.WARNING)
