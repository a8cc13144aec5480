"""A real sshd on loopback for a test: its own port, keys and configuration, as root or not."""

import contextlib
import getpass
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import asyncssh
from assay.supervisor.child import end_with
from lab.site import TEST_MARKER


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Sshd:
    """One server. Its `home` replaces the user's, so that nothing of the test remains there."""

    def __init__(
        self,
        folder: Path,
        password_only: bool = False,
        password: str | None = None,
        address: str = "127.0.0.1",
        shell: str | None = None,
    ) -> None:
        """Listen at `address`.

        With `password` it is the user's here, and the only login method; `shell` is the user's
        login shell. Both need root.
        """
        self.folder, self.password, self.address, self.shell = folder, password, address, shell
        self.password_only = password_only or password is not None
        self.home = folder / "home"
        self.port = free_port()
        self.user = getpass.getuser()
        self.client_key = asyncssh.generate_private_key("ssh-ed25519")
        self.environment: dict[str, str] = {}
        self.options: list[str] = []
        """Further lines of its configuration."""
        self.prelude = ""
        """Shell commands before its start, in a mount namespace of its own."""
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o755)
        self.home.mkdir()
        self.new_host_key()

    @property
    def private_key(self) -> str:
        return self.client_key.export_private_key().decode()

    @property
    def host_key(self) -> str:
        return " ".join((self.folder / "host_key.pub").read_text().split()[:2])

    def new_host_key(self) -> None:
        key = asyncssh.generate_private_key("ssh-ed25519")
        path = self.folder / "host_key"
        path.write_bytes(key.export_private_key())
        path.chmod(0o600)
        (self.folder / "host_key.pub").write_bytes(key.export_public_key())

    def start(self) -> None:
        authorized = self.folder / "authorized_keys"
        authorized.write_bytes(self.client_key.export_public_key())
        authorized.chmod(0o600)
        methods = "password" if self.password_only else "publickey"
        lines = [
            f"Port {self.port}",
            f"ListenAddress {self.address}",
            f"HostKey {self.folder / 'host_key'}",
            f"AuthorizedKeysFile {authorized}",
            f"PidFile {self.folder / 'pid'}",
            f"AuthenticationMethods {methods}",
            "PermitRootLogin yes",
            "StrictModes no",
            "UsePAM no",
            "SetEnv " + " ".join(f'"{k}={v}"' for k, v in self._session().items()),
            *self.options,
        ]
        if not any(line.startswith("Subsystem") for line in self.options):
            lines.append("Subsystem sftp internal-sftp")
        config = self.folder / "sshd_config"
        config.write_text("\n".join(lines) + "\n")
        program = shutil.which("sshd") or "/usr/sbin/sshd"
        Path("/run/sshd").mkdir(exist_ok=True)
        log = (self.folder / "log").open("ab")
        command = [program, "-D", "-e", "-f", str(config)]
        self._process = subprocess.Popen(
            self._with_own_tables(command),
            stderr=log,
            start_new_session=True,
            # it overwrites its environment, and with that the run's mark
            preexec_fn=end_with(os.getpid()),  # noqa: PLW1509 (one call of prctl)
        )
        log.close()
        self._await_port()

    def _with_own_tables(self, command: list[str]) -> list[str]:
        """Run the server with other tables of users, which have its password or shell."""
        tables: dict[str, str] = {}
        if self.password is not None:
            tables["/etc/shadow"] = f"{self.user}:{_hashed(self.password)}:20000:0:99999:7:::\n"
        if self.shell is not None:
            fields = [line.split(":") for line in Path("/etc/passwd").read_text().splitlines()]
            tables["/etc/passwd"] = "".join(
                ":".join([*each[:-1], self.shell if each[0] == self.user else each[-1]]) + "\n"
                for each in fields
            )
        script = self.prelude and f"{self.prelude} && "
        for path, text in tables.items():
            file = self.folder / Path(path).name
            file.write_text(text)
            file.chmod(0o600 if path == "/etc/shadow" else 0o644)
            script += f"mount --bind {shlex.quote(str(file))} {path} && "
        if not script:
            return command
        return ["unshare", "--mount", "sh", "-c", f'{script}exec "$@"', "sh", *command]

    def _session(self) -> dict[str, str]:
        mark = {TEST_MARKER: os.environ[TEST_MARKER]}
        return {"HOME": str(self.home), **mark, **self.environment}

    def stop(self) -> None:
        """End the server and all its sessions, like a host that becomes unreachable."""
        if self._process is None:
            return
        family = _descendants(self._process.pid)
        self._process.kill()
        self._process.wait()
        for pid, command in family:
            if command.startswith("sshd"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._process = None

    @contextlib.contextmanager
    def frozen(self) -> Generator[None]:
        """Suspend all processes while the block runs, keeping the connections."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process
        for pid in [self._process.pid, *(pid for pid, _ in _descendants(self._process.pid))]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _await_port(self) -> None:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with (
                contextlib.suppress(OSError),
                socket.create_connection((self.address, self.port)),
            ):
                return
            time.sleep(0.02)
        raise TimeoutError((self.folder / "log").read_text())


def _hashed(password: str) -> str:
    hashed = ["openssl", "passwd", "-6", "-stdin"]
    done = subprocess.run(hashed, input=password, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _descendants(pid: int) -> list[tuple[int, str]]:
    """Return processes below `pid`, with their names."""
    parents: dict[int, list[tuple[int, str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, rest = (entry / "stat").read_text().rsplit(")", 1)
            except OSError:
                continue
            parents.setdefault(int(rest.split()[1]), []).append(
                (int(entry.name), name.partition("(")[2])
            )
    found: list[tuple[int, str]] = []
    todo = [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += [child for child, _ in children]
    return found
