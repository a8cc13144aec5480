"""Sentences as parts: how they are composed, and what they are as text."""

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from assay.base.worded import (
    Part,
    Quantity,
    Worded,
    Words,
    joined,
    listed,
    parts_of,
    plain,
    say,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

BROWSER = Path(__file__).parents[3] / "frontend/src/components/quantities/words.ts"
RATE: Quantity = {"bytes_per_s": 350e6}
DIMENSIONS = sorted(Quantity.__annotations__)

TEXTS: list[tuple[str, float, str]] = json.loads(
    (Path(__file__).parents[1] / "golden/quantities.json").read_text()
)
"""Quantities by dimension with their text; the browser's test reads them, too."""


@pytest.mark.parametrize(("dimension", "value", "text"), TEXTS)
def test_a_quantity_is_shown_in_its_default_unit(dimension: str, value: float, text: str) -> None:
    assert plain([cast("Quantity", {dimension: value})]) == text


def test_every_dimension_is_formatted_here_and_in_the_browser() -> None:
    assert sorted({dimension for dimension, _, _ in TEXTS}) == DIMENSIONS
    found = re.search(r"FORMATS: Record<Dimension.*?= \{\n(.*?)\n\};", BROWSER.read_text(), re.S)
    assert found is not None
    assert sorted(re.findall(r"^  (\w+)[:,]", found[1], re.M)) == DIMENSIONS


@pytest.mark.parametrize(
    ("template", "values", "parts"),
    [
        ("as it is", [], ["as it is"]),
        ("", [], []),
        ("{}", [""], []),
        ("{}{}", [RATE, RATE], [RATE, RATE]),
        ("at {} {}", [RATE, "durable"], ["at ", RATE, " durable"]),
        ("{}, {}", [Worded(["a ", RATE]), Worded([" b"])], ["a ", RATE, ",  b"]),
        ("{} of {}", ["one", "{} {0} {a}"], ["one of {} {0} {a}"]),
        ("no {}", [{"count": 0}], ["no ", {"count": 0}]),
    ],
)
def test_values_fill_a_template_and_neighboring_texts_are_one(
    template: str, values: Sequence[Part], parts: Sequence[Part]
) -> None:
    assert parts_of(say(template, *values)) == parts


@pytest.mark.parametrize("values", [[], ["a", "b"]])
def test_each_placeholder_has_a_value(values: Sequence[str]) -> None:
    with pytest.raises(ValueError, match=f"^{len(values)} values for 'only {{}}'$"):
        say("only {}", *values)


def test_empty_words_are_not_joined() -> None:
    several = ["a", "", Worded([]), Worded([RATE]), Worded(["", "b"])]
    assert parts_of(joined("; ", several)) == ["a; ", RATE, "; b"]
    assert joined("; ", []) == joined("; ", ["", Worded([])]) == ""


@pytest.mark.parametrize(
    ("several", "text"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", RATE, "c"], "a, 350 MB/s and c")],
)
def test_a_list_has_an_and_before_its_last_word(several: list[Part], text: str) -> None:
    assert listed(several) == text


def test_a_sentence_keeps_its_parts_in_sums_copies_and_the_api() -> None:
    sentence = say("It reached {}.", RATE)
    parts = ["It reached ", RATE, ". Then it fell."]
    longer = sentence + " Then it fell."
    assert longer == "It reached 350 MB/s. Then it fell."
    assert parts_of(longer) == parts_of(deepcopy(longer)) == parts
    api = TypeAdapter(Words)
    assert api.dump_python(longer, mode="json") == parts
    assert parts_of(api.validate_python(parts)) == parts
    assert api.dump_python("A text.") == ["A text."]


def test_a_sentence_after_or_before_a_text_keeps_its_parts() -> None:
    sentence = say("{} then", RATE)
    assert parts_of(Worded(["first ", sentence])) == ["first ", RATE, " then"]
    assert parts_of("first " + sentence) == ["first ", RATE, " then"]


def test_a_number_is_of_the_type_of_its_dimension() -> None:
    bytes_per_s, size = parts_of(say("{}{}", {"bytes_per_s": 5}, {"bytes": 7.0}))
    assert repr(bytes_per_s) == "{'bytes_per_s': 5.0}"
    assert repr(size) == "{'bytes': 7}"


@pytest.mark.parametrize(
    "parts", [None, 7, {"bytes": 1}, [{"unknown": 1}], [{"bytes": None}], [{}], [["nested"]]]
)
def test_what_is_no_sentence_is_refused(parts: object) -> None:
    with pytest.raises(ValidationError, match="texts and quantities"):
        TypeAdapter(Words).validate_python(parts)


TEXT = st.text("ab {}01,;", max_size=6)
QUANTITY = st.sampled_from([cast("Quantity", {name: value}) for name, value, _ in TEXTS])
PART = TEXT | QUANTITY
VALUES = st.lists(PART | st.lists(PART, max_size=3).map(Worded), max_size=4)


@given(VALUES, st.data())
def test_words_are_the_template_filled_with_the_text_of_each_value(
    values: list[Part], data: st.DataObject
) -> None:
    count = len(values) + 1
    texts = data.draw(st.lists(st.text("ab .;", max_size=4), min_size=count, max_size=count))
    sentence = say("{}".join(texts), *values)
    shown = [Worded([value]) for value in values]
    assert sentence == "".join(
        text + value for text, value in zip(texts, [*shown, ""], strict=True)
    )
    assert "" not in sentence.parts
    assert not any(
        isinstance(one, str) and isinstance(other, str) for one, other in pairwise(sentence.parts)
    )
