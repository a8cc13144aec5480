"""Addresses that webhooks may reach.

A webhook makes the appliance send requests, possibly to places that its user cannot reach. So
addresses that are not public need an administrator's permission: that of the webhook, or
`ASSAY_WEBHOOK_NETWORKS` for all. The appliance itself is never a receiver.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from assay.settings import settings

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


def check(text: str, port: int, *, private: bool) -> None:
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
