"""`python -m assay.documents.parameters` writes `docs/parameters.md`: those of all kinds."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from assay.base.settings import REPOSITORY
from assay.kinds.kind import Kind
from assay.kinds.parameters import Parameter, bounds_of
from assay.kinds.registry import KINDS

PAGE = REPOSITORY / "docs" / "parameters.md"

_INTRODUCTION = """# Parameters of tests

What a test of a profile has besides `kind` and `title`, in the groups of the forms. A launch can
override all of them except `operation`, which tells the tests of a profile apart. A list makes one
cell for each value. Where a form shows "auto", the value is 0, or null for text. This page is
written by `python -m assay.documents.parameters`.
"""


def page() -> str:
    """Return the parameters of every kind as a page in Markdown."""
    return "\n".join([_INTRODUCTION, *(line for kind in KINDS.values() for line in _kind(kind))])


def _kind(kind: Kind) -> Iterator[str]:
    yield f"## {kind.name.capitalize()}\n"
    yield "| parameter | label | values | default | meaning |\n|---|---|---|---|---|"
    schema = kind.test.model_json_schema()
    group = ""
    for name, one in kind.parameters.items():
        title = one.group.title if one.group else ""
        if title != group:
            yield f"| **{title}** | | | | |"
            group = title
        of = schema["properties"][name]
        default = f"`{json.dumps(of['default'], ensure_ascii=False)}`" if "default" in of else ""
        yield f"| `{name}` | {one.label} | {_values(one, of)} | {default} | {_meaning(kind, one)} |"
    yield ""


def _values(one: Parameter, of: Mapping[str, Any]) -> str:
    """Return which values a parameter takes."""
    words = [f"`{value}`" for value in of.get("items", of).get("enum", ())]
    if one.format == "switch":
        values = "`true` or `false`"
    elif words:
        values = ", ".join(words)
    else:
        bounds = bounds_of(of)
        values = f"{bounds[0]:,} to {bounds[1]:,}" if bounds else "text"
    is_list = of.get("type") == "array"
    return f"list of {values}" if is_list else values


def _meaning(kind: Kind, one: Parameter) -> str:
    """Return what a parameter means, and when a test uses it."""
    notes = [f"`{choice.value}`: {choice.note}." for choice in one.choices if choice.note]
    notes = [] if one.format == "switch" else notes
    alternatives = [
        " and ".join(
            f"`{when.name}`: {when.wanted}"
            for when in alternative
            if when.name in kind.parameters  # not where a run has what was resolved
        )
        for alternative in one.used
    ]
    used = [f"Used with {'; or with '.join(alternatives)}."] if alternatives else []
    said = [one.description] if one.description else []
    return " ".join([*said, *notes, *used]).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
