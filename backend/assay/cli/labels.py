"""Labels on the command line: `KEY=VALUE` sets one, `KEY-` removes it."""

from collections.abc import Sequence

from assay.cli.console import CommandError, output, print_json, shown


def labels_of(given: Sequence[str] | None) -> dict[str, str]:
    """Return the labels of options, each `KEY=VALUE`; raises CommandError."""
    labels: dict[str, str] = {}
    for one in given or ():
        key, equals, value = one.partition("=")
        if not equals:
            raise CommandError(f"--label: {one!r} has no value. Write it like rack=b7.")
        if labels.setdefault(key, value) != value:
            raise CommandError(f"--label: {key!r} has two values. Give one of them.")
    return labels


def changed(labels: dict[str, str], changes: Sequence[str]) -> dict[str, str]:
    """Return labels with the changes of the command line; raises CommandError."""
    changed = dict(labels)
    for one in changes:
        key, equals, value = one.partition("=")
        if equals:
            changed[key] = value
        elif one.endswith("-") and one[:-1] in changed:
            del changed[one[:-1]]
        elif one.endswith("-"):
            raise CommandError(f"There is no label {one[:-1]!r}.")
        else:
            raise CommandError(f"{one!r} is not a change of a label. Use KEY=VALUE or KEY-.")
    return changed


def print_labels(labels: dict[str, str], reference: str | None, as_json: bool) -> None:
    """Print the labels and the external reference of a campaign, a host, a target or an array."""
    if as_json:
        print_json({"labels": labels, "reference": reference})
        return
    for key, value in labels.items():
        output.print(shown(f"{key}={value}"), highlight=False)
    if reference:
        output.print(shown(f"reference: {reference}"), highlight=False)
