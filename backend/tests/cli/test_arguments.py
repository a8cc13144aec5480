"""Fields of the API on the command line."""

from pathlib import Path

import pytest
from assay.cli.arguments import fields_of
from assay.cli.console import CommandError


def test_a_field_is_json_a_text_or_the_text_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("true\n")
    found = fields_of(
        ["address=10.0.0.7", "port=22", 'name="7"', "events=[1]", "jump_host=null", f"text=@{file}"]
    )
    assert found == {
        "address": "10.0.0.7",
        "port": 22,
        "name": "7",
        "events": [1],
        "jump_host": None,
        "text": "true",
    }


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["name"], "'name' is no field"),
        (["=7"], "'=7' is no field"),
        (["a=1", "a=2"], "a is given more than once"),
        (["a=@/nowhere"], "/nowhere cannot be read"),
    ],
)
def test_a_malformed_field_is_refused(given: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        fields_of(given)
