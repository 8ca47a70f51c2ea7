"""The roll-out as rules: its steps, how acts are counted, and what is compared with what.

Pure, standard library only. An act is an action on a target that was scored; reads and dry runs
never gate and are not counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from confidence.domain.gate import ALL_TIERS
from core.errors import Conflict
from core.words import phrase

WARN_ABOVE = 2.0


# --- the steps --------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """One switch of the roll-out: the tiers that it puts in force together."""

    slug: str
    name: str
    tiers: tuple[str, ...]


STEPS = (
    Step("students-interns", phrase("Students and interns"), ("student", "intern")),
    Step("supervised", phrase("Supervised agents"), ("supervised",)),
    Step("autonomous", phrase("Autonomous agents"), ("autonomous",)),
)


@dataclass(frozen=True)
class RollOut:
    """How far gating is in force: for which tiers, and whether for any at all.

    Where the layer is off nothing is scored, so nothing gates until it is on again."""

    force_proposal: bool
    gated_tiers: frozenset[str]
    layer_is_on: bool = True

    @property
    def mode(self) -> str:
        """OFF, SHADOW or GATING, as the frame of every page says it."""
        if not self.layer_is_on:
            return "OFF"
        return "GATING" if self.force_proposal else "SHADOW"

    @property
    def tiers_in_force(self) -> frozenset[str]:
        return self.gated_tiers if self.force_proposal else frozenset()

    @property
    def in_order(self) -> list[str]:
        """The tiers in force, the least trusted first."""
        return [tier for tier in ALL_TIERS if tier in self.tiers_in_force]

    @property
    def stopped_with(self) -> list[str]:
        """The tiers that were rolled out when somebody stopped gating, in the same order."""
        if self.force_proposal or self.gated_tiers >= set(ALL_TIERS):
            return []
        return [tier for tier in ALL_TIERS if tier in self.gated_tiers]

    def is_on(self, step: Step) -> bool:
        return self.tiers_in_force >= set(step.tiers)

    def is_partly_on(self, step: Step) -> bool:
        return not self.is_on(step) and not self.tiers_in_force.isdisjoint(step.tiers)

    @property
    def next_step(self) -> Step | None:
        """The first step that is not wholly on: steps are switched on one after another."""
        return next((step for step in STEPS if not self.is_on(step)), None)

    def with_step(self, step: Step) -> "RollOut":
        """Raises Conflict if it is on already or another step comes first."""
        if self.is_on(step):
            said = phrase("{step}: gating is in force for them already.", step=step.name)
            raise Conflict(said)
        if self.next_step and self.next_step != step:
            said = phrase(
                "{step} come later: switch on “{first}” first.",
                step=step.name,
                first=self.next_step.name,
            )
            raise Conflict(said)
        tiers = self.tiers_in_force | set(step.tiers)
        return replace(self, force_proposal=True, gated_tiers=tiers)

    def without_step(self, step: Step) -> "RollOut":
        """Without the last tier it is shadow mode again, which watches every tier.

        Raises Conflict if the step is not on."""
        if self.tiers_in_force.isdisjoint(step.tiers):
            raise Conflict(phrase("{step}: gating is not in force for them.", step=step.name))
        left = self.tiers_in_force - set(step.tiers)
        tiers = left or frozenset(ALL_TIERS)
        return replace(self, force_proposal=bool(left), gated_tiers=tiers)


# --- counts -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Tally:
    """Acts of some agents in some days. `would_gate` as shadow mode recorded it, `sent` those that
    really went to a person for want of certainty."""

    acts: int = 0
    clear: int = 0
    caution: int = 0
    danger: int = 0
    would_gate: int = 0
    sent: int = 0

    @property
    def unsure(self) -> int:
        return self.caution + self.danger

    @property
    def would_gate_share(self) -> float | None:
        return share(self.would_gate, self.acts)

    @property
    def sent_share(self) -> float | None:
        return share(self.sent, self.acts)


def total_of(tallies: Iterable[Tally]) -> Tally:
    kept = list(tallies)
    return Tally(
        acts=sum(one.acts for one in kept),
        clear=sum(one.clear for one in kept),
        caution=sum(one.caution for one in kept),
        danger=sum(one.danger for one in kept),
        would_gate=sum(one.would_gate for one in kept),
        sent=sum(one.sent for one in kept),
    )


@dataclass(frozen=True)
class Tiebreaks:
    """Questions to the tiebreaker, how many it answered with a pick, and their price."""

    calls: int = 0
    picks: int = 0
    cost_usd: Decimal = Decimal(0)


def total_tiebreaks(counts: Iterable[Tiebreaks]) -> Tiebreaks:
    kept = list(counts)
    return Tiebreaks(
        calls=sum(one.calls for one in kept),
        picks=sum(one.picks for one in kept),
        cost_usd=sum((one.cost_usd for one in kept), Decimal(0)),
    )


def share(part: int, whole: int) -> float | None:
    """0..1, or None of nothing."""
    return part / whole if whole else None


# --- volume against the shadow baseline -------------------------------------------------
@dataclass(frozen=True)
class Day:
    """One tier's acts of one day (UTC)."""

    on: date
    acts: int
    would_gate: int
    sent: int

    @property
    def is_shadow(self) -> bool:
        """Certainty was recorded that day and sent nobody to a person."""
        return self.would_gate > 0 and self.sent == 0


@dataclass(frozen=True)
class Volume:
    """Proposals per act since gating came into force, beside the would-gate share of shadow mode.

    Either is None where there was no act to count."""

    baseline: float | None
    baseline_acts: int
    present: float | None
    present_acts: int

    @property
    def ratio(self) -> float | None:
        if self.present is None or not self.baseline:
            return None
        return self.present / self.baseline

    @property
    def is_above(self) -> bool:
        """More than twice what shadow mode foretold; anything is more than twice nothing."""
        if self.present is None or self.baseline is None:
            return False
        return self.present > WARN_ABOVE * self.baseline


def compare_volume(days: Sequence[Day], *, window_start: date) -> Volume:
    """The volume of one tier in the window against its shadow days.

    Gating began on the first of `days` that sent an act to a person. The baseline counts the days
    before that one. The present counts the days from it on, inside the window, without those spent
    in shadow mode again. Days may reach back beyond the window, so that a baseline is found.
    """
    ordered = sorted(days, key=lambda day: day.on)
    began = next((day.on for day in ordered if day.sent), None)
    before = [day for day in ordered if began is None or day.on < began]
    since = [day for day in ordered if began and day.on >= max(began, window_start)]
    gated = [day for day in since if not day.is_shadow]
    return Volume(
        baseline=share(sum(day.would_gate for day in before), sum(day.acts for day in before)),
        baseline_acts=sum(day.acts for day in before),
        present=share(sum(day.sent for day in gated), sum(day.acts for day in gated)),
        present_acts=sum(day.acts for day in gated),
    )


# --- gating of one agent ----------------------------------------------------------------
GATING_WORDS = {None: phrase("follow"), True: phrase("always"), False: phrase("never")}


def would_be_sent(tally: Tally, *, agent_flag: bool | None) -> int:
    """Of these acts, how many a person would have decided with the agent's tier in force."""
    return 0 if agent_flag is False else tally.unsure
