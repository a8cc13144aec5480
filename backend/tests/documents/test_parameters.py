"""`docs/parameters.md` is written from the declarations of parameters."""

from assay.documents import parameters as parameter_table
from assay.kinds.registry import KINDS


def test_the_page_is_current_and_has_every_parameter() -> None:
    page = parameter_table.PAGE.read_text()
    assert page == parameter_table.page(), "run python -m assay.documents.parameters"
    names = [f"| `{name}` |" for kind in KINDS.values() for name in kind.parameters]
    assert [name for name in names if name not in page] == []
