"""What the verifiers say of a run is kept once nothing of it can change the shop any more."""

import pytest

from confirmations import backend
from runs.models import Run
from runs.verifying import verification_of
from tests.support.history import run_of
from tests.support.proposals import an_agent

pytestmark = pytest.mark.django_db
EMPTY = {"cart": [], "orders": []}


def test_it_is_kept_only_when_the_browser_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "state_of", lambda world: {"initial": EMPTY, "now": EMPTY})
    run = run_of(an_agent())
    run.task, run.browser = {"success_criteria": ["SC_CHECKOUT"]}, {"endpoint": "still there"}
    run.save()
    assert verification_of(run)["completion"] is False
    assert Run.objects.get(pk=run.pk).verification is None
    run.browser = {}
    verification_of(run)
    assert Run.objects.get(pk=run.pk).verification is not None
