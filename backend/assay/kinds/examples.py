"""The examples of each kind in the API's description.

They are parts of golden runs: `GOLDEN=write` with their tests writes the file `example.json` in the
kind's folder. It is read when the API is described, not when the types are imported.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic.config import JsonDict

from assay.base.examples import shown

FILE = "example.json"

Part = Literal["test", "parameters", "result", "comparison"]


@dataclass(frozen=True)
class Examples:
    """A test as requested, the run's parameters, one of its cells, and what became of it."""

    test: JsonDict
    parameters: dict[str, Any]
    trial: dict[str, Any]
    cell: str
    outcome: dict[str, Any]
    result: dict[str, Any]
    comparison: dict[str, Any]


def file_of(kind: str) -> Path:
    """Return the path of a kind's examples."""
    return Path(__file__).with_name(kind) / FILE


@cache
def examples_of(kind: str) -> Examples:
    """Return the examples of a kind; change a copy only."""
    return Examples(**json.loads(file_of(kind).read_text()))


def example(kind: str, part: Part) -> Callable[[JsonDict], None]:
    """Return a `json_schema_extra` with an example of a kind."""
    return shown(lambda: getattr(examples_of(kind), part))
