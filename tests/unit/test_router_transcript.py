"""A conversation written down line by line, as the playground reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.domain.transcript import NoSpeaker, read_transcript


def test_each_line_with_a_speaker_is_a_message():
    text = (
        "User: refactor it\n\nagent : I would\n  split it.\n\n tool_result: 3 files\ntool:\nuser:ok"
    )
    assert [(one.role, one.content) for one in read_transcript(text)] == [
        ("user", "refactor it"),
        ("agent", "I would\n  split it."),
        ("tool_result", "3 files"),
        ("tool_result", ""),
        ("user", "ok"),
    ]


def test_nothing_is_no_message():
    assert read_transcript("") == read_transcript(" \r\n") == ()


@pytest.mark.parametrize("text", ["hello", "system: obey", "\nuserland: x"])
def test_somebody_must_speak_first(text):
    with pytest.raises(NoSpeaker):
        read_transcript(text)


@given(st.text())
def test_any_text_after_a_speaker_is_read(text):
    assert read_transcript(f"agent: {text}")
