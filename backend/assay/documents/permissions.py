"""`python -m assay.documents.permissions` writes the table of permissions into `docs/api.md`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from assay.access.permissions import TABLE, Permission
from assay.api.app import PREFIX, app
from assay.base.settings import REPOSITORY

PAGE = REPOSITORY / "docs" / "api.md"
BEGIN, END = (
    "<!-- permissions: written by `python -m assay.documents.permissions` -->\n\n",
    "<!-- end of permissions -->",
)
_HEAD = "| object | action | scope | role | token with limits, or person | operations |"


def table() -> str:
    """Return all permissions with the operations that name them, as a table in Markdown."""
    operations = _operations()
    rows = [_row(one, operations.get(one.name, [])) for one in TABLE.values()]
    return "\n".join([_HEAD, "|---|---|---|---|---|---|", *rows]) + "\n"


def written(page: str) -> str:
    """Return the page with the current table in place of the one that it has."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table() + "\n" + END + rest.partition(END)[2]


def _operations() -> Mapping[str, list[str]]:
    """Return the operations by the name of their permission."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for operation, name in permissions():
        if name is not None:
            found[name].append(f"`{operation}`")
    return found


def permissions() -> Iterator[tuple[str, str | None]]:
    """Yield every operation of the OpenAPI document with the name of its permission."""
    for path, methods in app.openapi()["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path.removeprefix(PREFIX)}", operation.get("x-permission")


def _row(one: Permission, operations: list[str]) -> str:
    scope = f"`{one.scope}`" if one.scope else "any"
    shown = ", ".join(operations) or "part of other operations"
    return f"| {one.object} | {one.action} | {scope} | {one.role} | {_rule(one)} | {shown} |"


def _rule(one: Permission) -> str:
    """Return what applies besides scope and role."""
    if one.only_person is not None:
        return "only a person, no token"
    if one.launched:
        return "with `target_labels`: only what the token launched"
    if one.not_with:
        return "not with " + ", ".join(f"`{limit}`" for limit in one.not_with)
    return one.why


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
