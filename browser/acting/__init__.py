"""Acts on very elements: press, write, choose, drag. Each says what was seen to happen."""

from browser.acting.done import Beginning, Done
from browser.acting.plain import act_plainly
from browser.acting.tools import act

__all__ = ["Beginning", "Done", "act", "act_plainly"]
