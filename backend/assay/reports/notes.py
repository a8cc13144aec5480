"""Notes as HTML: CommonMark with tables, without HTML of their own and without images."""

from markdown_it import MarkdownIt

from assay.reports.elements import Markup, element

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
"""An image would be loaded from elsewhere; addresses that run scripts are refused by the parser."""


def notes_html(text: str) -> Markup | None:
    """Return notes as HTML; None if there are none."""
    if not text.strip():
        return None
    return element("div", Markup(_MARKDOWN.render(text)), class_="notes")
