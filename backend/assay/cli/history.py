"""`assay array history`, `assay matches`, and `match` and `unmatch` of what they propose."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, cast

import typer

from assay.analysis import words
from assay.cli.client import connected
from assay.cli.console import AsJson, minute, output, print_json, print_list, shown
from assay.cli.filters import filtered, widening
from assay.cli.nouns import Which, noun_of, reference
from assay.client import Assay
from assay.client.nouns import Editable
from assay.history.schemas import (
    ArrayHistory,
    HistoryChange,
    HistoryPoint,
    Match,
    PastDecision,
)

Earlier = Annotated[int, typer.Argument(help="Id of the deleted one", min=1)]

REASONS = {
    "file_system_uuid": "same file system UUID",
    "device_id": "same devices",
    "machine_and_path": "same machine and path",
}


@widening
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


@widening
@filtered("host", "array", ordered=False)
def matches(query: dict[str, Any], as_json: AsJson = False) -> None:
    """List what may be a deleted host, target or array, registered again, and past decisions.

    `match` of the noun decides, and `unmatch` undoes that.
    """
    with connected("viewer") as assay:
        found = assay.matches(**query)
    if as_json:
        print_json(found)
        return
    columns = ("of", "id", "name", "earlier", "runs", "reasons")
    print_list(found.items, columns, _match, as_json=False, title="to decide")
    if found.decided:
        decided = ("of", "id", "name", "earlier", "runs", "decision")
        print_list(found.decided, decided, _decision, as_json=False, title="decided")


def _match(one: Match) -> Sequence[str]:
    reasons = [REASONS.get(reason, reason.replace("_", " ")) for reason in one.reasons]
    reasons += [f"clone: {name}" for name in one.clones]
    earlier = f"{one.earlier.id} {one.earlier.name}"
    about = (one.of, str(one.id), one.name, earlier, str(one.earlier.runs))
    return (*about, "\n".join(reasons))


def _decision(one: PastDecision) -> Sequence[str]:
    decision = f"{'same' if one.same else 'different'}, by {one.decided_by}"
    earlier = f"{one.earlier_id} {one.earlier_name}"
    return (one.of, str(one.id), one.name, earlier, str(one.runs), decision)


def add_matches(app: typer.Typer, what: str) -> None:
    """Add `match` and `unmatch` for hosts, targets or arrays."""

    def match(
        which: Which,
        earlier: Earlier,
        same: Annotated[
            bool,
            typer.Option(
                "--same/--different", help="If same, the runs of the deleted one become its own"
            ),
        ],
        as_json: AsJson = False,
    ) -> None:
        with connected("admin") as assay:
            found = _noun(assay, what).decide(reference(which), earlier, same=same)
        if as_json:
            print_json(found)
            return
        runs = words.count(found.runs, "run")
        said = f"has {runs} of {earlier} now" if same else f"is not {what} {earlier}"
        output.print(f"{what} {found.id} {said}", highlight=False)

    def unmatch(which: Which, earlier: Earlier, as_json: AsJson = False) -> None:
        with connected("admin") as assay:
            noun = _noun(assay, what)
            number = noun.id_of(reference(which))
            noun.undo_decision(number, earlier)
        if as_json:
            print_json({"of": what, "id": number, "earlier_id": earlier})
        else:
            output.print(f"{what} {number}: decision on {earlier} undone", highlight=False)

    app.command(help=f"Decide whether the {what} and a deleted one are the same.")(match)
    app.command(help="Undo that decision: the runs belong to the deleted one again.")(unmatch)


def _noun(assay: Assay, name: str) -> Editable[Any]:
    return cast(Editable[Any], noun_of(assay, name))
