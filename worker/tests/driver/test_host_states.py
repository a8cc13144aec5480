"""A host that is reached again is ready if a rejected login was all that was wrong with it."""

import pytest
from assay.tables.database import writing
from assay.tables.hosts import Host
from assay_worker.driver.failures import mark_reachable, mark_unusable
from assay_worker.errors import (
    AuthenticationError,
    CertificateRejectedError,
    HostError,
    JumpHostError,
    LoginShellError,
    UnreachableError,
)

pytestmark = pytest.mark.usefixtures("installation")


class LoginLocaleError(HostError):
    """An error whose title begins like that of a rejected login."""

    title = f"{AuthenticationError.title} locale"


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (UnreachableError("no route"), "ready"),
        (AuthenticationError("web: publickey, password"), "ready"),
        (CertificateRejectedError("expired. Renew it"), "ready"),
        (JumpHostError("jump host a.b: The host rejected the login: x"), "ready"),
        (LoginShellError(f"{AuthenticationError.title}: x"), "error"),
        (LoginLocaleError("C"), "error"),
    ],
    ids=lambda one: one.code if isinstance(one, HostError) else one,
)
def test_a_host_that_is_reached_is_ready_unless_something_else_is_wrong(
    error: HostError, state: str
) -> None:
    with writing() as session:
        host = Host(name="box", connection="ssh", state="ready")
        session.add(host)
        session.flush()
        mark_unusable(session, host.id, error)
        assert (host.state_code, host.state_reason) == (error.code, f"{error.title}: {error}")
        mark_reachable(session, host.id)
        assert host.state == state
        assert (host.state_code is None) == (host.state_reason is None) == (state == "ready")


def test_the_words_of_a_reason_do_not_matter() -> None:
    with writing() as session:
        host = Host(
            name="box",
            connection="ssh",
            state="error",
            state_code="auth_failed",
            state_reason="Login refused by the host.",
        )
        session.add(host)
        session.flush()
        mark_reachable(session, host.id)
        assert host.state == "ready"
