"""Campaigns need attention when they failed, until somebody takes care of it."""

import pytest
from assay.runs.participants import subject
from assay.runs.verdicts.stored import store_ended
from assay.tables.campaigns import Campaign
from assay.tables.database import writing
from testing.api import Appliance
from testing.seeds import seed_ended_run

from .failing import campaign, cancel, end, failed, needing
from .launching import TEST

SLOW = [{"criterion": "durable.mean >= 1250 MB/s", "stop": False}]


def test_only_failed_campaigns_need_attention(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    for state in ("done", "cancelled", "queued", "running"):
        end(campaign(appliance, target, name=state, tests=[_titled(state)]), state)
    assert needing(appliance) == [one]


def test_a_failed_run_needs_attention_while_the_others_continue(
    appliance: Appliance, target: int
) -> None:
    one = campaign(appliance, target, tests=[_titled("A"), _titled("B")])
    end(one, "failed", "running")
    assert needing(appliance) == [one]


def test_a_partly_failed_campaign_needs_attention(appliance: Appliance, target: int) -> None:
    one = campaign(appliance, target, tests=[_titled("A"), _titled("B")])
    end(one, "done", "failed")
    assert needing(appliance) == [one]


def test_a_canceled_campaign_needs_no_attention(appliance: Appliance, target: int) -> None:
    cancel(failed(appliance, target))
    assert needing(appliance) == []


def test_a_deleted_campaign_needs_no_attention(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    assert appliance.operator.delete(f"/campaigns/{one}").status_code == 200
    assert needing(appliance) == []
    appliance.operator.post(f"/campaigns/{one}/undelete")
    assert needing(appliance) == [one]


def test_a_completed_repetition_takes_care_of_a_failure(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    again = campaign(appliance, target, name="Second try", overrides={"file_size": 1_000_000})
    assert needing(appliance) == [one]
    end(again, "running")
    assert needing(appliance) == [one]
    end(again, "done")
    assert needing(appliance) == []


def test_of_failed_repetitions_only_the_newest_needs_attention(
    appliance: Appliance, target: int
) -> None:
    failed(appliance, target)
    again = failed(appliance, target)
    assert needing(appliance) == [again]


def test_a_canceled_repetition_takes_care_of_nothing(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    end(campaign(appliance, target), "cancelled")
    cancel(failed(appliance, target))
    assert needing(appliance) == [one]


def test_a_deleted_repetition_takes_care_of_nothing(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    again = campaign(appliance, target)
    end(again, "done")
    appliance.operator.delete(f"/campaigns/{again}")
    assert needing(appliance) == [one]


def test_another_target_or_test_is_no_repetition(appliance: Appliance, target: int) -> None:
    one = failed(appliance, target)
    elsewhere = appliance.target(appliance.host("web-2"))
    end(campaign(appliance, elsewhere), "done")
    end(campaign(appliance, target, tests=[_titled("Another")]), "done")
    assert needing(appliance) == [one]


def test_an_earlier_campaign_is_no_repetition(appliance: Appliance, target: int) -> None:
    earlier = campaign(appliance, target)
    one = failed(appliance, target)
    end(earlier, "done")
    assert needing(appliance) == [one]


def test_every_failed_run_has_to_be_repeated(appliance: Appliance, target: int) -> None:
    other = appliance.target(appliance.host("web-2"))
    one = failed(appliance, target, other)
    end(campaign(appliance, other), "done")
    assert needing(appliance) == [one]
    end(campaign(appliance, target), "done")
    assert needing(appliance) == []


def test_a_failed_criterion_needs_attention_until_it_is_waived(appliance: Appliance) -> None:
    with writing() as session:
        run = seed_ended_run(session)
        session.get_one(Campaign, run.campaign_id).criteria = SLOW
        run_id, one = run.id, run.campaign_id
    assert needing(appliance) == []
    store_ended(run_id)
    assert needing(appliance) == [one]
    waiver = {"number": 0, "reason": "known", "expires_at": "2099-01-01T00:00:00Z"}
    assert appliance.operator.post(f"/runs/{run_id}/waivers", waiver).status_code == 201
    assert needing(appliance) == []


@pytest.mark.parametrize(
    ("slug", "kind", "title", "seats"),
    [
        ("q", "matrix", "Write", [("writer", 1, 2), ("writer", 3, None)]),
        ("p", "mesh", "Write", [("writer", 1, 2), ("writer", 3, None)]),
        ("p", "matrix", "Read", [("writer", 1, 2), ("writer", 3, None)]),
        ("p", "matrix", "Write", [("writer", 1, 2)]),
        ("p", "matrix", "Write", [("writer", 1, 2), ("writer", 3, 4)]),
    ],
)
def test_a_subject_is_a_test_of_a_profile_at_its_seats(
    slug: str, kind: str, title: str, seats: list[tuple[str, int, int | None]]
) -> None:
    own = subject("p", "matrix", "Write", [("writer", 1, 2), ("writer", 3, None)])
    assert own == subject("p", "matrix", "Write", [("writer", 3, None), ("writer", 1, 2)])
    assert own != subject(slug, kind, title, seats)


def _titled(title: str) -> dict[str, object]:
    return TEST | {"title": title}
