"""What can go wrong between Assay and a host, each a class with a code, a title and a remedy.

`transient` says that trying again may help: such an error makes a run wait for its host, any
other ends it. The API shows all four texts, so a remedy is written for the person who reads it.
"""

from typing import Any, ClassVar

from assay.codes import HostCode
from assay.printable import printable


class HostError(Exception):
    """A host cannot be used; `detail` holds the facts of this case."""

    code: ClassVar[HostCode] = "host_error"
    title: ClassVar[str] = "The host cannot be used"
    remedy: ClassVar[str] = "Read the detail, fix the host, and check it again."
    transient: ClassVar[bool] = False

    def __init__(self, detail: str) -> None:
        """Keep the facts, bounded and printable, because part of them comes from the host."""
        super().__init__(printable(detail)[:2000])

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
    """The name has no address."""

    code = "unknown_host"
    title = "The host's name is not known"
    remedy = "Correct the address, or add the name to DNS or to /etc/hosts of the appliance."
    transient = True


class RefusedError(HostError):
    """Nothing listens on the port."""

    code = "refused"
    title = "The connection was refused"
    remedy = "Start sshd on the host, or correct the port; a firewall may refuse as well."
    transient = True


class UnreachableError(HostError):
    """No way to the host, or no answer in time."""

    code = "timeout"
    title = "The host does not answer"
    remedy = "Check that the host is up and that no firewall drops packets to its SSH port."
    transient = True


class ConnectionLostError(HostError):
    """An open connection ended."""

    code = "connection_lost"
    title = "The connection to the host was lost"
    remedy = "A run goes on by itself once the host answers again; otherwise, check the host again."
    transient = True


class HostKeyUnapprovedError(HostError):
    """Nobody has approved the host's key yet."""

    code = "host_key_unapproved"
    title = "The host's key waits for approval"
    remedy = "Compare the fingerprint with the host's own (ssh-keygen -lf), then approve it."


class HostKeyChangedError(HostError):
    """The host shows another key than the approved one."""

    code = "host_key_changed"
    title = "The host's key has changed"
    remedy = (
        "If the host was reinstalled, compare the new fingerprint there and approve it. "
        "If not, somebody may stand between: do not approve it."
    )

    def __init__(self, detail: str, offered: str) -> None:
        """Keep the key that was shown, so that it can be approved."""
        super().__init__(detail)
        self.offered = offered


class AuthenticationError(HostError):
    """The host does not accept the credential."""

    code = "auth_failed"
    title = "The host refused the login"
    remedy = "Check the user, and that the credential's public key is in authorized_keys there."


class CredentialMissingError(HostError):
    """The host has no credential, or it cannot be unsealed."""

    code = "credential_missing"
    title = "There is no usable credential for the host"
    remedy = "Choose a credential for the host; one sealed with another secret key is lost."


class NoSftpError(HostError):
    """The host's sshd offers no SFTP."""

    code = "no_sftp"
    title = "The host offers no SFTP"
    remedy = "Enable it in the host's sshd_config: Subsystem sftp internal-sftp."


class ArchitectureError(HostError):
    """The probe is not built for the host's machine."""

    code = "unsupported_architecture"
    title = "The host's architecture is not supported"
    remedy = "The probe runs on Linux on x86_64 and aarch64."


class HomeReadOnlyError(HostError):
    """The probe's folder cannot be written."""

    code = "home_read_only"
    title = "The probe's folder on the host cannot be written"
    remedy = "Make the folder writable for the user, or set another probe folder for the host."


class HomeNoexecError(HostError):
    """Programs cannot be started in the probe's folder."""

    code = "home_noexec"
    title = "The host does not start programs in the probe's folder"
    remedy = "The file system is mounted noexec: set a probe folder elsewhere for the host."


class ProbeNotBuiltError(HostError):
    """This installation has no probe for the host's architecture."""

    code = "probe_not_built"
    title = "The probe is not built"
    remedy = "Run `assay probe build` on the appliance."


class ProbeAlteredError(HostError):
    """The probe on the host is not the one that was uploaded."""

    code = "probe_altered"
    title = "The probe on the host does not have its hash"
    remedy = "Somebody changed it, or the disk is full or failing; remove the probe's folder."


class ProbeFailedError(HostError):
    """The probe answered with an error of its own, or with something that is no answer."""

    code = "probe_failed"
    title = "The probe failed"
    remedy = (
        "Look at the detail; the host's memory, disk or limits, or a file system there that hangs, "
        "are the usual causes."
    )


class ProbeKeepsDyingError(HostError):
    """The probe was started anew as often as is sensible."""

    code = "probe_dies"
    title = "The probe dies again and again"
    remedy = "Look at the host's log: memory that ran out and limits of the user are usual causes."


class TargetBusyError(HostError):
    """Another test holds the target, its disk or its machine: of any appliance, or by hand."""

    code = "target_busy"
    title = "Another test holds the target"
    remedy = "Wait for its end, or stop it on the host. The run starts by itself afterwards."

    def __init__(self, detail: str, kind: str = "target_busy") -> None:
        """Name what kind of thing is waited for."""
        super().__init__(detail.removeprefix("assay-probe: "))
        self.kind = kind


class PlanRefusedError(HostError):
    """The probe found a mistake in the plan."""

    code = "bad_plan"
    title = "The probe refused the run's plan"
    remedy = "Correct the parameter that the detail names, and launch again."


class GenerationTooLowError(HostError):
    """Another worker has taken the run since; this one has to let go."""

    code = "generation_too_low"
    title = "Another worker drives this run"
    remedy = "Nothing to do."


class SpoolGoneError(HostError):
    """The run's folder is not on the host, though part of it was read before."""

    code = "spool_gone"
    title = "The run's folder on the host is gone"
    remedy = "Somebody removed it while the run was going. Launch the test again."


class UnexpectedError(HostError):
    """A mistake of ours."""

    code = "internal"
    title = "Assay made a mistake"
    remedy = "The worker's log says where; please report it."


class TargetRefusedError(HostError):
    """A target cannot be used; `code` is the finding's own."""

    title = "The target cannot be used"
    remedy = "Choose another directory, or fix this one."

    def __init__(self, code: str, detail: str, title: str, remedy: str) -> None:
        """Keep the finding's own texts."""
        super().__init__(detail)
        self.finding = {"code": code, "title": title, "detail": detail, "remedy": remedy}

    @property
    def facts(self) -> dict[str, Any]:
        """The finding's own code, title, detail and remedy."""
        return self.finding
