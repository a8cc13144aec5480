"""Machine-readable codes of failed checks, failed runs and notices of runs.

Each code is defined once, as a member of a Literal: pyright checks its uses, and OpenAPI lists it.
The codes of problem documents are defined in the subclasses of `Problem`.
"""

from typing import Any, Literal, get_args

from pydantic import WithJsonSchema

from assay.kinds.event_types import ErrorCode, NoticeCode

HostCode = Literal[
    "host_error",
    "unknown_host",
    "refused",
    "timeout",
    "connection_lost",
    "peer_address",
    "login_files_refused",
    "host_key_unapproved",
    "host_key_mismatch",
    "host_key_changed",
    "host_certificate_rejected",
    "jump_host_failed",
    "jump_host_unreachable",
    "auth_failed",
    "certificate_rejected",
    "credential_missing",
    "login_shell",
    "session_limit",
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
"""Errors between Assay and a host."""

TargetCode = Literal[
    "path_missing",
    "not_directory",
    "not_writable",
    "symlink_other_fs",
    "block_device",
    "read_only",
    "appliance_directory",
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
    "target_exists",
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
"""Notices that a worker adds to a run that continues."""

RunCode = Literal[NoticeCode, "records_left", DriverCode, FailureCode]
"""All codes of a run's notices."""

StateCode = Literal[HostCode, "silent", "stopping", "stuck"]
"""Why an active run does not go on; of an error, the code of the error."""


def listed(codes: Any) -> WithJsonSchema:
    """List the members of a Literal in OpenAPI without validating them.

    Used for stored codes: a run must stay readable after a code was removed in a later version.
    """
    return WithJsonSchema({"type": "string", "enum": sorted(get_args(codes))})
