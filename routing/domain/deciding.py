"""The whole order: which of the two agents gets this prompt, and every reason for it."""

from dataclasses import dataclass, replace
from typing import Any

from core.words import Phrase, phrase
from routing.domain.confirmation import Detection, detect
from routing.domain.judging import (
    Classify,
    Opinion,
    Reason,
    Rule,
    Verdict,
    judge,
    judge_confirmed,
    verdict_of,
)
from routing.domain.resolving import Resolved, Source, resolve
from routing.domain.rules import Rules, Target
from routing.domain.text import shortened
from routing.domain.turn import Command, State, Turn, read_command

NO_PIN = Reason(Rule.EXPLICIT, phrase("Nobody chose the agent: no command, no pin."))
NOT_STICKY = Reason(Rule.STICKY, phrase("No escalation went before that would stick."))
NOT_WAITING = Reason(Rule.STATE, phrase("The escalated agent waits for no answer."))
FOUND_IN: dict[Source, Phrase] = {
    Source.OWN_SCOPE: phrase("It confirms what it says itself, after the yes."),
    Source.AGENT_PROPOSAL: phrase("It confirms what the agent proposes."),
    Source.PENDING_TASK: phrase("It confirms the user's task before it."),
    Source.AGENT_MESSAGE: phrase("It confirms the agent's last message: there is no task."),
}


@dataclass(frozen=True)
class Decision:
    """`inner_rule` settled what was confirmed. `resolved` is the text that was judged, None where
    no text was."""

    target: Target
    rule: Rule
    detection: Detection
    reasons: tuple[Reason, ...]
    resolved: Resolved | None = None
    inner_rule: Rule | None = None
    score: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "target": self.target.value,
            "rule": self.rule.value,
            "inner_rule": self.inner_rule.value if self.inner_rule else None,
            "score": self.score,
            "confirmation": self.detection.as_dict(),
            "resolved": self.resolved.as_dict() if self.resolved else None,
            "reasons": [reason.as_dict() for reason in self.reasons],
        }


def no_classifier(text: str) -> Opinion:
    return Opinion(None, phrase("No classifier is configured."))


def decide(turn: Turn, rules: Rules, *, classify: Classify = no_classifier) -> Decision:
    """Never raises, whatever the texts are. `classify` is asked at most once."""
    command = read_command(turn.prompt)
    detection = detect(command.text, rules)
    passed: tuple[Reason, ...] = ()
    for found, otherwise in (
        (_explicit(turn, command), NO_PIN),
        (_sticky(turn), NOT_STICKY),
        (_state(turn), NOT_WAITING),
    ):
        if found:
            reasons = (*passed, *found.reasons)
            return Decision(found.target, found.rule, detection, reasons)
        passed = (*passed, otherwise)
    decision = _by_content(command.text, detection, turn, rules, classify)
    return replace(decision, reasons=(*passed, *decision.reasons))


def _explicit(turn: Turn, command: Command) -> Verdict | None:
    if command.target:
        said = phrase("The prompt begins with {command}.", command=command.word)
        return verdict_of(command.target, Rule.EXPLICIT, said)
    if turn.override:
        said = phrase("This one turn was sent to {target}.", target=turn.override.value)
        return verdict_of(turn.override, Rule.EXPLICIT, said)
    if turn.pin:
        said = phrase("The conversation is pinned to {target}.", target=turn.pin.value)
        return verdict_of(turn.pin, Rule.EXPLICIT, said)
    return None


def _sticky(turn: Turn) -> Verdict | None:
    if not turn.sticky:
        return None
    said = phrase("The last turn was escalated and went well, so this one is too.")
    return verdict_of(Target.ESCALATE, Rule.STICKY, said)


def _state(turn: Turn) -> Verdict | None:
    if turn.state is not State.ESCALATION_WAITING:
        return None
    said = phrase("The escalated agent asked a question and this answers it.")
    return verdict_of(Target.ESCALATE, Rule.STATE, said)


def _by_content(
    text: str, detection: Detection, turn: Turn, rules: Rules, classify: Classify
) -> Decision:
    opening = Reason(Rule.CONFIRMATION, _told(detection))
    resolved = resolve(detection, turn.history, rules) if detection.is_confirmation else None
    if resolved:
        return _confirmed(resolved, detection, opening, judge_confirmed(resolved, rules, classify))
    verdict = judge(text, rules, classify)
    return Decision(
        target=verdict.target,
        rule=verdict.rule,
        detection=detection,
        reasons=(opening, *_nothing_behind(detection), *verdict.reasons),
        resolved=Resolved(text, Source.PROMPT),
        score=verdict.score,
    )


def _confirmed(
    resolved: Resolved, detection: Detection, opening: Reason, verdict: Verdict
) -> Decision:
    found = [Reason(Rule.CONFIRMATION, FOUND_IN[resolved.source])]
    if resolved.marker:
        said = phrase("The agent asks “{words}”.", words=resolved.marker)
        found.insert(0, Reason(Rule.CONFIRMATION, said))
    return Decision(
        target=verdict.target,
        rule=Rule.CONFIRMATION,
        detection=detection,
        reasons=(opening, *found, *verdict.reasons),
        resolved=resolved,
        inner_rule=verdict.rule,
        score=verdict.score,
    )


def _nothing_behind(detection: Detection) -> tuple[Reason, ...]:
    if not detection.is_confirmation:
        return ()
    return (Reason(Rule.CONFIRMATION, phrase("There is nothing before it that it confirms.")),)


def _told(detection: Detection) -> Phrase:
    words = "”, “".join(detection.phrases)
    if detection.retracted:
        taken_back = detection.retraction
        return phrase(
            "It opens with “{words}” and takes it back with “{taken_back}”.",
            words=words,
            taken_back=taken_back,
        )
    if not detection.is_confirmation:
        return phrase("It is no confirmation.")
    if detection.is_pure:
        return phrase("It is a confirmation and no more: “{words}”.", words=words)
    return phrase(
        "It is a confirmation, “{words}”, that goes on: “{scope}”.",
        words=words,
        scope=shortened(detection.scope),
    )
