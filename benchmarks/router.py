"""P11: routing decisions a second on one core with 50 turns of history, and how they grow."""

import math
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.measuring import Goal, Measure, spread_of, timed_ms
from benchmarks.report import arguments, run
from routing.domain.deciding import decide
from routing.domain.turn import Message, Role, Turn
from routing.rules_file import extended_rules

BATCH = 200
TURNS = 50
PROMPTS = ("Yes, go ahead", "yes, list the files too", "refactor the whole dispatch layer", "sure")


TASK = Message(Role.USER, "Please redesign how the whole dispatch layer handles failures.")
NOTHING_BUT_YES = (Message(Role.AGENT, "Done so far."), Message(Role.USER, "Yes, please."))
TALK = (*NOTHING_BUT_YES, Message(Role.AGENT, "It is done."), Message(Role.USER, "Now the tests."))


def turn_of(prompt: str, talk: Sequence[Message], *, turns: int) -> Turn:
    """A task at the very beginning, then what is said again and again."""
    return Turn(prompt, (TASK, *(tuple(talk) * turns))[:turns])


def decided_ms(turn: Turn, *, rounds: int) -> list[float]:
    """For one decision each, over batches."""
    rules = extended_rules()
    decide(turn, rules)

    def batch() -> None:
        for _ in range(BATCH):
            decide(turn, rules)

    return [timed_ms(batch) / BATCH for _ in range(rounds)]


def exponent(short: float, long: float, *, factor: int) -> float:
    """1 grows with the length, 2 with its square."""
    return math.log(long / short) / math.log(factor)


def measure(rounds: int) -> list[Measure]:
    usual = _with_turns("a decision with 50 turns before it", TALK, rounds)
    a_second = 1000 / usual.ours.median
    usual = replace(usual, goals=[Goal("decisions a second", a_second, 20_000, is_floor=True)])
    worst = _with_turns("the same where all turns of the user are a yes", NOTHING_BUT_YES, rounds)
    return [usual, replace(worst, note=f"{worst.note}; {_growth(rounds)}")]


def _with_turns(name: str, talk: Sequence[Message], rounds: int) -> Measure:
    turns = [turn_of(prompt, talk, turns=TURNS) for prompt in PROMPTS]
    spread = spread_of([ms for turn in turns for ms in decided_ms(turn, rounds=rounds)])
    return Measure("P11", name, spread, note=f"{1000 / spread.median:,.0f} decisions a second")


def _growth(rounds: int) -> str:
    def median(prompt: str, turns: int) -> float:
        turn = turn_of(prompt, NOTHING_BUT_YES, turns=turns)
        return spread_of(decided_ms(turn, rounds=max(rounds // 4, 3))).median

    history = exponent(median("Yes, go ahead", 200), median("Yes, go ahead", 1600), factor=8)
    text = exponent(median("yes " * 500, 1), median("yes " * 4000, 1), factor=8)
    return f"growth with the history n^{history:.2f}, with the text n^{text:.2f}"


if __name__ == "__main__":
    given = arguments(__doc__ or "", rounds=40)
    run("router", lambda: measure(given.rounds))
