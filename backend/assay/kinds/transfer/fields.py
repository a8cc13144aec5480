"""Parameters that several kinds of transfers have: their types, declarations, and checks."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints
from pydantic_core import PydanticCustomError

from assay.kinds.fields import HOUR_MS, refusal
from assay.kinds.parameters import Choice, Group, Parameter, When

Family = Literal["any", "ipv4", "ipv6"]


def _address(text: str) -> str:
    try:
        if "%" in text:  # the zone of a link-local address, in which Python accepts any character
            raise ValueError("has a zone")
        return str(ip_address(text))
    except ValueError as error:
        raise PydanticCustomError(
            "address",
            "{value} is not an IP address",
            {"value": text, "remedy": "Use an address of the host such as 192.0.2.7."},
        ) from error


def ip_version(parameters: Mapping[str, Any]) -> Literal["ipv4", "ipv6"]:
    """Return the IP version of a test's connections: its own, else that of its addresses."""
    if parameters["family"] != "any":
        return parameters["family"]
    given = parameters.get("source_address") or parameters["sink_address"] or ""
    return "ipv6" if ":" in given else "ipv4"


def check_addresses(test: BaseModel, *names: str) -> None:
    """Check the addresses in these fields of a transfer, and that they have its IP version.

    Raises PydanticCustomError.
    """
    version = ip_version(test.model_dump(include={"family", *names}))
    for name in names:
        given: str | None = getattr(test, name)
        if given is None:
            continue
        address = ip_address(given)
        if address.is_unspecified or address.is_multicast or address.is_link_local:
            raise refusal(
                name,
                given,
                "is no address at which the other host reaches this one",
                "Use a global or private address of the host, or omit it.",
            )
        if f"ipv{address.version}" != version:
            raise refusal(
                name,
                given,
                f"is an IPv{address.version} address, but the connections use "
                f"{version.replace('ip', 'IP')}",
                "Use addresses of one IP version, and `family` of that version or any.",
            )


def check_ports(port: int, last_port: int) -> None:
    """Check that a range of ports is one; raises PydanticCustomError."""
    if last_port and not 0 < port <= last_port:
        raise refusal(
            "last_port",
            last_port,
            f"is {last_port}, but the first port is {port}",
            "Use 0, or a port that is not below `port`.",
        )


def _name_congestion_control(name: str) -> str:
    if name in ("auto", "0"):
        raise PydanticCustomError(
            "congestion_control",
            "{value} is no congestion control",
            {"value": name, "remedy": "Omit it, or use null, for the default of each host."},
        )
    return name


BufferSize = Annotated[int, Field(strict=True, ge=0, le=2**30)]
Congestion = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9_-]{1,15}$"), AfterValidator(_name_congestion_control)
]
Port = Annotated[int, Field(strict=True, ge=0, le=65_535)]
RampTime = Annotated[int, Field(strict=True, ge=0, le=HOUR_MS)]
TransferTime = Annotated[int, Field(strict=True, ge=100, le=24 * HOUR_MS)]
Address = Annotated[str, StringConstraints(min_length=2, max_length=45), AfterValidator(_address)]

CONNECTION = Group("Connection", folded=True)

SOCKET_BUFFERS = Parameter(
    "Socket buffers",
    "Of each connection.",
    "size",
    automatic="keeps the kernel's autotuning, which a fixed size disables.",
)
CONGESTION_CONTROL = Parameter(
    "Congestion control",
    "Such as cubic or bbr.",
    "name",
    automatic="is each host's default.",
)
FAMILY = Parameter(
    "IP version",
    choices=(Choice("any", "Either"), Choice("ipv4", "IPv4"), Choice("ipv6", "IPv6")),
)
PORT = Parameter("Port", "The first port that is tried; 0 for any free one.", "count")
LAST_PORT = Parameter(
    "Last port",
    "0 tries only the first port.",
    "count",
    used=((When("port", none_of=(0,), words="a port number"),),),
)
SOURCE_ADDRESS, SINK_ADDRESS = (
    Parameter(
        f"Address of the {end}",
        "Selects its card.",
        "address",
        automatic="is the address by which Assay reaches the host.",
    )
    for end in ("source", "sink")
)
