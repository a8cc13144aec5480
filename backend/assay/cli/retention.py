"""`assay retention`: the rules that remove old data, and what they would remove."""

from typing import Annotated, Any

import typer

from assay.base.words import size
from assay.cli.connection import connected
from assay.cli.console import AsJson, CommandError, output, print_json, say, shown, table

app = typer.Typer(help="Retention rules, and the space used.", no_args_is_help=True)

RULES = {"raw_logs": "raw logs", "samples": "samples", "campaigns": "campaigns"}


@app.command()
def show(as_json: AsJson = False) -> None:
    """Show the rules and the space used."""
    with connected("viewer") as client:
        found = client.get("/retention")
    lines = [f"{words}: {_rule_words(found['rules'][name])}" for name, words in RULES.items()]
    space = found["space"]
    lines.append(f"{space['campaigns']} campaigns, {space['runs']} runs")
    for name in ("raw_logs", "samples", "results", "database"):
        lines.append(f"{RULES.get(name, name)}: {size(space[f'{name}_bytes'])}")
    say(found, *lines, as_json=as_json)


@app.command(name="set")
def set_rule(
    rule: Annotated[str, typer.Argument(help="raw-logs, samples or campaigns")],
    older_than: Annotated[
        str, typer.Argument(help="Days since the end, such as 90; never keeps everything")
    ],
    keep_labeled: Annotated[bool, typer.Option(help="Except campaigns with labels")] = True,
    keep_referenced: Annotated[
        bool, typer.Option(help="Except campaigns with an external reference")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Set one rule; the scheduler applies it at once. `preview` shows what it removes."""
    name = rule.replace("-", "_")
    if name not in RULES:
        raise CommandError(f"Unknown rule {rule!r}. Use raw-logs, samples or campaigns.")
    if older_than != "never" and not older_than.isdecimal():
        raise CommandError(f"{older_than!r} is no number of days. Use one such as 90, or never.")
    with connected("admin") as client:
        found = client.get("/retention")
        rules = found["rules"] | {
            name: None
            if older_than == "never"
            else {
                "older_than_days": int(older_than),
                "keep_labeled": keep_labeled,
                "keep_referenced": keep_referenced,
            }
        }
        changed = client.put("/retention", rules, etag=found["etag"])
    said = f"{RULES[name]}: {_rule_words(changed['rules'][name])}"
    say(changed, said, as_json=as_json)


@app.command()
def preview(
    as_json: AsJson = False,
    raw_logs: Annotated[int | None, typer.Option(min=1, help="As if the rule had so many days")] = (
        None
    ),
    samples: Annotated[int | None, typer.Option(min=1, help="As if the rule had so many days")] = (
        None
    ),
    campaigns: Annotated[
        int | None, typer.Option(min=1, help="As if the rule had so many days")
    ] = None,
) -> None:
    """List what the rules would remove now, or rules with other days; removes nothing."""
    with connected("viewer") as client:
        rules: dict[str, Any] = client.get("/retention")["rules"]
        asked = {"raw_logs": raw_logs, "samples": samples, "campaigns": campaigns}
        for name, days in asked.items():
            if days is not None:
                rules[name] = (rules[name] or {}) | {"older_than_days": days}
        found = client.post("/retention/preview", rules)
    if as_json:
        print_json(found)
        return
    for name, words in RULES.items():
        _print_part(words, found[name])


@app.command()
def run(as_json: AsJson = False) -> None:
    """Apply the rules now, in the background, not within the hour."""
    with connected("admin") as client:
        found = client.post("/retention/run")
    say(found, "The scheduler applies the rules now.", as_json=as_json)


def _rule_words(rule: dict[str, Any] | None) -> str:
    if rule is None:
        return "kept"
    kept = [
        words
        for field, words in (("keep_labeled", "labels"), ("keep_referenced", "a reference"))
        if rule[field]
    ]
    unless = f", except campaigns with {' or '.join(kept)}" if kept else ""
    return f"removed {rule['older_than_days']} days after the end{unless}"


def _print_part(words: str, part: dict[str, Any] | None) -> None:
    if part is None:
        output.print(f"{words}: kept", highlight=False)
        return
    counts = f"{part['runs']} runs in {part['campaigns']} campaigns, {size(part['bytes'])}"
    output.print(f"{words}: {counts}", highlight=False)
    if not part["items"]:
        return
    grid = table("run or campaign", "name", "ended", "size")
    for one in part["items"]:
        of_run = one["run_id"] is not None
        grid.add_row(
            f"run {one['run_id']}" if of_run else f"campaign {one['campaign_id']}",
            shown(f"{one['campaign']}: {one['test']}" if of_run else one["campaign"]),
            (one["ended_at"] or "")[:10],
            size(one["bytes"]),
        )
    output.print(grid)
