"""The names of keys, as Playwright knows them."""

import re

_WRITING = (
    "Backquote|Minus|Equal|Backslash|BracketLeft|BracketRight|Semicolon|Quote|Comma|Period|Slash|"
    "Space|Key[A-Z]|Digit[0-9]|[ -~]"
)
_NAMED = (
    "Backspace|Tab|Delete|Escape|ArrowDown|End|Enter|Home|Insert|"
    "PageDown|PageUp|ArrowRight|ArrowUp|ArrowLeft|NumpadEnter|ContextMenu|"
    "Alt|Control|ControlOrMeta|Meta|Shift|CapsLock|NumLock|ScrollLock|F[1-9]|F1[0-2]"
)
_MODIFIERS = r"(?:(?:Alt|Control|ControlOrMeta|Meta|Shift)\+)*"
_KEY = re.compile(rf"{_MODIFIERS}(?:{_NAMED}|{_WRITING})")
_ENTER = re.compile(rf"{_MODIFIERS}(?:Numpad)?Enter")
_WRITES = re.compile(rf"{_MODIFIERS}(?:{_WRITING})")


def is_key(text: str) -> bool:
    """`Enter`, `a`, `Control+Shift+T`: modifiers first, then one key."""
    return _KEY.fullmatch(text) is not None


def writes(key: str) -> bool:
    """Whether it may put a character into a field."""
    return _WRITES.fullmatch(key) is not None


def is_enter(key: str) -> bool:
    """Whether it may submit a form: pages listen for Enter with modifiers too."""
    return _ENTER.fullmatch(key) is not None
