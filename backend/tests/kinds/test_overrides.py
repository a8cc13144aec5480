import pytest
from assay.kinds.registry import Overrides
from pydantic import ValidationError


@pytest.mark.parametrize("streams", [8, [1, 8]])
def test_a_field_with_other_types_in_other_kinds_takes_each_of_them(streams: object) -> None:
    assert Overrides.model_validate({"streams": streams}).model_dump(exclude_none=True) == {
        "streams": streams
    }


def test_a_field_with_other_types_takes_nothing_else() -> None:
    with pytest.raises(ValidationError):
        Overrides.model_validate({"streams": "eight"})


def test_fields_with_one_type_are_not_changed() -> None:
    with pytest.raises(ValidationError) as refused:
        Overrides.model_validate({"repeats": "three"})
    assert [error["loc"] for error in refused.value.errors()] == [("repeats",)]


def test_a_word_stays_a_word_and_a_list_a_list() -> None:
    """A matrix has one cache, a sustained test may compare two, and takes a word as well."""
    given = {"cache": "page", "priority": ["normal", "rr"]}
    found = Overrides.model_validate(given).model_dump(exclude_none=True)
    assert found == given
    assert Overrides.model_validate({"cache": ["page", "direct"]}).model_dump(
        exclude_none=True
    ) == {"cache": ["page", "direct"]}
