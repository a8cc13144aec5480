"""The connection by SSH.

The host's key is pinned: only the approved key is accepted, and the user's SSH configuration and
agent are ignored. Except for the upload of the probe, no bulk data crosses the connection.
"""

import asyncio
import contextlib
import secrets
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncssh
from assay.inventory.authorities.trust import HostTrust
from assay.inventory.credentials import certificates

from assay_worker.connectors.connection import (
    COMMAND_TIMEOUT_S,
    END_TIMEOUT_S,
    MAX_OUTPUT,
    OPEN_TIMEOUT_S,
    Finished,
    read_all,
    read_tail,
    within,
)
from assay_worker.connectors.keys import (
    FAILURES,
    fetch_host_key,
    fingerprint,
    key_of,
    parse_line,
)
from assay_worker.connectors.path import JumpHost, SshPath, open_path, reason
from assay_worker.connectors.shell import CommandOutput, command_line, not_run
from assay_worker.errors import (
    AuthenticationError,
    CertificateRejectedError,
    ConnectionLostError,
    CredentialMissingError,
    HomeReadOnlyError,
    HostCertificateError,
    HostError,
    HostKeyChangedError,
    JumpHostError,
    LoginShellError,
    ProbeAlteredError,
    SessionLimitError,
    UnreachableError,
)

LOGIN_TIMEOUT_S = 20.0
KEEPALIVE_S = 5.0
KEEPALIVE_LOST = 3
"""A silent network is detected after `KEEPALIVE_S * (KEEPALIVE_LOST + 1)` seconds."""

SLOWEST_UPLOAD = 16 * 1024
"""Bytes per second; slower uploads fail."""

UPLOAD = """
umask 077
trap 'rm -f -- "$1"' EXIT
cat > "$1" || exit 1
size=$(wc -c < "$1")
[ "$size" -eq "$3" ] || { echo "$((size)) of $3 bytes arrived" >&2; exit "$4"; }
chmod 700 "$1" && mv -f -- "$1" "$2" || exit 1
"""
"""Not SFTP, which a host may lack. The size tells the end of the data from that of a connection."""

PARTIAL = 2
"""The exit code of `UPLOAD` for a wrong size."""

FREE_WITHIN_S, RETRY_S = 2.0, 0.05
"""How long a session that is refused is tried again, and the pause between two tries."""

SESSIONS = 3
"""Of a run at a time: its events, the progress of reading back, and one command."""


_handshakes = asyncio.Semaphore(32)
"""Key exchanges cost CPU time: if two thousand ran at once, all would time out. An unreachable
host fails earlier, while the TCP connection is opened."""


_tunneled = asyncio.Semaphore(32)
"""Those through jump hosts, apart from the others: an unreachable host occupies its place until the
jump host gives up."""


@dataclass(frozen=True, repr=False)
class SshLogin:
    """Address, user and secrets of a login; excluded from `repr`, and so from logs."""

    address: str
    port: int
    user: str
    host_key: str | None
    private_key: str | None = None
    password: str | None = None
    certificate: str | None = None
    trust: HostTrust | None = None
    """Authorities that may have signed the host's key, if no key is approved; revoked keys."""
    name: str = ""
    jump: "SshLogin | None" = None
    """The login on the jump host through which this one is reached."""


def _open(private_key: str) -> asyncssh.SSHKey:
    try:
        return asyncssh.import_private_key(private_key)
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        raise CredentialMissingError(f"the private key cannot be read: {error}") from None


def _keys(login: SshLogin) -> list[Any] | None:
    """Return the key, with its certificate if there is one; asyncssh then offers both."""
    if login.private_key is None:
        return None
    key = _open(login.private_key)
    if login.certificate is None:
        return [key]
    return [(key, asyncssh.import_certificate(login.certificate))]


def _rejection(login: SshLogin, reason: str) -> AuthenticationError:
    """Return the error of a rejected login, with what is wrong with the certificate."""
    detail = f"{_where(login)}, user {login.user}: {reason}"
    if login.certificate is None:
        return AuthenticationError(detail)
    certificate = certificates.shown(login.certificate)
    found = certificates.doubts(certificate, login.user, datetime.now(UTC))
    signed = f"The certificate '{certificate.key_id}' was signed by {certificate.authority}."
    return CertificateRejectedError(" ".join([f"{detail}.", *found, signed]))


def _lost(error: Exception) -> ConnectionLostError:
    return ConnectionLostError(reason(error))


@dataclass(frozen=True)
class _Session:
    """A command on the host that has started: its process and outputs."""

    process: asyncssh.SSHClientProcess[bytes]
    output: CommandOutput
    stderr: "asyncio.Future[bytes]"

    def close(self) -> None:
        self.process.close()
        self.stderr.cancel()

    async def exit(self) -> tuple[int, bytes]:
        """Return exit code and standard error after the end of the output.

        Raises ConnectionLostError if the code is unknown.
        """
        await self.process.wait_closed()
        stderr = await self.stderr
        code = self.process.exit_status
        if code is None or code < 0:
            raise ConnectionLostError("the connection ended before the command did")
        return code, stderr


