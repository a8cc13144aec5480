"""A strict reader of the probe's event log: bytes in, typed events out.

The contract is `worker/probe/contract/events.schema.json`. Anything that violates it (a torn or
unknown line, another version, a gap in the sequence, a value out of bounds) is a BrokenEventError
with position and reason; nothing is guessed and nothing is skipped. Strings from a host are data:
their length is limited, and they never contain a NUL, which PostgreSQL cannot store.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from assay.analysis.histogram import STEPS
from assay.analysis.served_by import CounterReason, CounterSource
from assay.samples.columns import COLUMNS, NAMES

VERSION = 2
"""The contract version of this reader."""

MAX_LINE = 256 * 1024
"""Maximum line length in bytes; a result with a completely filled histogram has about 40 kB."""

MAX_SAMPLE_VALUE = 2**53 - 1
"""Maximum value in a sample: the sum of a thousand of them still fits into 64 bits."""

PHASES = (0, 1, 2)
"""Writing, the final sync, reading."""

_PHASE, _DT = NAMES.index("phase"), NAMES.index("dt_ns")
_REQUIRED = tuple(i for i, column in enumerate(COLUMNS) if not column.nullable)


class BrokenEventError(Exception):
    """A line of the event log violates the contract; `byte` is its offset in the spool."""

    def __init__(self, byte: int, why: str) -> None:
        """Keep the facts in addition to the message."""
        super().__init__(f"The probe's event log is broken at byte {byte}: {why}.")
        self.byte, self.why = byte, why


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a NUL character cannot be stored")
    return text


Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Field(ge=1, le=2**63 - 1)]
AnyText = Annotated[str, Field(max_length=4096), AfterValidator(_storable)]
NonEmptyText = Annotated[AnyText, Field(min_length=1)]
SampleValue = Annotated[int, Field(ge=0, le=MAX_SAMPLE_VALUE)]
ParameterName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
Parameter = Count | Annotated[NonEmptyText, Field(max_length=64)]
Step = Annotated[int, Field(ge=0, lt=STEPS)]

ErrorCode = Literal[
    "target_changed",
    "not_writable",
    "no_space",
    "io",
    "quota",
    "read_only",
    "stale",
    "misaligned",
    "direct_refused",
    "memory",
    "unwritten_extents",
    "hung",
    "spool_full",
    "system",
]
NoticeCode = Literal[
    "preparing",
    "prepared",
    "swept",
    "resumed",
    "sync_bounded",
    "buffers_capped",
    "direct_buffered",
    "interrupted",
    "files_named",
    "not_locked",
    "verification_failed",
    "start_resident",
    "not_settled",
    "suspended",
    "starved",
]


class Event(BaseModel):
    """Fields of every line: version, sequence number, nanoseconds since its segment's start."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    v: Literal[2]
    seq: Count
    t: Count


class ByteCounter(BaseModel):
    """The counter of the bytes below the file system, or why there is none."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    source: CounterSource
    names: Annotated[list[NonEmptyText], Field(max_length=64)]
    copies: Annotated[int, Field(ge=1, le=4)]
    reason: CounterReason | None


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
    target: NonEmptyText
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


class TrialBegan(Event):
    """The start of an attempt at a trial.

    Here and below, `trial` is the trial's position in its run. `total_bytes` is what a complete
    attempt moves; `parameters` are the fields of its job, as in the plan.
    """

    ev: Literal["trial"]
    trial: Count
    attempt: Positive
    total_bytes: Positive
    parameters: Annotated[dict[ParameterName, Parameter], Field(min_length=1, max_length=32)]


class Ready(Event):
    """An attempt is prepared and waits at the barrier for its release."""

    ev: Literal["ready"]
    trial: Count
    attempt: Positive


class SampleEvent(Event):
    """The readings of one sampling interval; `s` has the columns of `assay.samples.columns`."""

    ev: Literal["sample"]
    trial: Count
    attempt: Positive
    s: Annotated[list[SampleValue | None], Field(min_length=len(NAMES), max_length=len(NAMES))]

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
        return values


class ContentionReadings(BaseModel):
    """Bytes of this process, the device and other processes."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    own_read_bytes: Count | None
    own_write_bytes: Count | None
    dev_read_bytes: Count | None
    dev_write_bytes: Count | None
    quiet_ns: Count
    quiet_read_bytes: Count
    quiet_write_bytes: Count
    others_read_bytes: Count
    others_write_bytes: Count
    sees_all: bool
    busiest: NonEmptyText | None


