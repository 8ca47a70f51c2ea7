"""A partial call with two equal buttons, and the question about it."""

from dataclasses import replace
from uuid import uuid4

from confidence.domain import confidence as scoring
from confidence.domain.confidence import MatchCandidate, MatchConfidence, Tiebreak
from confidence.flags import Flags
from confidence.tiebreaker import Question, break_tie

FLAGS = Flags(tiebreaker_timeout_s=2.0)
QUESTION = Question(
    tool="browser_click",
    intent="the Submit button of the order",
    url="https://shop.example/checkout?session=s3cret",
    title="Checkout",
    run_id=uuid4(),
    action_id=uuid4(),
    agent_id=uuid4(),
)


def button(index: int, context: str, **more: object) -> MatchCandidate:
    return MatchCandidate(
        index=index,
        tag="button",
        role="button",
        name="Submit",
        text="Submit",
        context=context,
        fingerprint=f"f{index}",
        **more,
    )


def partial(*candidates: MatchCandidate) -> MatchConfidence:
    shown = candidates or (button(0, "Summary"), button(1, "Your order"))
    return scoring.score(2, is_text_only=True, candidates=shown)


def ask(
    confidence: MatchConfidence | None = None, question: Question = QUESTION, flags: Flags = FLAGS
) -> Tiebreak:
    tiebreak = break_tie(confidence or partial(), question, flags)
    assert tiebreak is not None
    return tiebreak


def ask_anew(**more: Flags) -> Tiebreak:
    """Never from memory."""
    return ask(question=replace(QUESTION, intent=str(uuid4())), **more)
