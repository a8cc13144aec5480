"""The probe's event log, read strictly: bytes in, typed events out.

The contract is `worker/probe/contract/events.schema.json`. Whatever does not follow it (a torn or
unknown line, another version, a gap in the sequence, a value out of bounds) is a BrokenEventError
that says where and why; nothing is guessed and nothing is skipped. Strings come from a host and
are data: they are bounded, and never carry a NUL, which PostgreSQL could not store.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from assay.samples.columns import COLUMNS, NAMES

VERSION = 1
"""The version of the contract that this reader understands."""

MAX_LINE = 256 * 1024
"""Longest line in bytes; a result with every step of its histogram filled has about 40 kB."""

MAX_SAMPLE_VALUE = 2**53 - 1
"""Largest value in a sample: a thousand of them still add up to a 64-bit integer."""

_REQUIRED = tuple(i for i, column in enumerate(COLUMNS) if not column.nullable)


class BrokenEventError(Exception):
    """A line of the event log breaks the contract; `byte` is the line's place in the spool."""

    def __init__(self, byte: int, why: str) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(f"The probe's event log is broken at byte {byte}: {why}.")
        self.byte, self.why = byte, why


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a NUL character can not be stored")
    return text


Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Text = Annotated[str, Field(max_length=4096), AfterValidator(_storable)]
Code = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_storable)]
SampleValue = Annotated[int, Field(ge=0, le=MAX_SAMPLE_VALUE)]


class Event(BaseModel):
    """What every line has: version, place in the log, nanoseconds since its segment's start."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    v: Literal[1]
    seq: Count
    t: Count


class Hello(Event):
    """The first line of a segment: who measures, where, and by which clocks."""

    ev: Literal["hello"]
    segment: Count
    generation: Count
    run: Text
    probe: Text
    contract: Literal[1]
    pid: Count
    wall_ns: Count
    mono_ns: Count
    boot_id: Text | None
    hostname: Text
    kernel: Text
    arch: Text
    ncpu: Count
    mem_total: Count
    mem_limit: Count
    target: Text | None
    fs_type: Text | None
    fs_source: Text | None
    fs_uuid: Text | None
    device: Text | None
    alignment: Count | None
    workdir: Text | None
    columns: Annotated[list[Text], Field(max_length=200)]

    @field_validator("columns")
    @classmethod
    def _known_columns(cls, columns: list[str]) -> list[str]:
        if tuple(columns) != NAMES:
            raise ValueError("the sample's columns are not those of this contract")
        return columns


class TrialBegan(Event):
    """An attempt at a trial begins; sizes are as rounded up to whole blocks."""

    ev: Literal["trial"]
    trial: Count
    attempt: Count
    kind: Literal["write", "read"]
    file_size: Count
    file_size_asked: Count
    files: Count
    threads: Count
    block: Count
    layout: Code
    cache: Code
    open: Code
    total_bytes: Count


class Sample(Event):
    """What was seen in one sampling interval; `s` follows `assay.samples.columns`."""

    ev: Literal["sample"]
    trial: Count
    attempt: Count
    s: Annotated[list[SampleValue | None], Field(min_length=len(NAMES), max_length=len(NAMES))]

    @field_validator("s")
    @classmethod
    def _nulls_where_allowed(cls, values: list[int | None]) -> list[int | None]:
        for i in _REQUIRED:
            if values[i] is None:
                raise ValueError(f"column {NAMES[i]} is null")
        return values


class Result(Event):
    """An attempt's end: what it did, how long it took, and the evidence for its honesty."""

    ev: Literal["result"]
    trial: Count
    attempt: Count
    status: Literal["complete", "timed_out", "stopped", "failed"]
    reason: Code | None
    ops: Count
    bytes: Count
    app_ns: Count
    durable_ns: Count | None
    sync: Literal["complete", "bounded", "none"]
    lat_min: Count | None
    lat_max: Count
    lat_sum: Count
    hist: Annotated[
        list[Annotated[list[Count], Field(min_length=2, max_length=2)]], Field(max_length=4096)
    ]
    started: Count | None = None
    first_done_ns: Count | None
    last_done_ns: Count | None
    dev_app: Count | None
    dev_durable: Count | None
    resident_checked: Count | None
    resident_pages: Count | None
    unwritten: Literal["none", "found", "unsupported"] | None
    verify_errors: Count
    working_set: Count
    mem_limit: Count


class Told(Event):
    """A notice: something worth knowing; its further fields are kept as they came."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Count | FiniteFloat | bool | Text | None]  # pyright: ignore[reportIncompatibleVariableOverride]

    ev: Literal["notice"]
    code: Code
    message: Text

    @model_validator(mode="after")
    def _plain_names(self) -> Self:
        if not all(name.isidentifier() and len(name) <= 60 for name in self.detail):
            raise ValueError("a field's name is not a plain word")
        return self

    @property
    def detail(self) -> dict[str, Any]:
        """The fields beyond code and message."""
        return dict(self.__pydantic_extra__)


class Failed(Event):
    """Something went wrong on the host: what, why and the remedy."""

    ev: Literal["error"]
    code: Code
    message: Text
    errno: Code | None
    trial: Count | None


class End(Event):
    """The last line of a segment."""

    ev: Literal["end"]
    status: Literal["done", "stopped", "deadline", "failed"]
    reason: Text | None
    cleaned: bool
    trials_complete: Count


AnyEvent = Hello | TrialBegan | Sample | Result | Told | Failed | End

_reader: TypeAdapter[AnyEvent] = TypeAdapter(Annotated[AnyEvent, Field(discriminator="ev")])


def parse(line: bytes, byte: int = 0) -> AnyEvent:
    """One line, without its newline, as an event; raises BrokenEventError."""
    if len(line) > MAX_LINE:
        raise BrokenEventError(byte, f"the line has {len(line)} bytes, more than {MAX_LINE}")
    try:
        return _reader.validate_json(line)
    except ValidationError as error:
        raise BrokenEventError(byte, _why(error)) from None


def read(data: bytes, byte: int, next_seq: int) -> Iterator[tuple[AnyEvent, int]]:
    """The events of whole lines, each with the offset in `data` just past its line.

    `byte` is the place of `data` in the spool, `next_seq` the event expected first. A tail
    without a newline is left alone, unless it is already too long to become a line.
    """
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        event = parse(data[begin:end], byte + begin)
        if event.seq != next_seq:
            raise BrokenEventError(
                byte + begin, f"event {next_seq} was expected, but event {event.seq} came"
            )
        begin, next_seq = end + 1, next_seq + 1
        yield event, begin
    if len(data) - begin > MAX_LINE:
        raise BrokenEventError(byte + begin, f"a line grows past {MAX_LINE} bytes")


def _why(error: ValidationError) -> str:
    """The first finding in words, without the input: that may be long, and hostile."""
    first: dict[str, Any] = dict(error.errors(include_url=False, include_input=False)[0])
    where = ".".join(str(part) for part in first["loc"])
    if first["loc"][-1:] == ("v",) and first["type"] == "literal_error":
        return f"it speaks another version of the contract; this Assay reads version {VERSION}"
    if first["type"].startswith("union_tag"):
        return "the kind of event is missing or unknown"
    return f"{where}: {first['msg']}" if where else str(first["msg"])