class Disturbance(BaseModel):
    """Readings of disturbances other than the storage; the attempt's status follows from them.

    `late_ns` is the maximum delay of the probe's heartbeat, `cpu_wait_ns` the longest part of it
    that was a wait for a CPU, `paused_ns` the sum of all other delays. `slept_ns` is how far boot
    time ran ahead of monotonic time, `wall_jump_ns` the largest step of the wall clock against it.
    `cpu_lost_ns` is how long the threads waited for CPUs in use, `throttled_ns` is how long
    a quota kept their control group off the CPUs; both are null if the kernel does not report them.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    late_ns: Count
    cpu_wait_ns: Count
    paused_ns: Count
    slept_ns: Count
    wall_jump_ns: Annotated[int, Field(ge=-(2**63 - 1), le=2**63 - 1)]
    cpu_lost_ns: Count | None
    throttled_ns: Count | None


class ResultEvent(Event):
    """The end of an attempt: what it did, its duration, and the evidence of what served it."""

    ev: Literal["result"]
    trial: Count
    attempt: Positive
    status: Literal["complete", "timed_out", "stopped", "failed", "suspended", "starved"]
    reason: ErrorCode | None
    started_ns: Count | None
    start_delay_ns: Count | None
    ops: Count
    bytes: Count
    app_ns: Count
    durable_ns: Count | None
    sync: Literal["complete", "bounded", "none"]
    first_done_ns: Count
    last_done_ns: Count
    lat_min_ns: Count | None
    lat_max_ns: Count | None
    lat_sum_ns: Count
    hist: Annotated[list[tuple[Step, Positive]], Field(max_length=STEPS)]
    counter: ByteCounter
    dev_app_bytes: Count | None
    dev_durable_bytes: Count | None
    resident_checked: Count
    resident_pages: Count
    resident_after_checked: Count
    resident_after_pages: Count
    unwritten: Literal["none", "found", "unsupported"]
    data_ns: Count
    disturbance: Disturbance
    verify_errors: Count
    first_read_bytes: Count | None
    working_set_bytes: Positive
    mem_limit_bytes: Count
    contention: ContentionReadings | None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if (self.status == "failed") != (self.reason is not None):
            raise ValueError("a reason belongs to a failed trial, and only to one")
        if self.status not in ("complete", "timed_out") and self.sync != "none":
            raise ValueError(f"a {self.status} trial has no durable time")
        if (self.sync == "none") != (self.durable_ns is None):
            raise ValueError("a durable time belongs to a sync, and only to one")
        if self.durable_ns is not None and self.durable_ns < self.app_ns:
            raise ValueError("the data was durable before the last operation returned")
        if sum(count for _, count in self.hist) != self.ops:
            raise ValueError("the histogram does not hold all operations")
        return self


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

    @property
    def detail(self) -> dict[str, Any]:
        """The fields other than code and message that are set."""
        return self.model_dump(
            exclude={"v", "seq", "t", "ev", "code", "message"}, exclude_none=True
        )


class Progress(Event):
    """Progress of unmeasured work, such as preparing test files."""

    ev: Literal["progress"]
    doing: Literal["preparing", "removing", "waiting"]
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
    | TrialBegan
    | Ready
    | SampleEvent
    | ResultEvent
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
