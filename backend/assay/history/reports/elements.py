"""HTML and SVG elements; every text is escaped unless it is an element itself."""

from collections.abc import Iterable, Sequence
from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *content: str | None, **attributes: object) -> Markup:
    """Return an element; `class_` is the attribute `class`, and None leaves a part out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{joined(content)}</{name}>")


def joined(parts: Iterable[str | None]) -> Markup:
    """Return texts and elements one after the other."""
    return Markup("".join(map(escaped, (part for part in parts if part is not None))))


def escaped(text: str) -> Markup:
    """Return a text as HTML."""
    return text if isinstance(text, Markup) else Markup(escape(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], **attributes: object) -> Markup:
    """Return a table whose first column names its rows."""
    head = element("tr", *(element("th", one, scope="col") for one in columns))
    body = [
        element(
            "tr",
            *(
                element("th", cell, scope="row") if number == 0 else element("td", cell)
                for number, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    inner = element("table", element("thead", head), element("tbody", *body), **attributes)
    return element("div", inner, class_="wide")


def items(lines: Iterable[str], **attributes: object) -> Markup | None:
    """Return a list; None without lines."""
    found = [element("li", line) for line in lines]
    return element("ul", *found, **attributes) if found else None


def facts(pairs: Iterable[tuple[str, str | None]]) -> Markup | None:
    """Return names with their values; without those that have none."""
    known = [(name, value) for name, value in pairs if value]
    parts = [element("div", element("dt", name), element("dd", value)) for name, value in known]
    return element("dl", *parts) if parts else None
