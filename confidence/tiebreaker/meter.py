"""What the tiebreaker costs: one row and one count per question."""

import logging
from decimal import Decimal

from django.conf import settings
from django.db import Error, transaction

from confidence.models import TiebreakCall
from confidence.tiebreaker.prompt import Question
from core import clock, metrics
from core.chat.reply import Usage

log = logging.getLogger(__name__)
MILLION = 1_000_000
MAX_COST_USD = Decimal("9999")  # what the column holds


def note(
    question: Question,
    *,
    outcome: TiebreakCall.Outcome,
    model: str,
    latency_ms: float,
    usage: Usage,
) -> None:
    """Never raises for want of the database: no action waits for its bill."""
    metrics.count_tiebreak(outcome=outcome.value)
    metrics.observe("tiebreak", latency_ms / 1000)
    try:
        with transaction.atomic():  # a failure must not spoil a transaction around it
            TiebreakCall.objects.create(
                run_id=question.run_id,
                action_id=question.action_id,
                agent_id=question.agent_id,
                created_at=clock.now(),
                model=model[:200],
                outcome=outcome,
                latency_ms=latency_ms,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cost_usd=cost_usd(usage),
                cache_hit=outcome is TiebreakCall.Outcome.CACHED,
            )
    except Error as error:
        log.warning("a tiebreak call was not metered: %s", error)


def cost_usd(usage: Usage) -> Decimal:
    """The prices are USD per million tokens."""
    price_in = Decimal(str(settings.TIEBREAKER_PRICE_IN))
    price_out = Decimal(str(settings.TIEBREAKER_PRICE_OUT))
    cost = (usage.prompt_tokens * price_in + usage.completion_tokens * price_out) / MILLION
    return min(cost, MAX_COST_USD)
