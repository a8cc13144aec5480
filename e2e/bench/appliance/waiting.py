"""Loads the appliance on PostgreSQL with 1,000 requests that wait for the end of one campaign.

    waiting.py ROUNDS [OUTPUT]

The campaign measures meanwhile, so that it changes all the time. The requests arrive at once, wait
`WAIT_S`, are repeated when they were answered, and end with the campaign. Another process requests
health, hosts and campaigns all the time, one after the other. OUTPUT gets a JSON line for each
figure, as `figures.of_appliance` reads it:

- the slowest response to the other process: at the arrival, during the wait, and at the end;
- the share of a core that the API's process needs during the wait, beyond what it needs without
  waiting requests;
- the time from the end of the campaign until the last request was answered.

Generator, appliance and database share the machine.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import httpx  # noqa: E402
from load import LENGTH, local_plan, started, token_of  # noqa: E402
from testing.appliance import Appliance  # noqa: E402

WAITING, WAIT_S = 1000, 25
QUIET_S, STEADY_S = 10, 60
SETTLED_S = 5
"""From the first arrival on, all requests wait."""
OTHERS = ("/health", "/hosts?limit=50", "/campaigns?limit=50")
PAUSE_S = 0.01

BARS: dict[tuple[str, str], dict[str, float]] = {
    ("1,000 requests wait: slowest other response at their arrival", "ms"): {"below": 200},
    ("1,000 requests wait: slowest other response meanwhile", "ms"): {"below": 200},
    ("1,000 requests wait: slowest other response at their end", "ms"): {"below": 200},
    ("1,000 requests wait: CPU time of the API for them", "% of a core"): {"below": 10},
    ("1,000 requests wait: until the last is answered", "s"): {},
}


def main(rounds: int, output: Path | None) -> None:
    with ExitStack() as stack:
        appliance, _ = started(stack)
        token = token_of(appliance)
        measured = [asyncio.run(measure(appliance, token)) for _ in range(rounds)]
    for ((name, unit), bar), values in zip(BARS.items(), zip(*measured, strict=True), strict=True):
        print(f"{name}: {' '.join(f'{value:.3g}' for value in values)} {unit}", flush=True)
        if output is not None:
            with output.open("a") as lines:
                line = {"name": name, "unit": unit, "values": values, "bar": bar}
                lines.write(json.dumps(line) + "\n")


@dataclass
class Waiting:
    """What the generator counts."""

    arrived: int = 0
    answered: int = 0
    ended: int = 0
    tasks: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])


async def measure(appliance: Appliance, token: str) -> list[float]:
    """Perform one round; return the figures in their order."""
    headers = {"Authorization": f"Bearer {token}"}
    base = f"{appliance.url}/api/v1"
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=120) as client:
        made = await client.post("/campaigns", json=await local_plan(client, length="600 s"))
        where = f"/campaigns/{made.json()['id']}"
        while (await client.get(where)).json()["state"] == "queued":
            await asyncio.sleep(0.2)
        with others(appliance.port, token) as slowest:
            alone = await cpu_share(appliance, QUIET_S)
            slowest()
            waiting = Waiting()
            waiting.tasks = [
                asyncio.create_task(wait(appliance.port, token, where, waiting))
                for _ in range(WAITING)
            ]
            await asyncio.sleep(SETTLED_S)
            arrival = slowest()
            share = await cpu_share(appliance, STEADY_S)
            meanwhile = slowest()
            assert waiting.ended == 0
            await client.post(f"{where}/cancel")
            while (await client.get(where)).json()["ended_at"] is None:
                await asyncio.sleep(0.05)
            ended_at = time.monotonic()
            await asyncio.gather(*waiting.tasks)
            took = time.monotonic() - ended_at
            await asyncio.sleep(1)
            end = slowest()
    print(f"{waiting.answered} responses; the API alone: {alone:.2%}", flush=True)
    return [arrival * 1e3, meanwhile * 1e3, end * 1e3, (share - alone) * 100, took]


async def wait(port: int, token: str, where: str, count: Waiting) -> None:
    """Wait for the end of the campaign, as a pipeline does."""
    head = f"Host: assay\r\nAuthorization: Bearer {token}\r\n\r\n"
    request = f"GET /api/v1{where}?wait={WAIT_S} HTTP/1.1\r\n{head}".encode()
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        count.arrived += 1
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(answer)
        assert answer.startswith(b"HTTP/1.1 200 ") and length, answer
        body = await reader.readexactly(int(length[1]))
        writer.close()
        count.answered += 1
        if b'"ended_at":null,"cancel' not in body:
            count.ended += 1
            return


async def cpu_share(appliance: Appliance, seconds: float) -> float:
    """Return the share of a core that the API's process uses."""
    stat = Path(f"/proc/{appliance.child('api')}/stat")

    def used() -> float:
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before, begun = used(), time.monotonic()
    await asyncio.sleep(seconds)
    return (used() - before) / (time.monotonic() - begun)


@contextmanager
def others(port: int, token: str) -> Iterator[Callable[[], float]]:
    """Request something else in another process; yields what returns the slowest since it did."""
    mine, its = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_request, args=(port, token, its), daemon=True)
    process.start()

    def slowest() -> float:
        mine.send(None)
        return mine.recv()

    try:
        yield slowest
    finally:
        process.terminate()
        process.join()


def _request(port: int, token: str, asked: Connection) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    longest = 0.0
    while True:
        for path in OTHERS:
            begun = time.monotonic()
            connection = HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("GET", f"/api/v1{path}", headers=headers)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            assert answer.status == 200, answer.status
            longest = max(longest, time.monotonic() - begun)
            if asked.poll():
                asked.recv()
                asked.send(longest)
                longest = 0.0
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
