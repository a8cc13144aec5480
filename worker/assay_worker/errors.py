"""Errors between Assay and a host; each class has a code, a title and a remedy.

After a `transient` error a run waits for its host and retries; any other error ends it. The API and
the web interface show title, detail and remedy.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.base.printable import printable
from assay.inventory.codes import HostCode


class HostError(Exception):
    """A host cannot be used; `detail` has the facts."""

    code: ClassVar[HostCode] = "host_error"
    title: ClassVar[str] = "The host cannot be used"
    remedy: ClassVar[str] = "Fix the problem named in the detail and check the host again."
    transient: ClassVar[bool] = False

    def __init__(self, detail: str) -> None:
        """Truncate and escape the facts, because part of them comes from the host."""
        super().__init__(printable(detail)[:2000])

    def name(self, host: str) -> None:
        """Begin the detail with the host's name, if several hosts take part."""
        self.args = (f"{host}: {self}",)

    @property
    def facts(self) -> dict[str, Any]:
        """Code, title, detail and remedy, as stored with a check or a run."""
        return {
            "code": self.code,
            "title": self.title,
            "detail": str(self),
            "remedy": self.remedy,
        }


class UnknownHostError(HostError):
    """The name cannot be resolved."""

    code = "unknown_host"
    title = "The host name cannot be resolved"
    remedy = "Correct the address, or add the name to DNS or to the appliance's /etc/hosts."
    transient = True


class RefusedError(HostError):
    """No process listens on the port."""

    code = "refused"
    title = "The connection was refused"
    remedy = "Start sshd on the host, correct the port, or check the firewall."
    transient = True


class UnreachableError(HostError):
    """No route to the host, or a timeout."""

    code = "timeout"
    title = "The host does not respond"
    remedy = "Check that the host is up and that no firewall drops packets to its SSH port."
    transient = True


class ConnectionLostError(HostError):
    """An open connection ended."""

    code = "connection_lost"
    title = "The connection to the host was lost"
    remedy = "A run continues when the host is reachable again; otherwise, check the host again."
    transient = True


class PeerAddressError(HostError):
    """The ends of a transfer have no address at which one reaches the other."""

    code = "peer_address"
    title = "The ends of the transfer cannot reach each other"
    remedy = "Give the address of the listening end, or its IP version, in the test."


class LoginFilesError(HostError):
    """A value of a host would have another meaning in the files with which a tool logs in there."""

    code = "login_files_refused"
    title = "The tool's login at the sink cannot be configured"
    remedy = (
        "Correct the host's field, or set another probe directory at the source, and try again."
    )


class HostKeyUnapprovedError(HostError):
    """The host's key is not approved."""

    code = "host_key_unapproved"
    title = "The host key is not approved"
    remedy = "Verify the fingerprint on the host (ssh-keygen -lf), then approve it."


class HostKeyMismatchError(HostKeyUnapprovedError):
    """The host shows none of the keys that its registration gave."""

    code = "host_key_mismatch"
    title = "The host shows another key than the given one"
    remedy = (
        "Verify the fingerprint on the host (ssh-keygen -lf), and the address. If neither is "
        "wrong, this may be a man-in-the-middle attack."
    )

    def __init__(self, detail: str, offered: str) -> None:
        """Keep the offered key, so that it can be approved."""
        super().__init__(detail)
        self.offered = offered


class HostCertificateError(HostKeyUnapprovedError):
    """No key of the host is approved, and its certificate is not accepted."""

    code = "host_certificate_rejected"
    title = "The host's certificate is not accepted"
    remedy = (
        "Have the host's key signed again by the authority (ssh-keygen -s -h -n ADDRESS), or "
        "verify its fingerprint on the host and approve the key itself."
    )

    def __init__(self, detail: str, offered: str | None) -> None:
        """Keep the offered key, so that it can be approved; None if it is revoked."""
        super().__init__(detail)
        self.offered = offered


class HostKeyChangedError(HostError):
    """The host offers a key other than the approved one."""

    code = "host_key_changed"
    title = "The host's key has changed"
    remedy = (
        "If the host was reinstalled, verify the new fingerprint there and approve it. "
        "Otherwise do not approve it: this may be a man-in-the-middle attack."
    )

    def __init__(self, detail: str, offered: str) -> None:
        """Keep the offered key, so that it can be approved."""
        super().__init__(detail)
        self.offered = offered


class JumpHostError(HostError):
    """A jump host on the way to the host cannot be used; the detail names it."""

    code = "jump_host_failed"
    title = "The jump host cannot be used"
    remedy = (
        "The problem is at the jump host, not at this host. Check the jump host, and that its sshd "
        "allows TCP forwarding (AllowTcpForwarding, PermitOpen)."
    )

    rejected = False
    """Whether it rejected the login."""

    @classmethod
    def of(cls, name: str, cause: HostError) -> "JumpHostError":
        """Return the error for a jump host that failed; one further away keeps its own name."""
        if isinstance(cause, JumpHostError):
            return cause
        kind = JumpHostUnreachableError if cause.transient else JumpHostError
        error = kind(f"jump host {name}: {cause.title}: {cause}")
        error.rejected = isinstance(cause, AuthenticationError)
        return error


