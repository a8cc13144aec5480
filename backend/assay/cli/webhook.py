"""`assay webhook`: webhooks of the appliance, their deliveries, and a test of each."""

import time
from typing import Annotated, Any

import typer

from assay.api.webhooks.schemas import WebhookDeliveryOut, WebhookOut
from assay.base.nouns import WEBHOOK
from assay.base.webhook_events import EVENTS
from assay.cli.connection import connected
from assay.cli.console import AsJson, Columns, CommandError, print_json, print_list, shown
from assay.cli.described import print_object
from assay.cli.nouns import argument, group
from assay.cli.options import filtered
from assay.client import Assay
from assay.client.automation import DeliveryFilter

Webhook = Annotated[str, argument(WEBHOOK)]

WAIT_S = 30.0
"""How long `test` and `resend` wait for the result of the attempt."""

POLL_S = 0.3


def _state(webhook: WebhookOut) -> str:
    return "enabled" if webhook.enabled else webhook.disabled_reason or "disabled"


def _last(webhook: WebhookOut) -> str:
    last = webhook.last_delivery
    return f"{last.event}: {last.state}" if last else ""


app = group(WEBHOOK, {"state": _state, "last delivery": _last})


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What it is for")],
    url: Annotated[str, typer.Argument(help="Where events are sent by POST: https://…")],
    event: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join(EVENTS)}; repeatable, by default all")
    ] = None,
    private: Annotated[
        bool,
        typer.Option(
            "--private-addresses", help="Allow private and loopback addresses; administrators only"
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create a webhook and print the secret that signs its messages; it is shown only once."""
    body = {
        "name": name,
        "url": url,
        "events": event or list(EVENTS),
        "private_addresses": private,
    }
    with connected("admin" if private else "operator") as assay:
        found = assay.webhooks.create(body)
    if as_json:
        print_json(found)
    else:
        typer.echo(found.secret)


@app.command()
def secret(
    webhook: Webhook,
    previous_valid_hours: Annotated[
        int, typer.Option(help="How long the previous secret still signs; 0 if it has leaked")
    ] = 24,
    as_json: AsJson = False,
) -> None:
    """Replace a webhook's secret and print the new one; it is shown only once."""
    with connected() as assay:
        found = assay.webhooks.replace_secret(webhook, previous_valid_hours=previous_valid_hours)
    if as_json:
        print_json(found)
    else:
        typer.echo(found.secret)


@app.command()
def test(webhook: Webhook, as_json: AsJson = False) -> None:
    """Send a test event and wait for the response; exit code 1 if it was not delivered."""
    with connected() as assay:
        sent = assay.webhooks.test(webhook)
        _conclude(_settled(assay, sent, before=0), as_json)


@app.command()
def delivery(
    webhook: Webhook,
    number: Annotated[int, typer.Argument(help="The delivery's id", metavar="DELIVERY", min=1)],
    as_json: AsJson = False,
) -> None:
    """Show a delivery with its attempts."""
    with connected() as assay:
        print_object(assay.webhooks.delivery(webhook, number), as_json=as_json)


@app.command()
@filtered(DeliveryFilter, most=50)
def deliveries(webhook: Webhook, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List a webhook's deliveries (pending, delivered or failed), by default the newest first."""
    with connected() as assay:
        found = list(assay.webhooks.deliveries(webhook, **query))
    columns: Columns = {
        **{"id": "id", "event": "event", "state": "state", "attempts": "attempts"},
        "last attempt": _outcome,
        "created (UTC)": lambda one: f"{one.created_at:%Y-%m-%d %H:%M:%S}",
    }
    print_list(found, columns, as_json=as_json)


@app.command()
def resend(
    webhook: Webhook,
    delivery: Annotated[int, typer.Argument(help="The delivery's id", min=1)],
    as_json: AsJson = False,
) -> None:
    """Send a message again and wait for the response; exit code 1 if it was not delivered."""
    with connected() as assay:
        sent = assay.webhooks.resend(webhook, delivery)
        _conclude(_settled(assay, sent, before=sent.attempts), as_json)


def _settled(assay: Assay, sent: WebhookDeliveryOut, before: int) -> WebhookDeliveryOut:
    """Return a delivery once it has more than `before` attempts; raises CommandError."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        found = assay.webhooks.delivery(sent.webhook_id, sent.id)
        if found.attempts > before:
            return found
        time.sleep(POLL_S)
    raise CommandError(
        f"Delivery {sent.id} was not sent within {WAIT_S:.0f} s. Is the scheduler running?",
        exit_code=1,
    )


def _conclude(delivery: WebhookDeliveryOut, as_json: bool) -> None:
    if as_json:
        print_json(delivery)
    else:
        typer.echo(shown(f"delivery {delivery.id}: {_outcome(delivery)}"))
    if delivery.last_attempt and delivery.last_attempt.error:
        raise typer.Exit(1)


def _outcome(delivery: WebhookDeliveryOut) -> str:
    """Return what came of the last attempt, in words."""
    last = delivery.last_attempt
    if last is None:
        return ""
    took = f"{last.duration_ns / 1e6:.3g} ms"
    return f"{last.error} ({took})" if last.error else f"{last.status} in {took}"
