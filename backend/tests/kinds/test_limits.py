"""Limitations that kinds have in common."""

from typing import get_args

from assay.kinds.limits import OF_DATA, BaseLimit, gravest_first
from assay.kinds.matrix.limits import LimitCode
from assay.kinds.path.result import LimitCode as PathLimitCode
from assay.kinds.records.result import RecordsLimitCode
from assay.kinds.sustained.limits import LimitOfSustained
from assay.kinds.tool.result import ToolLimitCode
from hypothesis import given
from hypothesis import strategies as st

KINDS = (LimitCode, PathLimitCode, RecordsLimitCode, LimitOfSustained, ToolLimitCode)


@given(st.lists(st.sampled_from([*OF_DATA, "cut_short", "unstable", "contended"])))
def test_what_is_wrong_with_the_data_comes_before_all_else(codes: list[str]) -> None:
    limits = [BaseLimit(code, code, {"place": float(place)}) for place, code in enumerate(codes)]
    ordered = gravest_first(limits)
    about_data = [one.code in OF_DATA for one in ordered]
    assert about_data == sorted(about_data, reverse=True)
    for of_data in (True, False):
        kept = [one for one in limits if (one.code in OF_DATA) == of_data]
        assert [one for one in ordered if (one.code in OF_DATA) == of_data] == kept


def test_each_kind_has_a_limit_about_its_data_and_each_of_these_codes_is_of_a_kind() -> None:
    for codes in KINDS:
        assert OF_DATA & set(get_args(codes))
    assert set().union(*(get_args(codes) for codes in KINDS)) >= OF_DATA
