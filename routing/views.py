"""The router playground: what would become of this prompt, and why. Nothing is kept or counted."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from core.words import Phrase, phrase
from routing import classifier, rules
from routing.domain.deciding import Decision, decide
from routing.domain.judging import Reason, Rule
from routing.domain.resolving import Source
from routing.forms import PlaygroundForm

STEPS: dict[Rule, Phrase] = {
    Rule.EXPLICIT: phrase("chosen by somebody"),
    Rule.STICKY: phrase("kept from the last turn"),
    Rule.STATE: phrase("an answer that is waited for"),
    Rule.CONFIRMATION: phrase("a confirmation"),
    Rule.HARD_THRESHOLD: phrase("length and key words"),
    Rule.SOFT_SCORE: phrase("the score"),
    Rule.CLASSIFIER: phrase("the classifier"),
    Rule.DEFAULT: phrase("the fallback"),
}
SOURCES: dict[Source, Phrase] = {
    Source.OWN_SCOPE: phrase("the user's words after the yes"),
    Source.AGENT_PROPOSAL: phrase("the agent's question"),
    Source.PENDING_TASK: phrase("the user's task before it"),
    Source.AGENT_MESSAGE: phrase("the agent's last message"),
    Source.PROMPT: phrase("the prompt itself"),
}


@dataclass(frozen=True)
class Step:
    """The reasons that one step of the order gave, one below the other."""

    name: Phrase
    rule: Rule
    reasons: list[Reason]


@dataclass(frozen=True)
class Example:
    """Something to try, as the address of its page."""

    prompt: str
    history: str = ""

    @property
    def query(self) -> str:
        return urlencode({"prompt": self.prompt, "history": self.history})


HARD = "user: refactor the whole dispatch layer\nagent: I would split it in three packages."
EXAMPLES = [
    Example("yes, go ahead", HARD),
    Example("yes, list the files too", HARD),
    Example("yes, but don't", HARD),
    Example("yes", f"{HARD}\nagent: Done. Want me to also rename the test file?"),
    Example("refactor the whole dispatch layer"),
]


@require_GET
@never_cache
@login_required
def playground(request: HttpRequest) -> HttpResponse:
    """`?prompt=` and what surrounds it; without one an empty form and a few examples."""
    form = PlaygroundForm(request.GET if "prompt" in request.GET else None)
    in_force = rules.in_force()
    decision = None
    if form.is_valid():
        decision = decide(form.turn(), in_force.rules, classify=classifier.ask)
    context = {
        "room": "router",
        "form": form,
        "decision": decision,
        "steps": _steps(decision) if decision else [],
        "source": SOURCES[decision.resolved.source] if decision and decision.resolved else "",
        "in_force": in_force,
        "examples": EXAMPLES,
    }
    return render(request, "routing/playground.html", context, status=422 if form.errors else 200)


def _steps(decision: Decision) -> list[Step]:
    steps: list[Step] = []
    for reason in decision.reasons:
        if not steps or steps[-1].rule is not reason.step:
            steps.append(Step(STEPS[reason.step], reason.step, []))
        steps[-1].reasons.append(reason)
    return steps
