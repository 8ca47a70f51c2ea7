"""The tiebreaker: a budget model's second opinion on partial calls. It may only pick or pass."""

from confidence.tiebreaker.asking import break_tie
from confidence.tiebreaker.prompt import Question
from confidence.tiebreaker.readiness import breaker, breaker_state, check_settings

__all__ = ["Question", "break_tie", "breaker", "breaker_state", "check_settings"]
