"""YAML: scalars of version 1.2, positions, what is refused, and the round trip."""

import time
from typing import Any

import pytest
from assay.api.declarations.yaml_text import DEEPEST, read, write
from assay.base.errors import Invalid
from assay.base.field_errors import FieldError
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


def mistakes(text: str) -> list[FieldError]:
    with pytest.raises(Invalid) as refused:
        read(text)
    return list(refused.value.errors)


def mistake(text: str) -> FieldError:
    (only,) = mistakes(text)
    return only


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("no", "no"), ("yes", "yes"), ("off", "off"), ("1:30", "1:30"), ("012", 12)),
        *(("0x1f", "0x1f"), ("1_000", "1_000"), ("2026-11-27", "2026-11-27"), ("=", "=")),
        *(("true", True), ("FALSE", False), ("", None), ("~", None), ("null", None)),
        *(("1", 1), ("-7", -7), ("1.5", 1.5), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0)),
        *(("'1'", "1"), ('"true"', "true"), ("1 GB", "1 GB"), (".inf", ".inf")),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    found = read(f"a: {text}\n").value["a"]
    assert (found, type(found)) == (value, type(value))


@given(VALUES)
def test_what_is_written_is_read_as_the_same_value(value: Any) -> None:
    assert read(write({"value": value})).value == {"value": value}


def test_json_is_read() -> None:
    assert read('{"name": "lab", "hosts": [{"port": 22}]}').value == {
        "name": "lab",
        "hosts": [{"port": 22}],
    }


def test_each_field_has_the_position_of_its_name() -> None:
    located = read("name: lab\nhosts:\n  - name: web-1\n    port: 22\n  - {name: web-2}\n")
    assert located.at("hosts.0.port") == (4, 5)
    assert located.at("hosts.1.name") == (5, 6)
    assert located.at("hosts.1") == (5, 5)
    assert located.at("hosts.0.address") == (3, 5), "a missing field is at its entry"
    assert located.at("prune") == (1, 1)


def test_an_alias_is_refused_with_its_position() -> None:
    error = mistake("a: &one [1]\nb:\n  c: *one\n")
    assert (error.field, error.at) == ("b.c", (3, 6))
    assert "alias (*one)" in error.message


def test_aliases_that_would_explode_are_refused_at_once() -> None:
    levels = ['a0: &a0 ["lol"]']
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    since = time.monotonic()
    found = mistakes("\n".join(levels))
    assert time.monotonic() - since < 5
    assert len(found) == 50
    assert found[0].at == (2, 10)


def test_a_repeated_name_is_refused_with_both_positions() -> None:
    error = mistake("name: lab\nhosts:\n  - port: 1\n    name: a\n    port: 2\n")
    assert (error.field, error.at) == ("hosts.0.port", (5, 5))
    assert error.message == "is given twice, first in line 3, column 5"


def test_all_repeated_names_are_named() -> None:
    assert [one.at for one in mistakes("a: 1\na: 2\nb: {c: 1, c: 2}\n")] == [(2, 1), (3, 11)]


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("a: !!python/object:os.system x", (1, 4), "tag"),
        ("a: !!str 5", (1, 4), "tag"),
        ("a: 1\n---\nb: 2\n", (2, 1), "second document"),
        ("", (1, 1), "empty"),
        ("# nothing\n", (1, 1), "empty"),
        ("a: [1, 2\nb: 3\n", (2, 2), "not valid YAML"),
        ("a: 'open\n", (2, 1), "not valid YAML"),
        ("a:\n\t- b\n", (2, 1), "not valid YAML"),
        ("? [1, 2]\n: x\n", (1, 3), "not text"),
        ("a: 1" + "0" * 5000, (1, 4), "too many digits"),
        ("a: {<<: *b}", (1, 9), "alias"),
    ],
)
def test_other_mistakes_have_a_position_and_a_remedy(
    text: str, at: tuple[int, int], words: str
) -> None:
    error = mistake(text)
    assert words in error.message
    assert error.at == at
    assert error.remedy


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening: str) -> None:
    since = time.monotonic()
    assert "nested too deeply" in mistake(opening * 20_000).message
    assert time.monotonic() - since < 5
    assert read("[" * DEEPEST + "]" * DEEPEST)


def test_control_characters_are_refused() -> None:
    for text, at in (("a: b\x00c", (1, 5)), ("a: 1\r\nb:\n  - \x1b[31m", (3, 5))):
        error = mistake(text)
        assert "not valid YAML" in error.message
        assert error.at == at
