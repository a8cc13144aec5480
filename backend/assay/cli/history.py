"""`assay array history`, `assay target matches` and `assay target match`."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.analysis import words
from assay.cli.client import connected
from assay.cli.console import AsJson, minute, output, print_json, print_list, shown
from assay.cli.filters import filtered
from assay.cli.nouns import Which, reference
from assay.history.schemas import ArrayHistory, HistoryChange, HistoryPoint, Match

REASONS = {
    "file_system_uuid": "same file system UUID",
    "device_id": "same devices",
    "machine_and_path": "same machine and path",
}


def of_array(  # noqa: PLR0917 (options, each given by name)
    which: Which,
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
        found = assay.arrays.history(reference(which), limit=limit, **where)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: ArrayHistory) -> None:
    if found.test is None:
        output.print("No run has measured the array with such a test.", highlight=False)
        return
    points = ("run", "started (UTC)", "place", "rate", "verdict")
    title = f"{found.test.title} of {found.test.profile_name}, {words.count(found.runs, 'run')}"
    print_list(found.points, points, _point, as_json=False, title=title)
    if found.changes:
        changes = ("run", "place", "what", "before", "after")
        print_list(found.changes, changes, _change, as_json=False, title="changes before a run")
    others = [one for one in found.tests if one != found.test]
    for one in others:
        said = (
            f"other test: {one.title} of {one.profile}, {one.kind}, {words.count(one.runs, 'run')}"
        )
        output.print(shown(said), highlight=False)


def _point(one: HistoryPoint) -> Sequence[str]:
    at = minute(one.at)
    return (
        str(one.run_id),
        at,
        _places(one.places),
        words.rate(one.bytes_per_s),
        one.verdict or "",
    )


def _change(one: HistoryChange) -> Sequence[str]:
    return (str(one.run_id), _places(one.places), one.what, _value(one.before), _value(one.after))


def _places(places: Sequence[str]) -> str:
    return "\n".join(places)


def _value(value: Any) -> str:
    """Return a condition as text; one that was not read as nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


@filtered("host", "array", ordered=False)
def matches(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List targets that may be deleted ones, registered again; `match` decides."""
    with connected("viewer") as assay:
        found = assay.targets.matches(**query)
    columns = ("target", "earlier", "where the earlier one was", "runs", "reasons")
    print_list(found, columns, _match, as_json=as_json)


def _match(one: Match) -> Sequence[str]:
    earlier = one.earlier
    return (
        f"{one.target.id} {one.host.name}{one.target.path}",
        str(earlier.id),
        f"{earlier.host.name} {earlier.path}",
        str(earlier.runs),
        "\n".join(REASONS[reason] for reason in one.reasons),
    )


def decide(
    which: Which,
    earlier: Annotated[int, typer.Argument(help="Id of the deleted target", min=1)],
    same: Annotated[
        bool,
        typer.Option(
            "--same/--different",
            help="If they are the same storage, the earlier runs become the target's for good",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Decide whether a target and a deleted one are the same storage."""
    with connected() as assay:
        found = assay.targets.decide(reference(which), earlier, same=same)
    if as_json:
        print_json(found)
        return
    runs = words.count(found.runs, "run")
    what = f"has {runs} of {earlier} now" if same else f"is not target {earlier}"
    output.print(f"target {found.target_id} {what}", highlight=False)
