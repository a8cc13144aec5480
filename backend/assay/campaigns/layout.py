"""Which runs of a campaign belong to which test of its profile, by their numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.campaigns.pairs import meshed, paired
from assay.kinds.registry import KINDS
from assay.runs.models import Run


def by_test(
    parameters: Mapping[str, Any], runs: Sequence[Run]
) -> Iterator[tuple[int, Sequence[Run]]]:
    """Yield the position of each test, from 1 on, with its runs; `runs` are all, by their numbers.

    `parameters` are those of the campaign.
    """
    begin, test = 0, 1
    while begin < len(runs):
        end = begin + _runs_of_one_test(parameters, runs[begin].kind)
        yield test, runs[begin:end]
        begin, test = end, test + 1


def is_mesh(parameters: Mapping[str, Any]) -> bool:
    """Return whether the campaign's transfers are those of a mesh."""
    return parameters.get("arrangement") == "mesh"


def _runs_of_one_test(parameters: Mapping[str, Any], kind: str) -> int:
    scaled = bool(parameters.get("scale_out"))
    if KINDS[kind].transfers:
        sources, sinks = parameters["sources"], parameters["sinks"]
        if is_mesh(parameters):
            return len(meshed(len(sources)))
        return len(paired(len(sources), len(sinks))) if scaled else 1
    targets = len(parameters["target_ids"])
    return targets if scaled or not parameters.get("together") else 1
