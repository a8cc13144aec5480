"""Delivery to a real receiver: two senders, crashes, deletions, receivers that hang."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assay.api.webhooks.signing import new_secret
from assay.inventory.credentials.sealing import seal
from assay.tables.clock import moment
from assay.tables.database import reading, writing
from assay.tables.hosts import Host
from assay.tables.webhooks import Webhook, WebhookAttempt, WebhookDelivery, WebhookSecret
from assay_worker.driver.failures import mark_unusable
from assay_worker.errors import HostKeyChangedError, UnreachableError
from assay_worker.webhooks import delivering
from assay_worker.webhooks.delivering import MOST_PER_WEBHOOK, WebhookSender
from sqlalchemy import select
from testing.installation import BOTH, Installation, wait_until
from testing.receiver import Receiver, receiving

SECRET = new_secret()

pytestmark = pytest.mark.usefixtures("installation")


def webhook(receiver: Receiver, name: str = "one") -> int:
    with writing() as session:
        row = Webhook(
            name=name,
            url=receiver.url,
            events=["host.unreachable.v1", "host.key_changed.v1"],
            private_addresses=True,
            created_by="ada",
        )
        session.add(row)
        session.flush()
        session.add(WebhookSecret(webhook_id=row.id, sealed=seal(SECRET)))
        return row.id


def message(webhook_id: int, number: int = 1) -> int:
    with writing() as session:
        row = WebhookDelivery(
            webhook_id=webhook_id,
            message_id=f"msg_{number}",
            event="host.unreachable.v1",
            body="{}",
            tries_left=8,
        )
        session.add(row)
        session.flush()
        return row.id


def states(of: type[Any] = WebhookDelivery) -> list[str]:
    with reading() as session:
        return list(session.scalars(select(of.state).order_by(of.id)))


def attempts() -> list[WebhookAttempt]:
    with reading() as session:
        return list(session.scalars(select(WebhookAttempt).order_by(WebhookAttempt.id)))


def settled(state: str = "delivered") -> Callable[[], bool]:
    return lambda: set(states()) == {state}


@BOTH
def test_a_stored_message_is_delivered_and_signed() -> None:
    with receiving() as receiver:
        message(webhook(receiver))
        assert WebhookSender().round() == 1
        wait_until(settled())
        (found,) = receiver.received
    assert found.message_id == "msg_1"
    assert found.is_signed_by(SECRET)
    (attempt,) = attempts()
    assert (attempt.number, attempt.status, attempt.address) == (1, 204, "127.0.0.1")


@BOTH
def test_two_senders_send_each_message_once() -> None:
    with receiving() as receiver:
        hook = webhook(receiver)
        for number in range(30):
            message(hook, number)
        senders, stop = [WebhookSender(), WebhookSender()], threading.Event()

        def work(sender: WebhookSender) -> None:
            while not stop.is_set():
                sender.round()
                time.sleep(0.01)

        threads = [threading.Thread(target=work, args=(sender,)) for sender in senders]
        for thread in threads:
            thread.start()
        wait_until(settled())
        stop.set()
        for thread in threads:
            thread.join()
    assert sorted(one.message_id for one in receiver.received) == sorted(
        f"msg_{number}" for number in range(30)
    )


@BOTH
def test_a_message_whose_result_was_not_recorded_is_sent_again_with_its_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded = delivering.record

    def crash(*_: object) -> None:
        raise RuntimeError("the process dies here")

    monkeypatch.setattr(delivering, "record", crash)
    with receiving() as receiver:
        delivery = message(webhook(receiver))
        sender = WebhookSender()
        sender.round()
        wait_until(lambda: len(receiver.received) == 1)
        wait_until(lambda: not sender._sending.total())
        assert sender.round() == 0  # its ownership has not expired
        monkeypatch.setattr(delivering, "record", recorded)
        with writing() as session:
            session.get_one(WebhookDelivery, delivery).owned_until = moment()
        wait_until(lambda: sender.round() == 1)
        wait_until(settled())
    assert [one.message_id for one in receiver.received] == ["msg_1", "msg_1"]
    assert [one.number for one in attempts()] == [2]


SCHEDULER = "from assay_worker.scheduler import main; main()"


def test_a_scheduler_that_is_killed_while_sending_is_replaced(installation: Installation) -> None:
    with receiving() as receiver:
        receiver.pause_s = 60
        message(webhook(receiver))
        first = subprocess.Popen([sys.executable, "-c", SCHEDULER], env=os.environ)
        assert receiver.arrived.wait(60)
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert states() == ["pending"]
        receiver.pause_s = 0
        sender = WebhookSender()
        wait_until(sender.round, what="the ownership to expire")
        wait_until(settled())
    assert {one.message_id for one in receiver.received} == {"msg_1"}
    assert len(receiver.received) == 2


@BOTH
def test_a_webhook_that_is_deleted_while_a_message_is_sent_gets_no_more() -> None:
    with receiving() as receiver:
        receiver.status, receiver.pause_s = 500, 0.5
        hook = webhook(receiver)
        for number in range(MOST_PER_WEBHOOK + 2):
            message(hook, number)
        sender = WebhookSender()
        assert sender.round() == MOST_PER_WEBHOOK
        assert receiver.arrived.wait(30)
        with writing() as session:
            session.delete(session.get_one(Webhook, hook))
        wait_until(lambda: not sender._sending.total())
        assert sender.round() == 0
        assert len(receiver.received) <= MOST_PER_WEBHOOK
    assert states() == []
    assert attempts() == []


def test_a_receiver_that_hangs_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "TIMEOUT_S", 3)
    with receiving() as hung, receiving() as receiver:
        hung.pause_s = 2
        stuck, other = webhook(hung, "stuck"), webhook(receiver, "other")
        for number in range(20):
            message(stuck, number)
        message(other, 99)
        sender = WebhookSender()
        sender.round()
        wait_until(lambda: len(receiver.received) == 1)
        assert sender.round() == 0
        assert len(hung.received) <= MOST_PER_WEBHOOK
        wait_until(lambda: not sender._sending.total())


def test_a_failed_message_waits_for_its_retry() -> None:
    with receiving() as receiver:
        receiver.status, receiver.answer = 503, b"later"
        message(webhook(receiver))
        sender = WebhookSender()
        sender.round()
        wait_until(lambda: len(attempts()) == 1)
        assert sender.round() == 0
    (attempt,) = attempts()
    assert (attempt.status, attempt.answer) == (503, "later")
    assert states() == ["pending"]


def test_the_sending_thread_delivers_until_it_is_stopped() -> None:
    stop = threading.Event()
    thread = delivering.start(stop)
    with receiving() as receiver:
        message(webhook(receiver))
        wait_until(settled())
    stop.set()
    thread.join(30)
    assert not thread.is_alive()


def events() -> list[str]:
    with reading() as session:
        rows = session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id))
        return [row.event for row in rows]


def test_failures_at_a_host_become_events_once_per_change(tmp_path: Path) -> None:
    keys: list[str] = []
    for name in ("one", "two"):
        path = tmp_path / name
        subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", path], check=True)
        keys.append(path.with_suffix(".pub").read_text())
    with receiving() as receiver:
        webhook(receiver)
    with writing() as session:
        host = Host(name="box", connection="ssh", state="ready")
        session.add(host)
        session.flush()
        for _ in range(2):
            mark_unusable(session, host.id, UnreachableError("no route"))
        for key in (keys[0], keys[0], keys[1]):
            mark_unusable(session, host.id, HostKeyChangedError("changed", key))
    assert events() == ["host.unreachable.v1", "host.key_changed.v1", "host.key_changed.v1"]