class SshStream:
    """A remote command with streamed output."""

    def __init__(self, session: _Session) -> None:
        """Use `SshConnection.stream`."""
        self._session = session

    async def read(self, limit: int) -> bytes:
        """Return up to `limit` bytes as soon as some are available; empty at the end."""
        try:
            return await self._session.output.read(limit)
        except FAILURES as error:
            raise _lost(error) from None

    async def finish(self) -> Finished:
        """Return the command's result; without an exit code the connection was lost."""
        no_exit = "a command on the host closed its output, but did not exit"
        try:
            async with within(END_TIMEOUT_S, no_exit):
                code, stderr = await self._session.exit()
        except FAILURES as error:
            raise _lost(error) from None
        return self._session.output.finished(code, b"", stderr)

    async def close(self) -> None:
        """Terminate the command by closing its input and channel."""
        self._session.close()


class SshConnection:
    """An SSH connection to a host."""

    def __init__(
        self,
        connection: asyncssh.SSHClientConnection,
        where: str,
        through: "SshConnection | None" = None,
    ) -> None:
        """Use `connect`."""
        self._connection, self._where, self._through = connection, where, through

    def as_jump_host(self, name: str) -> JumpHost:
        """Return this host as one through which others are reached."""
        return JumpHost(name, self._connection)

    async def run(
        self, argv: Sequence[str], stdin: bytes = b"", timeout_s: float = COMMAND_TIMEOUT_S
    ) -> Finished:
        """Run a command and wait for its exit."""
        try:
            async with within(timeout_s, f"{shlex.join(argv[:2])} did not exit"):
                return await self._run(argv, stdin)
        except FAILURES as error:
            raise _lost(error) from None

    async def _run(self, argv: Sequence[str], stdin: bytes) -> Finished:
        session = await self._start(argv)
        try:
            with contextlib.suppress(BrokenPipeError):  # a short command may have exited before
                session.process.stdin.write(stdin)
                session.process.stdin.write_eof()
            stdout = await read_all(session.output, MAX_OUTPUT)
            code, stderr = await session.exit()
        finally:
            session.close()
        return session.output.finished(code, stdout, stderr)

    async def _start(self, argv: Sequence[str]) -> _Session:
        """Start a command; nothing is sent to it before, which startup files could read.

        Raises SessionLimitError or LoginShellError.
        """
        mark = secrets.token_hex(16)
        process = await self._open(argv, mark)
        output = CommandOutput(process.stdout, mark)
        session = _Session(process, output, asyncio.ensure_future(read_tail(process.stderr)))
        started = False
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                started = await output.begin()
                if not started:
                    raise not_run(*await session.exit(), output.startup)
        except TimeoutError:
            raise LoginShellError(output.silence(OPEN_TIMEOUT_S)) from None
        finally:
            if not started:
                session.close()
        return session

    async def stream(self, argv: Sequence[str]) -> SshStream:
        """Start a command and stream its output; its standard input stays open."""
        try:
            return SshStream(await self._start(argv))
        except FAILURES as error:
            raise _lost(error) from None

    async def upload(self, data: bytes, path: str) -> None:
        """Write `data` to `path` atomically, executable only by the user."""
        temporary = f"{path}.{secrets.token_hex(4)}.new"
        limit_s = OPEN_TIMEOUT_S + len(data) // SLOWEST_UPLOAD
        words = ["sh", "-c", UPLOAD, "sh", temporary, path, str(len(data)), str(PARTIAL)]
        finished = await self.run(words, data, limit_s)
        if finished.exit_code != 0:
            kind = ProbeAlteredError if finished.exit_code == PARTIAL else HomeReadOnlyError
            raise kind(f"{path} on {self._where}: {finished.complaint}")

    async def check_sessions(self) -> None:
        """Open as many sessions at a time as a run needs; raises SessionLimitError."""
        async with contextlib.AsyncExitStack() as opened:
            for _ in range(SESSIONS):
                opened.push_async_callback((await self.stream(["cat"])).close)

    async def _open(self, argv: Sequence[str], mark: str) -> asyncssh.SSHClientProcess[bytes]:
        """Open a session with a command; raises SessionLimitError.

        A session that was closed counts until sshd has seen its end, so that one more is refused
        for a moment.
        """
        line, until = command_line(argv, mark), time.monotonic() + FREE_WITHIN_S
        while True:
            try:
                async with within(OPEN_TIMEOUT_S, f"{argv[0]} was not started"):
                    return await self._connection.create_process(line, encoding=None)
            except asyncssh.ChannelOpenError as error:
                if self._connection.is_closed():
                    raise
                if time.monotonic() > until:
                    raise SessionLimitError(f"{self._where}: {reason(error)}") from None
            await asyncio.sleep(RETRY_S)

    async def close(self) -> None:
        """Close the connection and those to its jump hosts, without waiting for the hosts."""
        self._connection.abort()
        if self._through is not None:
            await self._through.close()


