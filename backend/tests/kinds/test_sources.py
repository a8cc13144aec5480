"""What the limits of a result say about the sources of its rates."""

from assay.analysis.served_by import ServedBy
from assay.kinds.cells import SourcesOfRates, StorageCell
from assay.kinds.limits import sources

CACHE = ServedBy("array_cache", "array_cache", "The working set is small.", {"a": 1.0})
PAGES = ServedBy("page_cache", "device_bytes", "After the sync, nothing had reached the device.")
EARLIER = ServedBy("page_cache", "device_bytes", "When the last write returned, nothing had.")
DEVICE = ServedBy("device", "device_bytes", "All bytes reached the device.")


def cell(served_by: SourcesOfRates) -> StorageCell:
    return StorageCell(
        state="done",
        repeats=["1"],
        repeats_done=1,
        repeats_total=1,
        application=None,
        durable=None,
        trials=[],
        served_by=served_by,
        flags=[],
    )


def said(*cells: tuple[ServedBy | None, ServedBy | None]) -> list[tuple[str | None, str, int]]:
    """Return rate, words and number of cells of each finding; pairs are application, durable."""
    found = sources([cell(SourcesOfRates(*pair)) for pair in cells])
    return [(one.rate, one.said, len(one.found)) for one in found]


def test_a_source_of_both_rates_for_the_same_reason_is_said_once() -> None:
    assert said((CACHE, CACHE), (CACHE, CACHE), (DEVICE, DEVICE)) == [
        (None, "Both rates were possibly served by the array's cache", 2)
    ]


def test_sources_for_different_reasons_are_said_by_rate() -> None:
    assert said((EARLIER, PAGES)) == [
        ("durable", "The durable rate was served by the page cache", 1),
        ("application", "The application rate was served by the page cache", 1),
    ]


def test_sources_in_different_cells_are_said_by_rate() -> None:
    assert said((CACHE, CACHE), (CACHE, DEVICE)) == [
        ("durable", "The durable rate was possibly served by the array's cache", 1),
        ("application", "The application rate was possibly served by the array's cache", 2),
    ]


def test_a_read_has_one_rate() -> None:
    assert said((CACHE, None)) == [
        ("application", "The application rate was possibly served by the array's cache", 1)
    ]


def test_the_worst_source_is_first() -> None:
    assert [words for _, words, _ in said((CACHE, CACHE), (PAGES, PAGES))] == [
        "Both rates were served by the page cache",
        "Both rates were possibly served by the array's cache",
    ]
