"""Stored results of older editions: the fields that they lack, with what held then."""

from collections.abc import Mapping
from typing import Any, cast

_RESULT: dict[str, Any] = {
    "cache": [],  # before 17
    "priority": "normal",  # before 12
    "io_priority": "default",  # before 12
}
_LISTS = ("priority", "io_priority")  # single values before 17
_CELL: dict[str, Any] = {"idle_ms": 0, "backlogs": []}  # before 14 and 10
_CARRY = {"reason": None, "aggregate_margin": None}  # before 12
_DECIDES = {"participant_id": None}  # before 12
_FIGURE = {"shape": None}  # before 11


def completed_result(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result with the fields that its edition did not have."""
    operation = body.get("operation", "write")
    cells = [_cell(cell, operation) for cell in body.get("cells", [])]
    known = {**_RESULT, **body, "cells": cells}
    single = {name: [value] for name in _LISTS if isinstance(value := known[name], str)}
    return known | single


def completed_figure(figure: Any) -> Any:
    """Return a headline's figure with the fields that its edition did not have."""
    return _filled(_FIGURE, figure)


def _cell(cell: Any, operation: str) -> Any:
    """Complete a cell; before edition 13 a test had one direction."""
    if not isinstance(cell, Mapping):
        return cell
    known = cast("Mapping[str, Any]", cell)
    carry = [_carry(one) for one in known.get("carry", [])]
    return {**_CELL, "operation": operation, **known, "carry": carry}


def _carry(one: Any) -> Any:
    if not isinstance(one, Mapping):
        return one
    known = cast("Mapping[str, Any]", one)
    return {**_CARRY, **known, "decides": _filled(_DECIDES, known.get("decides"))}


def _filled(defaults: Mapping[str, Any], found: Any) -> Any:
    """Return a document with the defaults of the fields that it lacks; other values as they are."""
    if not isinstance(found, Mapping):
        return found
    return {**defaults, **cast("Mapping[str, Any]", found)}
