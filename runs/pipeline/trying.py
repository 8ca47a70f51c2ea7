"""What a profile's text, saved or not, means on the page of an open run. Nothing acts."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from browser import calls
from browser.calls import Named, PageRules, Surveyed
from browser.providers import BrowserRef
from confirmations import profiles, trials
from confirmations.domain.profile import Profile
from confirmations.domain.screens import screen_of_url
from confirmations.models import ProfileTrial
from core.errors import Gone
from runs.models import Run
from runs.pipeline.confirming import rules_of
from runs.pipeline.looking import answer_or_fail

MOST_SHOWN = 5


def try_profile(trial_id: UUID) -> None:
    """By the very rules that judge an act there."""
    asked = ProfileTrial.objects.get(pk=trial_id)
    answer_or_fail(asked, _try, fail=trials.fail)


def _try(asked: ProfileTrial) -> None:
    run = Run.objects.get(pk=asked.run_id)
    if run.is_over:
        raise Gone("This run is over.")
    profile = profiles.read(asked.text)

    def rules_for(url: str) -> PageRules | None:
        return rules_of(profile, url) if profile.attaches(url) else None

    documents = calls.survey(BrowserRef.of(run.browser), rules_for=rules_for)
    trials.answer(asked, _told(profile, documents))


def _told(profile: Profile, documents: Sequence[Surveyed]) -> dict[str, Any]:
    """`attaches` is of the page around all frames, as is the screen; elements are of all."""
    page = documents[0]
    ruled = [one.named for one in documents if one.is_ruled]
    elements = zip(profile.elements, *ruled, strict=True)
    return {
        "url": page.url,
        "attaches": page.is_ruled,
        "screen_id": page.screen_id or screen_of_url(page.url),
        "is_named": bool(page.screen_id),
        "elements": [_element(profile, element.id, named) for element, *named in elements],
    }


def _element(profile: Profile, element_id: str, named: Sequence[Named]) -> dict[str, Any]:
    first = [one for each in named for one in each.first]
    return {
        "id": element_id,
        "is_irreversible": element_id in profile.irreversible,
        "count": sum(each.count for each in named),
        "first": [{"id": found_id, "name": name} for found_id, name in first[:MOST_SHOWN]],
    }
