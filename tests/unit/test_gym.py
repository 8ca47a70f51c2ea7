"""The gym's form of an action is the same call under another name."""

import pytest
from rest_framework.serializers import ValidationError

from core.errors import Invalid
from runs import gym
from runs.tools import read_call

START = "http://shop.test/"


@pytest.mark.parametrize(
    ("action", "params", "tool", "ours"),
    [
        ("tap", {"point_2d": [5, 7]}, "browser_mouse_click_xy", {"x": 5, "y": 7}),
        ("click", {"target": "#go"}, "browser_click", {"target": "#go"}),
        ("click", {"point_2d": [1.5, 2], "element": "Go"}, "browser_mouse_click_xy", None),
        ("type", {"target": "#q", "text": "tea"}, "browser_type", None),
        ("wait", {}, "browser_wait_for", {"time": 1.0}),
        ("wait", {"time": 3}, "browser_wait_for", {"time": 3}),
        ("start_app", {}, "browser_navigate", {"url": START}),
        ("needs_confirmation", {"content": "May I?"}, "needs_confirmation", None),
        ("message_user", {"content": "Hello"}, "message_user", None),
        ("finished", {}, "finished", {}),
    ],
)
def test_an_action_becomes_a_call_that_is_taken(action, params, tool, ours):
    name, given = gym.in_our_words(action, params, start_url=START)
    assert name == tool
    assert ours is None or given == ours
    assert read_call(name, given).tool == tool


def test_an_action_that_the_gym_has_not_is_refused_by_name():
    with pytest.raises(Invalid, match="There is no action 'browser_click'"):
        gym.in_our_words("browser_click", {}, start_url=START)


@pytest.mark.parametrize("point", ["5,7", [1], [1, 2, 3], None, {"x": 1}])
def test_a_bad_point_is_said_by_its_key(point):
    with pytest.raises(ValidationError, match="point_2d"):
        gym.in_our_words("tap", {"point_2d": point}, start_url=START)


def test_a_run_without_a_start_page_has_no_app_to_start():
    with pytest.raises(Invalid, match="start_url"):
        gym.in_our_words("start_app", {}, start_url="")


def test_nothing_but_the_start_page_is_opened_as_the_app():
    with pytest.raises(Invalid, match="no parameters"):
        gym.in_our_words("start_app", {"url": "http://elsewhere.test/"}, start_url=START)
