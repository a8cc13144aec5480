"""Types of parameters that several test kinds have, and their declarations."""

from collections import Counter
from collections.abc import Hashable, Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from assay.analysis import words
from assay.kinds.expressions import ExpressionError, names_in
from assay.kinds.parameters import Choice, Group, Parameter, When

Value = TypeVar("Value", bound=Hashable)

LARGEST_FILE = 2**62
SMALLEST_BLOCK, LARGEST_BLOCK = 512, 64 * 2**20
HOUR_MS = 3_600_000
SHORTEST_SAMPLE_MS, LONGEST_SAMPLE_MS = 100, 60_000

Cache = Literal["page", "direct", "direct_if_real"]
CacheMode = Literal["page", "direct"]
"""What a run uses in the end."""

Order = Literal["shuffled", "given"]


def refusal(field: str, value: object, message: str, remedy: str) -> PydanticCustomError:
    """Return the error of a field whose value does not fit those of others."""
    return PydanticCustomError(
        "misfit",
        "{message}",
        {"field": field, "value": value, "message": message, "remedy": remedy},
    )


def _distinct(values: list[Value]) -> list[Value]:
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise PydanticCustomError(
            "repeated",
            "contains {value} more than once",
            {
                "value": repeated[0],
                "remedy": "List each value once and use `repeats`.",
            },
        )
    return values


distinct = AfterValidator(_distinct)
"""Refuses a list with a value that it contains twice."""


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


one_or_several = BeforeValidator(_listed)
"""Takes a word for a list of one."""


def validate_size(value: object, most: int = LARGEST_FILE) -> int | str:
    """Validate a size in bytes, or an expression; raises PydanticCustomError."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= most:
            raise PydanticCustomError(
                "size",
                "must be from 1 byte to 2^{exponent} bytes",
                {
                    "exponent": most.bit_length() - 1,
                    "remedy": "Use a size in bytes, such as 500000000.",
                },
            )
        return value
    if not isinstance(value, str):
        raise PydanticCustomError(
            "size",
            "must be a size in bytes or an expression",
            {"remedy": 'Use a number such as 500000000, or "2 * ram".'},
        )
    try:
        names_in(value)
    except ExpressionError as error:
        raise PydanticCustomError(
            "expression",
            "{reason}",
            {"reason": str(error), "remedy": 'Write it like "min(1 GB, free / 10)".'},
        ) from error
    return value


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


Blocks = Annotated[
    list[Annotated[int, Field(strict=True, ge=SMALLEST_BLOCK, le=LARGEST_BLOCK)]],
    Field(min_length=1, max_length=50),
    distinct,
]
FileSize = Annotated[
    int | str,
    PlainValidator(validate_size),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": LARGEST_FILE},
                {"type": "string"},
            ],
            "description": "Bytes of each file, or an expression: `2 * ram`",
        }
    ),
]
Timeout = Annotated[int, Field(strict=True, ge=100, le=100 * HOUR_MS)]
RepeatCount = Annotated[int, Field(strict=True, ge=1, le=100)]
SampleInterval = Annotated[int, Field(strict=True, ge=SHORTEST_SAMPLE_MS, le=LONGEST_SAMPLE_MS)]
Address = Annotated[str, StringConstraints(min_length=2, max_length=45), AfterValidator(_address)]

CONNECTION = Group("Connection", folded=True)
LIMITS_AND_SAMPLING = Group("Limits and sampling", folded=True)

CACHE = Parameter(
    "Cache",
    "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
    choices=(
        Choice("page", "Page cache"),
        Choice("direct", "Direct (O_DIRECT)"),
        Choice("direct_if_real", "Direct, else page cache"),
    ),
)
TIME_LIMIT = Parameter(
    "Time limit",
    "Per trial, without the final sync. Data transferred by then counts.",
    "duration_ms",
    in_plan=True,
)
SYNC_LIMIT = Parameter(
    "Sync limit",
    "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
    "duration_ms",
    in_plan=True,
)
REPEATS = Parameter(
    "Repeats", "Trials of each cell. Use five or more to tell differences from noise.", "count"
)
SAMPLING_INTERVAL = Parameter(
    "Sampling interval",
    f"From {words.span(SHORTEST_SAMPLE_MS * 10**6)} to {words.span(LONGEST_SAMPLE_MS * 10**6)}.",
    "duration_ms",
)
ORDER = Parameter(
    "Order",
    "Shuffling keeps drift from looking like an effect of a parameter. The order is recorded.",
    choices=(Choice("shuffled", "Shuffled"), Choice("given", "As given")),
)
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
