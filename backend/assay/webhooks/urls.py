"""URLs of webhooks: their form, and whether they lead to this appliance."""

from typing import Annotated, NamedTuple

import httpx
from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

from assay.http.errors import Invalid
from assay.http.field_errors import FieldError
from assay.settings import settings
from assay.webhooks.addresses import AddressRefusedError, check, literal

LONGEST_URL = 2000
PORTS = {"http": 80, "https": 443}
EXAMPLE = "https://ci.example.com/hooks/assay"


class Endpoint(NamedTuple):
    """Where a URL leads: its host in lower case, and its port."""

    host: str
    port: int


def endpoint(url: httpx.URL) -> Endpoint:
    """Return where a valid URL leads."""
    return Endpoint(url.raw_host.decode().lower().rstrip("."), url.port or PORTS[url.scheme])


def _refused(message: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("webhook_url", "{message}", {"message": message, "remedy": remedy})


def _valid(text: str) -> str:
    if any(char.isspace() or not char.isprintable() for char in text):
        raise _refused("must not contain spaces or control characters", "Encode them: %20.")
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise _refused("is not a URL", f"Enter one such as {EXAMPLE}.") from error
    if url.scheme not in PORTS:
        raise _refused("must begin with https:// or http://", f"Enter one such as {EXAMPLE}.")
    if not url.host:
        raise _refused("has no host", f"Enter one such as {EXAMPLE}.")
    if url.userinfo:
        raise _refused(
            "must not contain a user name or password",
            "Remove them; receivers verify the signature instead.",
        )
    if "#" in text:
        raise _refused("must not contain a fragment", "Remove # and what follows it.")
    if url.port is not None and not 1 <= url.port <= 65535:
        raise _refused(f"has port {url.port}", "Enter a port from 1 to 65535.")
    return text


WebhookUrl = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_URL), AfterValidator(_valid)
]


def check_receiver(text: str, base_url: str, *, private: bool) -> None:
    """Raise Invalid if a URL leads to this appliance, or has an address that is not allowed.

    `base_url` is that of the request: an address of this appliance.

    Names are resolved only when a message is sent, since their addresses may change.
    """
    receiver = endpoint(httpx.URL(text))
    if any(_leads_to(receiver, own) for own in _own_urls(base_url)):
        message = "is an address of this appliance"
        raise Invalid([FieldError("url", message, "Enter the address of the receiver.", text)])
    address = literal(receiver.host)
    if address is None:
        return
    try:
        check(address, receiver.port, private=private)
    except AddressRefusedError as error:
        message = f"cannot be used: {error.reason}"
        raise Invalid([FieldError("url", message, error.remedy, text)]) from error


def _own_urls(base_url: str) -> list[httpx.URL]:
    """Return the URLs at which users reach this appliance."""
    public = settings().public_url
    return [httpx.URL(base_url), *([httpx.URL(public)] if public else [])]


def _leads_to(receiver: Endpoint, own: httpx.URL) -> bool:
    """Return whether a receiver is at `own`; a proxy may serve it with or without TLS."""
    host = own.raw_host.decode().lower()
    ports = set(PORTS.values()) if own.port is None else {own.port}
    return receiver.host == host and receiver.port in ports
