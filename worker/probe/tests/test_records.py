"""Records from real senders to one real receiver over loopback: each is counted and checked."""

import pytest
from probe_driver import of, samples
from records_driver import RECORDS, RecordEnds, recount
from transfer_driver import LOOPBACK, links

ALL = RECORDS["records"]


@pytest.mark.parametrize("length", [1, 2, 9, 10, 11, 1024])
def test_every_record_of_three_senders_is_counted(three_senders: RecordEnds, length: int) -> None:
    sent, received = three_senders.run({"record_bytes": length})
    assert [result["status"] for result in (*sent, received)] == ["complete"] * 4
    assert [result["ops"] for result in (*sent, received)] == [ALL, ALL, ALL, 3 * ALL]
    assert received["bytes"] == 3 * ALL * length
    for number, row in enumerate(received["detail"]["senders"]):
        own = sent[number]["detail"]["senders"][0]
        assert (row["sender"], row["sent"], row["intact"], row["acknowledged"]) == (
            number,
            ALL,
            ALL,
            ALL,
        )
        assert (row["wrong"], row["duplicates"], row["missing"], row["late"]) == (0, 0, 0, 0)
        assert row["digest"] == row["peer_digest"] == own["digest"] == own["peer_digest"]
        assert own["acknowledged"] == ALL
    assert len({row["digest"] for row in received["detail"]["senders"]}) == 3


def test_records_longer_than_a_frame_are_counted(one_sender: RecordEnds) -> None:
    trial = {"record_bytes": 1 << 20, "records": 20, "batch_records": 3, "sink": "disk"}
    (sent,), received = one_sender.run(trial)
    assert (sent["status"], received["status"]) == ("complete", "complete")
    assert (received["ops"], received["bytes"]) == (20, 20 << 20)
    assert received["detail"]["batches"] == 7
    assert recount(one_sender.receiver)["senders"][0]["intact"] == 20


@pytest.mark.parametrize(("length", "expansion"), [(1, 31), (10, 34), (100, 124)])
@pytest.mark.parametrize("form", ["raw", "json"])
def test_the_file_has_every_record_once(
    three_senders: RecordEnds, form: str, length: int, expansion: int
) -> None:
    trial = {"sink": "disk", "format": form, "record_bytes": length}
    _, received = three_senders.run(trial)
    assert (received["status"], received["sync"]) == ("complete", "complete")
    stored = 3 * ALL * (length if form == "raw" else expansion)
    assert received["detail"]["stored_bytes"] == stored
    assert received["detail"]["payload_bytes"] == 3 * ALL * length
    found = recount(three_senders.receiver)
    assert (found["whole"], found["bytes"], found["left"]) == (True, stored, False)
    assert (found["wrong"], found["torn"], found["blank_bytes"]) == (0, 0, 0)
    for row in found["senders"]:
        assert (row["intact"], row["expected"], row["lost"]) == (ALL, ALL, 0)
    assert three_senders.receiver.leftovers() == []


@pytest.mark.parametrize(
    ("form", "length", "count"),
    [("json", 1, 200_000), ("json", 100, 50_000), ("raw", 1000, 6000), ("raw", 7, 900_000)],
)
def test_a_file_of_several_reads_has_every_record(
    one_sender: RecordEnds, form: str, length: int, count: int
) -> None:
    """The second count reads 4 MiB at a time, and no record may be lost where two reads meet."""
    trial = {"sink": "disk", "format": form, "record_bytes": length, "records": count}
    one_sender.run(trial | {"batch_records": 10_000})
    found = recount(one_sender.receiver)
    assert found["bytes"] > 4 << 20
    assert (found["wrong"], found["torn"], found["senders"][0]["intact"]) == (0, 0, count)


def test_lines_of_json_in_memory_show_their_expansion(one_sender: RecordEnds) -> None:
    _, received = one_sender.run({"format": "json", "record_bytes": 10})
    assert received["detail"]["stored_bytes"] == 34 * ALL
    assert of(one_sender.receiver.events(), "recount") == []


@pytest.mark.parametrize("acknowledge", ["none", "received", "written", "synced"])
def test_batches_are_acknowledged_as_asked(one_sender: RecordEnds, acknowledge: str) -> None:
    trial = {"sink": "disk", "acknowledge": acknowledge, "batch_records": 5000}
    (sent,), received = one_sender.run(trial)
    assert (sent["status"], received["status"]) == ("complete", "complete")
    detail = sent["detail"]
    assert detail["senders"][0]["acknowledged"] == ALL
    assert detail["batches"] == received["detail"]["batches"] == ALL // 5000
    if acknowledge == "none":
        assert (detail["ack_hist"], detail["ack_max_ns"]) == (None, None)
    else:
        assert sum(count for _, count in detail["ack_hist"]) == ALL // 5000
    assert received["detail"]["syncs"]["count"] == (5 if acknowledge == "synced" else 0)


