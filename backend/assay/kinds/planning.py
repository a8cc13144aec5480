"""Types of estimates: a target, a planned run, and its warnings."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from assay.base.words import rate as rate_in_words

ASSUMED_BYTES_PER_S = 1_000_000_000
"""The value of `rate` in a file size if nothing was measured yet."""

MEASURE_FIRST = "Launch the profile Calibration first"
"""The remedy of an assumed rate."""

FASTEST_BYTES_PER_S = 10_000_000_000
"""Upper bound for the rate of storage that was not measured yet."""

FieldName = Callable[[int, str], str]
"""Returns the request field that set a field of the n-th test."""


@dataclass(frozen=True)
class Caution:
    """A limitation of the results: a code for programs, a sentence for people.

    `remedy` has parameters with which it would not apply, if known. `about` is the one place that
    the sentence names.
    """

    code: str
    message: str
    remedy: Mapping[str, int] = field(default_factory=dict[str, int])
    about: "About | None" = None


@dataclass(frozen=True)
class About:
    """The place that a sentence is about: it is `before`, the place's name, and `after`."""

    place: "Place"
    before: str
    after: str


LENGTH_UNKNOWN = "length_unknown"
"""The code of `length_unknown`."""


@dataclass(frozen=True)
class SizingRate:
    """The rate at which the size of what an unpaced run writes is estimated.

    `measured_bytes_per_s` is the highest that was measured at the place, or None.
    """

    measured_bytes_per_s: float | None

    @property
    def bytes_per_s(self) -> float:
        """The measured rate, or the assumed one."""
        return self.measured_bytes_per_s or ASSUMED_BYTES_PER_S

    @property
    def words(self) -> str:
        """The rate and where it comes from, for sentences such as `1 GB at …`."""
        said = rate_in_words(self.bytes_per_s)
        if self.measured_bytes_per_s:
            return f"at {said}, the highest rate that was measured there"
        return f"at an assumed {said}, for nothing was measured there"


