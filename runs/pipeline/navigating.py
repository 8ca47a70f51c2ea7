"""Going to another page or tab. It has no target and so no confidence; the tier may propose it."""

from dataclasses import replace
from typing import Any

from django.conf import settings

from browser import calls
from browser.acting import Done
from browser.providers import BrowserRef
from confidence.domain.gate import Decision
from runs import services
from runs.models import Action, Run
from runs.pipeline.asking import ask_a_person
from runs.pipeline.errors import SandboxBlocked
from runs.pipeline.expecting import expected_of
from runs.pipeline.judging import Judgement, decide_without_target
from runs.pipeline.outcomes import not_done
from sandbox.domain import refuse_navigation as refusal_of


def refuse_navigation(run: Run, url: str) -> None:
    refusal = refusal_of(url, allowed=run.agent.allowed_hosts)
    if refusal:
        raise SandboxBlocked(refusal.detail, violation_type=refusal.violation_type)


def navigate(action: Action, ref: BrowserRef) -> None:
    _refuse_address(action)
    decision = decide_without_target(action)
    if action.dry_run:
        services.succeed(action, not_done(decision))
    elif decision.decision is Decision.PROPOSE:
        ask_a_person(action, ref, [], [], Judgement((), decision))
    else:
        services.begin_act(action, indices=[])
        services.succeed(action, expected_of(action, ref, go(action, ref)))


def _refuse_address(action: Action) -> None:
    if url := action.params.get("url"):
        refuse_navigation(action.run, url)


def go(action: Action, ref: BrowserRef) -> Done:
    """Raises SandboxBlocked, NavigationFailed, NoMatch, NotEnabled: nothing was done then."""
    _refuse_address(action)
    params = action.params
    match action.tool:
        case "browser_navigate_back":
            return calls.go_back(ref, timeout_s=settings.NAVIGATION_TIMEOUT_S)
        case "browser_tabs":
            return _go_to_tab(ref, params)
        case _:
            return calls.navigate(ref, params["url"], timeout_s=settings.NAVIGATION_TIMEOUT_S)


def _go_to_tab(ref: BrowserRef, params: dict[str, Any]) -> Done:
    match params["action"]:
        case "select":
            return calls.select_tab(ref, params["index"])
        case "close":
            return calls.close_tab(ref, params.get("index"))
    opened = calls.new_tab(ref)
    if not params.get("url"):
        return opened
    there = replace(ref, target=opened.target)
    done = calls.navigate(there, params["url"], timeout_s=settings.NAVIGATION_TIMEOUT_S)
    return replace(done, target=opened.target)
