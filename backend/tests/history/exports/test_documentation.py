"""Every column of every export is documented, in its order and with its type."""

from assay.documents import exports as export_table


def test_the_page_has_every_column() -> None:
    page = export_table.PAGE.read_text()
    assert page == export_table.written(page), "run python -m assay.documents.exports"
