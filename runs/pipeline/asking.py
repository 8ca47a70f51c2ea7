"""Putting an action before a person, with everything needed to judge it."""

from collections.abc import Sequence

from browser import calls
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence.domain.gate import ToolKind, kind_of
from proposals.models import Proposal
from proposals.services import Draft
from runs import services
from runs.models import Action
from runs.pipeline.judging import Judgement, fields_of
from runs.targets import Target


def ask_a_person(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    resolutions: Sequence[Resolution],
    judgement: Judgement,
) -> None:
    services.park(action, draft(action, ref, targets, resolutions, judgement))


def draft(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    resolutions: Sequence[Resolution],
    judgement: Judgement,
) -> Draft:
    """Taken from the page as it is now."""
    shown = judgement.shown
    sight = calls.see(ref, resolutions, shown=shown)
    confidence = judgement.confidence
    # A yes to the agent's question is what its act waits for.
    is_grave = judgement.is_irreversible or kind_of(action.tool) is ToolKind.PROTOCOL
    return Draft(
        agent=action.run.agent,
        run_id=action.run_id,
        action_id=action.id,
        step_id=action.step_id,
        tool=action.tool,
        params=action.params,
        intent=action.params.get("element", "") or (targets[shown].intent if targets else ""),
        reasons=judgement.decision.reasons,
        level=confidence.level.value if confidence else "",
        score=confidence.score if confidence else None,
        match_confidence=confidence.as_dict() if confidence else None,
        chosen_index=confidence.chosen_index if confidence else -1,
        fields=fields_of(targets, judgement.confidences),
        shown_field=shown,
        anchors=sight.anchors,
        page_url=sight.url,
        page_title=sight.title,
        page_digest=sight.digest,
        screen_id=action.screen_id,
        viewport=sight.shot.viewport,
        picture=services.keep_shot(sight.shot),
        snippet=sight.snippet,
        risk=Proposal.Risk.IRREVERSIBLE if is_grave else Proposal.Risk.ORDINARY,
    )
