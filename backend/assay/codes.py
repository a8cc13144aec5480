"""Codes that programs test: of failed checks and runs, and of a run's notices.

A code is defined once, as a member of a Literal; pyright checks those who use it, and OpenAPI
lists it. Problem documents are left out: their codes stand in the subclasses of `Problem`.
"""

from typing import Any, Literal, get_args

from pydantic import WithJsonSchema

from assay.recording.events import ErrorCode, NoticeCode

HostCode = Literal[
    "host_error",
    "unknown_host",
    "refused",
    "timeout",
    "connection_lost",
    "host_key_unapproved",
    "host_key_changed",
    "auth_failed",
    "credential_missing",
    "no_sftp",
    "unsupported_architecture",
    "home_read_only",
    "home_noexec",
    "probe_not_built",
    "probe_altered",
    "probe_failed",
    "probe_dies",
    "target_busy",
    "bad_plan",
    "generation_too_low",
    "spool_gone",
    "internal",
]
"""What can go wrong between Assay and a host."""

TargetCode = Literal[
    "path_missing",
    "not_directory",
    "not_writable",
    "symlink_other_fs",
    "block_device",
    "read_only",
    "not_judged",
    "unusable",
]
"""Why tests cannot write to a directory."""

FailureCode = Literal[
    HostCode,
    TargetCode,
    ErrorCode,
    "root_fs_consent_required",
    "target_changed",
    "does_not_fit",
    "broken_log",
    "host_deleting",
    "host_lost",
    "no_worker",
    "nothing_measured",
    "failed",
]
"""Why a check or a run failed."""

DriverCode = Literal[
    "host_returned", "not_swept", "probe_died", "rebooted", "stuck", "watch_deadline"
]
"""What a worker notes about a run that continues."""

RunCode = Literal[NoticeCode, DriverCode, FailureCode]
"""Everything that a run's notices can report."""


def listed(codes: Any) -> WithJsonSchema:
    """List the members of a Literal in OpenAPI without validating them.

    For codes that are stored: one that a later version no longer has must not hide its run.
    """
    return WithJsonSchema({"type": "string", "enum": sorted(get_args(codes))})
