"""The names of keys, as Playwright knows them."""

import re

_NAMED = (
    "Backquote|Minus|Equal|Backslash|Backspace|Tab|Delete|Escape|ArrowDown|End|Enter|Home|Insert|"
    "PageDown|PageUp|ArrowRight|ArrowUp|ArrowLeft|Space|NumpadEnter|ContextMenu|"
    "Alt|Control|ControlOrMeta|Meta|Shift|CapsLock|NumLock|ScrollLock|"
    "BracketLeft|BracketRight|Semicolon|Quote|Comma|Period|Slash"
)
_MODIFIER = "Alt|Control|ControlOrMeta|Meta|Shift"
_KEY = re.compile(rf"(?:(?:{_MODIFIER})\+)*(?:{_NAMED}|F[1-9]|F1[0-2]|Key[A-Z]|Digit[0-9]|[ -~])")


def is_key(text: str) -> bool:
    """`Enter`, `a`, `Control+Shift+T`: modifiers first, then one key."""
    return _KEY.fullmatch(text) is not None
