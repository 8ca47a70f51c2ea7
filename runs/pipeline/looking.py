"""What a reviewer asks of a page that waits: what another selector or a point means, and how the
whole page looks. Nothing acts."""

import logging
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from browser import calls
from browser.pointing import PagePoint
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence import flags
from core.errors import DomainError, Gone
from proposals.models import FullPicture, PageQuestion, Preview, Proposal
from proposals.services import full_pictures, previews
from runs import services
from runs.models import Action, Run
from runs.pipeline.confirming import Acts, irreversible_presses
from runs.pipeline.judging import score
from runs.targets import Target, targets_of

log = logging.getLogger(__name__)
LOOK_S = 1.0  # the page stands there already: nothing is waited for


def preview(preview_id: UUID) -> None:
    """It is found, scored and kept for the decision."""
    asked = Preview.objects.select_related("proposal").get(pk=preview_id)
    answer_or_fail(asked, _look_up, fail=previews.fail)


def full_picture(full_picture_id: UUID) -> None:
    """It is taken, and kept like the others: by its digest, with the secrets painted over."""
    asked = FullPicture.objects.select_related("proposal__agent", "person").get(pk=full_picture_id)
    answer_or_fail(asked, _photograph, fail=full_pictures.fail)


def answer_or_fail(
    asked: Any,
    look: Callable[[Any], None],
    *,
    fail: Callable[[Any, Mapping[str, Any]], None],
) -> None:
    """What goes wrong is an answer too: somebody waits for one."""
    if asked.status != PageQuestion.Status.WAITING:
        return
    try:
        look(asked)
    except DomainError as error:
        fail(asked, services.told(error))
    except Exception:
        log.exception("%r failed inside", asked)
        fail(asked, {"code": "internal", "message": "Pointsman failed to look it up."})


def _look_up(asked: Preview) -> None:
    run = Run.objects.get(pk=asked.proposal.run_id)
    ref = BrowserRef.of(run.browser)
    sought = PagePoint(**asked.point) if asked.point else asked.selector
    resolution = calls.resolve(ref, sought, timeout_s=LOOK_S, refs=run.refs)
    target = _target_of(asked.proposal)
    if target and target.gets_enter:
        calls.note_set_off(ref, resolution)
    confidence = score(resolution, flags.current())
    previews.answer(
        asked,
        match_confidence=confidence.as_dict(),
        anchors=calls.anchors_of(ref, resolution),
        is_listed=bool(target and _acts(asked.proposal, ref, target, resolution)),
    )


def _target_of(proposal: Proposal) -> Target | None:
    """What of the call is looked up anew; only what a selector names can be."""
    targets = targets_of(proposal.tool, proposal.params)
    target = targets[proposal.shown_field] if targets else None
    return target if target and target.words else None


def _acts(proposal: Proposal, ref: BrowserRef, target: Target, resolution: Resolution) -> Acts:
    action = Action.objects.select_related("run__agent").get(pk=proposal.action_id)
    return irreversible_presses(action, ref, [target], [resolution], params=action.params)


def _photograph(asked: FullPicture) -> None:
    """Raises Gone once it is decided: by then the page is acted on, and is left alone."""
    if not asked.proposal.is_pending:
        raise Gone("It was decided before the picture was taken.")
    run = Run.objects.get(pk=asked.proposal.run_id)
    shot = calls.shoot_whole(BrowserRef.of(run.browser))
    full_pictures.answer(
        asked,
        picture=services.keep_shot(shot),
        viewport=shot.viewport,
        page_height=shot.page_height,
    )
