"""Every code that the probe, a worker or the API emits is listed in OpenAPI."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from assay.analysis import flags
from assay.base.errors import Problem
from assay.base.settings import REPOSITORY
from assay.documents import openapi as api_document
from assay.inventory import codes
from assay.inventory.targets import acceptance
from assay.kinds.matrix import limits
from assay.runs.campaigns import schemas as campaigns
from assay.runs.recording import events
from assay_worker.errors import HostError

PROBE = REPOSITORY / "worker/probe"
WORKER = REPOSITORY / "worker/assay_worker"
BACKEND = REPOSITORY / "backend/assay"
SCHEMAS: dict[str, Any] = json.loads(api_document.document())["components"]["schemas"]


def listed(schema: str, field: str = "code") -> set[str]:
    """The codes that OpenAPI lists for a field."""
    described = SCHEMAS[schema]["properties"][field]
    options = described.get("anyOf", [described])
    return {code for option in options for code in option.get("enum", [])}


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def constants(folder: Path, function: str, position: int) -> set[str]:
    """The string constants at one position in the calls of a function."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == function:
                given = dict(enumerate(node.args)) | {
                    word.arg: word.value for word in node.keywords
                }
                value = given.get(position, given.get("code"))
                if isinstance(value, ast.Constant):
                    found.add(str(value.value))
    return found


def failures(folder: Path) -> set[str]:
    """Return the codes of failures that are dicts with code and title in the source."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Dict):
                pairs = {
                    key.value: value.value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
                }
                if {"code", "title"} <= pairs.keys():
                    found.add(str(pairs["code"]))
    return found


def contract(*path: str) -> set[str]:
    """An enumeration in the contract of the probe's events."""
    part = json.loads((PROBE / "contract/events.schema.json").read_text())["$defs"]
    for name in path:
        part = part[name]
    return set(part["enum"])


def test_every_notice_of_the_probe_is_listed() -> None:
    noted = contract("notice", "properties", "code")
    assert noted == set(get_args(events.NoticeCode))
    assert noted <= listed("NoticeOut")


def test_the_probes_errors_are_listed_wherever_they_appear() -> None:
    failed = contract("error_code")
    assert failed == set(get_args(events.ErrorCode))
    assert failed <= listed("NoticeOut")
    assert failed <= listed("Failure")
    assert failed == listed("AttemptOut", "reason")


def test_every_error_of_a_host_is_listed() -> None:
    raised = {HostError.code} | {kind.code for kind in subclasses(HostError)}
    assert len(raised) > 15
    assert raised == set(get_args(codes.HostCode))
    assert raised <= listed("Failure")
    assert raised <= listed("NoticeOut")
    assert raised <= listed("ProblemDocument")


def test_every_stored_failure_is_listed() -> None:
    raised = failures(WORKER) | failures(BACKEND / "runs")
    raised |= constants(WORKER, "TargetRefusedError", 0) | constants(WORKER, "_error", 0)
    assert {"no_worker", "host_lost", "host_deleting", "does_not_fit", "broken_log"} <= raised
    assert raised <= listed("Failure")


def test_every_notice_of_a_worker_is_listed() -> None:
    noted = constants(WORKER, "note", 3) | constants(WORKER, "Notice", -1)
    assert noted == set(get_args(codes.DriverCode))
    assert noted | listed("Failure") <= listed("NoticeOut")


def test_every_problem_of_a_directory_is_listed() -> None:
    source = (PROBE / "src/inspect_target.c").read_text()
    found = set(re.findall(r'\(struct problem\)\{"(\w+)"', source))
    assert found == set(acceptance._PROBLEMS)
    refused = {code for code, _, _ in acceptance._PROBLEMS.values()}
    refused |= constants(BACKEND / "inventory/targets", "TargetRefused", 0)
    assert refused | {"unusable"} == set(get_args(codes.TargetCode))
    refused |= {acceptance.RootConsentRequired.code, acceptance.TargetChanged.code}
    assert refused <= listed("Failure")
    assert refused <= listed("ProblemDocument")


def test_every_problem_of_the_api_is_listed() -> None:
    raised = {kind.code for kind in subclasses(Problem)}
    assert len(raised) > 20
    assert raised <= listed("ProblemDocument")


def test_flags_warnings_and_limits_are_listed() -> None:
    assert listed("Flag") == set(flags.CODES)
    assert listed("Limit") == set(get_args(limits.LimitCode))
    assert listed("EstimateWarning") == campaigns.CAUTIONS
    assert constants(BACKEND, "Limit", 0) <= listed("Limit")
    cautions = constants(BACKEND, "Caution", 0) | constants(BACKEND / "kinds", "caution", 0)
    assert len(cautions) > 20
    assert cautions <= listed("EstimateWarning")
    assert constants(BACKEND / "analysis", "Flag", 0) <= listed("Flag")
