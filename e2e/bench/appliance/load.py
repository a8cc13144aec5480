"""Loads the whole appliance on PostgreSQL with 10,000 runs, as pipelines and browsers do.

    load.py ROUNDS [OUTPUT]

Three parts, each for all rounds before the next, because campaigns that are deleted keep the
appliance busy; OUTPUT gets a JSON line for each figure, as `figures.of_appliance` reads it:

- 150 requests per second for 20 s over the lists of hosts, campaigns and runs. The requests are due
  at fixed times, whether or not earlier ones were answered, and their latency counts from then.
  Each list was requested once before.
- 200 campaigns launched at once, each by two requests with one idempotency key: the number that
  exists besides one of each.
- 1,000 subscribers to one live campaign: the time from a change until the last one has it, and the
  memory of the API's process.

Generator, appliance and database share the machine.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import httpx  # noqa: E402
import psycopg  # noqa: E402
from testing.appliance import UP, Appliance  # noqa: E402
from testing.services import postgres  # noqa: E402

RUNS, RATE, SECONDS = 10_000, 150, 20
CAMPAIGNS, SUBSCRIBERS, CHANGES = 200, 1000, 5
LISTS = (
    "/hosts?limit=50",
    "/campaigns?limit=50",
    "/runs?limit=50",
    "/campaigns?limit=50&verdict=fail",
    "/runs?limit=50&sort=-ended_at",
    "/hosts?limit=50&sort=name",
)
CONNECTIONS = 64
LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n")


def started(stack: ExitStack) -> tuple[Appliance, dict[str, str]]:
    """Start an appliance on PostgreSQL until the stack closes; return it and its settings."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-load-")))
    url = stack.enter_context(postgres(durable=True)).format(database="postgres")
    settings = {"ASSAY_DATABASE_URL": url, "ASSAY_REQUESTS_PER_SECOND": "0"}
    appliance = Appliance(folder / "home", UP, settings)
    appliance.home.mkdir()
    appliance.start(120)
    stack.callback(appliance.interrupt)
    return appliance, settings


def token_of(appliance: Appliance) -> str:
    """Return the token of a new administrator."""
    with appliance.client() as session:
        made = session.post("/tokens", json={"name": "load", "role": "admin"})
    assert made.is_success, made.text
    return made.json()["token"]


