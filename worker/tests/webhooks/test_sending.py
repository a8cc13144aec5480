"""One attempt, to a real receiver: the request, each way to fail, and where it may connect."""

import asyncio
import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from assay.api.webhooks.deliveries import AttemptResult, OutgoingMessage
from assay.api.webhooks.signing import new_secret
from assay.base.settings import settings
from assay.inventory.credentials.sealing import seal
from assay.tables.ownership import Ownership
from assay.tables.webhooks import WebhookDelivery
from assay_worker.webhooks import delivering
from testing.receiver import Receiver, receiving

BODY = json.dumps({"type": "campaign.ended.v1", "data": {"name": "Tür"}}, ensure_ascii=False)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    settings.cache_clear()
    delivering._tls.cache_clear()
    yield
    settings.cache_clear()
    delivering._tls.cache_clear()


def attempt(url: str, *secrets: str, private: bool = True) -> AttemptResult:
    message = OutgoingMessage(
        Ownership(WebhookDelivery, 1, 1, "test"),
        1,
        "msg_7",
        url,
        private,
        BODY,
        tuple(seal(secret) for secret in secrets or (new_secret(),)),
    )
    return asyncio.run(delivering.send(message))


def test_the_request_has_the_body_and_a_signature_of_each_secret() -> None:
    one, other = new_secret(), new_secret()
    with receiving() as receiver:
        result = attempt(receiver.url, one, other)
    assert (result.status, result.error, result.address) == (204, None, "127.0.0.1")
    assert result.succeeded
    assert result.duration_ns > 0
    (found,) = receiver.received
    assert found.path == "/hook?token=t"
    assert found.body.decode() == BODY
    assert found.message_id == "msg_7"
    assert found.headers["Content-Type"] == "application/json"
    assert found.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert found.is_signed_by(one)
    assert found.is_signed_by(other)
    assert not found.is_signed_by(new_secret())


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_a_status_of_success_delivers(status: int) -> None:
    with receiving() as receiver:
        receiver.status = status
        assert attempt(receiver.url).succeeded


@pytest.mark.parametrize(
    ("status", "phrase"), [(400, "Bad Request"), (500, "Internal"), (599, "599")]
)
def test_another_status_is_an_error_with_the_answer(status: int, phrase: str) -> None:
    with receiving() as receiver:
        receiver.status, receiver.answer = status, b"why \x00 \xff"
        result = attempt(receiver.url)
    assert result.status == status
    assert phrase in (result.error or "")
    assert result.answer == "why \ufffd \ufffd"


def test_the_pause_that_a_receiver_asks_for_is_read_in_seconds_or_as_a_date() -> None:
    pauses: list[timedelta | None] = []
    date = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    with receiving() as receiver:
        receiver.status = 429
        for text in ("120", date, "soon", "-3", "9" * 40):
            receiver.headers = {"Retry-After": text}
            pauses.append(attempt(receiver.url).retry_after)
    in_seconds, until, *invalid = pauses
    assert in_seconds == timedelta(minutes=2)
    assert until is not None
    assert timedelta(minutes=4) < until < timedelta(minutes=5)
    assert invalid == [None, None, None]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with receiving() as elsewhere, receiving() as receiver:
        receiver.status, receiver.headers = status, {"Location": elsewhere.url}
        result = attempt(receiver.url)
    assert elsewhere.received == []
    assert elsewhere.url in (result.error or "")
    assert "final URL" in (result.error or "")


def test_only_the_first_bytes_of_an_answer_are_read() -> None:
    with receiving() as receiver:
        receiver.status, receiver.answer = 200, b"x" * 50_000_000
        result = attempt(receiver.url)
    assert result.succeeded
    assert result.answer == "x" * 1000


def test_endless_headers_are_refused() -> None:
    with receiving() as receiver:
        receiver.headers = {f"X-{number}": "x" * 1000 for number in range(200)}
        result = attempt(receiver.url)
    assert "not valid HTTP" in (result.error or "")


def test_a_receiver_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "TIMEOUT_S", 0.3)
    with receiving() as receiver:
        receiver.pause_s = 1
        result = attempt(receiver.url)
    assert "No complete response" in (result.error or "")
    assert result.duration_ns < 10**9


def test_a_refused_connection_names_address_and_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        result = attempt(f"http://127.0.0.1:{port}/")
    assert result.error == f"No connection to 127.0.0.1 port {port}: connection refused."


