"""The contract's rules for a whole spool, as in README.md, for tests.

`problems` checks one spool's bytes and returns all violations: each line against the schema, then
the rules between lines.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft202012Validator

CONTRACT = Path(__file__).resolve().parent.parent / "contract"
_LISTS = json.loads((CONTRACT / "columns.json").read_text())
COLUMNS = [column["name"] for column in _LISTS["columns"]]
STREAM_COLUMNS = [column["name"] for column in _LISTS["stream_columns"]]
MARK_COLUMNS = [column["name"] for column in _LISTS["mark_columns"]]
SCHEMA = json.loads((CONTRACT / "events.schema.json").read_text())
SYNC_PHASE = 1
OF_AN_ATTEMPT = ("listening", "awaiting_orders", "ready", "sample", "link", "mark", "result")
VALIDATOR = Draft202012Validator(SCHEMA)
EVENTS = {
    name: Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})
    for name in (
        "hello",
        "conditions",
        "trial",
        "listening",
        "awaiting_orders",
        "ready",
        "written",
        "sample",
        "link",
        "mark",
        "result",
        "readback",
        "recount",
        "notice",
        "progress",
        "error",
        "end",
    )
}


def complete_lines(spool: bytes) -> list[bytes]:
    """Return the lines up to the last newline: a torn tail is not a line."""
    return spool[: spool.rfind(b"\n") + 1].splitlines()


def parse(spool: bytes) -> list[dict]:
    return [json.loads(line) for line in complete_lines(spool)]


def problems(spool: bytes) -> list[str]:
    events = []
    for number, line in enumerate(complete_lines(spool)):
        try:
            event = json.loads(line.decode("utf-8"))
        except ValueError as error:
            return [f"line {number}: {error}"]
        found = schema_problem(event)
        if found:
            return [f"line {number}: {found}"]
        events.append(event)
    return list(problems_between(events))


def schema_problem(event: object) -> str | None:
    """Return the first violation of the schema by an event, in terms of its own kind."""
    kind = event.get("ev") if isinstance(event, dict) else None
    validator = EVENTS.get(kind, VALIDATOR) if isinstance(kind, str) else VALIDATOR
    for error in validator.iter_errors(event):
        return error.message[:300]
    return None if VALIDATOR.is_valid(event) else "is no event"


def problems_between(events: list[dict]) -> Iterator[str]:
    ended, trial, results, due, samples, marks = True, None, set(), set(), [], []
    counted: set[tuple[int, int]] = set()
    for number, event in enumerate(events):
        kind = event["ev"]
        if event["seq"] != number:
            yield f"seq {event['seq']} where {number} is due"
        if (kind == "hello") < ended:
            yield f"{kind} outside a segment"
        if kind == "hello":  # also after a probe that died without an end
            ended, trial = False, None
        elif kind == "trial":
            trial, samples, marks = event, [], []
        elif kind in OF_AN_ATTEMPT and not is_of(event, trial):
            yield f"{kind} of a trial that is not the present one"
        elif kind == "sample":
            samples.append(sample_of(event))
        elif kind == "mark":
            marks.append(dict(zip(MARK_COLUMNS, event["m"], strict=True)))
        elif kind == "result":
            key = (event["trial"], event["attempt"])
            if key in results:
                yield f"a second result of {key}"
            results.add(key)
            yield from problems_of_result(event, samples)
            if event["detail"] and "ramp_records" in event["detail"]:
                yield from problems_of_records(event)
            if event["detail"] and "ramp_ops" in event["detail"]:
                yield from problems_of_directions(event, samples)
                yield from problems_of_marks(event, marks)
            if event["status"] == "complete" and trial is not None:
                yield from problems_of_completion(event, trial)
            if event["detail"] and event["detail"].get("read_back"):
                due.add(key)
            trial = None
        elif kind == "written":
            if trial is not None or (event["trial"], event["attempt"]) not in due:
                yield "written of an attempt that is not to be read back, or was"
        elif kind == "readback":
            if trial is not None or (event["trial"], event["attempt"]) not in due:
                yield "a readback of an attempt that is not to be read back, or was"
            due.discard((event["trial"], event["attempt"]))
        elif kind == "recount":
            key = (event["trial"], event["attempt"])
            if key in counted or (key in results) == event["left"]:
                yield f"a recount of {key}, which has no file, or was counted before"
            counted.add(key)
        elif kind == "end":
            ended = True


def sample_of(event: dict) -> dict:
    """Return the columns of a sample."""
    return dict(zip(COLUMNS, event["s"], strict=True))


def is_of(event: dict, trial: dict | None) -> bool:
    return trial is not None and (event["trial"], event["attempt"]) == (
        trial["trial"],
        trial["attempt"],
    )


def problems_of_marks(result: dict, marks: list[dict]) -> Iterator[str]:
    """Marks hold what follows the ramp-up, without a gap."""
    detail, end = result["detail"], 0
    for name in ("ops", "bytes"):
        total = sum(mark[name] for mark in marks)
        if total != result[name] - detail[f"ramp_{name}"]:
            yield f"marks sum to {total} {name} of {result[name]}"
    if sum(count for _, count in detail["hist"]) != result["ops"] - detail["ramp_ops"]:
        yield "the detail's histogram does not hold every measured operation"
    if detail["due_hist"] is not None:
        due = sum(count for _, count in detail["due_hist"])
        if due != result["ops"] - detail["ramp_ops"] + detail.get("due_unfinished", 0):
            yield "the due times' histogram does not hold every operation that was due"
    syncs = detail["syncs"]
    if sum(count for _, count in syncs.get("hist", ())) != syncs["count"] and "hist" in syncs:
        yield "the syncs' histogram does not hold every sync"
    for mark in marks:
        if end and mark["end_ns"] - mark["dt_ns"] != end:
            yield "the marks do not follow each other"
        end = mark["end_ns"]
        if mark["lat_p99_ns"] > mark["lat_max_ns"]:
            yield "a mark's percentile exceeds its maximum"


def problems_of_result(result: dict, samples: list[dict]) -> Iterator[str]:
    for name in ("ops", "bytes"):
        total = sum(sample[name] for sample in samples)
        if total != result[name]:
            yield f"samples sum to {total} {name}, the result has {result[name]}"
    if sum(sample["lat_sum_ns"] for sample in samples) != result["lat_sum_ns"]:
        yield "the samples' latencies do not sum to the result's"
    if sum(count for _, count in result["hist"]) != result["ops"]:
        yield "the histogram does not hold every operation"
    if result["sync"] != "none" and result["durable_ns"] < result["app_ns"]:
        yield "durable before the last write returned"
    yield from problems_of_ends(result, samples)
    end = 0
    for sample in samples:
        end += sample["dt_ns"]
        if sample["end_ns"] != end:
            yield "the samples' intervals do not follow each other"
        if (sample["ops"] > 0) != (sample["lat_min_ns"] is not None):
            yield "latencies without operations, or operations without latencies"


def problems_of_records(result: dict) -> Iterator[str]:
    """Each record counts once: before, in or after the window, and of one sender."""
    detail = result["detail"]
    parts = [detail[f"{part}_records"] for part in ("ramp", "window", "tail")]
    if sum(parts) != result["ops"]:
        yield f"{parts} records around the window, {result['ops']} in all"
    if detail["payload_bytes"] != result["bytes"]:
        yield "the payload is not the result's bytes"
    if sum(row["window_records"] for row in detail["senders"]) != detail["window_records"]:
        yield "the senders' records do not sum to those of the window"
    if sum(count for _, count in detail["syncs"]["hist"]) != detail["syncs"]["count"]:
        yield "the syncs' histogram does not hold every sync"


def problems_of_directions(result: dict, samples: list[dict]) -> Iterator[str]:
    """Both directions of a mixed trial are all its operations after the ramp-up."""
    detail = result["detail"] or {}
    directions = detail.get("directions")
    if not directions:
        if any(
            sample[name] is not None for sample in samples for name in ("read_ops", "read_bytes")
        ):
            yield "read operations apart without a mixed trial"
        return
    for name in ("ops", "bytes"):
        ramp = detail[f"ramp_{name}"]
        if sum(one[name] for one in directions.values()) != result[name] - ramp:
            yield f"the directions' {name} do not sum to the result's"
        read = sum(sample[f"read_{name}"] for sample in samples)
        if not 0 <= read - directions["read"][name] <= ramp:
            yield f"the samples read {read} {name}, the direction has {directions['read'][name]}"
    for one in directions.values():
        if sum(count for _, count in one["hist"]) != one["ops"]:
            yield "a direction's histogram does not hold each of its operations"
        if one["due_hist"] is not None and sum(count for _, count in one["due_hist"]) != one["ops"]:
            yield "a direction's due times do not hold each of its operations"


def problems_of_ends(result: dict, samples: list[dict]) -> Iterator[str]:
    """Check that the last sample of each phase ends when the phase ended by the result."""
    if result["status"] not in ("complete", "timed_out"):
        return
    ends = {sample["phase"] == SYNC_PHASE: sample["end_ns"] for sample in samples}
    if ends.get(False) != result["app_ns"]:
        yield f"the last operation's sample ends at {ends.get(False)}, app_ns is {result['app_ns']}"
    if result["durable_ns"] is not None and ends.get(True) != result["durable_ns"]:
        yield f"the sync's sample ends at {ends.get(True)}, durable_ns is {result['durable_ns']}"


def writes(result: dict, parameters: dict) -> bool:
    """Return whether this participant wrote files in a trial."""
    if "operation" in parameters:
        return parameters["operation"] != "read"
    if "input" in parameters:
        return result["detail"]["side"] == "sink" and parameters["input"] != "memory"
    receives = result["detail"]["role"] == "receiver" and parameters.get("leg") != "read"
    return receives and parameters["sink"] == "disk"


def problems_of_completion(result: dict, trial: dict) -> Iterator[str]:
    if trial["total_bytes"] is not None and result["bytes"] != trial["total_bytes"]:
        yield "complete, yet not all bytes were moved"
    if (result["sync"] == "none") == writes(result, trial["parameters"]):
        yield "a complete write was not synced, or a read was"
