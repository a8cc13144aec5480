"""Sustained trials of a real probe: their plans, results, marks and files."""

from pathlib import Path

import spool_rules
from probe_driver import TRIALS, Probe, of

KB, MB = 1000, 10**6
BLOCK = TRIALS["sustained"]["block"]
STRACE = ("strace", "-f", "-qq", "-o", "/dev/null")


def sustained(probe: Probe, *trials: dict, **fields: object) -> list[dict]:
    return probe.run(*trials, job="sustained", **fields)


def result_of(events: list[dict]) -> dict:
    """Return the result; on a busy machine attempts that did not get their CPU came before."""
    *disturbed, result = of(events, "result")
    assert {one["status"] for one in disturbed} <= {"suspended", "starved"}
    return result


def named_files(probe: Probe) -> list[Path]:
    return list(probe.target.glob(".assay-*/stream*"))


def marks_of(events: list[dict]) -> list[dict]:
    attempt = result_of(events)["attempt"]
    return [
        dict(zip(spool_rules.MARK_COLUMNS, mark["m"], strict=True))
        for mark in of(events, "mark")
        if mark["attempt"] == attempt
    ]
