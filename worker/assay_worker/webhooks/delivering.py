"""Delivery of stored messages: claim what is due, send it, record what came of it.

Runs in the scheduler's process. Messages are sent concurrently on the process's loop, few to each
receiver, so that one that hangs delays no others. Several schedulers share the work.

An attempt is a POST to an address that was checked. The name is resolved once, and the connection
goes to an address from that answer, so a name cannot lead elsewhere after the check. TLS verifies
the name in the URL. Redirects are not followed, proxies are not used, and time and size of the
response are limited.
"""

import asyncio
import logging
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus

import certifi
import h11
import httpx
from assay import __version__
from assay.api.webhooks.deliveries import AttemptResult, OutgoingMessage, claim, due, record
from assay.api.webhooks.signing import signature
from assay.api.webhooks.urls import AddressRefusedError, check_address, endpoint
from assay.inventory.credentials.sealing import SealError, unseal
from assay.tables.database import reading
from assay.tables.ownership import StaleGenerationError

from assay_worker import background, loop
from assay_worker.loop import in_thread
from assay_worker.ownership_renewal import new_owner, renewed

TIMEOUT_S = 15.0
"""For the whole attempt, from the resolution of the name to the end of the response."""

CONNECT_S = 5.0
"""For the connection to one of several addresses."""

SHOWN_BYTES = 1000
"""How much of the response's body is kept."""

READ_BYTES = 4096


class SendingFailedError(Exception):
    """The attempt failed; the message has the reason, and what to do if that is not obvious."""


class _Attempt:
    """What is known about an attempt so far."""

    def __init__(self) -> None:
        self.address: str | None = None
        self.status: int | None = None
        self.answer = bytearray()
        self.location: str | None = None
        self.retry_after: timedelta | None = None


async def send(message: OutgoingMessage) -> AttemptResult:
    """Send a message once; never raises for what receiver or network do."""
    began, attempt = time.monotonic_ns(), _Attempt()
    error: str | None = None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            await _exchange(message, attempt)
        error = _rejection(attempt)
    except TimeoutError:
        error = f"No complete response within {TIMEOUT_S:.0f} s."
    except (SendingFailedError, AddressRefusedError, SealError) as failure:
        error = str(failure)
    except ssl.SSLCertVerificationError as failure:
        error = (
            f"The certificate is not valid: {failure.verify_message}. Have the receiver use one "
            "for this name from a trusted authority; SSL_CERT_FILE adds authorities."
        )
    except ssl.SSLError as failure:
        error = f"TLS failed: {failure.reason or failure}."
    except h11.RemoteProtocolError as failure:
        error = f"The response is not valid HTTP: {failure}."
    except OSError as failure:
        error = f"The connection was lost: {failure.strerror or failure}."
    answer = attempt.answer[:SHOWN_BYTES].decode(errors="replace").replace("\x00", "\ufffd")
    return AttemptResult(
        duration_ns=time.monotonic_ns() - began,
        address=attempt.address,
        status=attempt.status,
        answer=None if attempt.status is None else answer,
        error=error,
        retry_after=attempt.retry_after,
    )


