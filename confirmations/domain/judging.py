"""An irreversible act is held against what was asked."""

from dataclasses import dataclass

from confirmations.domain.latch import (
    Latch,
    Violation,
    accept,
    break_seal,
    find_violation,
    only_answered,
)
from confirmations.domain.modes import Mode
from confirmations.domain.task import STRICT, Requirement


@dataclass(frozen=True)
class Verdict:
    """`latch` is the state from here on; `broken` what the act breaks, latched or not; `before` the
    state whose token it used up, where it used one."""

    latch: Latch
    broken: Violation | None = None
    is_refused: bool = False
    before: Latch | None = None


def judge(
    latch: Latch, requirement: Requirement, mode: Mode, *, screen_id: str, step_id: int
) -> Verdict:
    """The task says what is latched; an admin's mode says what is refused, whatever the task says.

    Only what goes through uses the token up. In `ask` a token that the agent wrote where nobody
    had to answer is none."""
    held_to = STRICT if mode.refuses else requirement
    if not held_to.is_on:
        return Verdict(latch)
    counting = only_answered(latch) if mode is Mode.ASK else latch
    broken = find_violation(counting, held_to, screen_id=screen_id, step_id=step_id)
    if broken is None:
        accepted = accept(latch, held_to)
        return Verdict(accepted, before=latch if accepted != latch else None)
    return Verdict(
        _marked(latch, requirement, screen_id=screen_id, step_id=step_id),
        broken,
        is_refused=mode.refuses,
    )


def _marked(latch: Latch, requirement: Requirement, *, screen_id: str, step_id: int) -> Latch:
    if not requirement.is_on:
        return latch
    broken = find_violation(latch, requirement, screen_id=screen_id, step_id=step_id)
    return break_seal(latch, broken, step_id=step_id) if broken else latch
