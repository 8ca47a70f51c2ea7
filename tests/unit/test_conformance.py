"""The vectors runner: the given vectors pass, and a wrong answer is seen, told and counted."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from core import conformance
from core.conformance import BadVectors, differences_between, run_file
from core.management.commands.conformance import Command

VECTORS = Path(__file__).parent.parent / "vectors"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(conformance, "_kinds", dict(conformance._kinds))


def write(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "vectors.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def run_command(*paths: Path) -> tuple[int, list[str], str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(Command(stdout=out, stderr=err, no_color=True), *map(str, paths))
        code = 0
    except SystemExit as ended:
        code = ended.code
    return code, out.getvalue().splitlines(), err.getvalue()


@pytest.mark.parametrize(
    ("kind", "count"),
    [("score", 80), ("text_only", 42), ("gate", 240), ("latches", 30), ("routing", 58)],
)
def test_the_given_vectors_pass(kind, count):
    report = run_file(VECTORS / f"{kind}.json")
    assert report.kind == kind
    assert report.case_count == count
    assert [mismatch.as_dict() for mismatch in report.mismatches] == []


ANSWERS = {"score": ("score", "level"), "text_only": ("is_text_only",)}
ANSWERS["gate"] = ("decision", "reasons", "would_gate")


@pytest.mark.parametrize(("kind", "key"), [(k, key) for k, keys in ANSWERS.items() for key in keys])
def test_a_wrong_answer_in_any_key_is_seen(tmp_path, kind, key):
    vectors = json.loads((VECTORS / f"{kind}.json").read_text())
    case = vectors["cases"][0]
    case[key] = not case[key]
    (mismatch,) = run_file(write(tmp_path, vectors)).mismatches
    assert mismatch.case == 0
    assert [difference.path for difference in mismatch.differences] == [key]


def test_an_expect_object_is_compared_with_the_files_rules(tmp_path):
    conformance.register("echo", lambda case, rules: {"said": case["say"], "rules": rules})
    told = {"kind": "echo", "rules": {"a": 1}, "cases": [{"say": 1, "expect": {"rules": {"a": 1}}}]}
    assert run_file(write(tmp_path, told)).mismatches == ()
    without = {"kind": "echo", "cases": [{"say": 1, "expect": {"rules": None, "said": 2}}]}
    (mismatch,) = run_file(write(tmp_path, without)).mismatches
    assert mismatch.as_dict() == {
        "case": 0,
        "differences": [{"path": "said", "expected": 2, "actual": 1}],
    }


def test_a_case_that_expects_nothing_is_a_mismatch(tmp_path):
    report = run_file(write(tmp_path, {"kind": "text_only", "cases": [{"selector": "a"}]}))
    assert report.mismatches[0].error == "the case expects nothing"


def test_rules_that_raise_are_a_mismatch_and_the_rest_still_runs(tmp_path):
    cases = [
        {"is_text_only": True, "name": "no selector"},
        {"selector": "a", "is_text_only": False},
    ]
    report = run_file(write(tmp_path, {"kind": "text_only", "cases": cases}))
    assert report.mismatches[0].as_dict() == {
        "case": 0,
        "name": "no selector",
        "error": "KeyError: 'selector'",
    }
    assert report.mismatches[1].case == 1


@pytest.mark.parametrize(
    ("expected", "actual", "paths"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"]),
        ({"a": 1}, {}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1, "c": 0}, {"b": 3}]}, ["a[1].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": [1, 2]}, {"a": (1, 2)}, []),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": 0}, {"a": False}, ["a"]),
        ({"a": 0.3}, {"a": 0.1 + 0.2}, []),
        ({"a": 0.3}, {"a": 0.3001}, ["a"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
    ],
)
def test_only_expected_keys_are_compared_at_every_depth(expected, actual, paths):
    assert [found.path for found in differences_between(expected, actual)] == paths


def test_the_command_counts_and_succeeds():
    code, lines, errors = run_command(VECTORS / "gate.json", VECTORS / "score.json")
    assert (code, errors) == (0, "")
    assert [line.split(": ")[1] for line in lines] == [
        "240 gate cases, 0 mismatches",
        "80 score cases, 0 mismatches",
    ]


def test_the_command_prints_each_mismatch_as_one_line_of_json(tmp_path):
    cases = [{"selector": s, "is_text_only": True} for s in ("#a", "b", "#c")]
    code, lines, _ = run_command(write(tmp_path, {"kind": "text_only", "cases": cases}))
    assert code == 1
    assert [json.loads(line)["case"] for line in lines[:-1]] == [0, 2]
    assert lines[-1].endswith("3 text_only cases, 2 mismatches")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"kind": ', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a vectors file"),
        ({"cases": [{}]}, "is not a vectors file"),
        ({"kind": "score", "cases": []}, "has no `cases`"),
        ({"kind": "score", "cases": [1]}, "has no `cases`"),
        (
            {"kind": "poetry", "cases": [{}]},
            "unknown kind 'poetry'; known kinds: gate, latches, routing, score",
        ),
    ],
)
def test_a_file_that_cannot_be_run_is_said_clearly(tmp_path, content, problem):
    path = write(tmp_path, content)
    with pytest.raises(BadVectors, match=problem):
        run_file(path)
    code, lines, errors = run_command(path)
    assert (code, lines) == (2, [])
    assert problem in errors


def test_a_missing_file_is_said_and_the_others_still_run(tmp_path):
    code, lines, errors = run_command(tmp_path / "none.json", VECTORS / "score.json")
    assert code == 2
    assert "none.json: cannot be read: No such file" in errors
    assert len(lines) == 1
