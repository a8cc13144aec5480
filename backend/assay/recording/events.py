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
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from assay.analysis.histogram import STEPS
from assay.analysis.served_by import CounterReason, CounterSource
from assay.samples.columns import COLUMNS, NAMES

VERSION = 2
"""The version of the contract that this reader understands."""

MAX_LINE = 256 * 1024
"""Longest line in bytes; a result with every step of its histogram filled has about 40 kB."""

MAX_SAMPLE_VALUE = 2**53 - 1
"""Largest value in a sample: a thousand of them still add up to a 64-bit integer."""

PHASES = (0, 1, 2)
"""Writing, the final sync, reading."""

_PHASE, _DT = NAMES.index("phase"), NAMES.index("dt_ns")
_REQUIRED = tuple(i for i, column in enumerate(COLUMNS) if not column.nullable)


class BrokenEventError(Exception):
    """A line of the event log breaks the contract; `byte` is the line's place in the spool."""

    def __init__(self, byte: int, why: str) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(f"The probe's event log is broken at byte {byte}: {why}.")
        self.byte, self.why = byte, why


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("a NUL character cannot be stored")
    return text


Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Positive = Annotated[int, Field(ge=1, le=2**63 - 1)]
AnyText = Annotated[str, Field(max_length=4096), AfterValidator(_storable)]
Text = Annotated[AnyText, Field(min_length=1)]
SampleValue = Annotated[int, Field(ge=0, le=MAX_SAMPLE_VALUE)]
ParameterName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
Parameter = Count | Annotated[Text, Field(max_length=64)]
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
    """What every line has: version, place in the log, nanoseconds since its segment's start."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    v: Literal[2]
    seq: Count
    t: Count


class Counter(BaseModel):
    """What counted the bytes below the file system, or why nothing did."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    source: CounterSource
    names: Annotated[list[Text], Field(max_length=64)]
    copies: Annotated[int, Field(ge=1, le=4)]
    reason: CounterReason | None


class Hello(Event):
    """The first line of a segment: who measures, where, and by which clocks."""

    ev: Literal["hello"]
    segment: Positive
    generation: Count
    job: Text
    run: Text
    probe: Text
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
    clocksource: Text | None
    mem_total_bytes: Count
    mem_limit_bytes: Count
    target: Text
    role: Text | None
    fs_type: Text | None
    fs_source: Text | None
    fs_uuid: Text | None
    device: Text | None
    counter: Counter
    alignment_bytes: Positive | None
    workdir: Text | None
    files: Literal["unnamed", "named"]
    columns: Annotated[list[Text], Field(max_length=200)]

    @field_validator("columns")
    @classmethod
    def _known_columns(cls, columns: list[str]) -> list[str]:
        if tuple(columns) != NAMES:
            raise ValueError("the sample's columns are not those of this contract")
        return columns


class TrialBegan(Event):
    """An attempt at a trial begins.

    Here and in what follows, `trial` is the trial's position in its run. `total_bytes` is what a
    complete attempt moves; `parameters` are the fields of its job, as the plan has them.
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


class Sample(Event):
    """What was seen in one sampling interval; `s` follows `assay.samples.columns`."""

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


class Contention(BaseModel):
    """What others did to the device; bytes of this process, the device and other processes."""

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
    busiest: Text | None


class Disturbance(BaseModel):
    """What held an attempt up besides the storage: readings, of which its status follows.

    `late_ns` is the greatest lateness of the probe's heartbeat, `cpu_wait_ns` the greatest part of
    it that was a wait for a CPU, `paused_ns` all lateness that was not. `slept_ns` is by how much
    boot time outran monotonic time, `wall_jump_ns` the greatest step of the wall clock against it.
    `cpu_lost_ns` is how long the threads waited for CPUs that others had, `throttled_ns` how long
    a quota kept their control group off the CPUs; both are null where the kernel does not say.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    late_ns: Count
    cpu_wait_ns: Count
    paused_ns: Count
    slept_ns: Count
    wall_jump_ns: Annotated[int, Field(ge=-(2**63 - 1), le=2**63 - 1)]
    cpu_lost_ns: Count | None
    throttled_ns: Count | None


class Result(Event):
    """An attempt's end: what it did, how long it took, and the evidence of what served it."""

    ev: Literal["result"]
    trial: Count
    attempt: Positive
    status: Literal["complete", "timed_out", "stopped", "failed", "suspended", "starved"]
    reason: ErrorCode | None
    started_ns: Count | None
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
    counter: Counter
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
    contention: Contention | None

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


class Told(Event):
    """A notice: something worth knowing; which further fields it has depends on its code."""

    ev: Literal["notice"]
    code: NoticeCode
    message: Text
    trial: Count | None = None
    attempt: Positive | None = None
    bytes: Count | None = None
    files: Positive | None = None
    ns: Count | None = None
    call: Text | None = None
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
        """The fields beyond code and message that it has."""
        return self.model_dump(
            exclude={"v", "seq", "t", "ev", "code", "message"}, exclude_none=True
        )


class Progress(Event):
    """How far work is that is not measured, such as preparing test files."""

    ev: Literal["progress"]
    doing: Literal["preparing", "removing", "waiting"]
    call: Text | None
    bytes: Count
    total_bytes: Count


class Failed(Event):
    """Something went wrong on the host: what, why and the remedy."""

    ev: Literal["error"]
    code: ErrorCode
    message: Text
    errno: Text | None
    trial: Count | None


class End(Event):
    """The last line of a segment."""

    ev: Literal["end"]
    status: Literal["done", "stopped", "deadline", "failed"]
    reason: Text | None
    cleaned: bool
    trials_complete: Count


AnyEvent = Hello | TrialBegan | Ready | Sample | Result | Told | Progress | Failed | End

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
