"""What `assay up` does, from the lock on the home to the end of the last process."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
import urllib.request
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path

from pydantic import ValidationError

from assay.printable import printable
from assay.settings import Settings, mistakes, settings
from assay.supervisor import local_probes, place, queue_server
from assay.supervisor.child import Child, Log, ended
from assay.supervisor.place import CannotStartError

ANSWER_WITHIN_S = 60.0
PAUSE_S = 0.05
STREAMS_END_S = 2
"""How long the API waits at its end for answers that are still being sent."""

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOR_THE_SUPERVISOR = ("ASSAY_ADMIN_PASSWORD",)


def up() -> int:
    """Run Assay until it is told to end; the exit code."""
    try:
        configured = configuration()
        place.make_home(configured.home)
        with place.locked(configured.home), runtime_folder(configured):
            place.check_address(configured.host, configured.port)
            return asyncio.run(Supervisor(configured).run())
    except CannotStartError as error:
        log("assay", str(error))
        return 1


def configuration() -> Settings:
    """The settings; raise CannotStartError for one that makes no sense."""
    try:
        return settings()
    except ValidationError as error:
        raise CannotStartError(mistakes(error)) from error


def log(name: str, line: str) -> None:
    """Print a line of one process, with its name before it."""
    with contextlib.suppress(BrokenPipeError):
        line = f"{name:<10} {printable(line)}"
        print(line, flush=True)  # noqa: T201 (the log of the whole appliance)


def log_queue(name: str, line: str) -> None:
    """Print a line of the queue, unless it is advice that does not concern it."""
    if queue_server.NEEDLESS_ADVICE not in line:
        log(name, line)


@contextlib.contextmanager
def runtime_folder(configured: Settings) -> Generator[Path]:
    """The runtime folder, for as long as the supervisor runs."""
    folder = place.make_runtime_folder(configured.home)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Supervisor:
    """Holds the children; they end in the opposite order of their start."""

    def __init__(self, configured: Settings) -> None:
        """Nothing is started yet."""
        self.settings = configured
        self.began = time.monotonic()
        self.children: list[asyncio.Task[None]] = []
        self.environment = {
            name: value for name, value in os.environ.items() if name not in FOR_THE_SUPERVISOR
        }
        self.environment["ASSAY_HOME"] = str(configured.home.resolve())
        self.environment["PYTHONUNBUFFERED"] = "1"
        if not configured.redis_url:
            socket = place.queue_socket(configured.home)
            self.environment["ASSAY_REDIS_URL"] = f"unix://{socket}"

    async def run(self) -> int:
        """Start everything, wait to be told to end, end everything."""
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
        """Queue, database, then the three processes; say so when the API answers."""
        if not self.settings.redis_url:
            state = self.settings.home.resolve() / "queue"
            state.mkdir(mode=place.PRIVATE, exist_ok=True)
            socket = place.queue_socket(self.settings.home)
            self.keep("queue", queue_server.command(state, socket), log_queue)
            await queue_server.answers(socket)
        # imported while the queue starts: it takes a second
        from assay.supervisor import first_start

        code = first_start.prepare(self.settings)
        python = sys.executable
        # one after the other: on a small machine the pages would come later for the other two
        self.keep("api", [python, *self._uvicorn()])
        await self._answers()
        self.keep("worker", [python, *self._celery()])
        self.keep("scheduler", [python, "-m", "assay_worker.scheduler"])
        seconds = time.monotonic() - self.began
        log("assay", f"ready after {seconds:.1f} s: {self.address}")
        if code:
            log("assay", first_start.announcement(code))
        await self.once("first look", [python, "-m", "assay.supervisor.first_look"])

    def keep(self, name: str, command: list[str], told: Log = log) -> None:
        """Start a child, keep it alive, and tell its lines."""
        child = Child(name, command, self.environment, told)
        self.children.append(asyncio.create_task(child.keep(), name=name))

    async def once(self, name: str, command: list[str]) -> None:
        """Run a child to its end; a failure is logged and takes nothing else down."""
        code = await Child(name, command, self.environment, log).once()
        if code != 0:
            log("assay", f"{name} {ended(code)}: see its lines above; the next start tries again")

    async def end(self) -> None:
        """End all children, the newest first, so that none misses what it leans on."""
        log("assay", "ending")
        for child in reversed(self.children):
            child.cancel()
            await asyncio.wait({child})
        for run_dir in local_probes.known(self.settings.home):
            if local_probes.stop(run_dir) == local_probes.STOPPED:
                log("assay", f"the test {run_dir.name} here was stopped; the next start goes on")
        log("assay", "ended")

    @property
    def address(self) -> str:
        """What a person types into a browser on this machine."""
        return place.address(self.settings.host, self.settings.port)

    def _celery(self) -> list[str]:
        return [
            # that it runs as root is the choice of who started Assay
            *("-W", "ignore:You're running the worker", "-m", "celery", "--quiet"),
            *("-A", "assay_worker.application", "worker"),
            *("--pool", "threads", "--loglevel", "WARNING"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]

    def _uvicorn(self) -> list[str]:
        listen = ["--host", self.settings.host, "--port", str(self.settings.port)]
        return [
            *("-m", "uvicorn", "assay.app:app", *listen, "--no-access-log", "--no-proxy-headers"),
            *("--log-level", "warning", "--timeout-graceful-shutdown", str(STREAMS_END_S)),
        ]

    async def _answers(self) -> None:
        """Wait until the API does; say so when it takes long, but go on: it is started again."""
        patience = self.began + ANSWER_WITHIN_S
        while not await asyncio.to_thread(self._healthy):
            if time.monotonic() > patience:
                log("assay", f"the API does not answer yet on {self.address}: see its lines above")
                patience += ANSWER_WITHIN_S
            await asyncio.sleep(PAUSE_S)

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/api/v1/health", timeout=5) as answer:  # noqa: S310
                return answer.status == HTTPStatus.OK
        except OSError:
            return False
