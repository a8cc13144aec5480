"""Many requests that write at once."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
from assay.tables.database import BUSY_TIMEOUT_S
from testing.api import Appliance, on_sqlite

AT_ONCE = 60
"""More than the threads in which requests run."""


@on_sqlite
def test_more_writers_than_threads_do_not_keep_each_other_from_their_commits(
    appliance: Appliance, served: int
) -> None:
    headers = {"Authorization": f"Bearer {appliance.operator.token}"}
    url = f"http://127.0.0.1:{served}/api/v1/arrays"
    began = time.monotonic()

    def create(number: int) -> int:
        named = {"name": f"vault-{number}"}
        return httpx.post(url, json=named, headers=headers, timeout=60).status_code

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert list(pool.map(create, range(AT_ONCE))) == [201] * AT_ONCE
    # a deadlock ends only when those who wait give up
    assert time.monotonic() - began < BUSY_TIMEOUT_S
