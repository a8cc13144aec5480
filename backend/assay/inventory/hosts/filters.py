"""The filter of lists by host."""

from typing import Annotated

from fastapi import Depends

from assay.base.filters import HostId, HostName
from assay.base.names import given
from assay.inventory.hosts.queries import names
from assay.tables.transactions import Reading


def _of_host(session: Reading, host_id: HostId = None, host: HostName = None) -> int | None:
    return given("host", host_id, host, lambda: names(session))


OfHost = Annotated[int | None, Depends(_of_host)]
"""The id of a host that the query parameter `host_id` or `host` names."""
