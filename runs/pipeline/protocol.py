"""What an agent says instead of doing: it asks, tells, or is done. The page is only looked at."""

from browser import calls
from browser.acting import Done
from browser.providers import BrowserRef
from confidence.domain.gate import Decision, GateDecision
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome
from confirmations.domain.modes import Mode
from core.words import phrase
from runs import services
from runs.models import Action
from runs.pipeline.asking import ask_a_person
from runs.pipeline.confirming import asked_on
from runs.pipeline.judging import Judgement
from runs.pipeline.outcomes import not_done

HEARD = VerifiedOutcome(OutcomeKind.VERIFIED, True, "It was put on record.")
SAID_YES = VerifiedOutcome(OutcomeKind.VERIFIED, True, "A person said yes.")
SPOKEN = GateDecision(Decision.PROCEED, ("protocol",))
QUESTION = GateDecision(Decision.PROPOSE, ("confirmation",))
NEXT = phrase("You may act in a later step: one act, within five steps.")


def speak(action: Action, ref: BrowserRef) -> None:
    match action.tool:
        case "needs_confirmation" if action.dry_run:
            services.succeed(action, not_done(SPOKEN))
        case "needs_confirmation":
            _ask(action, ref)
        case "finished" if not action.dry_run:
            services.finish_run(action, Done(HEARD, {"finished": True}))
        case _:
            services.succeed(action, Done(HEARD, {"delivered": not action.dry_run}))


def _ask(action: Action, ref: BrowserRef) -> None:
    """Who must say yes depends on the page: in mode `ask` a person, else asking is enough."""
    place = calls.where(ref)
    action.screen_id, mode = asked_on(action.run, ref, place.url)
    if mode is Mode.ASK:
        ask_a_person(action, ref, [], [], Judgement((), QUESTION))
    else:
        services.confirm(action, Done(HEARD, {"confirmed": True, "next": str(NEXT)}, place))


def said_yes(ref: BrowserRef) -> Done:
    return Done(SAID_YES, {"confirmed": True, "next": str(NEXT)}, calls.where(ref))
