"""What the verifiers of a run's task say: of an open run as it is, of an ended one as it was."""

from typing import Any

from confirmations import backend
from confirmations.domain.latch import latch_from
from confirmations.domain.verifying import verifiers_of, verify
from core.errors import Conflict
from runs import services
from runs.models import Run


def verification_of(run: Run) -> dict[str, Any]:
    """Raises Unavailable when the shop's backend does not answer, Conflict for a run that did not
    begin in the shop."""
    if run.verification is not None:
        return {"run_id": str(run.id), **run.verification}
    said = _look(run)
    if run.is_over and not run.browser:  # an act of it may still be on its way
        said = services.keep_verification(run.id, said)
    return {"run_id": str(run.id), **said}


def _look(run: Run) -> dict[str, Any]:
    state = _state_of(run) if verifiers_of(run.task) else {}
    latch = latch_from(run.confirmation)
    return verify(run.task, state, latch, services.requirement_of_run(run)).as_dict()


def _state_of(run: Run) -> dict[str, Any]:
    if not backend.is_of(run.start_url):
        raise Conflict("Nothing can be verified: this run's start_url is not the shop's.")
    return backend.state_of(str(run.id))