@dataclass(frozen=True)
class Place:
    """A target as estimates use it. None means unknown; rates are the highest ever measured there.

    The memory of a host is a place without a target: it has neither a path nor free space.
    `best_write_bytes_per_s` excludes the sync, `best_durable_bytes_per_s` includes it. `provable`:
    whether the host can show where data came from. `needs` are the resources that only one run at a
    time can use, with their names. `devices` are the physical disks below; empty if unknown.
    `file_systems` are names of its file system, of which places on the same one have one in common,
    also through another host. `free_at` is when `free_bytes` was read, `size_bytes` is the size of
    the file system, `free_inodes` the inodes that a user may take. `ram` is the cacheable memory:
    the host's, or the limit of its control group. `io_uring_refused` is why the kernel does not
    permit io_uring. `tools` are the definitions of the programs that may move data there, by name.
    `ip_version` is that of the address by which Assay reaches the host, IPv4 for a name; None on
    this machine.
    """

    target_id: int | None
    host_id: int
    host_name: str
    path: str | None
    fs_type: str
    provable: bool
    free_bytes: int
    free_at: datetime | None
    reserve_bytes: int
    ram: int | None
    cpus: int | None
    direct: str
    alignment: int | None
    array_id: int | None = None
    array_name: str | None = None
    array_cache_bytes: int | None = None
    array_identity: dict[str, str | None] | None = field(default=None, hash=False)
    size_bytes: int | None = None
    free_inodes: int | None = None
    best_write_bytes_per_s: float | None = None
    best_durable_bytes_per_s: float | None = None
    best_read_bytes_per_s: float | None = None
    io_uring_refused: str | None = None
    devices: tuple[str, ...] = ()
    file_systems: frozenset[str] = frozenset()
    needs: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    tools: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    ip_version: Literal["ipv4", "ipv6"] | None = None

    @property
    def machine(self) -> str:
        """What places on one machine have in common, also through several host entries."""
        own = (need for need in self.needs if need.startswith("machine:"))
        return next(own, f"host:{self.host_id}")

    @property
    def name(self) -> str:
        """Host and directory: many hosts have the same directory."""
        return f"{self.host_name} {self.path}" if self.path else f"memory of {self.host_name}"

    def caution(
        self, code: str, before: str, after: str, remedy: Mapping[str, int] | None = None
    ) -> Caution:
        """Return a caution about the place, whose name stands between these words."""
        about = About(self, before, after)
        return Caution(code, f"{before}{self.name}{after}", remedy or {}, about)

    @property
    def is_memory(self) -> bool:
        """Whether it is the memory of a host, and not a target."""
        return self.target_id is None

    def shares_space(self, other: "Place") -> bool:
        """Return whether both use the free space of one file system.

        Partitions of one disk have file systems of their own, and memory has none.
        """
        if self.is_memory:
            return False
        return self.target_id == other.target_id or bool(self.file_systems & other.file_systems)

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources that only one run at a time can use."""
        return tuple(self.needs) or (f"host:{self.host_id}",)


@dataclass(frozen=True)
class PlannedTrial:
    """A planned trial: its pass, its cell, and its parameters."""

    repeat: int
    cell: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Extent:
    """What the duration of a trial depends on.

    It moves `bytes`, or lasts for `seconds`; the other one is 0. `threads` are the operations in
    flight. `variant` has the other parameters with which trials take as long.
    """

    bytes: int
    seconds: float
    block: int = 1
    threads: int = 1
    variant: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class PlannedRun(ABC):
    """One test on one place; each kind has its own class. `number` is that of the test.

    `file_size` is the requested size, in bytes.
    """

    place: Place
    number: int
    file_size: int

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name of the kind."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Title of the test."""

    @property
    @abstractmethod
    def role(self) -> str:
        """Role of the participant, such as `writer`."""

    @property
    def participants(self) -> Sequence["PlannedRun"]:
        """The plans of all participants, this one first; they start together."""
        return [self]

    @property
    def read_back_elsewhere(self) -> bool:
        """Whether another host of the place's file system reads the files back."""
        return False

    @property
    def only_alone(self) -> Sequence[str]:
        """The parameters whose values allow one participant only."""
        return ()

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The test with its expressions resolved to values."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """Number of parameter combinations."""

    @property
    @abstractmethod
    def trials(self) -> int:
        """Number of trials."""

    @abstractmethod
    def order(self) -> list[PlannedTrial]:
        """Return the trials in the order of measurement."""

    @property
    def extents(self) -> Sequence[Extent | None]:
        """What the duration of a trial of each cell depends on; None if that is unknown."""
        return [None] * self.cells

    @property
    @abstractmethod
    def file_size_asked(self) -> int | str:
        """Size of each file in the test, which may be an expression."""

    @property
    def size_field(self) -> str:
        """The parameter that determines how much space the run needs."""
        return "file_size"

    @property
    def less_space(self) -> str:
        """What would need less space."""
        return "smaller files"

    @property
    def sizing_rate(self) -> SizingRate | None:
        """The rate at which the size of the files is estimated; None if they have a size."""
        return None

    @property
    def disk_threads(self) -> int | None:
        """Threads that use the place's disks, if they follow from the number of its devices."""
        return None

    @property
    @abstractmethod
    def prepared_bytes(self) -> int:
        """Bytes written before the first trial."""

    @property
    @abstractmethod
    def bytes_written(self) -> int:
        """Bytes written in total, including prepared files."""

    @property
    @abstractmethod
    def peak_bytes(self) -> int:
        """Maximum size of the run's files at any time."""

    @property
    def peak_inodes(self) -> int:
        """Inodes of the run's files and directories at any time; 0 if it needs only a few."""
        return 0

    @property
    def inodes_field(self) -> str:
        """The parameter that determines how many inodes the run needs."""
        return "files"

    @property
    @abstractmethod
    def shortest_s(self) -> float:
        """Minimum duration."""

    @property
    @abstractmethod
    def longest_s(self) -> float:
        """Duration if every trial reaches its time limit."""

    @abstractmethod
    def cautions(self) -> Iterator[Caution]:
        """Yield all limitations of the run's results."""

    @property
    def name(self) -> str:
        """Title and place."""
        return f"{self.title} on {self.place.name}"

    def caution(self, code: str, after: str, remedy: Mapping[str, int] | None = None) -> Caution:
        """Return a caution that begins with the run's name."""
        return self.place.caution(code, f"{self.title} on ", after, remedy)


def length_unknown(run: PlannedRun, rate: SizingRate, bound: str) -> Caution:
    """Return that the size of what a run writes is an estimate; `bound` is what would limit it."""
    return run.caution(
        LENGTH_UNKNOWN,
        f": the test writes for a time without pacing. The space is estimated {rate.words}. "
        "If the storage is faster, a trial that reaches the target's reserved space fails; "
        f"{bound} bounds the size.",
    )


def free_for_each(places: Sequence[Place]) -> int | None:
    """Return the bytes that each place may have if all use them at once; None without any.

    Those of one file system have equal parts of its free space.
    """
    parts = [
        place.free_bytes // sum(map(place.shares_space, places))
        for place in places
        if not place.is_memory
    ]
    return min(parts, default=None)
