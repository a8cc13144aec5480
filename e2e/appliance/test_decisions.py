"""Decision records have one format and gapless numbers, and their status agrees on both sides."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "decisions"
FILES = sorted(path for path in FOLDER.iterdir() if path.name != "README.md")
NAMES = {int(path.name[:4]): path.name for path in FILES}
RECORDS = {int(path.name[:4]): path.read_text() for path in FILES}
PARTS = ("Status", "Context", "Decision", "Consequences")
INVERSE = {
    "supersedes": "superseded by",
    "superseded by": "supersedes",
    "amends": "amended by",
    "amended by": "amends",
}


def test_numbers_have_no_gap_and_are_used_once() -> None:
    assert [int(path.name[:4]) for path in FILES] == list(range(1, len(FILES) + 1))


def test_every_record_has_the_format() -> None:
    for number, text in RECORDS.items():
        assert re.match(rf"# {number}\. \S[^\n]*[^\n.]\n\n\*\*Status:\*\* ", text), number
        assert re.findall(r"^\*\*(.*?)\*\*", text, re.M) == [f"{part}:" for part in PARTS], number
        parts = re.split(r"^\*\*\w+:\*\*", text, flags=re.M)[1:]
        assert all(part.startswith(" ") and part.strip() for part in parts), number
        assert text.count("\n") <= 30, f"{number} is longer than a page"


def test_every_status_is_known() -> None:
    related = "|".join(INVERSE)
    one = rf"(?:{related}) \[\d+\]\([^)]+\)(?:, \[\d+\]\([^)]+\))*"
    known = re.compile(rf"accepted(?:; {one})*|superseded by \[\d+\]\([^)]+\)|unused")
    for number, text in RECORDS.items():
        assert known.fullmatch(_status(text)), (number, _status(text))


def test_a_superseded_or_amended_record_and_its_successor_name_each_other() -> None:
    related = {
        (number, how, other) for number, text in RECORDS.items() for how, other in _related(text)
    }
    assert related
    for number, how, other in related:
        assert other in RECORDS, (number, other)
        assert (other, INVERSE[how], number) in related, f"{other} does not name {number}"
        newer, older = (number, other) if how in ("supersedes", "amends") else (other, number)
        assert newer > older, (number, how, other)


def test_a_link_to_a_record_leads_to_its_number() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, said, file)
        for page in pages
        for said, file in re.findall(
            r"\[(?:decision\s+)?(\d+)\]\((?:\S*/)?(\d{4}-\S+\.md)\)", page.read_text()
        )
    ]
    assert len(links) > 40
    for page, said, file in links:
        assert NAMES.get(int(said)) == file, (page, said, file)


def _status(text: str) -> str:
    return text.split("**Status:** ")[1].split("\n", maxsplit=1)[0]


def _related(text: str) -> list[tuple[str, int]]:
    return [
        (how, int(other))
        for part in _status(text).split("; ")
        for how in INVERSE
        if part.startswith(how)
        for other in re.findall(r"\[(\d+)\]", part)
    ]
