"""Prove `docker-compose.yml` on a private Docker daemon, and write a report (as root).

    python -m containers [--output FILE]

It makes the images from Debian packages, builds Assay's, starts the stack, qualifies a directory of
this machine over SSH while each service is restarted and the worker is killed, scales to three
workers and kills two of them, and removes everything. Ends with 1 and the reason if a step fails.
"""

import argparse
import os
import platform
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from lab.survivors import guard
from testing.appliance import ADMIN_PASSWORD, free_port, processes_with, until
from testing.sshd import Sshd

from containers.docker import ROOT, Docker, Stack, daemon, install

HEALTHY_S = 30
"""Bar of the time from `up` until every service is healthy."""
SERVICES = ("db", "redis", "api", "worker", "scheduler")
SAMPLE_MS = 100
RATE = 8_000_000
MARK = 2_000_000
LONG_S, SHORT_S = 240, 60
FAILED = "FAILED"


class Report:
    """What was done, with the time that each step took."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str]] = []

    def note(self, step: str, found: str) -> None:
        print(f"{step}: {found}", flush=True)
        self.rows.append((step, found))

    def fail(self, error: Exception) -> None:
        """Note the first failure; later ones are its consequences."""
        if not any(step == FAILED for step, _ in self.rows):
            self.note(FAILED, str(error).replace("\n", " ").replace("|", "/")[:8000])

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        began = time.monotonic()
        yield
        self.note(name, f"{time.monotonic() - began:.0f} s")

    def text(self) -> str:
        """Return the report as Markdown."""
        moment = datetime.now(UTC)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
        machine = f"{os.cpu_count()} CPUs, {memory:.0f} GB, Linux {platform.release()}"
        table = [f"| {step} | {found} |" for step, found in self.rows]
        lines = [
            f"# Compose, {moment:%Y-%m-%d %H:%M} UTC",
            "",
            machine + ", `python -m containers`.",
        ]
        return "\n".join([*lines, "", "| step | result |", "|---|---|", *table, ""])


class Api:
    """Assay's API, as a pipeline uses it. While it is restarted, requests are sent again."""

    def __init__(self, port: int) -> None:
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=90)

    def authorize(self, token: str) -> None:
        self.client.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        def ask() -> dict[str, Any] | None:
            try:
                answer = self.client.get(path, params=query)
            except httpx.TransportError:
                return None
            return answer.json() if answer.is_success else None

        return until(f"GET {path}", ask, 120)

    def post(self, path: str, body: dict[str, Any] | None = None, **query: Any) -> dict[str, Any]:
        answer = self.client.post(path, json=body, params=query)
        assert answer.is_success, answer.text
        return answer.json()

    def register(self, server: Sshd, path: Path) -> int:
        """Register a host and a directory on it; return the target's id."""
        key = {"name": "lab key", "kind": "private_key", "private_key": server.private_key}
        credential = self.post("/credentials", key)
        address = {"name": "lab", "address": server.address, "port": server.port}
        login = {"user": server.user, "credential_id": credential["id"]}
        where = f"/hosts/{self.post('/hosts', address | login)['id']}"
        assert self.post(f"{where}/check", wait=60)["state"] == "key_unapproved"
        offered = self.get(f"{where}/host-key")["offered"]
        self.post(f"{where}/host-key", {"fingerprint": offered["fingerprint"]})
        ready = self.post(f"{where}/check", wait=60)
        assert ready["state"] == "ready", ready
        target = {"host_id": ready["id"], "path": str(path), "root_consent": True}
        return self.post("/targets", target)["id"]

    def launch(self, target_id: int, seconds: int) -> int:
        """Launch a paced write of that length; return the campaign's id once samples arrive."""
        test = {
            "kind": "sustained",
            "title": "Paced",
            "length": f"{seconds} s",
            "cache": "page",
            "block": [100_000],
            "file_mode": "ring",
            "file_size": 20_000_000,
            "mark_bytes": MARK,
            "pace": "rate",
            "rate_bytes_per_s": [RATE],
            "sample_ms": SAMPLE_MS,
        }
        criteria = [{"criterion": f"app.mean >= {RATE * 0.9 / 1e6} MB/s"}]
        name = f"paced {secrets.token_hex(4)}"
        body = {"name": name, "body": {"tests": [test], "criteria": criteria}}
        profile = self.post("/profiles", body)["id"]
        plan = {"profile_id": profile, "target_ids": [target_id]}
        campaign = self.post("/campaigns", plan)["id"]
        until("samples", lambda: self.trial(campaign)["attempts"][0]["sample_count"] > 10)
        return campaign

    def trial(self, campaign: int) -> dict[str, Any]:
        """Return the only trial of a campaign, once it has an attempt."""
        run = self.get(f"/campaigns/{campaign}")["runs"][0]["id"]
        (trial,) = self.get(f"/runs/{run}/trials")["items"]

        def begun() -> dict[str, Any] | None:
            found = self.get(f"/trials/{trial['id']}")
            return found if found["attempts"] else None

        return until("an attempt", begun)

    def assert_complete(self, campaign: int, seconds: int) -> str:
        """Assert that a campaign passed and that nothing that it measured is missing."""
        until(
            "the end of the campaign",
            lambda: self.get(f"/campaigns/{campaign}")["state"] not in ("queued", "running"),
            seconds + 120,
        )
        ended = self.get(f"/campaigns/{campaign}")
        assert ended["state"] == "done", ended
        verdict = verdict_of(self.get(f"/campaigns/{campaign}/verdict"))
        trial = self.trial(campaign)
        (attempt,) = trial["attempts"]
        assert attempt["status"] == "complete", attempt
        marks = self.get(f"/trials/{trial['id']}/marks", points=2000)["columns"]["end_bytes"]
        expected = seconds * 1000 // SAMPLE_MS
        assert marks[-1] == attempt["bytes"] and attempt["bytes"] >= 0.95 * RATE * seconds, attempt
        columns = self.get(f"/trials/{trial['id']}/samples", points=2000)["columns"]
        pairs = zip(columns["rate_mean_bytes_per_s"], columns["dt_ns"], strict=True)
        sampled = sum(rate * dt / 1e9 for rate, dt in pairs)
        assert abs(sampled - attempt["bytes"]) < 0.002 * attempt["bytes"], (sampled, attempt)
        return (
            f"done, {verdict}, one attempt, {attempt['bytes'] / 1e6:.0f} MB in its "
            f"{len(marks)} marks and {attempt['sample_count']} samples ({expected} are due)"
        )


