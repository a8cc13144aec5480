"""Commands for login shells of any kind, and what their startup files print.

sshd passes a command line to the user's login shell, which may be bash, zsh, fish, tcsh or csh, and
which reads its startup files first. So the line is one that all of them read alike, and the command
marks the beginning of its own outputs: what precedes a mark was printed by startup files.
"""

import shlex
from collections.abc import Sequence

from assay_worker.connectors.connection import MAX_STDERR, Finished, Reader
from assay_worker.errors import LoginShellError

BYTES_IN_A_WORD = 80
"""Each becomes five characters; some versions of csh accept only words of up to 1,023."""

MOST_STARTUP_BYTES = 256 * 1024
"""Startup files that print more are taken for endless."""

SHOWN = 300
"""Characters of what startup files printed, in an error."""


def command_line(argv: Sequence[str], mark: str) -> str:
    r"""Return a line that marks the beginning of both outputs, then becomes the command `argv`.

    In single quotes, POSIX shells, fish and csh take all characters as they are but for the quote,
    the newline, the exclamation mark, and a backslash before these or another backslash. So each
    byte of a program for /bin/sh is written as `\0` and its octal number, which `printf %b`
    decodes. That hides the marks from a shell that traces its commands, too.
    """
    command = shlex.join(["env", "LC_ALL=C", *argv])
    program = f"printf %s {_of_errors(mark)} >&2; printf %s {_of_output(mark)}; exec {command}"
    octal = [f"\\0{byte:03o}" for byte in program.encode(errors="surrogateescape")]
    starts = range(0, len(octal), BYTES_IN_A_WORD)
    words = " ".join(f"'{''.join(octal[at : at + BYTES_IN_A_WORD])}'" for at in starts)
    return f'exec /bin/sh -c \'eval "$(printf %b "$@")"\' sh {words}'


def _of_output(mark: str) -> str:
    return f"{mark}-output"


def _of_errors(mark: str) -> str:
    return f"{mark}-errors"


class CommandOutput:
    """The standard output of a command, without what startup files printed before."""

    def __init__(self, reader: Reader, mark: str) -> None:
        """Read from the session's output; `begin` comes before `read`."""
        self._reader, self._mark, self._own = reader, mark, b""
        self.startup = b""
        self.has_errors = False
        """Whether startup files send the standard error here, too (`exec 2>&1`)."""

    async def begin(self) -> bool:
        """Wait for the command's start; returns False if the output ends without it.

        Raises LoginShellError for an output without an end.
        """
        wanted, text = _of_output(self._mark).encode(), b""
        while wanted not in text:
            if len(text) > MOST_STARTUP_BYTES:
                raise LoginShellError(f"its startup files print without an end: {_printed(text)}")
            if not (part := await self._reader.read(64 * 1024)):
                break
            self.startup = text = text + part
        else:
            before, _, self._own = text.partition(wanted)
            self.startup, errors, _ = before.partition(_of_errors(self._mark).encode())
            self.has_errors = bool(errors)
            return True
        return False

    def silence(self, seconds: float) -> str:
        """Return that the command did not start in time, and what startup files printed."""
        printed = f", only printed: {_printed(self.startup)}" if self.startup.strip() else ""
        return f"it did not within {seconds:g} s{printed}"

    async def read(self, n: int = -1) -> bytes:
        """Return up to `n` bytes as soon as some are available; empty at the end."""
        if self._own:
            size = len(self._own) if n < 0 else n
            own, self._own = self._own[:size], self._own[size:]
            return own
        return await self._reader.read(n)

    def finished(self, exit_code: int, stdout: bytes, stderr: bytes) -> Finished:
        """Return the command's result; `stderr` is that of the session."""
        before, found, own = stderr.partition(_of_errors(self._mark).encode())
        errors = own if found else b"" if self.has_errors else stderr
        if self.has_errors and exit_code:
            errors = stdout[-MAX_STDERR:]
        startup = b"\n".join(filter(None, (self.startup, before if found else b"")))
        return Finished(exit_code, stdout, errors, _printed(startup) if startup.strip() else "")


def not_run(exit_code: int, stderr: bytes, stdout: bytes) -> LoginShellError:
    """Return the error of a login shell that ended without having run the command."""
    said = (stdout + b"\n" + stderr).strip()
    text = _printed(said)
    if b"restricted" in said:
        return LoginShellError(f"it is a restricted shell: {text}")
    return LoginShellError(f"it ended with exit code {exit_code}{f': {text}' if said else ''}")


def _printed(text: bytes) -> str:
    line = " ".join(text.decode(errors="replace").split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