async def connect(login: SshLogin) -> SshConnection:
    """Log in, through the jump hosts if there are any; raises HostError."""
    keys = _keys(login)
    through = await connect_jump_host(login.jump) if login.jump else None
    jump = through.as_jump_host(login.jump.name) if through and login.jump else None
    try:
        connection = await _connect(login, keys, jump)
    except BaseException:
        if through is not None:
            await through.close()
        raise
    return SshConnection(connection, _where(login), through)


async def connect_jump_host(login: SshLogin) -> SshConnection:
    """Log in on a jump host; raises JumpHostError, which names it."""
    try:
        return await connect(login)
    except HostError as error:
        raise JumpHostError.of(login.name, error) from None


def _where(login: SshLogin) -> str:
    return f"{login.address} port {login.port}"


async def _connect(
    login: SshLogin, keys: Any, jump: JumpHost | None
) -> asyncssh.SSHClientConnection:
    where = _where(login)
    path = await open_path(login.address, login.port, jump)
    try:
        return await _log_in(login, path, keys)
    except asyncssh.PermissionDenied as error:
        path.close()
        raise _rejection(login, error.reason) from None
    except TimeoutError:
        path.close()
        raise UnreachableError(f"{where}: no login within {LOGIN_TIMEOUT_S:g} s") from None
    except FAILURES as error:
        path.close()
        if (failure := path.failure(error, where)) is not None:
            raise failure from None
        await _compare_key(login, error, jump)
        raise ConnectionLostError(f"{where}: {reason(error)}") from None


async def _log_in(login: SshLogin, path: SshPath, keys: Any) -> asyncssh.SSHClientConnection:
    places = _handshakes if path.jump is None else _tunneled
    async with places, asyncio.timeout(LOGIN_TIMEOUT_S):
        return await asyncssh.connect(
            login.address,
            login.port,
            username=login.user,
            client_keys=keys,
            password=login.password,
            known_hosts=_known_hosts(login),
            agent_path=None,
            config=None,
            gss_host=None,
            host_based_auth=False,
            keepalive_interval=KEEPALIVE_S,
            keepalive_count_max=KEEPALIVE_LOST,
            compression_algs=None,
            **path.arguments,
        )


def _known_hosts(login: SshLogin) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the approved key, or the authorities if there is none, and the revoked keys."""
    trust = login.trust or HostTrust((), (), ())
    revoked = [parse_line(line) for line in trust.revoked]
    if login.host_key is not None:
        return [parse_line(login.host_key)], [], revoked
    return [], [parse_line(line) for line in trust.authorities], revoked


_CERTIFICATE_PROBLEMS = {
    "Certificate expired": "its certificate has expired",
    "Certificate not yet valid": "its certificate is not valid yet",
    "Certificate principal mismatch": "its certificate does not name the address {address}",
    "Host CA key is not trusted": "its certificate was signed by another authority than {names}",
    "Host CA key is revoked": "the authority of its certificate is revoked",
    "Host key is revoked": "its key is revoked",
}
"""The problem of a host's key, by the message of asyncssh."""


def _objection(login: SshLogin, error: Exception) -> str | None:
    """Return the problem of the key that the host showed, if a login failed for that reason."""
    names = ", ".join(login.trust.names) if login.trust else ""
    for message, objection in _CERTIFICATE_PROBLEMS.items():
        if isinstance(error, asyncssh.HostKeyNotVerifiable) and message in str(error):
            return objection.format(address=login.address, names=names)
    return None


async def _compare_key(login: SshLogin, error: Exception, jump: JumpHost | None) -> None:
    """Raise HostKeyChangedError with both fingerprints if the host offers another key.

    Without an approved key, raise HostCertificateError with what is wrong with the certificate.

    A changed key makes a login fail in several ways: a server without a key of the approved type
    closes the connection.
    """
    objection = _objection(login, error)
    offered = await fetch_host_key(login.address, login.port, login.host_key, jump)
    if login.host_key is None or objection == _CERTIFICATE_PROBLEMS["Host key is revoked"]:
        revoked = login.trust is not None and offered in map(key_of, login.trust.revoked)
        why = objection or "it shows no certificate"
        raise HostCertificateError(
            f"{_where(login)}: {why}; its key is {fingerprint(offered)}",
            None if revoked else offered,
        )
    if offered != login.host_key:
        raise HostKeyChangedError(
            f"{login.address} port {login.port}: approved is {fingerprint(login.host_key)}, "
            f"offered is {fingerprint(offered)}",
            offered,
        )
