"""A strict reader of the probe's event log: bytes in, typed events out.

The contract is `worker/probe/contract/events.schema.json`. Anything that violates it (a torn or
unknown line, another version, a gap in the sequence, a value out of bounds) is a BrokenEventError
with position and reason; nothing is guessed and nothing is skipped. Strings from a host are data:
their length is limited, and they never contain a NUL, which PostgreSQL cannot store.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from assay.kinds.event_types import (
    MAX_SUMMED_VALUE,
    AnyText,
    ByteCounter,
    Count,
    ErrorCode,
    Event,
    NonEmptyText,
    NoticeCode,
    Parameter,
    ParameterName,
    Positive,
)
from assay.kinds.transfer.detail import Stages, Streams, incomplete
from assay.runs.host_conditions import HostConditions, When
from assay.runs.recording.read_back import ReadBackEvent, RecountEvent
from assay.runs.recording.result_event import ResultEvent
from assay.runs.samples.columns import COLUMNS, MARK_COLUMNS, NAMES

VERSION = 2
"""The contract version of this reader."""

MAX_LINE = 256 * 1024
"""Maximum line length in bytes; a result with a completely filled histogram has about 40 kB."""

PHASES = (0, 1, 2)
"""Writing, the final sync, reading."""

_PHASE, _DT = NAMES.index("phase"), NAMES.index("dt_ns")
_REQUIRED = tuple(i for i, column in enumerate(COLUMNS) if not column.nullable)
_SUMMED = tuple(i for i, column in enumerate(COLUMNS) if column.merge == "sum")
_MARK_REQUIRED = tuple(i for i, column in enumerate(MARK_COLUMNS) if not column.nullable)
_MARK_POSITIVE = tuple(
    i for i, column in enumerate(MARK_COLUMNS) if column.name in {"end_ns", "dt_ns", "bytes", "ops"}
)


class BrokenEventError(Exception):
    """A line of the event log violates the contract; `byte` is its offset in the spool."""

    def __init__(self, byte: int, why: str) -> None:
        """Keep the facts in addition to the message."""
        super().__init__(f"The probe's event log is broken at byte {byte}: {why}.")
        self.byte, self.why = byte, why


class Hello(Event):
    """The first line of a segment: probe, host, target and clocks."""

    ev: Literal["hello"]
    segment: Positive
    generation: Count
    job: NonEmptyText
    run: NonEmptyText
    probe: NonEmptyText
    contract: Literal[2]
    pid: Positive
    wall_ns: Count
    mono_ns: Count
    boot_id: AnyText
    hostname: AnyText
    kernel: AnyText
    arch: AnyText
    ncpu: Positive
    cpu_tick_ns: Positive
    clocksource: NonEmptyText | None
    mem_total_bytes: Count
    mem_limit_bytes: Count
    target: NonEmptyText | None
    role: NonEmptyText | None
    fs_type: NonEmptyText | None
    fs_source: NonEmptyText | None
    fs_uuid: NonEmptyText | None
    device: NonEmptyText | None
    counter: ByteCounter
    alignment_bytes: Positive | None
    workdir: NonEmptyText | None
    files: Literal["unnamed", "named"]
    columns: Annotated[list[NonEmptyText], Field(max_length=200)]

    @field_validator("columns")
    @classmethod
    def _known_columns(cls, columns: list[str]) -> list[str]:
        if tuple(columns) != NAMES:
            raise ValueError("the sample's columns are not those of this contract")
        return columns


class ConditionsEvent(Event, HostConditions):
    """The host's conditions at the start or the end of a segment."""

    ev: Literal["conditions"]
    when: When


class TrialBegan(Event):
    """The start of an attempt at a trial.

    Here and below, `trial` is the trial's position in its run. `total_bytes` is what a complete
    attempt moves, null if a duration ends it; `parameters` are the fields of its job, as in the
    plan. `done_bytes` and `done_ns` are what the attempts that this one continues measured.
    """

    ev: Literal["trial"]
    trial: Count
    attempt: Positive
    done_bytes: Positive | None = None
    done_ns: Positive | None = None
    total_bytes: Positive | None
    parameters: Annotated[dict[ParameterName, Parameter], Field(min_length=1, max_length=32)]


class Ready(Event):
    """An attempt is prepared and waits at the barrier for its release."""

    ev: Literal["ready"]
    trial: Count
    attempt: Positive


class Written(Event):
    """The files of a write with a result stay until another host has read them back.

    `manifest` is what `verify` on that host takes.
    """

    ev: Literal["written"]
    trial: Count
    attempt: Positive
    manifest: Annotated[str, Field(min_length=1, max_length=65_536)]


class Listening(Event):
    """An end of a transfer accepts connections at a port; `address` is the one it is bound to."""

    ev: Literal["listening"]
    trial: Count
    attempt: Positive
    port: Annotated[int, Field(ge=1, le=65535)]
    address: NonEmptyText | None


class AwaitingOrders(Event):
    """An end of a transfer by another program waits for its commands.

    `directory` has the input, or is where it is to arrive; null in memory. The ports of the sink
    are free.
    """

    ev: Literal["awaiting_orders"]
    trial: Count
    attempt: Positive
    directory: NonEmptyText | None
    port: Annotated[int, Field(ge=1, le=65535)] | None
    second_port: Annotated[int, Field(ge=1, le=65535)] | None


