"""Tools that only read: annotated, never gated."""

from django.conf import settings

from browser import calls
from browser.acting import Done
from browser.errors import TimedOut
from browser.providers import BrowserRef
from browser.snapshot import Snapshot
from confidence import flags
from confidence.domain.gate import Decision, GateDecision
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome
from runs import services
from runs.models import Action
from runs.pipeline.expecting import expected_of
from runs.pipeline.judging import Judgement, score
from runs.pipeline.resolving import no_match, resolve

SEEN = VerifiedOutcome(OutcomeKind.VERIFIED, True, "It was read from the page.")
READ_ONLY = GateDecision(Decision.PROCEED, ("read_only",))
WAIT_FOR_TEXT_S = 20.0


def read(action: Action, ref: BrowserRef) -> None:
    match action.tool:
        case "browser_extract_text":
            done = _extract_text(action, ref)
        case "browser_snapshot":
            done = _snapshot(action, ref)
        case "browser_find":
            done = _find(action, ref)
        case "browser_wait_for":
            done = _wait_for(action, ref)
        case "browser_tabs":
            done = Done(SEEN, {"tabs": calls.list_tabs(ref)})
        case _:
            done = _take_screenshot(ref)
    done = expected_of(action, ref, done)
    services.succeed(action, done, picture=done.result.get("picture", ""))


def _take_screenshot(ref: BrowserRef) -> Done:
    shot = calls.shoot(ref)
    digest = services.keep_shot(shot)
    result = {
        "picture": digest,
        "picture_url": f"{settings.PUBLIC_URL}/api/v1/pictures/{digest}",
        "media_type": shot.media_type,
        "viewport": shot.viewport,
    }
    return Done(SEEN, result)


def _snapshot(action: Action, ref: BrowserRef) -> Done:
    seen, place = _taken(action, ref), calls.where(ref)
    return Done(SEEN, {"url": place.url, "title": place.title, "snapshot": seen.text}, place)


def _taken(action: Action, ref: BrowserRef) -> Snapshot:
    """Its refs are kept on the run: the next call may name them."""
    seen = calls.take_snapshot(ref, timeout_s=settings.ACTION_TIMEOUT_S, known=action.run.refs)
    services.note_refs(action.run_id, seen.frames)
    return seen


def _find(action: Action, ref: BrowserRef) -> Done:
    lines = calls.find_text(_taken(action, ref), action.params["text"])
    return Done(SEEN, {"matches": lines, "count": len(lines)})


def _wait_for(action: Action, ref: BrowserRef) -> Done:
    params = action.params
    if "time" in params:
        calls.wait_for_time(ref, params["time"])
        return Done(SEEN, {"waited_s": params["time"]})
    gone = "textGone" in params
    text = params["textGone" if gone else "text"]
    if not calls.wait_for_text(ref, text, gone=gone, timeout_s=WAIT_FOR_TEXT_S):
        still = "is still there" if gone else "did not appear"
        raise TimedOut(f"After {WAIT_FOR_TEXT_S:g} s the text {text[:80]!r} {still}.")
    return Done(SEEN, {"gone" if gone else "visible": text})


def _extract_text(action: Action, ref: BrowserRef) -> Done:
    """Reading many matches is what scraping is: every one is returned."""
    resolution = resolve(action, ref)[0]
    current = flags.current()
    if current.layer_is_on:
        judgement = Judgement((score(resolution, current),), READ_ONLY)
        services.note_judgement(action, judgement.confidence, READ_ONLY)
    if resolution.match_count == 0:
        raise no_match(action.params["target"])
    texts = calls.texts_of(ref, resolution)
    return Done(SEEN, {"texts": texts, "count": len(texts), "text": "\n".join(texts)})
