"""What the probe knows of parameters is generated from their declarations."""

from assay.documents import probe


def test_the_header_of_the_probe_is_current() -> None:
    assert probe.HEADER.read_text() == probe.page(), "run python -m assay.documents.probe"


def test_a_field_has_the_bounds_of_its_parameter_or_its_words() -> None:
    lines = probe.page().splitlines()
    assert "#define MATRIX_BLOCK_LEAST 512" in lines
    assert "#define MATRIX_BLOCK_MOST 67108864" in lines
    assert '#define SUSTAINED_LAYOUT_WORDS {"one", "sequence", "ring", NULL}' in lines


def test_a_choice_that_no_plan_has_is_no_word_of_the_probe() -> None:
    page = probe.page()
    assert '#define SUSTAINED_OPERATION_WORDS {"write", "read", "mixed", NULL}' in page
    assert "direct_if_real" not in page