class JumpHostUnreachableError(JumpHostError):
    """A jump host on the way to the host does not respond."""

    code = "jump_host_unreachable"
    title = "The jump host does not respond"
    remedy = "The problem is at the jump host, not at this host. Check the jump host."
    transient = True


class AuthenticationError(HostError):
    """The host rejected the credential."""

    code = "auth_failed"
    title = "The host rejected the login"
    remedy = "Check the user, and that authorized_keys on the host has the credential's public key."


class CertificateRejectedError(AuthenticationError):
    """The host rejected a key with a certificate."""

    code = "certificate_rejected"
    title = "The host rejected the certificate"
    remedy = (
        "Replace the certificate under Credentials if it has expired. Otherwise check that the "
        "host trusts its authority (TrustedUserCAKeys) and that the user is one of its principals."
    )


class CredentialMissingError(HostError):
    """The host has no credential, or it cannot be decrypted."""

    code = "credential_missing"
    title = "The host has no usable credential"
    remedy = "Select a credential. One encrypted with another secret key must be created again."


class LoginShellError(HostError):
    """The user's login shell did not run a command; the detail says what it did instead."""

    code = "login_shell"
    title = "The login shell on the host does not run commands"
    remedy = (
        "Give the user an ordinary login shell, such as /bin/sh; let its startup files neither end "
        "nor replace it, nor wait for input; and remove ForceCommand and ChrootDirectory from the "
        "host's sshd_config for this user."
    )

    def __init__(self, detail: str) -> None:
        """Begin with the shell, as the subject of `detail`."""
        super().__init__(f"The user's login shell did not run the command: {detail}")


class SessionLimitError(HostError):
    """The host's sshd does not permit enough sessions in one connection."""

    code = "session_limit"
    title = "The host's sshd permits too few sessions"
    remedy = "Set MaxSessions in the host's sshd_config to 10, which is its default."


class ArchitectureError(HostError):
    """There is no probe for the host's architecture."""

    code = "unsupported_architecture"
    title = "The host's architecture is not supported"
    remedy = "The probe supports Linux on x86_64 and aarch64."


class HomeReadOnlyError(HostError):
    """The probe directory is not writable."""

    code = "home_read_only"
    title = "The probe directory on the host is not writable"
    remedy = "Make the directory writable for the user, or set another probe directory."


class HomeNoexecError(HostError):
    """Programs in the probe directory cannot be executed."""

    code = "home_noexec"
    title = "The probe directory does not allow execution"
    remedy = "The file system is mounted noexec. Set another probe directory for the host."


class ProbeNotBuiltError(HostError):
    """The probe was not built for the host's architecture."""

    code = "probe_not_built"
    title = "The probe is not built"
    remedy = "Run `assay probe build` on the appliance."


class ProbeAlteredError(HostError):
    """The probe on the host differs from the uploaded one."""

    code = "probe_altered"
    title = "The probe on the host has a wrong hash"
    remedy = "It was modified, or the disk is full or failing. Remove the probe directory."


class ProbeFailedError(HostError):
    """The probe reported an error, or its response is invalid."""

    code = "probe_failed"
    title = "The probe failed"
    remedy = (
        "See the detail. Common causes are the host's memory, disk or limits, or a hung file "
        "system."
    )


class ProbeKeepsDyingError(HostError):
    """The probe was restarted too often."""

    code = "probe_dies"
    title = "The probe keeps crashing"
    remedy = "See the host's log. Common causes are lack of memory and limits of the user."


class TargetBusyError(HostError):
    """Another test (or a manually started probe) holds the target, disk or machine."""

    code = "target_busy"
    title = "Another test holds the target"
    remedy = "Wait for its end, or stop it on the host. The run then starts automatically."

    def __init__(self, detail: str, waits_for: Mapping[str, Any] | None = None) -> None:
        """Use `waits_for` for the known run and resource; else the probe named the holder."""
        super().__init__(detail.removeprefix("assay-probe: "))
        self.waits_for = waits_for or {"kind": "target_busy"}


class PlanRefusedError(HostError):
    """The probe rejected the plan."""

    code = "bad_plan"
    title = "The probe rejected the plan"
    remedy = "Correct the parameter named in the detail and launch again."


class GenerationTooLowError(HostError):
    """Another worker has taken the run; this one must stop driving it."""

    code = "generation_too_low"
    title = "Another worker drives this run"
    remedy = "No action needed."


class SpoolGoneError(HostError):
    """The run directory is missing on the host, although part of it was read before."""

    code = "spool_gone"
    title = "The run directory on the host is missing"
    remedy = "It was removed during the run. Launch the test again."


class UnexpectedError(HostError):
    """A bug in Assay."""

    code = "internal"
    title = "Internal error"
    remedy = "See the worker's log and report the error."


class TargetRefusedError(HostError):
    """A target cannot be used; `code` is that of the problem."""

    title = "The target cannot be used"
    remedy = "Use another directory, or fix this one."

    def __init__(
        self, code: str, detail: str, title: str, remedy: str, field: str | None = None
    ) -> None:
        """Use the texts of the problem; `field` is that of the request that caused it."""
        super().__init__(detail)
        self.finding = {"code": code, "title": title, "detail": detail, "remedy": remedy}
        if field is not None:
            self.finding["field"] = field

    @property
    def facts(self) -> dict[str, Any]:
        """Code, title, detail and remedy of the problem."""
        return self.finding | {"detail": str(self)}
