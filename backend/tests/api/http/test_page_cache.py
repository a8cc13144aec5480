"""Pages of lists that are sent again, and those that are not."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
from assay.api.app import app
from assay.api.endpoints import arrays
from assay.api.http.page_cache import PageCache
from assay.api.http.paging import Listing
from assay.tables.accounts import ApiToken
from assay.tables.arrays import Array
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from testing.api import Appliance, on_both

on_postgresql = pytest.mark.parametrize("configured", ["postgresql"], indirect=True)


@pytest.fixture
def reads(appliance: Appliance, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The order of each page that was read from the database."""
    for caller in (appliance.viewer, appliance.operator):
        caller.get("/hosts")  # a token's first use is recorded: a change of the database
    found: list[str] = []
    rows: Callable[..., Any] = Listing[Any].rows

    def counted(self: Listing[Any], *args: Any) -> Any:
        found.append(self.order.name)
        return rows(self, *args)

    monkeypatch.setattr(Listing, "rows", counted)
    app.state.pages = PageCache()
    yield found
    app.state.pages = PageCache()


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


@on_postgresql
def test_a_page_is_read_once_while_nothing_changes(appliance: Appliance, reads: list[str]) -> None:
    appliance.operator.post("/arrays", {"name": "vault"})
    for _ in range(5):
        assert names(appliance.viewer.get("/arrays")) == ["vault"]
    assert reads == ["-id"]


@on_postgresql
def test_the_record_of_a_tokens_use_changes_no_page(appliance: Appliance, reads: list[str]) -> None:
    with writing() as session:
        session.execute(update(ApiToken).values(last_used_at=moment(timedelta(hours=-1))))
    for _ in range(5):
        appliance.viewer.get("/arrays")
    with reading() as session:
        recent = ApiToken.last_used_at > moment(timedelta(minutes=-1))
        assert len(session.scalars(select(ApiToken.id).where(recent)).all()) == 1
    assert len(reads) == 1


@on_both
def test_a_change_of_another_process_is_seen_at_once(
    appliance: Appliance, reads: list[str]
) -> None:
    for number in range(10):
        with writing() as session:
            session.add(Array(name=f"vault-{number}"))
        assert len(names(appliance.viewer.get("/arrays"))) == number + 1
    assert len(reads) == 10


@on_postgresql
def test_every_caller_and_every_query_has_its_own_page(
    appliance: Appliance, reads: list[str]
) -> None:
    appliance.operator.post("/arrays", {"name": "alpha"})
    appliance.operator.post("/arrays", {"name": "beta"})
    for _ in range(2):
        assert names(appliance.viewer.get("/arrays", sort="name")) == ["alpha", "beta"]
        assert names(appliance.viewer.get("/arrays", sort="-name")) == ["beta", "alpha"]
        assert names(appliance.operator.get("/arrays", sort="name")) == ["alpha", "beta"]
        assert names(appliance.viewer.get("/arrays", limit=1, sort="name")) == ["alpha"]
    assert sorted(reads) == ["-name", "name", "name", "name"]


@on_postgresql
def test_a_page_is_read_again_after_ten_seconds_although_nothing_changed(
    appliance: Appliance, reads: list[str]
) -> None:
    clock = [5.0]
    app.state.pages = PageCache(lambda: clock[0])
    for clock[0] in (5.0, 14.9, 15.1, 15.2, 40.0):
        appliance.viewer.get("/arrays")
    assert len(reads) == 3


@on_postgresql
def test_requests_of_the_same_moment_wait_for_one_of_them(
    appliance: Appliance, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    appliance.operator.post("/arrays", {"name": "vault"})
    begun, go_on = threading.Event(), threading.Event()
    shapes: Callable[[Session, Sequence[Any]], Any] = arrays._shapes  # pyright: ignore[reportPrivateUsage]

    def slow(session: Session, rows: Sequence[Any]) -> Any:
        begun.set()
        assert go_on.wait(20)
        return shapes(session, rows)

    monkeypatch.setattr(arrays, "_shapes", slow)
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(names(appliance.viewer.get("/arrays"))))
        for _ in range(6)
    ]
    for one in threads:
        one.start()
    assert begun.wait(20)
    go_on.set()
    for one in threads:
        one.join(20)
    assert found == [["vault"]] * 6
    assert len(reads) == 1


@on_postgresql
def test_a_page_is_compressed_once_for_clients_that_accept_it(appliance: Appliance) -> None:
    for number in range(40):
        appliance.operator.post("/arrays", {"name": f"vault-{number:02}"})
    plain, packed = (
        appliance.viewer.get_with({"Accept-Encoding": encoding}, "/arrays")
        for encoding in ("identity", "gzip")
    )
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert packed.json() == plain.json()


@on_postgresql
def test_requests_that_wait_share_a_read_although_others_write_all_the_time(
    appliance: Appliance, served: int, reads: list[str]
) -> None:
    headers = {"Authorization": f"Bearer {appliance.viewer.token}"}
    url = f"http://127.0.0.1:{served}/api/v1/arrays"
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with writing() as session:
                session.add(Array(name=f"vault-{time.monotonic_ns()}"))

    def count(_: int) -> int:
        return len(
            httpx.get(url, params={"limit": 200}, headers=headers, timeout=60).json()["items"]
        )

    with ThreadPoolExecutor(30) as pool:
        writer = pool.submit(write)
        counts = list(pool.map(count, range(300)))
        stop.set()
        writer.result()
    assert len(counts) == 300
    assert len(reads) < 200
