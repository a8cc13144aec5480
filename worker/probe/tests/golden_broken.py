"""The invalid golden spools: a valid one (`complete` and two others) with one error each."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial

from spool_rules import COLUMNS, CONTRACT, MARK_COLUMNS

Events = list[dict]
PHASE, OPS, BYTES = (COLUMNS.index(name) for name in ("phase", "ops", "bytes"))


def first(events: Events, kind: str) -> dict:
    return next(event for event in events if event["ev"] == kind)


def place(events: Events, kind: str, count: int = 1) -> int:
    """Return the index of the `count`-th event of a kind."""
    return [at for at, event in enumerate(events) if event["ev"] == kind][count - 1]


def sample(change: Callable[[list], object]) -> Callable[[Events], object]:
    return lambda events: change(first(events, "sample")["s"])


def result(**fields: object) -> Callable[[Events], object]:
    return lambda events: first(events, "result").update(fields)


def twice(events: Events, kind: str) -> None:
    at = place(events, kind)
    events.insert(at, deepcopy(events[at]))


def notice_after_the_end(events: Events) -> None:
    events.append(first(events, "notice") | {"seq": events[-1]["seq"] + 1, "t": events[-1]["t"]})


def bad_mood(events: Events) -> None:
    at = place(events, "notice")
    kept = {name: events[at][name] for name in ("v", "seq", "t")}
    error = {"ev": "error", "code": "bad_mood", "message": "?", "errno": None, "trial": None}
    events[at] = kept | error


def mark(change: Callable[[list], object]) -> Callable[[Events], object]:
    return lambda events: change(first(events, "mark")["m"])


def detail(**fields: object) -> Callable[[Events], object]:
    return lambda events: first(events, "result")["detail"].update(fields)


MARK_BYTES, MARK_OPS = (MARK_COLUMNS.index(name) for name in ("bytes", "ops"))
SUSTAINED: dict[str, Callable[[Events], object]] = {
    "backlog-incomplete": detail(backlogs=[[1000000, 5, 5]]),
    "detail-field-missing": lambda events: first(events, "result")["detail"].pop("asleep_ns"),
    "detail-without-frames": lambda events: first(events, "result")["detail"].pop("frames"),
    "mark-column-missing": mark(lambda m: m.pop()),
    "mark-null-not-allowed": mark(lambda m: m.__setitem__(MARK_BYTES, None)),
    "mark-without-operations": mark(lambda m: m.__setitem__(MARK_OPS, 0)),
    "marks-do-not-sum": mark(lambda m: m.__setitem__(MARK_BYTES, m[MARK_BYTES] + 4096)),
}
OF_SUSTAINED = {*SUSTAINED, "readback-twice"}
"""Made of the spool `sustained`."""
READ_OPS = COLUMNS.index("read_ops")


def direction(**fields: object) -> Callable[[Events], object]:
    return lambda events: first(events, "result")["detail"]["directions"]["read"].update(fields)


MIXED: dict[str, Callable[[Events], object]] = {
    "direction-incomplete": lambda events: first(events, "result")["detail"]["directions"].pop(
        "write"
    ),
    "directions-do-not-sum": direction(bytes=1),
    "read-operations-do-not-sum": sample(lambda s: s.__setitem__(READ_OPS, s[READ_OPS] + 1)),
}
"""Of the spool `sustained-mixed`."""


def sender_row(**fields: object) -> Callable[[Events], object]:
    return lambda events: first(events, "result")["detail"]["senders"][0].update(fields)


RECORDS: dict[str, Callable[[Events], object]] = {
    "recount-of-another-attempt": lambda events: first(events, "recount").update(attempt=9),
    "records-of-the-window-do-not-sum": sender_row(window_records=1),
    "sender-out-of-range": sender_row(sender=32),
}
"""Of the spool `records-receiver`."""


def arrived(events: Events) -> dict:
    return first(events, "result")["detail"]["arrived"]


TOOL: dict[str, Callable[[Events], object]] = {
    "arrival-incomplete": lambda events: arrived(events).pop("missing"),
    "arrival-negative": lambda events: arrived(events).update(wrong=-1),
    "orders-awaited-by-another-attempt": lambda events: first(events, "awaiting_orders").update(
        attempt=9
    ),
    "orders-awaited-without-a-port": lambda events: first(events, "awaiting_orders").pop("port"),
    "side-unknown": detail(side="both"),
}
"""Of the spool `tool-sink`."""
IN_AN_EVENT: dict[str, Callable[[Events], object]] = {
    "column-missing": sample(lambda s: s.pop()),
    "column-too-many": sample(lambda s: s.append(0)),
    "columns-incomplete": lambda events: first(events, "hello")["columns"].pop(),
    "columns-in-another-order": lambda events: first(events, "hello")["columns"].reverse(),
    "contention-incomplete": lambda events: first(events, "result")["contention"].pop(
        "appliance_read_bytes"
    ),
    "counter-without-disks": lambda events: first(events, "hello")["counter"].pop("disks"),
    "durable-before-application": result(durable_ns=1),
    "durable-without-sync": result(sync="none"),
    "failed-but-durable": result(status="failed", reason="io"),
    "failed-without-reason": result(status="failed"),
    "fraction-instead-of-an-integer": result(app_ns=1.5),
    "histogram-incomplete": lambda events: first(events, "result")["hist"].pop(),
    "histogram-step-out-of-range": lambda events: first(events, "result")["hist"].append([2240, 1]),
    "missing-field": lambda events: first(events, "result").pop("lat_sum_ns"),
    "nan": result(lat_sum_ns=float("nan")),
    "negative-bytes": sample(lambda s: s.__setitem__(BYTES, -1)),
    "null-not-allowed": sample(lambda s: s.__setitem__(BYTES, None)),
    "number-over-63-bits": result(lat_max_ns=1 << 63),
    "samples-do-not-sum": sample(lambda s: s.__setitem__(BYTES, s[BYTES] + 4096)),
    "seq-decreases": lambda events: events[place(events, "result", 2)].update(seq=0),
    "text-instead-of-a-number": sample(lambda s: s.__setitem__(OPS, "12")),
    "unknown-error-code": bad_mood,
    "unknown-event": lambda events: first(events, "notice").update(ev="gossip"),
    "unknown-field": lambda events: first(events, "sample").update(colour="red"),
    "unknown-phase": sample(lambda s: s.__setitem__(PHASE, 7)),
    "unknown-version": lambda events: first(events, "trial").update(v=3),
}
AMONG_EVENTS: dict[str, Callable[[Events], object]] = {
    "seq-gap": lambda events: events.pop(place(events, "trial", 2)),
    "seq-repeats": partial(twice, kind="result"),
    "something-after-end": notice_after_the_end,
}
NUMBERED_ANEW: dict[str, Callable[[Events], object]] = {
    "no-hello": lambda events: events.pop(0),
    "result-twice": partial(twice, kind="result"),
    "readback-twice": partial(twice, kind="readback"),
    "sample-missing": lambda events: events.pop(place(events, "sample")),
    "sample-without-trial": lambda events: events.pop(place(events, "trial")),
}
IN_A_LINE: dict[str, Callable[[bytes], bytes]] = {
    "a-bare-number": lambda line: b"42",
    "an-array": lambda line: b"[1,2,3]",
    "empty-line": lambda line: b"",
    "not-json": lambda line: line[:-5],
    "not-utf8": lambda line: line.replace(b'"sample"', b'"\xff\xfe"'),
}
BROKEN = sorted(
    [*SUSTAINED, *MIXED, *RECORDS, *TOOL, *IN_AN_EVENT, *AMONG_EVENTS, *NUMBERED_ANEW, *IN_A_LINE]
)


def broken(name: str) -> bytes:
    """Return a valid golden spool with the error that the name describes."""
    sources = dict.fromkeys(OF_SUSTAINED, "sustained") | dict.fromkeys(MIXED, "sustained-mixed")
    sources |= dict.fromkeys(RECORDS, "records-receiver") | dict.fromkeys(TOOL, "tool-sink")
    source = sources.get(name, "complete")
    lines = (CONTRACT / "good" / f"{source}.ndjson").read_bytes().splitlines()
    if name in IN_A_LINE:
        at = place([json.loads(line) for line in lines], "sample", 2)
        lines[at] = IN_A_LINE[name](lines[at])
        return b"\n".join([*lines, b""])
    events = [json.loads(line) for line in lines]
    (SUSTAINED | MIXED | RECORDS | TOOL | IN_AN_EVENT | AMONG_EVENTS | NUMBERED_ANEW)[name](events)
    if name in NUMBERED_ANEW:
        events = [event | {"seq": seq} for seq, event in enumerate(events)]
    written = [json.dumps(event, separators=(",", ":")).encode() for event in events]
    return b"\n".join([*written, b""])
