"""Texts for the activity of a run while it does not measure, with the pending system call."""

from assay.base.words import size

_DOING = {
    "preparing": "Preparing test files",
    "removing": "Removing test files",
    "filling": "Filling the file system",
    "preconditioning": "Preconditioning the test files",
    "idling": "Idling before the trial",
    "verifying": "Reading test files back",
    "handed_over": "Another host reads the test files back",
    "awaiting_peer": "Waiting for the other end of the transfer",
    "waiting": "Waiting for an overdue system call",
}

_CALLS = {
    "close": "removing test files",
    "ftruncate": "removing test files",
    "unlink": "removing test files",
    "rmdir": "removing test files",
    "open": "opening test files",
    "fallocate": "preallocating test files",
    "pwrite": "waiting for a write to return",
    "pread": "waiting for a read to return",
    "fsync": "waiting for a sync to return",
    "fdatasync": "waiting for a sync to return",
}


def activity(doing: str, call: str | None, done_bytes: int, total_bytes: int) -> str:
    """Format a `progress` event: `Preparing test files: 3.20 GB of 40.0 GB (pwrite)`."""
    amount = f": {size(done_bytes)} of {size(total_bytes)}" if total_bytes else ""
    return f"{_DOING[doing]}{amount}{_named(call)}"


def stopping(call: str | None) -> str:
    """Format the answer of `stop`: `Stopping: removing test files (unlink)…`."""
    return f"Stopping: {_CALLS.get(call or '', 'the probe has not ended yet')}{_named(call)}…"


def _named(call: str | None) -> str:
    return f" ({call})" if call else ""
