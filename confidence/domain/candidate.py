"""A candidate: one real element that the agent's target may mean."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from confidence.domain.reading import items_from, mapping_from, number_from, text_from

MODEL_TEXT_CHARS = 80


@dataclass(frozen=True)
class Box:
    """In CSS px, page coordinates."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Cover:
    """What a hit test finds on top of a candidate."""

    tag: str
    text: str = ""

    def __str__(self) -> str:
        text = printable(self.text)
        return f"<{printable(self.tag)}> '{text}'" if text else f"<{printable(self.tag)}>"


@dataclass(frozen=True)
class SetOff:
    """What Enter in a candidate sets off: the words of the controls it presses. `is_known` is False
    where only the page's scripts could tell."""

    words: tuple[str, ...] = ()
    is_known: bool = False


@dataclass(frozen=True)
class MatchCandidate:
    """`index` is its place among the described candidates. `name` is the accessible name.
    `path` finds the element again, `fingerprint` tells whether it is still the same one.
    `sets_off` is None for a call that presses no Enter."""

    index: int
    tag: str
    role: str = ""
    name: str = ""
    text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    box: Box | None = None
    visible: bool = True
    enabled: bool = True
    in_viewport: bool = True
    covered_by: Cover | None = None
    frame: str = ""
    shadow: bool = False
    path: str = ""
    context: str = ""
    fingerprint: str = ""
    sets_off: SetOff | None = None

    @property
    def evidence(self) -> tuple[bool, bool, bool]:
        """Compared in this order: enabled, then uncovered, then in the viewport."""
        return (self.enabled, self.covered_by is None, self.in_viewport)

    @property
    def obstacles(self) -> list[str]:
        """Why an action on it would fail, in words."""
        found = [] if self.enabled else ["is disabled"]
        return found if self.covered_by is None else [*found, f"is covered by {self.covered_by}"]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    def for_model(self) -> dict[str, object]:
        """Short: what sets it apart, and only what speaks against it."""
        described = {
            "tag": self.tag,
            "role": self.role,
            "name": printable(self.name),
            "text": printable(self.text),
            "context": printable(self.context),
            "attributes": {k: printable(v) for k, v in self.attributes.items() if v},
            "covered_by": str(self.covered_by or ""),
        }
        flags = {"visible": self.visible, "enabled": self.enabled, "in_viewport": self.in_viewport}
        return {
            "index": self.index,
            **{name: value for name, value in described.items() if value},
            **{name: False for name, holds in flags.items() if not holds},
        }


def printable(page_text: str) -> str:
    """Page text for a sentence: one line, cut, without control and bidi characters."""
    shown = " ".join(page_text[: 4 * MODEL_TEXT_CHARS].split())
    shown = "".join(character for character in shown if character.isprintable())
    return shown if len(shown) <= MODEL_TEXT_CHARS else shown[: MODEL_TEXT_CHARS - 1] + "…"


def candidate_from(value: object, *, index: int) -> MatchCandidate:
    """Never raises. What is missing counts against it: not visible, not enabled, not in view."""
    data = mapping_from(value) or {}
    return MatchCandidate(
        index=index,
        tag=text_from(data.get("tag")),
        role=text_from(data.get("role")),
        name=text_from(data.get("name")),
        text=text_from(data.get("text")),
        attributes=_attributes_from(data.get("attributes")),
        box=_box_from(data.get("box")),
        visible=data.get("visible") is True,
        enabled=data.get("enabled") is True,
        in_viewport=data.get("in_viewport") is True,
        covered_by=_cover_from(data.get("covered_by")),
        frame=text_from(data.get("frame")),
        shadow=data.get("shadow") is True,
        path=text_from(data.get("path")),
        context=text_from(data.get("context")),
        fingerprint=text_from(data.get("fingerprint")),
        sets_off=_set_off_from(data.get("sets_off")),
    )


def _set_off_from(value: object) -> SetOff | None:
    """What cannot be read is not known."""
    if value is None:
        return None
    data = mapping_from(value) or {}
    words = tuple(text_from(one) for one in items_from(data.get("words")))
    return SetOff(words, is_known=data.get("is_known") is True)


def _attributes_from(value: object) -> dict[str, str]:
    data = mapping_from(value) or {}
    return {text_from(name): text_from(held) for name, held in data.items()}


def _box_from(value: object) -> Box | None:
    data = mapping_from(value)
    if not data:
        return None
    x, y, width, height = (number_from(data.get(side)) for side in ("x", "y", "width", "height"))
    return Box(x=x, y=y, width=width, height=height)


def _cover_from(value: object) -> Cover | None:
    if value is None:
        return None
    data = mapping_from(value)
    if data is None:
        return Cover(tag=text_from(value))
    return Cover(tag=text_from(data.get("tag")), text=text_from(data.get("text")))
