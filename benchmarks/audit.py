"""P8: audit entries a second with the chain, beside a plain INSERT of the same row."""

from typing import Any
from uuid import uuid4

from benchmarks.ground import own_data
from benchmarks.measuring import Goal, Measure, alternate, spread_of, timed_ms
from benchmarks.report import arguments, run
from core.actors import SYSTEM

PAYLOAD = {
    "match_confidence": {"level": "high", "score": 0.97, "rationale": ["one match", "by test id"]},
    "gate": {"reasons": ["confident"], "would_gate": False},
    "index": 0,
}


def measure(rounds: int) -> list[Measure]:
    with own_data():
        return [
            _compare("an entry in a transaction of its own", rounds, batch=1),
            _compare("one of 50 entries in one transaction", max(rounds // 20, 5), batch=50),
        ]


def _compare(name: str, rounds: int, *, batch: int) -> Measure:
    """The plain rows are real entries under a chain's name of their own."""
    from django.db import transaction

    from audit.models import BrowserAudit
    from audit.services import record

    run_id, plain_chain = uuid4(), f"plain-{batch}"

    @transaction.atomic
    def chained() -> None:
        for _ in range(batch):
            record("action.act", actor=SYSTEM, run_id=run_id, payload=PAYLOAD)

    record("action.act", actor=SYSTEM, run_id=run_id, payload=PAYLOAD)
    pattern = BrowserAudit.objects.get(run_id=run_id)

    @transaction.atomic
    def plain(number: int) -> None:
        for place in range(batch):
            _copy(pattern, chain=plain_chain, sequence=number * batch + place + 1).save(
                force_insert=True
            )

    samples, plain_samples = alternate(
        lambda _: timed_ms(chained) / batch,
        lambda number: timed_ms(lambda: plain(number)) / batch,
        rounds=rounds,
    )
    ours, peer = spread_of(samples), spread_of(plain_samples)
    share = peer.median / ours.median
    goal = Goal("entries a second against plain", share, 0.70, is_floor=True)
    note = f"{1000 / ours.median:,.0f} entries a second, plain {1000 / peer.median:,.0f}"
    return Measure("P8", name, ours, peer, [goal], note=note)


def _copy(pattern: Any, **changes: Any) -> Any:
    values = {field.attname: getattr(pattern, field.attname) for field in pattern._meta.fields}
    return type(pattern)(**{**values, "id": None, **changes})


def main() -> None:
    rounds = arguments(__doc__ or "", rounds=600).rounds
    run("audit", lambda: measure(rounds))


if __name__ == "__main__":
    main()
