"""`assay webhook`: webhooks of the appliance, their deliveries, and a test of each."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from assay.cli import objects
from assay.cli.client import connected
from assay.cli.console import AsJson, CommandError, print_json, print_list, shown
from assay.cli.described import print_object
from assay.cli.filters import filtered
from assay.client import Assay
from assay.webhooks.events import EVENTS

app = typer.Typer(help="Webhooks: events sent to other systems.", no_args_is_help=True)

Named = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Name or id")]

WAIT_S = 30.0
"""How long `test` and `resend` wait for the result of the attempt."""

POLL_S = 0.3


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
    with connected("admin" if private else "operator") as client:
        found = client.post("/webhooks", body)
    if as_json:
        print_json(found)
    else:
        typer.echo(found["secret"])


objects.add_show(app, "webhook", "/webhooks")
objects.add_change(app, "webhook", "/webhooks")


@app.command()
def secret(
    webhook: Named,
    previous_valid_hours: Annotated[
        int, typer.Option(help="How long the previous secret still signs; 0 if it has leaked")
    ] = 24,
    as_json: AsJson = False,
) -> None:
    """Replace a webhook's secret and print the new one; it is shown only once."""
    with connected() as client:
        body = {"previous_valid_hours": previous_valid_hours}
        found = client.post(f"{objects.path_of('/webhooks', webhook)}/secret", body)
    if as_json:
        print_json(found)
    else:
        typer.echo(found["secret"])


@app.command("list")
@filtered("enabled", "words")
def list_webhooks(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List webhooks with their events and newest delivery."""
    with connected() as client:
        found = client.all("/webhooks", **query)
    columns = ("id", "name", "url", "events", "state", "last delivery")
    print_list(found, columns, _webhook_row, as_json=as_json)


objects.add_delete(app, "webhook", "/webhooks", consequence=" with its deliveries")


@app.command()
def test(webhook: Named, as_json: AsJson = False) -> None:
    """Send a test event and wait for the response; exit code 1 if it was not delivered."""
    with connected() as client:
        sent = client.post(f"{_path(webhook)}/test")
        _conclude(_settled(client, sent, before=0), as_json)


@app.command()
def delivery(
    webhook: Named,
    number: Annotated[int, typer.Argument(help="The delivery's id", metavar="DELIVERY", min=1)],
    as_json: AsJson = False,
) -> None:
    """Show a delivery with its attempts."""
    with connected() as client:
        print_object(client.get(f"{_path(webhook)}/deliveries/{number}"), as_json=as_json)


@app.command()
@filtered("state", "event", "since", "until", "words", most=50)
def deliveries(webhook: Named, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List a webhook's deliveries (pending, delivered or failed), by default the newest first."""
    with connected() as client:
        found = client.all(f"{_path(webhook)}/deliveries", **query)
    columns = ("id", "event", "state", "attempts", "last attempt", "created (UTC)")
    print_list(found, columns, _delivery_row, as_json=as_json)


@app.command()
def resend(
    webhook: Named,
    delivery: Annotated[int, typer.Argument(help="The delivery's id", min=1)],
    as_json: AsJson = False,
) -> None:
    """Send a message again and wait for the response; exit code 1 if it was not delivered."""
    with connected() as client:
        sent = client.post(f"{_path(webhook)}/deliveries/{delivery}/resend")
        _conclude(_settled(client, sent, before=sent["attempts"]), as_json)


def _webhook_row(webhook: dict[str, Any]) -> Sequence[str]:
    last: dict[str, Any] | None = webhook["last_delivery"]
    state = "enabled" if webhook["enabled"] else webhook["disabled_reason"] or "disabled"
    delivery = f"{last['event']}: {last['state']}" if last else ""
    about = (str(webhook["id"]), webhook["name"], webhook["url"])
    return (*about, "\n".join(webhook["events"]), state, delivery)


def _delivery_row(delivery: dict[str, Any]) -> Sequence[str]:
    created = f"{datetime.fromisoformat(delivery['created_at']):%Y-%m-%d %H:%M:%S}"
    about = (str(delivery["id"]), delivery["event"], delivery["state"])
    return (*about, str(delivery["attempts"]), _outcome(delivery), created)


def _settled(client: Assay, sent: dict[str, Any], before: int) -> dict[str, Any]:
    """Return a delivery once it has more than `before` attempts; raises CommandError."""
    path = f"/webhooks/{sent['webhook_id']}/deliveries/{sent['id']}"
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        found = client.get(path)
        if found["attempts"] > before:
            return found
        time.sleep(POLL_S)
    raise CommandError(
        f"Delivery {sent['id']} was not sent within {WAIT_S:.0f} s. Is the scheduler running?",
        exit_code=1,
    )


def _conclude(delivery: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(delivery)
    else:
        typer.echo(shown(f"delivery {delivery['id']}: {_outcome(delivery)}"))
    if delivery["last_attempt"]["error"]:
        raise typer.Exit(1)


def _outcome(delivery: dict[str, Any]) -> str:
    """Return what came of the last attempt, in words."""
    last: dict[str, Any] | None = delivery["last_attempt"]
    if last is None:
        return ""
    took = f"{last['duration_ns'] / 1e6:.3g} ms"
    return f"{last['error']} ({took})" if last["error"] else f"{last['status']} in {took}"


def _path(webhook: str) -> str:
    """Return the path of a webhook by its name or id."""
    return objects.path_of("/webhooks", webhook)
