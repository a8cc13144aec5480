"""A typed client of the API, for programs.

It needs neither the database nor the queue of the server:

    from assay.client import Assay

    with Assay("https://assay.example:8080", token) as assay:
        campaign = assay.campaigns.launch({"profile": "First look", "targets": ["lab1/mnt/disk"]})
        ended = assay.campaigns.wait(campaign.id, timeout_s=7200)
        print(ended.state, ended.verdict and ended.verdict.outcome)

`docs/client.md` describes it.
"""

from assay.client.appliance import Assay
from assay.client.campaigns import MeasuredRun
from assay.client.errors import (
    AccessError,
    ApiError,
    AssayError,
    ChangedError,
    ConflictError,
    InvalidError,
    NoResponseError,
    NotFoundError,
    RateLimitError,
    UnexpectedResponseError,
    WaitTimeoutError,
)
from assay.client.transport import Transport, parsed

__all__ = [
    "AccessError",
    "ApiError",
    "Assay",
    "AssayError",
    "ChangedError",
    "ConflictError",
    "InvalidError",
    "MeasuredRun",
    "NoResponseError",
    "NotFoundError",
    "RateLimitError",
    "Transport",
    "UnexpectedResponseError",
    "WaitTimeoutError",
    "parsed",
]
