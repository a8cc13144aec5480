"""Bringing runs side by side."""

from collections.abc import Iterable, Sequence
from string import ascii_uppercase

from sqlalchemy.orm import Session

from assay.analysis import words
from assay.compare.schemas import ComparedRun, Comparison, ConditionDifference
from assay.kinds.registry import KINDS
from assay.runs import queries
from assay.runs.conditions import labels, sizes
from assay.runs.results import result


def compare(session: Session, run_ids: Sequence[int]) -> Comparison:
    """The runs in the given order; raises NotFound."""
    runs = [
        ComparedRun(
            **dict(queries.one(session, run_id)),
            result=result(session, queries.find(session, run_id)),
        )
        for run_id in run_ids
    ]
    kinds = {run.kind for run in runs}
    return Comparison(
        runs=runs,
        differences=_differences(runs, kinds),
        outcome=KINDS[runs[0].kind].compare([run.result for run in runs], _names(runs))
        if len(kinds) == 1
        else None,
    )


def _names(runs: Sequence[ComparedRun]) -> list[str]:
    """What tells the runs apart in a sentence: the host, the target, else a letter, from A on.

    The letters are those by which the Compare page calls the runs.
    """
    hosts = [run.host.name for run in runs]
    if len(set(hosts)) == len(hosts):
        return hosts
    targets = [f"{run.host.name} {run.target.path if run.target else ''}".strip() for run in runs]
    if len(set(targets)) == len(targets):
        return targets
    return list(ascii_uppercase[: len(runs)])


def _differences(runs: Sequence[ComparedRun], kinds: Iterable[str]) -> list[ConditionDifference]:
    found: list[ConditionDifference] = []
    in_bytes = sizes(kinds)
    for name, label in labels(kinds).items():
        values = [run.conditions.get(name) for run in runs]
        if any(value != values[0] for value in values[1:]):
            shown = [words.size(v) if name in in_bytes and type(v) is int else v for v in values]
            found.append(ConditionDifference(what=label, name=name, values=shown))
    return found
