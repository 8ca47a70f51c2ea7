"""What the verifiers of a run's task say: of an open run as it is, of an ended one as it was."""

from typing import Any

from confirmations import backend
from confirmations.domain.latch import latch_from
from confirmations.domain.verifying import verifiers_of, verify
from runs import services
from runs.models import Run


def verification_of(run: Run) -> dict[str, Any]:
    """Raises Unavailable when the shop's backend does not answer."""
    if run.verification is not None:
        return {"run_id": str(run.id), **run.verification}
    said = _look(run)
    if run.is_over and not run.browser:  # an act of it may still be on its way
        said = services.keep_verification(run.id, said)
    return {"run_id": str(run.id), **said}


def _look(run: Run) -> dict[str, Any]:
    needs_state = bool(verifiers_of(run.task))
    state = backend.state_of(str(run.id)) if needs_state else {}
    latch = latch_from(run.confirmation)
    return verify(run.task, state, latch, services.requirement_of_run(run)).as_dict()
