"""The whole appliance as a user starts it, each time in a separate home."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import httpx

ROOT = Path(__file__).resolve().parents[2]
UP = (str(ROOT / ".venv/bin/assay"), "up")
ADMIN_PASSWORD = "correct horse battery staple"
END_WITHIN_S = 60.0

T = TypeVar("T")


def free_port() -> int:
    """Return a port of the loopback interface that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def until(what: str, check: Callable[[], T], seconds: float = 60) -> T:
    """Return the first truthy result of `check`; fail with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (answer := check()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.1)
    return answer


def processes_with(text: str) -> dict[int, str]:
    """Return command lines of live processes whose command line or environment has `text`."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            environment = (entry / "environ").read_bytes().decode(errors="replace")
            if text in command or text in environment:
                found[int(entry.name)] = command
    return found


class Appliance:
    """`assay up`, or another command that leads to it, in its own home and on its own port."""

    def __init__(self, home: Path, command: Sequence[str], settings: Mapping[str, str]) -> None:
        self.home = home
        self.command = command
        self.port = free_port()
        self.settings = dict(settings)
        self.process: subprocess.Popen[bytes] | None = None
        self.log_file = home.with_suffix(".log")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def start(self, ready_within_s: float = 60) -> None:
        """Start it and wait until it reports ready."""
        seen = self.log.count("ready after") if self.log_file.exists() else 0
        environment = {name: os.environ[name] for name in os.environ if name[:6] != "ASSAY_"}
        environment |= {
            "ASSAY_HOME": str(self.home),
            "ASSAY_PORT": str(self.port),
            "ASSAY_FIRST_LOOK": "no",
            "ASSAY_ADMIN_PASSWORD": ADMIN_PASSWORD,
            **self.settings,
        }
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                env={name: value for name, value in environment.items() if value},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

        def ready() -> bool:
            assert self.process is not None and self.process.poll() is None, self.log
            return self.log.count("ready after") > seen

        until(f"{self.command} ready", ready, ready_within_s)

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send Ctrl-C to the terminal's foreground group; return the exit code."""
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        return self.process.wait(END_WITHIN_S)

    def child(self, name: str) -> int:
        """Return the process id of a child of this name, or 0 if none is running."""
        words = {
            "api": "uvicorn",
            "worker": "celery",
            "scheduler": "assay_worker.scheduler",
            "queue": "valkey-server",
            "first look": "assay.supervisor.first_look",
        }
        mine = processes_with(f"ASSAY_HOME={self.home}").items()
        found = [pid for pid, command in mine if re.search(rf"{words[name]}\b", command)]
        return found[0] if found else 0

    @contextlib.contextmanager
    def client(self) -> Generator[httpx.Client]:
        """Return a client that is logged in as the administrator."""
        with httpx.Client(base_url=f"{self.url}/api/v1", timeout=300) as client:
            answer = client.post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
            assert answer.status_code in {200, 201}, answer.text
            client.headers["X-Assay-CSRF"] = answer.json()["csrf"]
            yield client
