"""Files that a call names: only those in the run's own folder may be read."""

from collections.abc import Mapping
from typing import Any

from browser.acting.fields import OwnFiles
from runs import files
from runs.models import Action
from runs.pipeline.errors import SandboxBlocked
from sandbox.domain import refuse_path


def with_files(action: Action, secrets: Mapping[str, Any]) -> dict[str, Any]:
    """The params with `secrets` filled in and every file by its absolute path.

    Raises SandboxBlocked for a file outside the run's folder, NotFound for one that is not there.
    """
    params = {**action.params, **secrets}
    if "paths" in params:
        params["paths"] = [_file(action, path) for path in params["paths"]]
    if "fields" in secrets:
        params["fields"] = [_field(action, one) for one in params["fields"]]
    return params


def _field(action: Action, one: Mapping[str, Any]) -> dict[str, Any]:
    if one.get("type") != "file":
        return dict(one)
    named = one["value"] if isinstance(one["value"], list) else [str(one["value"])]
    return {**one, "value": OwnFiles(tuple(_file(action, path) for path in named))}


def _file(action: Action, name: str) -> str:
    folder = files.folder_of(action.run_id)
    try:
        resolved = (folder / name).resolve()
    except (OSError, ValueError):  # longer than any path, or no name at all
        resolved = folder
    refusal = refuse_path(name, folder=folder, resolved=resolved)
    if refusal:
        raise SandboxBlocked(refusal.detail, violation_type=refusal.violation_type)
    return str(files.path_of(action.run_id, name))
