"""Commands of tools: placeholders, quoting for one and two shells, and what is refused."""

import shlex
import subprocess

import pytest
from assay.kinds.templates import TemplateError, names, parse, render
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.text(
    st.characters(blacklist_characters="\x00", blacklist_categories=["Cs"]), max_size=30
)


def shell(text: str) -> str:
    done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, text=True, check=True)
    return done.stdout


@given(VALUES)
def test_a_value_is_one_word_of_the_shell(value: str) -> None:
    assert shlex.split(render(parse("a {x} b"), {"x": value})) == ["a", value, "b"]


@given(VALUES)
def test_a_value_in_nested_braces_is_one_word_of_the_inner_shell(value: str) -> None:
    outer = shlex.split(render(parse("ssh sink {{cat > {file}}}"), {"file": value}))
    assert outer[:2] == ["ssh", "sink"]
    assert shlex.split(outer[2]) == ["cat", ">", value]


@pytest.mark.parametrize("value", ["a b", "it's", '"', "$(echo x)", "`id`", "a;b", "*", "\n", ""])
def test_a_real_shell_sees_the_value_alone(value: str) -> None:
    assert shell(render(parse("printf %s {x}"), {"x": value})) == value
    nested = render(parse("sh -c {{printf %s {x}}}"), {"x": value})
    assert shell(nested) == value


@pytest.mark.parametrize(
    "text",
    [
        "for i in 1; do { echo $i; }; done",
        "echo ${HOME}",
        "awk '{ print $1 }'",
        r"echo \{x\}",
        "{}",
    ],
)
def test_braces_of_the_shell_stay(text: str) -> None:
    assert names(parse(text)) == set()
    assert render(parse(text), {}) == text


def test_placeholders_are_found_in_nested_text() -> None:
    assert names(parse("a {x} {{b {y} {{c {z}}}}}")) == {"x", "y", "z"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo '{x}'", "inside quotes"),
        ('echo "{x}"', "inside quotes"),
        ("ssh sink '{{x}}'", "inside quotes"),
        ("ssh sink {{cat", "without }}"),
        ("echo 'x", "not closed"),
        ("ssh sink {{echo 'x}}", "not closed"),
    ],
)
def test_what_cannot_be_quoted_is_refused(text: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        parse(text)