def verdict_of(found: dict[str, Any]) -> str:
    """Assert that the only criterion is passed, and return the verdict.

    It may have a note, because the stack's own database writes on the same disk.
    """
    ((row,),) = [run["rows"] for run in found["runs"]]
    assert found["outcome"] == "pass", row
    assert {one["code"] for one in row["doubts"]} <= {"contended"}, row
    moved = [one["figures"]["others_bytes"] / 1e6 for one in row["doubts"]]
    note = f", although the stack itself moved {moved[0]:.0f} MB on this disk" if moved else ""
    return f"verdict pass{note}"


def assert_contained(stack: Stack) -> str:
    """Assert that no container runs as root or can write to its root file system."""
    for one in stack.inspect():
        pid = one["State"]["Pid"]
        status = Path(f"/proc/{pid}/status").read_text()
        (uids,) = [line.split()[1:] for line in status.splitlines() if line.startswith("Uid:")]
        assert "0" not in uids, (one["Name"], uids)
        assert one["HostConfig"]["ReadonlyRootfs"], one["Name"]
    return "no process of root, root file systems read-only"


def disturb(report: Report, stack: Stack) -> None:
    """Restart each service, then kill the worker; each time wait until all are healthy."""
    for service in SERVICES:
        began = time.monotonic()
        stack.compose("restart", service)
        stack.await_health()
        report.note(f"restart {service}", f"healthy again after {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    (worker,) = stack.containers("worker")
    stack.kill(worker)
    stack.await_health()
    report.note("SIGKILL of the worker", f"healthy again after {time.monotonic() - began:.0f} s")


def prove(report: Report, docker: Docker, scratch: Path) -> None:
    """Perform all steps on a running daemon."""
    with report.step("base image by debootstrap"):
        docker.import_base()
    with report.step("image of PostgreSQL and Redis"):
        docker.build("assay-stores", ROOT / "e2e/containers/images")
    with report.step("image of Assay"):
        docker.build("assay", ROOT)
    port = free_port()
    chosen = {
        "ASSAY_DB_PASSWORD": secrets.token_hex(16),
        "ASSAY_REDIS_PASSWORD": secrets.token_hex(16),
        "ASSAY_SECRET_KEY": secrets.token_hex(32),
        "ASSAY_ADMIN_PASSWORD": ADMIN_PASSWORD,
        "ASSAY_PUBLISH": f"127.0.0.1:{port}",
    }
    stack = Stack(docker, chosen)
    try:
        with report.step("containers of db, redis, api, worker and scheduler, copied by vfs"):
            stack.create()
        began = time.monotonic()
        stack.up()
        stack.await_health()
        took = time.monotonic() - began
        report.note("up", f"healthy after {took:.0f} s (bar {HEALTHY_S} s)")
        report.note("containers", assert_contained(stack))
        measure(report, stack, port, scratch)
        assert took <= HEALTHY_S, f"healthy only after {took:.0f} s"
    except Exception as error:
        report.fail(error)
        raise
    finally:
        stack.compose("down", "--volumes", "--timeout", "5")
    assert (left := stack.remains()) == {}, left
    report.note("down", "no container, volume or network left")


def measure(report: Report, stack: Stack, port: int, scratch: Path) -> None:
    """Qualify a directory of this machine while services are restarted and workers die."""
    network = stack.gateway()
    server = Sshd(scratch / "sshd", address=network)
    server.start()
    target = scratch / "target"
    target.mkdir()
    try:
        api = Api(port)
        (container,) = stack.containers("api")
        token = stack.execute(
            container, "assay", "token", "create", "--role", "admin", "--name", "x"
        )
        api.authorize(token.split()[-1])
        target_id = api.register(server, target)
        report.note("host", f"registered over SSH at {network}, key approved, ready")
        long = api.launch(target_id, LONG_S)
        disturb(report, stack)
        report.note("campaign meanwhile", api.assert_complete(long, LONG_S))
        with report.step("scale to three workers"):
            stack.compose("up", "-d", "--no-build", "--scale", "worker=3")
            stack.await_health()
        short = api.launch(target_id, SHORT_S)
        for worker in stack.containers("worker")[:2]:
            stack.kill(worker)
        report.note("campaign, two workers killed", api.assert_complete(short, SHORT_S))
        until("a clean host", lambda: not [*target.iterdir()] and not probes(server), 60)
        report.note("target and host", "no test file, no process of the probe")
    finally:
        server.stop()


def probes(server: Sshd) -> dict[int, str]:
    """Return the probes on the host, by process id."""
    return {
        pid: command
        for pid, command in processes_with(str(server.home)).items()
        if "assay-probe" in command
    }


def main() -> int:
    """Run the proof; return the exit code."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--output", type=Path, help="by default docs/measurements/…-compose.md")
    output: Path | None = options.parse_args().output
    if os.geteuid() != 0:
        sys.exit("the Docker daemon needs root: repeat as root")
    install()
    report, end_all = Report(), guard()
    folder = Path(tempfile.mkdtemp(prefix="assay-compose-"))
    try:
        scratch = folder / "host"
        scratch.mkdir()
        with daemon(folder) as docker:
            prove(report, docker, scratch)
        assert not processes_with(str(folder)), processes_with(str(folder))
        mounts = [
            line for line in Path("/proc/mounts").read_text().split("\n") if str(folder) in line
        ]
        assert not mounts, mounts
        report.note("daemon", "ended, no process or mount left")
    except (AssertionError, RuntimeError) as error:
        report.fail(error)
        return 1
    finally:
        end_all()
        shutil.rmtree(folder)
        path = (
            output or ROOT / "docs/measurements" / f"{datetime.now(UTC):%Y-%m-%d-%H%M}-compose.md"
        )
        path.write_text(report.text())
        print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
