"""The filter of lists by host."""

from typing import Annotated

from fastapi import Depends

from assay.hosts.queries import names
from assay.http.filters import HostId, HostName
from assay.http.names import given
from assay.http.transactions import Reading


def _of_host(session: Reading, host_id: HostId = None, host: HostName = None) -> int | None:
    return given("host", host_id, host, lambda: names(session))


OfHost = Annotated[int | None, Depends(_of_host)]
"""The id of a host that the query parameter `host_id` or `host` names."""
