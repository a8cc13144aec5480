"""How the cells of a test do their I/O: cache, CPU priority and I/O priority.

A test may compare several values of each. Only then do its trials and cells have a value of their
own; else theirs is that of the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from assay.kinds.fields import CacheMode
from assay.kinds.sustained.fields import IoPriority, Priority

Compared = Literal["cache", "priority", "io_priority"]
COMPARED: tuple[Compared, ...] = get_args(Compared)

CHOICES: dict[Compared, tuple[str, ...]] = {
    "cache": get_args(CacheMode),
    "priority": get_args(Priority),
    "io_priority": get_args(IoPriority),
}
"""The values of each, in the order of display."""

_WORDS: dict[Compared, dict[str, str]] = {
    "cache": {"page": "page cache", "direct": "direct I/O"},
    "priority": {
        "normal": "normal priority",
        "high": "high priority",
        "fifo": "SCHED_FIFO",
        "rr": "SCHED_RR",
    },
    "io_priority": {
        "default": "default I/O priority",
        "real_time": "real-time I/O priority",
        "high": "high I/O priority",
        "low": "low I/O priority",
        "idle": "idle I/O priority",
    },
}


@dataclass(frozen=True)
class Mode:
    """How a cell does its I/O; each value is null unless the test compares several."""

    cache: CacheMode | None = None
    priority: Priority | None = None
    io_priority: IoPriority | None = None

    @property
    def given(self) -> dict[Compared, str]:
        """What the test compares, and what of it is this cell's."""
        return {name: value for name in COMPARED if (value := getattr(self, name)) is not None}

    @property
    def place(self) -> tuple[int, ...]:
        """Its place in the order of display."""
        return tuple(CHOICES[name].index(value) for name, value in self.given.items())


NO_MODE = Mode()
"""That of the cells of a test that compares nothing."""


def mode_of(trial: Mapping[str, Any]) -> Mode:
    """Return the mode in the parameters of a trial."""
    return Mode(*(trial.get(name) for name in COMPARED))


def base_mode(parameters: Mapping[str, Any], mode: Mode) -> Mode:
    """Return the mode with which a run compares `mode`: that of the values that were given first.

    Priorities are compared within the same cache, and caches with the first priorities.
    """
    first: dict[str, Any] = {name: values_of(parameters, name)[0] for name in mode.given}
    priorities = ("priority", "io_priority")
    if any(getattr(mode, name) != first[name] for name in priorities if name in first):
        first |= {"cache": mode.cache}
    return Mode(**first)


def values_of(parameters: Mapping[str, Any], name: Compared) -> Sequence[Any]:
    """Return the values of a run, in their order."""
    return parameters[name]


def used_by(parameters: Mapping[str, Any], trial: Mapping[str, Any], name: Compared) -> Any:
    """Return the value with which a trial was measured: its own, else that of its run."""
    return trial.get(name) or values_of(parameters, name)[0]


def mode_words(given: Mapping[Any, Any]) -> str:
    """Format what a test compares, such as `direct I/O, SCHED_FIFO`; empty if it is nothing."""
    return ", ".join(_WORDS[name][given[name]] for name in COMPARED if given.get(name))
