"""`assay up`: the supervisor, from the lock on the home directory to the end of all processes.

Probes on the appliance's own machine stop with it; on other hosts they continue unwatched. A probe
is detached and outlives its worker, which on this machine would leave a process behind after
Ctrl-C. A stopped probe keeps its measurements and removes its files; after the next start the
driver continues with the missing trials.
"""

import asyncio
import contextlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path

from pydantic import ValidationError

from assay.base import home, logs
from assay.base.home import StartupError
from assay.base.printable import printable
from assay.base.settings import APPLIANCE, REPOSITORY, Settings, invalid_settings, settings
from assay.supervisor import queue_server
from assay.supervisor.child import Child, Log, ended

STOPPED = "stopped"
WAIT_MS = 20_000
TIMEOUT_S = WAIT_MS / 1000 + 10


def known_probes(home: Path) -> list[Path]:
    """Return the run directories on this machine; only the probe can tell whether it is running."""
    return sorted(path.parent for path in (home.resolve() / "runs").glob("*/generation"))


def stop_probes(run_dir: Path) -> str:
    """Stop the probe of a run and wait for its exit; return the state that it reports."""
    probe = REPOSITORY / "worker" / "probe" / "build" / platform.machine() / "assay-probe"
    generation = (run_dir / "generation").read_text().strip()
    command = [str(probe), "stop", str(run_dir), "--generation", generation]
    try:
        done = subprocess.run(
            [*command, "--wait-ms", str(WAIT_MS)],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
            start_new_session=True,  # so that a second Ctrl-C does not reach it
        )
        return str(json.loads(done.stdout)["state"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        return str(error)


API_TIMEOUT_S = 60.0
POLL_S = 0.05
STREAMS_END_S = 2
"""How long the API waits at shutdown for open responses."""

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SUPERVISOR_ONLY = ("ASSAY_ADMIN_PASSWORD",)


def up() -> int:
    """Run Assay until it is stopped; return the exit code."""
    try:
        configured = configuration()
        home.make_home(configured.home)
        with home.locked(configured.home), runtime_folder(configured):
            home.check_address(configured.host, configured.port)
            return asyncio.run(Supervisor(configured).run())
    except StartupError as error:
        log("assay", str(error))
        return 1


def configuration() -> Settings:
    """Return the settings; raises StartupError if one is invalid."""
    try:
        return settings()
    except ValidationError as error:
        raise StartupError(invalid_settings(error)) from error


def log(name: str, line: str) -> None:
    """Print a line of a process, prefixed with its name, or as JSON."""
    as_json = os.environ.get("ASSAY_LOG_FORMAT") == "json"  # also if another setting is invalid
    with contextlib.suppress(BrokenPipeError):
        line = logs.line(name, line) if as_json else f"{name:<10} {printable(line)}"
        print(line, flush=True)  # noqa: T201 (the log of the whole appliance)


def log_queue(name: str, line: str) -> None:
    """Print a line of the queue, unless it is the ignored warning."""
    if queue_server.IGNORED_WARNING not in line:
        log(name, line)


@contextlib.contextmanager
def runtime_folder(configured: Settings) -> Generator[Path]:
    """Create the runtime directory and remove it at the end."""
    folder = home.make_runtime_folder(configured.home)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Supervisor:
    """Owns the child processes; they stop in reverse order of their start."""

    def __init__(self, configured: Settings) -> None:
        """Prepare the environment; `run` starts the children."""
        self.settings = configured
        self.began = time.monotonic()
        self.children: list[asyncio.Task[None]] = []
        self.environment = {
            name: value for name, value in os.environ.items() if name not in SUPERVISOR_ONLY
        }
        self.environment["ASSAY_HOME"] = str(configured.home.resolve())
        self.environment["PYTHONUNBUFFERED"] = "1"
        self.environment[APPLIANCE] = self.environment["ASSAY_HOME"]
        if not configured.redis_url:
            socket = home.queue_socket(configured.home)
            self.environment["ASSAY_REDIS_URL"] = f"unix://{socket}"

    async def run(self) -> int:
        """Start all children, wait for a signal and stop all children."""
        asked = asyncio.Event()
        for number in STOPPING:
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
        starting = asyncio.create_task(self.start())
        ending = asyncio.create_task(asked.wait())
        try:
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                await ending
            return 0
        finally:
            for task in (starting, ending):
                task.cancel()
            await asyncio.gather(starting, ending, return_exceptions=True)
            await self.end()

    async def start(self) -> None:
        """Start the queue, prepare the database and start the three processes."""
        if not self.settings.redis_url:
            state = self.settings.home.resolve() / "queue"
            state.mkdir(mode=home.PRIVATE, exist_ok=True)
            socket = home.queue_socket(self.settings.home)
            self.keep("queue", queue_server.command(state, socket), log_queue)
            await queue_server.wait_until_ready(socket)
        # imported while the queue starts, because the import takes a second
        from assay.supervisor import first_start

        code = first_start.prepare(self.settings)
        python = sys.executable
        self.keep("api", [python, *self._uvicorn()])
        self.keep("worker", [python, *self._celery()])
        await self._wait_for_api()
        # on a small machine it would delay the web interface
        self.keep("scheduler", [python, "-m", "assay_worker.scheduler"])
        seconds = time.monotonic() - self.began
        log("assay", f"ready after {seconds:.1f} s: {self.address}")
        if code:
            log("assay", first_start.announcement(code))
        await self.once("first look", [python, "-m", "assay.supervisor.first_look"])

    def keep(self, name: str, command: list[str], output: Log = log) -> None:
        """Start a child, restart it when it exits, and log its output."""
        child = Child(name, command, self.environment, output)
        self.children.append(asyncio.create_task(child.keep(), name=name))

    async def once(self, name: str, command: list[str]) -> None:
        """Run a child once; a failure is logged and does not affect others."""
        code = await Child(name, command, self.environment, log).once()
        if code != 0:
            log("assay", f"{name} {ended(code)}: see its log above; the next start tries again")

    async def end(self) -> None:
        """Stop all children, the newest first, so that none loses a dependency."""
        log("assay", "stopping")
        for child in reversed(self.children):
            child.cancel()
            await asyncio.wait({child})
        for run_dir in known_probes(self.settings.home):
            if stop_probes(run_dir) == STOPPED:
                log(
                    "assay",
                    f"stopped the local test {run_dir.name}; it continues at the next start",
                )
        log("assay", "stopped")

    @property
    def address(self) -> str:
        """The URL for a browser on this machine."""
        return home.address(self.settings.host, self.settings.port)

    def _celery(self) -> list[str]:
        return [
            # running as root is the user's choice
            *("-W", "ignore:You're running the worker", "-m", "celery", "--quiet"),
            *("-A", "assay_worker.application", "worker"),
            *("--pool", "threads", "--loglevel", "WARNING"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]

    def _uvicorn(self) -> list[str]:
        listen = ["--host", self.settings.host, "--port", str(self.settings.port)]
        return [
            *(
                "-m",
                "uvicorn",
                "assay.api.app:app",
                *listen,
                "--no-access-log",
                "--no-proxy-headers",
            ),
            *("--log-level", "warning", "--timeout-graceful-shutdown", str(STREAMS_END_S)),
        ]

    async def _wait_for_api(self) -> None:
        """Wait until the API responds; log each timeout and continue, since it is restarted."""
        timeout_at = self.began + API_TIMEOUT_S
        while not await asyncio.to_thread(self._healthy):
            if time.monotonic() > timeout_at:
                log("assay", f"no response from the API on {self.address}: see its log above")
                timeout_at += API_TIMEOUT_S
            await asyncio.sleep(POLL_S)

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/api/v1/health", timeout=5) as answer:  # noqa: S310
                return answer.status == HTTPStatus.OK
        except OSError:
            return False
