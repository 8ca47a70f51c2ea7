"""What another selector, or a point of the picture, means on a page that waits for a reviewer."""

import logging
from uuid import UUID

from browser import calls
from browser.pointing import PagePoint
from browser.providers import BrowserRef
from confidence import flags
from core.errors import DomainError
from proposals.models import Preview, Proposal
from proposals.services import previews
from runs import services
from runs.models import Run
from runs.pipeline.judging import score
from runs.targets import targets_of

log = logging.getLogger(__name__)
LOOK_S = 1.0  # the page stands there already: nothing is waited for


def preview(preview_id: UUID) -> None:
    """Nothing acts: it is found, scored and kept for the decision."""
    asked = Preview.objects.select_related("proposal").get(pk=preview_id)
    if asked.status != Preview.Status.WAITING:
        return
    try:
        _look(asked)
    except DomainError as error:
        previews.fail(asked, services.told(error))
    except Exception:
        log.exception("preview %s failed inside", preview_id)
        previews.fail(asked, {"code": "internal", "message": "Pointsman failed to look it up."})


def _look(asked: Preview) -> None:
    run = Run.objects.get(pk=asked.proposal.run_id)
    ref = BrowserRef.of(run.browser)
    sought = PagePoint(**asked.point) if asked.point else asked.selector
    resolution = calls.resolve(ref, sought, timeout_s=LOOK_S, refs=run.refs)
    if _gets_enter(asked.proposal):
        calls.note_set_off(ref, resolution)
    confidence = score(resolution, flags.current())
    previews.answer(
        asked,
        match_confidence=confidence.as_dict(),
        anchors=calls.anchors_of(ref, resolution),
    )


def _gets_enter(proposal: Proposal) -> bool:
    """Whether the call would press Enter in what is looked up."""
    targets = targets_of(proposal.tool, proposal.params)
    return bool(targets) and targets[proposal.shown_field].gets_enter
