"""`assay host`: hosts of the appliance that the environment names, or of the local database.

The database can be read while Assay is stopped, and needs no temporary token.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.analysis.words import size
from assay.cli import history, host_add, nouns
from assay.cli.client import connected, is_addressed
from assay.cli.console import (
    AsJson,
    json_only,
    minute,
    output,
    print_json,
    print_list,
    shown,
)
from assay.cli.described import print_object
from assay.cli.filters import filtered
from assay.hosts.schemas import HostOut, InventoryHead
from assay.printable import one_line

app = typer.Typer(help="Hosts.", no_args_is_help=True)
nouns.add_common(app, "host")
history.add_matches(app, "host")
app.command("add")(host_add.add)


@app.command("list")
@filtered("host", "array", "state", "label", "words")
def list_hosts(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List hosts with their states and targets."""
    hosts = _all(query)
    columns = ("id", "name", "address", "state", "system", "targets (id, path, free)")
    print_list(hosts, columns, _row, as_json=as_json)


@app.command()
def check(which: nouns.Which, as_json: AsJson = False) -> None:
    """Check a host: its key, the login, and its inventory; exit with 1 unless it is ready."""
    with connected() as assay:
        host = assay.hosts.check(nouns.reference(which))
    if as_json:
        print_json(host)
    else:
        reason = f": {host.state_reason}" if host.state_reason else ""
        output.print(shown(f"host {host.id} {host.name} {host.state}{reason}"), highlight=False)
    if host.state != "ready":
        raise typer.Exit(1)


@app.command()
def key(which: nouns.Which, as_json: AsJson = False) -> None:
    """Show the approved key of a host, and another one that it offered."""
    with connected("viewer") as assay:
        print_object(assay.hosts.keys(nouns.reference(which)), as_json=as_json)


@app.command()
def inventory(which: nouns.Which, as_json: AsJson = False) -> None:
    """Show the newest inventory of a host."""
    with connected("viewer") as assay:
        print_object(assay.hosts.inventory(nouns.reference(which)), as_json=as_json)


@app.command()
@filtered()
def inventories(which: nouns.Which, query: dict[str, Any], as_json: AsJson = False) -> None:
    """List the inventories of a host, by default the newest first."""
    with connected("viewer") as assay:
        found = list(assay.hosts.inventories(nouns.reference(which), **query))
    columns = ("id", "taken (UTC)", "probe")
    print_list(found, columns, _inventory_row, as_json=as_json)


@app.command()
@json_only
def approve(
    which: nouns.Which,
    fingerprint: Annotated[str, typer.Argument(help="SHA256:…, as you verified it")],
) -> None:
    """Approve the key that a host offered; then check the host again."""
    with connected() as assay:
        print_json(assay.hosts.approve(nouns.reference(which), fingerprint))


def _all(query: dict[str, Any]) -> Sequence[HostOut]:
    """Return the hosts, by default by name; the database has no filters."""
    if query or is_addressed():
        with connected("viewer") as assay:
            query.setdefault("sort", "name")
            return list(assay.hosts.list(**query))
    return _stored()


def _stored() -> Sequence[HostOut]:
    """Return the hosts of the local database by name."""
    from sqlalchemy import select

    from assay.db.database import reading
    from assay.hosts import lifecycle
    from assay.hosts.models import Host
    from assay.hosts.queries import shapes

    with reading() as session:
        living = select(Host).where(Host.state != lifecycle.DELETING)
        found = shapes(session, session.scalars(living).all())
        return sorted(found, key=lambda host: host.name)


def _row(host: HostOut) -> Sequence[str]:
    where = (str(host.id), host.name, _address(host), host.state)
    return (*where, _summary(host), _targets(host))


def _inventory_row(one: InventoryHead) -> Sequence[str]:
    return (str(one.id), minute(one.taken_at), one.probe)


def _address(host: HostOut) -> str:
    if host.connection == "local":
        return "this machine"
    return f"{host.user}@{host.address}:{host.port}"


def _summary(host: HostOut) -> str:
    if host.summary is None:
        return ""
    memory = size(host.summary.mem_total_bytes) if host.summary.mem_total_bytes else ""
    return f"{host.summary.os or ''}, {host.summary.cpus or '?'} CPUs, {memory}"


def _targets(host: HostOut) -> str:
    return "\n".join(
        f"{target.id}  {one_line(target.path)}  {size(target.free_bytes or 0)}"
        for target in host.targets
    )
