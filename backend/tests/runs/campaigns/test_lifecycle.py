"""A campaign's state is derived from its runs', equally in Python and in SQL."""

from collections.abc import Sequence

import pytest
from assay.base.states import Condition
from assay.runs.campaigns.lifecycle import condition, derive
from assay.runs.campaigns.queries import listed
from assay.runs.filters import RunFilter
from assay.runs.lifecycle import TRANSITIONS
from assay.tables.campaigns import Campaign
from assay.tables.database import reading, writing
from assay.tables.profiles import Profile
from assay.tables.runs import Run
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

STATES = ("queued", "running", "done", "failed", "cancelled")
SETS = [
    *([state] for state in sorted(TRANSITIONS)),
    *([a, b] for a in sorted(TRANSITIONS) for b in sorted(TRANSITIONS) if a < b),
    ["done", "failed", "cancelled"],
    ["queued", "done", "failed"],
]


@pytest.mark.parametrize(
    ("runs", "state"),
    [
        (["queued", "queued"], "queued"),
        (["queued", "preparing"], "running"),
        (["done", "queued"], "running"),
        (["done", "done"], "done"),
        (["done", "failed"], "failed"),
        (["done", "cancelled"], "cancelled"),
        (["cancelled", "failed"], "failed"),
        (["finishing"], "running"),
    ],
    ids=str,
)
def test_valid_expressions(runs: Sequence[str], state: str) -> None:
    assert derive(runs) == state


@pytest.mark.parametrize(
    ("its_runs", "found"),
    [
        ([("running", "lost"), ("queued", None)], "lost"),
        ([("finishing", "lost"), ("done", None)], "lost"),
        ([("running", "lost"), ("running", None)], None),
        ([("running", None)], None),
        ([("queued", None), ("done", None)], None),
    ],
    ids=str,
)
def test_a_campaign_is_lost_when_each_of_its_active_runs_is(
    its_runs: list[tuple[str, Condition | None]], found: Condition | None
) -> None:
    assert condition(its_runs) == found


@given(st.lists(st.sampled_from(sorted(TRANSITIONS)), min_size=1, max_size=6))
def test_the_order_and_number_of_runs_do_not_matter(runs: list[str]) -> None:
    assert derive(runs) == derive(sorted(set(runs)))
    assert derive(runs) in STATES


def test_the_database_derives_the_same(configured: str) -> None:
    with writing() as session:
        profile = session.scalars(select(Profile)).first()
        assert profile is not None
        for states in SETS:
            campaign = Campaign(
                name=" ".join(states),
                profile_id=profile.id,
                profile_snapshot={},
                created_by="test",
            )
            session.add(campaign)
            session.flush()
            for number, state in enumerate(states):
                session.add(
                    Run(
                        campaign_id=campaign.id,
                        number=number,
                        title="t",
                        kind="matrix",
                        parameters={},
                        state=state,
                        trials_total=1,
                    )
                )
    with reading() as session:
        found = {
            campaign.name: state
            for state in STATES
            for campaign in session.scalars(listed(session, RunFilter(), states=[state]))
        }
    assert found == {" ".join(states): derive(states) for states in SETS}
