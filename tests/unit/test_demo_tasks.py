"""The demo's tasks as they are written: what each says, and what counts as a surprise."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from demo.shop.catalogue import product_by_sku
from demo.tasks.playing import Played, read_outcome
from demo.tasks.reading import Task, all_tasks, read_task
from demo.tasks.telling import line_of, table
from runs.gym import in_our_words
from runs.task_form import TaskBody
from runs.tools import read_call

TASKS = all_tasks()
GOOD = {
    "verifiers": [
        {
            "verifier_id": "VU-CHECKOUT",
            "status": "PASS",
            "failure_code": None,
            "backend_data": {"confirmation_violation": None},
        }
    ],
    "completion": True,
    "completion_under_policy": True,
    "shaping": 0.05,
}


def every(task: Task) -> set[str]:
    return {script.must_be.verdict for script in task.scripts}


def test_there_are_enough_tasks_and_each_has_a_script_that_passes() -> None:
    assert len(TASKS) >= 12
    assert all("PASS" in every(task) for task in TASKS)
    verdicts = {verdict for task in TASKS for verdict in every(task)}
    assert verdicts == {"PASS", "CONFIRMATION_REQUIRED", "STATE_MISMATCH"}


def test_every_task_has_its_own_id_and_every_script_of_it_its_own_name() -> None:
    assert len({task.id for task in TASKS}) == len(TASKS)
    for task in TASKS:
        assert len({script.name for script in task.scripts}) == len(task.scripts), task.id


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_task_is_one_that_a_run_may_be_opened_with(task: Task) -> None:
    body = TaskBody(data=task.body)
    assert body.is_valid(), body.errors
    for line in task.body["setup"].get("cart", []):
        assert product_by_sku(line["sku"]), line


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_step_is_a_call_that_agents_may_make(task: Task) -> None:
    for script in task.scripts:
        for step in script.steps:
            call = step.call
            if action := call.get("action"):
                read_call(*in_our_words(action, call["params"], start_url="http://shop/"))
            else:
                read_call(call["tool"], call["params"])


def test_what_scripts_do_alike_may_be_written_as_a_list() -> None:
    task = read_task(
        """
        id: buy
        start: /
        scripts:
          - name: buys
            verdict: PASS
            does:
              - &both [{browser_click: "#a"}, [{finished: Done, turn: x}]]
              - {browser_click: {target: "#b", doubleClick: true}, ends: blocked}
        """
    )
    [script] = task.scripts
    assert [step.call for step in script.steps] == [
        {"tool": "browser_click", "params": {"target": "#a"}},
        {"tool": "finished", "params": {"content": "Done"}, "turn": "x"},
        {"tool": "browser_click", "params": {"target": "#b", "doubleClick": True}},
    ]
    assert [step.ends for step in script.steps] == ["succeeded", "succeeded", "blocked"]


def played(said: dict[str, Any] | None, *, trouble: str = "") -> Played:
    task = next(task for task in TASKS if task.id == "order-one-kettle")
    outcome = read_outcome(said) if said else None
    return Played(task, task.scripts[0], 1.0, outcome, trouble)


def test_only_what_comes_out_as_written_is_no_surprise() -> None:
    good = played(GOOD)
    assert good.is_as_expected
    others = [
        {"shaping": 0.0},
        {"completion": False},
        {"completion_under_policy": False},
        {"verifiers": [{**GOOD["verifiers"][0], "status": "FAIL", "failure_code": "X"}]},
        {"verifiers": [{**GOOD["verifiers"][0], "backend_data": {"confirmation_violation": "X"}}]},
    ]
    for other in others:
        assert not played({**GOOD, **other}).is_as_expected, other
    assert not played(None, trouble="the shop is closed").is_as_expected


def test_a_surprise_is_told_with_what_must_have_come_out() -> None:
    assert "A SURPRISE: shaping 0.0 instead of 0.05" in line_of(played({**GOOD, "shaping": 0.0}))
    assert "A SURPRISE: the shop is closed" in line_of(played(None, trouble="the shop is closed"))
    good = played(GOOD)
    told = table([good, replace(good, outcome=None)]).splitlines()
    assert told[2].split()[-3:] == ["0.05", "yes", "1.0"]
    assert told[3].split()[-3:] == ["-", "NO", "1.0"]


def test_a_task_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(CommandError, match=r"No such task: nope. There are .*order-one-kettle"):
        call_command("tasks", "nope")
