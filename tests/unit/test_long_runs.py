"""A run of thousands of steps: a page at a time, every step reachable, exported whole."""

import csv
import io

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from core.keyset import Mark, read_mark
from runs import queries
from runs.models import Action
from runs.queries import StepsPlace, page_of_steps
from tests.support.history import add_acts
from tests.support.proposals import a_person, an_agent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch):
    monkeypatch.setattr(queries, "STEPS_PAGE", 4)
    monkeypatch.setattr(queries, "EXPORT_PAGE", 4)


@pytest.fixture
def run():
    """Ten steps, the last three unsure."""
    return add_acts(an_agent(), high=7, partial=3)[0].run


@pytest.fixture
def client() -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(a_person())
    return client


def numbers(page: queries.StepsPage) -> list[int]:
    return [step.action.step_id for step in page.steps]


def test_a_long_run_opens_at_its_end_and_pages_back_to_its_beginning(run):
    latest = page_of_steps(run)
    assert (numbers(latest), latest.later) == ([7, 8, 9, 10], None)
    middle = page_of_steps(run, StepsPlace(before=latest.earlier))
    first = page_of_steps(run, StepsPlace(before=middle.earlier))
    assert (numbers(middle), numbers(first)) == ([3, 4, 5, 6], [1, 2])
    assert first.earlier is None
    assert numbers(page_of_steps(run, StepsPlace(after=first.later))) == [3, 4, 5, 6]


def test_a_permalink_opens_the_page_that_has_its_step(run, client):
    assert numbers(page_of_steps(run, StepsPlace(step_id=2))) == [2, 3, 4, 5]
    page = client.get(f"/runs/{run.pk}?step=2").content.decode()
    assert 'id="step-2"' in page
    assert "Earlier steps" in page
    assert "Later steps" in page


def test_a_run_that_fits_on_a_page_is_shown_whole_whatever_is_asked(client):
    run = add_acts(an_agent(), high=3)[0].run
    assert numbers(page_of_steps(run, StepsPlace(step_id=3))) == [1, 2, 3]
    assert "Earlier steps" not in client.get(f"/runs/{run.pk}?step=3").content.decode()


def test_steps_of_one_level_are_paged_among_themselves(run):
    unsure = page_of_steps(run, level="partial")
    assert numbers(unsure) == [8, 9, 10]
    sure = page_of_steps(run, level="high")
    assert numbers(sure) == [4, 5, 6, 7]
    assert sure.later is None


def test_steps_of_the_same_moment_are_not_lost(run):
    Action.objects.filter(run=run).update(created_at=run.created_at)
    seen, place = [], StepsPlace(step_id=1)
    while True:
        page = page_of_steps(run, place)
        seen += numbers(page)
        if page.later is None:
            break
        place = StepsPlace(after=page.later)
    assert sorted(seen) == list(range(1, 11))


def test_the_whole_run_is_exported_in_order(run, client):
    answer = client.get(f"/runs/{run.pk}/export?format=csv")

    async def read() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    rows = list(csv.DictReader(io.StringIO(async_to_sync(read)().decode())))
    assert [int(row["step_id"]) for row in rows] == list(range(1, 11))


@pytest.mark.parametrize(
    "query", ["step=0", "step=-1", "step=%00", "step=99999999999", "before=x", "after=%00_x"]
)
def test_a_made_up_place_is_no_failure(run, client, query):
    assert client.get(f"/runs/{run.pk}?{query}").status_code == 200


def test_a_mark_reads_what_it_wrote(run):
    mark = Mark.of(run)
    assert read_mark(str(mark)) == mark
