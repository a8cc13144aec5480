"""`assay target` and `assay array`: storage under test, its history, and `assay matches`."""

import json
from typing import Annotated, Any

import typer

from assay.base import words
from assay.base.nouns import ARRAY, TARGET
from assay.base.printable import one_line
from assay.cli.arguments import labels_of
from assay.cli.connection import connected
from assay.cli.console import (
    AsJson,
    Columns,
    output,
    print_json,
    print_list,
    say,
    shown,
)
from assay.cli.nouns import argument, group
from assay.cli.options import filtered, named, widening
from assay.client.appliance import MatchFilter
from assay.history.schemas import ArrayHistory, Match, PastDecision
from assay.inventory.targets.schemas import TargetOut

target = group(TARGET)
array = group(ARRAY)

REASONS = {
    "file_system_uuid": "same file system UUID",
    "device_id": "same devices",
    "machine_and_path": "same machine and path",
}

OPTIONS = {
    **{"array": "--array", "name": "--name", "reserve_bytes": "--reserve"},
    **{"root_consent": "--root-consent", "labels": "--label"},
}
"""The options of `add` by the fields of the request that they set."""


@target.command("add")
def add_target(  # noqa: PLR0917 (options, each given by name)
    host: Annotated[str, typer.Argument(help="Name or id")],
    path: Annotated[str, typer.Argument(help="Directory on the host")],
    array: Annotated[str | None, typer.Option(help="Name")] = None,
    name: Annotated[str | None, typer.Option(help="Display name")] = None,
    reserve: Annotated[
        str | None, typer.Option(help='Free space that tests never use, such as "50 GB"')
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    root_consent: Annotated[
        bool, typer.Option("--root-consent", help="Permit tests on the root file system")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a directory of a host, once a worker has inspected it."""
    body: dict[str, Any] = {
        **named("host", host),
        **named("array", array),
        "path": path,
        "name": name,
        "reserve_bytes": reserve,
        "labels": labels_of(label),
        "root_consent": root_consent,
    }
    given = {field: value for field, value in body.items() if value is not None}
    with connected("admin", OPTIONS) as assay:
        _print_target(assay.targets.register(given), as_json)


@target.command()
def check(which: Annotated[str, argument(TARGET)], as_json: AsJson = False) -> None:
    """Inspect the directory again: free space, device, and whether it is the same."""
    with connected() as assay:
        _print_target(assay.targets.check(which), as_json)


def _print_target(target: TargetOut, as_json: bool) -> None:
    where = f"{target.host_name}:{one_line(target.path)}"
    said = f"target {target.id} {where}: {words.size(target.free_bytes)} free"
    say(target, said, as_json=as_json)


@array.command("add")
def add_array(  # noqa: PLR0917 (options, each given by name)
    name: Annotated[str, typer.Argument(help="Name")],
    vendor: Annotated[str | None, typer.Option(help="Manufacturer")] = None,
    model: Annotated[str | None, typer.Option(help="Model")] = None,
    serial: Annotated[str | None, typer.Option(help="Serial number")] = None,
    firmware: Annotated[str | None, typer.Option(help="Version of the firmware")] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE; repeatable")] = None,
    as_json: AsJson = False,
) -> None:
    """Add an array; targets are assigned to it."""
    facts = {"vendor": vendor, "model": model, "serial": serial, "firmware": firmware}
    body: dict[str, Any] = {key: value for key, value in facts.items() if value is not None}
    with connected() as assay:
        made = assay.arrays.create(body | {"name": name, "labels": labels_of(label)})
    say(made, f"array {made.id} {made.name}", as_json=as_json)


@array.command("history")
@widening
def array_history(  # noqa: PLR0917 (options, each given by name)
    which: Annotated[str, argument(ARRAY)],
    profile: Annotated[str | None, typer.Option(help="Name or slug, in any version")] = None,
    kind: Annotated[str | None, typer.Option(help="Kind of the test")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the test")] = None,
    limit: Annotated[int, typer.Option(help="How many runs, the newest", min=2, max=500)] = 100,
    as_json: AsJson = False,
) -> None:
    """Show a figure of an array over time, and what changed; by default of its main test."""
    asked = {"profile": profile, "kind": kind, "title": title}
    where: Any = {name: value for name, value in asked.items() if value is not None}
    with connected("viewer") as assay:
        found = assay.arrays.history(which, limit=limit, **where)
    if as_json:
        print_json(found)
    else:
        _print_history(found)


def _print_history(found: ArrayHistory) -> None:
    if found.test is None:
        output.print("No run has measured the array with such a test.", highlight=False)
        return
    points: Columns = {
        **{"run": "run_id", "started (UTC)": "at", "place": "places"},
        "rate": lambda one: words.rate(one.bytes_per_s),
        "verdict": "verdict",
    }
    title = f"{found.test.title} of {found.test.profile_name}, {words.count(found.runs, 'run')}"
    print_list(found.points, points, as_json=False, title=title)
    if found.changes:
        changes: Columns = {
            **{"run": "run_id", "place": "places", "what": "what"},
            "before": lambda one: _value(one.before),
            "after": lambda one: _value(one.after),
        }
        print_list(found.changes, changes, as_json=False, title="changes before a run")
    others = [one for one in found.tests if one != found.test]
    for one in others:
        said = (
            f"other test: {one.title} of {one.profile}, {one.kind}, {words.count(one.runs, 'run')}"
        )
        output.print(shown(said), highlight=False)


def _value(value: Any) -> str:
    """Return a condition as text; one that was not read as nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


@widening
@filtered(MatchFilter, ordered=False)
def matches(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List what may be a deleted host, target or array, registered again, and past decisions.

    `match` of the noun decides, and `unmatch` undoes that.
    """
    with connected("viewer") as assay:
        found = assay.matches(**query)
    if as_json:
        print_json(found)
        return
    about: Columns = {"of": "of", "id": "id", "name": "name"}
    proposed: Columns = {"earlier": _earlier, "runs": "earlier.runs", "reasons": _reasons}
    print_list(found.items, about | proposed, as_json=False, title="to decide")
    if found.decided:
        decided: Columns = {"earlier": _past, "runs": "runs", "decision": _decision}
        print_list(found.decided, about | decided, as_json=False, title="decided")


def _earlier(one: Match) -> str:
    return f"{one.earlier.id} {one.earlier.name}"


def _past(one: PastDecision) -> str:
    return f"{one.earlier_id} {one.earlier_name}"


def _reasons(one: Match) -> str:
    reasons = [REASONS.get(reason, words.code_words(reason)) for reason in one.reasons]
    return "\n".join([*reasons, *(f"clone: {name}" for name in one.clones)])


def _decision(one: PastDecision) -> str:
    return f"{'same' if one.same else 'different'}, by {one.decided_by}"