def test_a_connection_that_is_closed_without_a_response_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(10)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1000):
                    pass

        thread = threading.Thread(target=hang_up)
        thread.start()
        result = attempt(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
    assert result.error == "The receiver closed the connection without a response."


def test_an_answer_that_is_not_http_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(100_000)
                connection.sendall(b"SSH-2.0-OpenSSH_10.0\r\n\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        result = attempt(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
    assert "not valid HTTP" in (result.error or "")


def test_a_name_that_does_not_exist_is_an_error() -> None:
    result = attempt("https://receiver.invalid/")
    assert "receiver.invalid cannot be resolved" in (result.error or "")


def test_a_secret_of_another_key_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = seal(new_secret())
    monkeypatch.setenv("ASSAY_SECRET_KEY", "k" * 32)
    settings.cache_clear()
    with receiving() as receiver:
        message = OutgoingMessage(
            Ownership(WebhookDelivery, 1, 1, "test"), 1, "m", receiver.url, True, BODY, (sealed,)
        )
        result = asyncio.run(delivering.send(message))
    assert "encrypted with another key" in (result.error or "")
    assert receiver.received == []


def test_a_private_address_is_not_contacted_without_permission() -> None:
    with receiving() as receiver:
        result = attempt(receiver.url, private=False)
    assert "not a public address" in (result.error or "")
    assert receiver.received == []


def test_the_appliance_itself_is_never_contacted(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("ASSAY_PORT", str(receiver.port))
        settings.cache_clear()
        result = attempt(receiver.url)
    assert "is this appliance" in (result.error or "")
    assert receiver.received == []


class Resolver:
    """Resolves each name to the next of these addresses, as a hostile server of names would."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)
        resolve = socket.getaddrinfo

        def answer(host: Any, port: Any, *args: Any, **how: Any) -> Any:
            if not str(host).endswith(".test"):
                return resolve(host, port, *args, **how)
            self.asked.append(host)
            addresses = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
            return [(*kind, (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", answer)


def test_a_name_that_leads_to_a_private_address_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolver = Resolver(monkeypatch, ["93.184.216.34", "127.0.0.1"])
    with receiving() as receiver:
        result = attempt(f"http://receiver.test:{receiver.port}/", private=False)
    assert "127.0.0.1 is not a public address" in (result.error or "")
    assert resolver.asked == ["receiver.test"]
    assert receiver.received == []


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolver = Resolver(monkeypatch, ["127.0.0.1"], ["127.0.0.9"])
    with receiving() as receiver:  # on 127.0.0.1 alone
        result = attempt(f"http://receiver.test:{receiver.port}/")
    assert result.succeeded
    assert resolver.asked == ["receiver.test"]
    assert result.address == "127.0.0.1"
    assert receiver.received[0].headers["Host"] == f"receiver.test:{receiver.port}"


def test_the_next_address_is_tried_if_one_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    Resolver(monkeypatch, ["127.0.0.9", "127.0.0.1"])
    with receiving() as receiver:
        result = attempt(f"http://receiver.test:{receiver.port}/")
    assert result.succeeded
    assert result.address == "127.0.0.1"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for receiver.test, signed by itself, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=receiver.test"),
            *("-addext", "subjectAltName=DNS:receiver.test"),
            *("-keyout", folder / "key.pem", "-out", folder / "certificate.pem"),
        ],
        check=True,
        capture_output=True,
    )
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "certificate.pem").read_text())
    return both


@pytest.fixture
def tls(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver with a certificate for receiver.test, whose authority is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    Resolver(monkeypatch, ["127.0.0.1"])
    with receiving(certificate) as receiver:
        yield receiver


def test_tls_verifies_the_name_of_the_url_at_the_checked_address(tls: Receiver) -> None:
    assert attempt(f"https://receiver.test:{tls.port}/").succeeded
    result = attempt(f"https://other.test:{tls.port}/")
    assert "certificate is not valid" in (result.error or "")
    assert len(tls.received) == 1


def test_an_unknown_authority_is_not_trusted(
    tls: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    result = attempt(f"https://receiver.test:{tls.port}/")
    assert "certificate is not valid" in (result.error or "")
    assert tls.received == []


def test_a_receiver_that_speaks_no_tls_is_an_error() -> None:
    with receiving() as receiver:
        result = attempt(receiver.url.replace("http://", "https://"))
    assert (result.error or "").startswith("TLS failed")