class LinkEvent(Event):
    """What the streams and stages of a transfer did since the trial's start; after each sample."""

    ev: Literal["link"]
    trial: Count
    attempt: Positive
    end_ns: Count
    tcp_info_bytes: Count | None
    streams: Streams
    stages: Stages
    ring_filled: Count | None
    card_rx_bytes: Count | None
    card_tx_bytes: Count | None
    card_rx_dropped: Count | None
    card_tx_dropped: Count | None
    softnet_dropped: Count | None
    softnet_squeezed: Count | None

    @field_validator("streams")
    @classmethod
    def _allowed_values(cls, streams: Streams) -> Streams:
        if incomplete(streams):
            raise ValueError("a stream lacks a figure that is never null")
        return streams


class SampleEvent(Event):
    """The readings of one sampling interval; `s` has the columns of `samples/columns.py`."""

    ev: Literal["sample"]
    trial: Count
    attempt: Positive
    s: Annotated[list[Count | None], Field(min_length=len(NAMES), max_length=len(NAMES))]

    @field_validator("s")
    @classmethod
    def _allowed_values(cls, values: list[int | None]) -> list[int | None]:
        for i in _REQUIRED:
            if values[i] is None:
                raise ValueError(f"column {NAMES[i]} is null")
        if values[_PHASE] not in PHASES:
            raise ValueError(f"phase is {values[_PHASE]}")
        if not values[_DT]:
            raise ValueError("the interval has no length")
        for i in _SUMMED:
            if (values[i] or 0) > MAX_SUMMED_VALUE:
                raise ValueError(f"column {NAMES[i]} is more than {MAX_SUMMED_VALUE}")
        return values


class MarkEvent(Event):
    """The figures of so many bytes of a trial; `m` has the columns of `MARK_COLUMNS`."""

    ev: Literal["mark"]
    trial: Count
    attempt: Positive
    m: Annotated[
        list[Count | None], Field(min_length=len(MARK_COLUMNS), max_length=len(MARK_COLUMNS))
    ]

    @field_validator("m")
    @classmethod
    def _allowed_values(cls, values: list[int | None]) -> list[int | None]:
        for i in _MARK_REQUIRED:
            if values[i] is None:
                raise ValueError(f"column {MARK_COLUMNS[i].name} is null")
        for i in _MARK_POSITIVE:
            if not values[i]:
                raise ValueError(f"column {MARK_COLUMNS[i].name} is 0")
        return values


class NoticeEvent(Event):
    """A notice; its further fields depend on its code."""

    ev: Literal["notice"]
    code: NoticeCode
    message: NonEmptyText
    trial: Count | None = None
    attempt: Positive | None = None
    bytes: Count | None = None
    files: Positive | None = None
    ns: Count | None = None
    call: NonEmptyText | None = None
    workdir: AnyText | None = None
    trials: Count | None = None
    resident_pages: Count | None = None
    resident_checked: Count | None = None
    corrupt: Count | None = None
    stale: Count | None = None
    misplaced: Count | None = None
    first_offset_bytes: Count | None = None
    read_back: bool | None = None
    what: Literal["suspended", "starved"] | None = None
    from_ns: Count | None = None
    until_ns: Count | None = None
    disturbances: Positive | None = None
    excluded: bool | None = None

    @property
    def detail(self) -> dict[str, Any]:
        """The fields other than code and message that are set."""
        return self.model_dump(
            exclude={"v", "seq", "t", "ev", "code", "message"}, exclude_none=True
        )


class Progress(Event):
    """Progress of unmeasured work, such as preparing test files."""

    ev: Literal["progress"]
    doing: Literal[
        "preparing",
        "removing",
        "waiting",
        "filling",
        "preconditioning",
        "idling",
        "verifying",
        "handed_over",
        "awaiting_peer",
    ]
    call: NonEmptyText | None
    bytes: Count
    total_bytes: Count


class ErrorEvent(Event):
    """A failure on the host: what, why and the remedy."""

    ev: Literal["error"]
    code: ErrorCode
    message: NonEmptyText
    errno: NonEmptyText | None
    trial: Count | None


class End(Event):
    """The last line of a segment."""

    ev: Literal["end"]
    status: Literal["done", "stopped", "deadline", "failed"]
    reason: NonEmptyText | None
    cleaned: bool
    trials_complete: Count


AnyEvent = (
    Hello
    | ConditionsEvent
    | TrialBegan
    | Ready
    | Written
    | Listening
    | AwaitingOrders
    | SampleEvent
    | LinkEvent
    | MarkEvent
    | ResultEvent
    | ReadBackEvent
    | RecountEvent
    | NoticeEvent
    | Progress
    | ErrorEvent
    | End
)

_reader: TypeAdapter[AnyEvent] = TypeAdapter(Annotated[AnyEvent, Field(discriminator="ev")])


def parse(line: bytes, byte: int = 0) -> AnyEvent:
    """Return one line, without its newline, as an event; raises BrokenEventError."""
    if len(line) > MAX_LINE:
        raise BrokenEventError(byte, f"the line has {len(line)} bytes, more than {MAX_LINE}")
    try:
        return _reader.validate_json(line)
    except ValidationError as error:
        raise BrokenEventError(byte, _why(error)) from None


def read(data: bytes, byte: int, next_seq: int) -> Iterator[tuple[AnyEvent, int]]:
    """Yield the events of whole lines, each with the offset in `data` just past its line.

    `byte` is the offset of `data` in the spool, `next_seq` the sequence number of the first event.
    A tail without a newline is ignored, unless it is already too long for a line.
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
    """Return the first error without the input, which may be long and hostile."""
    first: dict[str, Any] = dict(error.errors(include_url=False, include_input=False)[0])
    where = ".".join(str(part) for part in first["loc"])
    if first["loc"][-1:] == ("v",) and first["type"] == "literal_error":
        return f"it has another version of the contract; this Assay reads version {VERSION}"
    if first["type"].startswith("union_tag"):
        return "the kind of event is missing or unknown"
    return f"{where}: {first['msg']}" if where else str(first["msg"])