def _asked_pause(text: str) -> timedelta | None:
    """Return the pause in `Retry-After`, in seconds or until a date; None if it is neither."""
    try:
        if text.isascii() and text.isdecimal():
            return timedelta(seconds=int(text))
        return parsedate_to_datetime(text) - datetime.now(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def _rejection(attempt: _Attempt) -> str | None:
    """Return why a response is a failure, or None for a status from 200 to 299."""
    status = attempt.status or 0
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        to = f" to {attempt.location[:200]}" if attempt.location else ""
        return f"The receiver redirects{to}. Redirects are not followed: enter the final URL."
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
    return f"The receiver answered {status} {phrase}".rstrip() + "."


async def _exchange(message: OutgoingMessage, attempt: _Attempt) -> None:
    url = httpx.URL(message.url)
    host, port = endpoint(url)
    addresses = await _resolve(host, port, private=message.private_addresses)
    request = _request(message, url)
    reader, writer = await _connect(addresses, host, port, attempt, tls=url.scheme == "https")
    try:
        connection = h11.Connection(h11.CLIENT)
        for event in (*request, h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        await writer.drain()
        await _read(reader, connection, attempt)
    finally:
        writer.transport.abort()  # a receiver that does not close must not hold the connection


def _request(message: OutgoingMessage, url: httpx.URL) -> tuple[h11.Request, h11.Data]:
    """Return the request; raises SealError if a secret cannot be decrypted."""
    body, timestamp = message.body.encode(), int(time.time())
    keys = [unseal(sealed) for sealed in message.sealed_secrets]
    headers = [
        ("Host", url.netloc.decode()),
        ("User-Agent", f"Assay/{__version__}"),
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
        ("webhook-id", message.message_id),
        ("webhook-timestamp", str(timestamp)),
        ("webhook-signature", signature(keys, message.message_id, timestamp, body)),
    ]
    return h11.Request(method="POST", target=url.raw_path, headers=headers), h11.Data(data=body)


async def _resolve(host: str, port: int, *, private: bool) -> list[str]:
    """Return the addresses of a host; raises AddressRefusedError if one of them is not allowed."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SendingFailedError(
            f"The name {host} cannot be resolved: {reason}. Correct the URL or the DNS."
        ) from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    for address in addresses:
        check_address(address, port, private=private)
    return addresses


async def _connect(
    addresses: Sequence[str], host: str, port: int, attempt: _Attempt, *, tls: bool
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that accepts; raises SendingFailedError or SSLError."""
    reasons: list[str] = []
    for address in addresses:
        attempt.address = address
        try:
            async with asyncio.timeout(CONNECT_S if len(addresses) > 1 else None):
                return await asyncio.open_connection(
                    address,
                    port,
                    ssl=_tls() if tls else None,
                    server_hostname=host if tls else None,
                )
        except ssl.SSLError:
            raise
        except TimeoutError:
            reasons.append(f"{address} port {port}: no answer within {CONNECT_S:.0f} s")
        except OSError as error:
            reasons.append(f"{address} port {port}: {_reason(error)}")
    raise SendingFailedError(f"No connection to {'; '.join(reasons)}.")


def _reason(error: OSError) -> str:
    return "connection refused" if isinstance(error, ConnectionRefusedError) else str(error)


@cache
def _tls() -> ssl.SSLContext:
    """Return the context that verifies receivers; `SSL_CERT_FILE` names further authorities."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


async def _read(
    reader: asyncio.StreamReader, connection: h11.Connection, attempt: _Attempt
) -> None:
    """Read the status and the first bytes of the body; the rest is not read."""
    while len(attempt.answer) < SHOWN_BYTES:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if not (data := await reader.read(READ_BYTES)):
                break
            connection.receive_data(data)
        elif isinstance(event, h11.Response):
            attempt.status = event.status_code
            for name, value in event.headers:
                if name == b"location":
                    attempt.location = value.decode(errors="replace")
                elif name == b"retry-after":
                    attempt.retry_after = _asked_pause(value.decode(errors="replace"))
        elif isinstance(event, h11.Data):
            attempt.answer += event.data
        elif isinstance(event, h11.EndOfMessage):
            break
    if attempt.status is None:
        raise SendingFailedError("The receiver closed the connection without a response.")


POLL_S = 1.0
"""Longest time until a new message is sent."""

MOST_AT_ONCE = 32
MOST_PER_WEBHOOK = 4

log = logging.getLogger(__name__)


class WebhookSender:
    """The messages that this process is sending."""

    def __init__(self) -> None:
        """Start without any."""
        self._sending: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._changed = threading.Event()

    def round(self) -> int:
        """Begin to send what is due, as far as there is room; return the number of messages."""
        self._changed.clear()
        begun = 0
        with reading() as session:
            found = due(session, MOST_AT_ONCE, MOST_PER_WEBHOOK)
        for delivery_id, webhook_id in found:
            if not self._has_room(webhook_id):
                continue
            since = time.monotonic()
            if (message := claim(delivery_id, new_owner())) is not None:
                self._begin(message, since)
                begun += 1
        return begun

    def wait(self) -> None:
        """Wait until a message has been sent, or for `POLL_S`."""
        self._changed.wait(POLL_S)

    def _has_room(self, webhook_id: int) -> bool:
        with self._lock:
            room = self._sending.total() < MOST_AT_ONCE
            return room and self._sending[webhook_id] < MOST_PER_WEBHOOK

    def _begin(self, message: OutgoingMessage, since: float) -> None:
        with self._lock:
            self._sending[message.webhook_id] += 1
        loop.begin(deliver(message, since)).add_done_callback(lambda _: self._end(message))

    def _end(self, message: OutgoingMessage) -> None:
        with self._lock:
            self._sending[message.webhook_id] -= 1
        self._changed.set()


async def deliver(message: OutgoingMessage, since: float) -> None:
    """Send a message that was claimed at `since` on the monotonic clock, and record the attempt.

    If that fails, the ownership expires, and the message is sent again.
    """
    own = message.ownership
    try:
        with renewed(own, since):
            result = await send(message)
            await in_thread(record, message, result)
    except StaleGenerationError as error:
        log.info("delivery %s: deleted, or sent by another process: %s", own.id, error)
    except Exception:
        log.exception("delivery %s: not recorded, will be sent again", own.id)


def start(stop: threading.Event) -> threading.Thread:
    """Deliver messages in a thread until `stop` is set."""
    sender = WebhookSender()

    def pause() -> bool:
        sender.wait()
        return stop.is_set()

    return background.repeat("delivering webhooks", lambda: _round(sender), pause)


def _round(sender: WebhookSender) -> None:
    if begun := sender.round():
        log.debug("webhook messages begun: %d", begun)
