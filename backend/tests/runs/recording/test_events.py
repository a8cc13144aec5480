import json
from typing import Any

import pytest
from assay.runs.recording.events import MAX_LINE, BrokenEventError, parse, read
from assay.runs.samples.columns import NAMES
from hypothesis import given
from hypothesis import strategies as st
from testing.spools import Spool, sample_values


def line(**fields: Any) -> bytes:
    event = {"v": 2, "seq": 0, "t": 5, "ev": "sample", "trial": 1, "attempt": 1}
    return json.dumps({**event, "s": sample_values(), **fields}).encode()


def notice(**fields: Any) -> bytes:
    event = {"v": 2, "seq": 0, "t": 5, "ev": "notice", "code": "swept", "message": "m"}
    return json.dumps({**event, **fields}).encode()


def test_every_kind_of_event_is_read() -> None:
    spool = Spool().hello().whole_trial(1).add("notice", code="prepared", message="b", bytes=3)
    spool.add("error", code="io", message="why", errno="EIO", trial=1).end()
    events = [event.ev for event, _ in read(spool.data, 0, 0)]
    assert sorted(set(events)) == ["end", "error", "hello", "notice", "result", "sample", "trial"]
    assert len(events) == len(spool.lines)


def test_offsets_are_those_just_past_each_line() -> None:
    spool = Spool().hello().trial(1).end()
    past = [offset for _, offset in read(spool.data + b'{"torn', 0, 0)]
    assert past == [sum(map(len, spool.lines[: i + 1])) for i in range(3)]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (b"", "EOF"),
        (b"{", "EOF"),
        (b"[]", "object"),
        (b"\xff\xfe", "Invalid JSON"),
        (b'{"v":2,"seq":0,"t":0,"ev":"notice","code":"a","message":"\xff"}', "Invalid JSON"),
        (line(ev="party"), "kind of event is missing or unknown"),
        (b'{"v":2,"seq":0,"t":0}', "kind of event is missing or unknown"),
        (line(v=1), "another version of the contract"),
        (line(s=[1, 2]), f"at least {len(NAMES)}"),
        (line(s=sample_values(bytes=-1)), "greater than or equal to 0"),
        (line(s=sample_values(bytes=2**60)), "column bytes is more than"),
        (line(s=sample_values(bytes=None)), "column bytes is null"),
        (line(s=sample_values(phase=3)), "phase is 3"),
        (line(s=sample_values(dt_ns=0)), "interval has no length"),
        (line(more=1), "more: Extra inputs"),
        (notice(code="gossip"), "notice.code"),
        (notice(bytes="<b>"), "notice.bytes"),
        (line(s=[0.5] * 29), "valid integer"),
        (line(s=[True] * 29), "valid integer"),
        (line(s=["<b>"] * 29), "valid integer"),
        (line(s=[float("nan")] * 29), "valid integer"),
        (line(trial=10**30), "trial"),
        (line(trial="1"), "trial"),
        (line(t=-1), "t: "),
        (b'{"v":' + b"[" * 5000, "recursion limit"),
        (b'{"v":2,"seq":' + b"9" * 5000 + b"}", "out of range"),
    ],
)
def test_a_broken_line_is_rejected_with_offset_and_reason(broken: bytes, why: str) -> None:
    with pytest.raises(BrokenEventError, match=why) as caught:
        parse(broken, 1234)
    assert "byte 1234" in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["a\x00b", "\x00"])
def test_values_that_no_database_can_store_are_rejected(text: str) -> None:
    parse(notice(workdir="here"))
    for fields in ({"message": text}, {"workdir": text}, {f"w{text}": 1}):
        with pytest.raises(BrokenEventError):
            parse(notice(**fields))


def test_a_gap_in_the_sequence_is_rejected() -> None:
    spool = Spool().hello().trial(1).end()
    with pytest.raises(BrokenEventError, match="event 1 was expected, but event 2 came"):
        list(read(spool.lines[0] + spool.lines[2], 0, 0))


def test_the_length_of_a_line_is_limited() -> None:
    with pytest.raises(BrokenEventError, match="grows past"):
        list(read(b"x" * (MAX_LINE + 1), 0, 0))
    with pytest.raises(BrokenEventError, match="more than"):
        list(read(b"x" * (MAX_LINE + 1) + b"\n", 0, 0))


def test_columns_of_another_contract_are_rejected() -> None:
    with pytest.raises(BrokenEventError, match="not those of this contract"):
        list(read(Spool().hello(columns=["bytes"]).data, 0, 0))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_cause_only_broken_event_errors(data: bytes) -> None:
    try:
        list(read(data, 0, 0))
    except BrokenEventError as error:
        assert "byte" in str(error)


@given(st.text(), st.text())
def test_hostile_text_remains_text(message: str, detail: str) -> None:
    try:
        told = parse(notice(message=message, workdir=detail))
    except BrokenEventError:
        bad = any(c == "\x00" or 0xD800 <= ord(c) < 0xE000 for c in message + detail)
        assert bad or not message
    else:
        assert told.message == message  # type: ignore[union-attr]


@pytest.mark.parametrize("values", [sample_values()[:-1], [*sample_values(), None]])
def test_a_sample_of_another_length_is_refused(values: list[int | None]) -> None:
    with pytest.raises(BrokenEventError):
        parse(line(s=values))