def main(rounds: int, output: Path | None) -> None:
    with ExitStack() as stack:
        appliance, settings = started(stack)
        environment = os.environ | settings | {"ASSAY_HOME": str(appliance.home)}
        subprocess.run(
            [sys.executable, HERE / "many.py", str(RUNS)],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        # autovacuum would otherwise begin within a round, and each of its transactions is a change
        plain = settings["ASSAY_DATABASE_URL"].replace("+psycopg", "")
        with psycopg.connect(plain, autocommit=True) as database:
            database.execute("VACUUM ANALYZE")
        token = token_of(appliance)
        found: dict[str, list[float]] = {}
        for name, value in asyncio.run(measure(appliance, token, rounds)):
            found.setdefault(name, []).append(value)
            print(f"{name}: {value:.3g}", flush=True)
    if output is not None:
        with output.open("a") as lines:
            for (name, unit), bar in BARS.items():
                values = found[name]
                lines.write(json.dumps({"name": name, "unit": unit, "values": values, "bar": bar}))
                lines.write("\n")


BARS: dict[tuple[str, str], dict[str, float]] = {
    ("150 requests/s over lists of 10,000 runs, median", "ms"): {},
    ("150 requests/s over lists of 10,000 runs, p99", "ms"): {"below": 100},
    ("200 campaigns posted twice each: surplus or missing", ""): {"most": 0},
    ("200 campaigns posted twice each: until all exist", "s"): {},
    ("1,000 subscribers: until the last has a change", "s"): {"below": 2},
    ("1,000 subscribers: memory of the API", "MB"): {"below": 1000},
}


async def measure(appliance: Appliance, token: str, rounds: int) -> list[tuple[str, float]]:
    """Perform all rounds; return the figures by name."""
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(
        base_url=f"{appliance.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        limits=limits,
        timeout=60,
    ) as client:
        latencies = [sorted(await open_loop(appliance.port, token)) for _ in range(rounds)]
        launches = [await launch_at_once(client) for _ in range(rounds)]
        changes = [await subscribed(appliance, client, token) for _ in range(rounds)]
    figures: list[list[float]] = [
        [one[len(one) // 2] * 1e3 for one in latencies],
        [one[int(len(one) * 0.99)] * 1e3 for one in latencies],
        *([one[part] for one in launches] for part in (0, 1)),
        *([one[part] for one in changes] for part in (0, 1)),
    ]
    return [
        (name, value) for (name, _), values in zip(BARS, figures, strict=True) for value in values
    ]


async def open_loop(port: int, token: str) -> list[float]:
    """Return the latencies from the due times, in seconds.

    The generator reads responses without looking into them: a client library would need more CPU
    time per request than the appliance.
    """
    free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection("127.0.0.1", port))
    head = f"Host: assay\r\nAuthorization: Bearer {token}\r\nAccept-Encoding: gzip\r\n\r\n"

    async def ask(path: str, due: float) -> float:
        reader, writer = await free.get()
        writer.write(f"GET /api/v1{path} HTTP/1.1\r\n{head}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(answer)
        assert answer.startswith(b"HTTP/1.1 200 ") and length, answer
        await reader.readexactly(int(length[1]))
        free.put_nowait((reader, writer))
        return time.monotonic() - due

    for path in LISTS:  # the first request after a change reads a page; most find it read
        await ask(path, 0)
    begun = time.monotonic() + 0.1
    asked: list[asyncio.Task[float]] = []
    for number in range(RATE * SECONDS):
        due = begun + number / RATE
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        asked.append(asyncio.create_task(ask(LISTS[number % len(LISTS)], due)))
    latencies = list(await asyncio.gather(*asked))
    while not free.empty():
        free.get_nowait()[1].close()
    return latencies


async def launch_at_once(client: httpx.AsyncClient) -> tuple[float, float]:
    """Launch campaigns, each twice with one key; return surplus or missing ones, and the time."""
    plan = await local_plan(client)
    (before,) = await newest(client)
    begun = time.monotonic()

    async def launch(key: str) -> int:
        while True:
            answer = await client.post(
                "/campaigns", json=plan, headers={"Idempotency-Key": key}, timeout=120
            )
            if answer.status_code != 409:
                assert answer.status_code == 201, answer.text
                return answer.json()["id"]
            await asyncio.sleep(float(answer.headers["Retry-After"]))

    keys = [f"{begun}-{number}" for number in range(CAMPAIGNS)]
    ids = await asyncio.gather(*(launch(key) for key in keys for _ in range(2)))
    took = time.monotonic() - begun
    exist = sum(one > before for one in await newest(client, since=before))
    surplus = abs(exist - CAMPAIGNS) + abs(len({*ids}) - CAMPAIGNS)
    await asyncio.gather(*(client.delete(f"/campaigns/{one}?cancel=true") for one in {*ids}))
    return surplus, took


async def newest(client: httpx.AsyncClient, since: int = 0) -> list[int]:
    """Return the ids of at least the newest campaign, the newest first; of all after `since`."""
    found: list[int] = []
    query: dict[str, Any] = {"limit": 200 if since else 1, "fields": "id"}
    while True:
        page = (await client.get("/campaigns", params=query)).json()
        found += [one["id"] for one in page["items"]]
        if not since or found[-1] <= since:
            return found
        query["cursor"] = page["next_cursor"]


async def local_plan(client: httpx.AsyncClient, **test: Any) -> dict[str, Any]:
    """Return a plan for a paced test on this machine, which is registered at the first time."""
    found = (await client.get("/targets", params={"limit": 200})).json()["items"]
    paths = {one["path"]: one["id"] for one in found}
    folder = tempfile.gettempdir()
    if folder not in paths:
        host = (await client.post("/hosts", json={"name": "here", "connection": "local"})).json()
        await client.post(f"/hosts/{host['id']}/check", params={"wait": 60})
        target = {"host_id": host["id"], "path": folder, "root_consent": True}
        paths[folder] = (await client.post("/targets", json=target)).json()["id"]
    body = {
        "kind": "sustained",
        "title": "Paced",
        "length": "120 s",
        "cache": "page",
        "block": [100_000],
        "file_mode": "ring",
        "file_size": 10_000_000,
        "mark_bytes": 1_000_000,
        "pace": "rate",
        "rate_bytes_per_s": [1_000_000],
    } | test
    name = f"paced {time.monotonic_ns()}"
    profile = await client.post("/profiles", json={"name": name, "body": {"tests": [body]}})
    return {"profile_id": profile.json()["id"], "target_ids": [paths[folder]]}


async def subscribed(
    appliance: Appliance, client: httpx.AsyncClient, token: str
) -> tuple[float, float]:
    """Return the longest time until all subscribers have a change, and the API's memory in MB.

    The changes are renames of a campaign whose samples arrive at the same time.
    """
    made = await client.post("/campaigns", json=await local_plan(client))
    where = f"/campaigns/{made.json()['id']}"
    while (await client.get(where)).json()["state"] == "queued":
        await asyncio.sleep(0.2)
    seen: dict[str, int] = {}
    connected = asyncio.Semaphore(0)

    async def follow() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", appliance.port, limit=1 << 20)
        head = f"GET /api/v1{where}/stream HTTP/1.1\r\nHost: assay\r\n"
        writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
        await reader.readuntil(b"event: campaign")
        connected.release()
        async for line in reader:
            for name in names_in(line):
                seen[name] = seen.get(name, 0) + 1

    def names_in(line: bytes) -> Iterator[str]:
        if line.startswith(b"data: ") and (at := line.find(b'"name":"change ')) >= 0:
            yield line[at + 8 : line.index(b'"', at + 8)].decode()

    following = [asyncio.create_task(follow()) for _ in range(SUBSCRIBERS)]
    longest = 0.0
    try:
        for _ in following:
            await asyncio.wait_for(connected.acquire(), 60)
        for number in range(CHANGES):
            name, begun = f"change {number}", time.monotonic()
            answer = await client.patch(where, json={"name": name})
            assert answer.is_success, answer.text
            while seen.get(name, 0) < SUBSCRIBERS:
                assert time.monotonic() - begun < 60, f"{seen.get(name, 0)} have {name}"
                await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - begun)
            await asyncio.sleep(1)
        status = Path(f"/proc/{appliance.child('api')}/status").read_text()
        (memory,) = [int(w.split()[1]) for w in status.split("\n") if w.startswith("VmRSS")]
    finally:
        for one in following:
            one.cancel()
    await client.post(f"{where}/cancel")
    while (await client.get("/runs?limit=1&state=queued&state=running")).json()["items"]:
        await asyncio.sleep(1)
    return longest, memory / 1e3


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