def test_one_batch_at_a_time_waits_for_each_acknowledgement(one_sender: RecordEnds) -> None:
    trial = {"in_flight_batches": 1, "batch_records": 100, "records": 2000}
    (sent,), _ = one_sender.run(trial)
    assert (sent["status"], sent["detail"]["batches"]) == ("complete", 20)
    assert sent["detail"]["stages"][1]["full_ns"] > 0


def test_the_window_follows_the_warm_up(three_senders: RecordEnds) -> None:
    trial = {"records": 0, "ramp_ms": 200, "window_ms": 300, "record_bytes": 1000}
    sent, received = three_senders.run(trial)
    assert [result["status"] for result in (*sent, received)] == ["complete"] * 4
    detail = received["detail"]
    assert 0 < detail["window_ns"] <= 300_000_000  # shorter by how much later it started
    assert detail["ramp_records"] > 0 and detail["window_records"] > 0
    assert received["ops"] == sum(result["ops"] for result in sent)


def test_a_rate_sends_as_many_records_as_are_due(three_senders: RecordEnds) -> None:
    """Of 2000 records per second those of 500 ms are due, whatever the machine does."""
    trial = {"records": 0, "window_ms": 500, "rate_records_per_s": 2000, "batch_ms": 50}
    sent, received = three_senders.run(trial)
    assert [result["status"] for result in (*sent, received)] == ["complete"] * 4
    for result in sent:
        detail = result["detail"]
        assert result["ops"] + detail["due_unfinished"] == 1000
        assert sum(count for _, count in detail["due_hist"]) == 1000
        assert detail["due_max_ns"] >= 50_000_000  # the first record of a batch waits for the last
        assert detail["batches"] <= 10


def test_latencies_of_the_warm_up_do_not_count(one_sender: RecordEnds) -> None:
    """Of 2000 records per second those of the last 300 ms, in batches of 50 ms."""
    trial = {"records": 0, "ramp_ms": 200, "window_ms": 300}
    (sent,), _ = one_sender.run(trial | {"rate_records_per_s": 2000, "batch_ms": 50})
    assert sent["status"] == "complete"
    detail = sent["detail"]
    assert sum(count for _, count in detail["due_hist"]) == 600
    assert sent["ops"] + detail["due_unfinished"] == 1000
    assert 1 <= sum(count for _, count in detail["ack_hist"]) < detail["batches"]


def test_a_batch_that_is_full_does_not_wait(one_sender: RecordEnds) -> None:
    trial = {"records": 200, "rate_records_per_s": 1000, "batch_records": 20, "batch_ms": 60_000}
    (sent,), _ = one_sender.run(trial)
    assert (sent["status"], sent["detail"]["batches"]) == ("complete", 10)
    assert sent["app_ns"] >= 199_000_000


@pytest.mark.parametrize("policy", [{"sync_bytes": 50_000}, {"sync_ms": 100}])
def test_the_file_is_synced_as_the_policy_says(one_sender: RecordEnds, policy: dict) -> None:
    trial = {"sink": "disk", "records": 25_000, "rate_records_per_s": 50_000}
    _, received = one_sender.run(trial | policy)
    assert received["status"] == "complete"
    most = 5 if "sync_bytes" in policy else received["app_ns"] // 100_000_000 + 1
    assert 1 <= received["detail"]["syncs"]["count"] <= most


def test_samples_and_links_show_the_records_at_both_ends(three_senders: RecordEnds) -> None:
    trial = {"records": 0, "window_ms": 400, "rate_records_per_s": 10_000, "batch_records": 100}
    three_senders.run(trial)
    receiver = three_senders.receiver
    ends = [sample["end_ns"] for sample in samples(receiver.events())]
    assert [link["end_ns"] for link in links(receiver)] == ends
    last = links(receiver)[-1]
    assert [row["stream"] for row in last["streams"]] == [0, 1, 2]
    assert [stage["name"] for stage in last["stages"]] == ["receive", "check", "write"]
    (row,) = links(three_senders.senders[2])[-1]["streams"]
    assert row["stream"] == 2


def test_only_the_listed_addresses_may_connect(three_senders: RecordEnds) -> None:
    """Each sender has an address of its own; that of the third is not in the list."""
    ends = three_senders
    trial = {"connect_timeout_ms": 700}
    peers = {"peer": "127.0.0.11,127.0.0.12", "bind": LOOPBACK}
    ends.receiver.start(ends.plan(ends.receiver, trial | peers))
    for number, sender in enumerate(ends.senders):
        sender.start(ends.plan(sender, trial | {"bind": f"127.0.0.{11 + number}"}))
    ends.meet()
    failed = ends.receiver.wait_for("error")
    assert "2 of 3 streams were connected" in failed["message"]
    assert "1 connections rejected" in failed["message"]
    for sender in ends.senders[:2]:
        sender.release(0, "abort")
    sent, received = ends.results()
    assert received["reason"] == "connect_failed"
    assert sent[2]["reason"] == "peer_refused"
