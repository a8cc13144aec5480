"""URLs of webhooks: their form, and the addresses that they may reach.

A webhook makes the appliance send requests, possibly to places that its user cannot reach. So
addresses that are not public need an administrator's permission: that of the webhook, or
`ASSAY_WEBHOOK_NETWORKS` for all. The appliance itself is never a receiver.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Annotated, NamedTuple

import httpx
from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from assay.base.settings import settings

IpAddress = IPv4Address | IPv6Address

_NOT_PUBLIC = (IPv4Network("168.63.129.16/32"), IPv4Network("192.0.0.0/24"))
"""Metadata services of clouds whose numbers look public."""

_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All public IPv6 addresses; Python's `is_global` includes site-local and IPv4-compatible ones."""

_DOCUMENTATION = IPv6Network("3fff::/20")

_NAT64 = IPv6Network("64:ff9b::/96")


class AddressRefusedError(Exception):
    """A webhook must not connect to this address: `reason` has no full stop; `remedy` does."""

    def __init__(self, reason: str, remedy: str) -> None:
        """Name the address, and what to do."""
        super().__init__(f"{reason}. {remedy}")
        self.reason, self.remedy = reason, remedy


def check_address(text: str, port: int, *, private: bool) -> None:
    """Raise AddressRefusedError unless a webhook may connect to this address and port.

    `private` is whether an administrator allows it to reach addresses that are not public.
    """
    address = ip_address(text.partition("%")[0])
    if is_own(address, port):
        raise AddressRefusedError(
            f"{text} port {port} is this appliance", "Enter the address of the receiver."
        )
    reached = embedded(address)
    if private or any(reached in network for network in settings().webhook_networks):
        return
    if not is_public(address):
        raise AddressRefusedError(
            f"{text} is not a public address",
            "An administrator can allow private addresses for this webhook, or a network for all "
            "with ASSAY_WEBHOOK_NETWORKS.",
        )


def is_public(address: IpAddress) -> bool:
    """Return whether an address is one of the public internet."""
    reached = embedded(address)
    if not reached.is_global or reached.is_multicast:
        return False
    if isinstance(reached, IPv6Address):
        return reached in _GLOBAL_UNICAST and reached not in _DOCUMENTATION
    return not any(reached in network for network in _NOT_PUBLIC)


def embedded(address: IpAddress) -> IpAddress:
    """Return the IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def is_own(address: IpAddress, port: int) -> bool:
    """Return whether this appliance's API or metrics are served at this address and port."""
    configured = settings()
    return port in (configured.port, configured.metrics_port) and _is_of_this_machine(address)


def _is_of_this_machine(address: IpAddress) -> bool:
    """Return whether a socket can be bound to the address, which includes 0.0.0.0 and ::."""
    here = embedded(address)
    family = socket.AF_INET if isinstance(here, IPv4Address) else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(here), 0))
        except OSError:
            return False
    return True


def literal(host: str) -> str | None:
    """Return the address that a host name in a URL is, in whatever notation, or None for a name.

    The resolver also understands `127.1`, `0x7f000001` and `2130706433`. Names under `localhost`
    always are the loopback address (RFC 6761).
    """
    if host.rpartition(".")[2].lower() == "localhost":
        return "127.0.0.1"
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except OSError:
        return None
    return str(found[0][4][0])


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
        check_address(address, receiver.port, private=private)
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
