"""A site's profile: which screen a page is, which id an element has, and what is done for good."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from confirmations.domain.elements import is_one_of
from confirmations.domain.modes import Mode
from confirmations.domain.selectors import BadSelector, checked_selector
from confirmations.domain.url_glob import LONGEST, BadGlob, UrlGlob, path_glob, site_glob, url_glob
from core.placed import Placed
from core.words import phrase

MOST_SITES, MOST_SCREENS, MOST_ELEMENTS, MOST_URLS = 50, 200, 200, 20
LONGEST_ID = 100
ROW = "[N]"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_SCREEN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\[N\])?(\.[A-Za-z0-9_]+(\[N\])?)*")


@dataclass(frozen=True)
class Screen:
    """`selector` must find something on the page; none: the address alone tells it."""

    id: str
    urls: tuple[str, ...]
    selector: str
    globs: tuple[UrlGlob, ...]


@dataclass(frozen=True)
class Element:
    """`row` is what `[N]` in the id counts."""

    id: str
    selector: str
    row: str


@dataclass(frozen=True)
class Profile:
    name: str
    sites: tuple[str, ...]
    mode: Mode | None
    screens: tuple[Screen, ...]
    elements: tuple[Element, ...]
    irreversible: tuple[str, ...]
    globs: tuple[UrlGlob, ...]

    def attaches(self, url: str) -> bool:
        return any(glob.matches(url) for glob in self.globs)

    def specificity(self, url: str) -> tuple[int, int]:
        """Of the most specific site that the address belongs to; it must belong to one."""
        return max(glob.specificity for glob in self.globs if glob.matches(url))

    def screens_for(self, url: str) -> tuple[Screen, ...]:
        """Those whose address fits, in the order of the profile."""
        return tuple(
            screen for screen in self.screens if any(glob.matches(url) for glob in screen.globs)
        )

    def is_irreversible(self, element_id: str) -> bool:
        return is_one_of(element_id, self.irreversible)


def read_profile(written: Placed) -> Profile:
    """Raises Misplaced, which names the line and the key."""
    fields = written.fields(
        required=("name", "sites"), optional=("mode", "screens", "elements", "irreversible")
    )
    sites = _texts(fields["sites"], most=MOST_SITES)
    globs = tuple(_glob(site, site_glob) for site in sites)
    elements = _elements(fields.get("elements"))
    return Profile(
        name=_name(fields["name"]),
        sites=tuple(_text(site) for site in sites),
        mode=_mode(fields.get("mode")),
        screens=_screens(fields.get("screens"), sites=globs),
        elements=elements,
        irreversible=_irreversible(fields.get("irreversible"), elements),
        globs=globs,
    )


def _name(written: Placed) -> str:
    if not _NAME.fullmatch(_text(written)):
        raise written.wrong(phrase("Small letters, digits and dashes, 60 at most."))
    return _text(written)


def _mode(written: Placed | None) -> Mode | None:
    if written is None:
        return None
    if _text(written) not in set(Mode):
        raise written.wrong(phrase("One of {modes}.", modes=", ".join(Mode)))
    return Mode(_text(written))


# --- screens ----------------------------------------------------------------------------
def _screens(written: Placed | None, *, sites: tuple[UrlGlob, ...]) -> tuple[Screen, ...]:
    seen: set[str] = set()
    return tuple(_screen(one, sites, seen) for one in _entries(written, most=MOST_SCREENS))


def _screen(written: Placed, sites: tuple[UrlGlob, ...], seen: set[str]) -> Screen:
    fields = written.fields(required=("id", "url"), optional=("selector",))
    urls = _texts(fields["url"], most=MOST_URLS) if _is_list(fields["url"]) else (fields["url"],)
    return Screen(
        id=_new_id(fields["id"], _SCREEN_ID, seen),
        urls=tuple(_text(url) for url in urls),
        selector=_selector(fields, "selector"),
        globs=tuple(glob for url in urls for glob in _screen_globs(url, sites)),
    )


def _screen_globs(url: Placed, sites: tuple[UrlGlob, ...]) -> Iterable[UrlGlob]:
    """A path is a path of each site; anything else is a whole address."""
    if not _text(url).startswith("/"):
        return (_glob(url, url_glob),)
    return tuple(_glob(url, partial(path_glob, site=site)) for site in sites)


def _glob(written: Placed, read: Callable[[str], UrlGlob]) -> UrlGlob:
    try:
        return read(_text(written))
    except BadGlob as error:
        raise written.wrong(error.args[0]) from None


# --- elements ---------------------------------------------------------------------------
def _elements(written: Placed | None) -> tuple[Element, ...]:
    seen: set[str] = set()
    return tuple(_element(one, seen) for one in _entries(written, most=MOST_ELEMENTS))


def _element(written: Placed, seen: set[str]) -> Element:
    fields = written.fields(required=("id", "selector"), optional=("row",))
    element_id = _new_id(fields["id"], _ELEMENT_ID, seen)
    if element_id.count(ROW) > 1:
        raise fields["id"].wrong(phrase("[N] may be written once."))
    if ROW in element_id and "row" not in fields:
        raise fields["id"].wrong(phrase("[N] counts rows: say with row what a row is."))
    if "row" in fields and ROW not in element_id:
        raise fields["row"].wrong(phrase("A row is counted by [N] in the id, and there is none."))
    return Element(element_id, _selector(fields, "selector"), _selector(fields, "row"))


def _irreversible(written: Placed | None, elements: tuple[Element, ...]) -> tuple[str, ...]:
    known = {element.id for element in elements}
    named = _entries(written, most=MOST_ELEMENTS)
    for one in named:
        if _text(one) not in known:
            raise one.wrong(phrase("No element has this id."))
    return tuple(_text(one) for one in named)


# --- what both have ---------------------------------------------------------------------
def _new_id(written: Placed, shape: re.Pattern[str], seen: set[str]) -> str:
    new = written.text(longest=LONGEST_ID)
    if not shape.fullmatch(new):
        raise written.wrong(
            phrase("An id is made of letters, digits and _; that of an element also of . and [N].")
        )
    if new in seen:
        raise written.wrong(phrase("This id is written twice."))
    seen.add(new)
    return new


def _selector(fields: Mapping[str, Placed], key: str) -> str:
    if key not in fields:
        return ""
    try:
        return checked_selector(_text(fields[key]))
    except BadSelector as error:
        raise fields[key].wrong(error.args[0]) from None


def _texts(written: Placed, *, most: int) -> tuple[Placed, ...]:
    """At least one."""
    texts = written.items(most=most)
    if not texts:
        raise written.wrong(phrase("At least one belongs here."))
    return texts


def _entries(written: Placed | None, *, most: int) -> tuple[Placed, ...]:
    return written.items(most=most) if written else ()


def _is_list(written: Placed) -> bool:
    return isinstance(written.content, tuple)


def _text(written: Placed) -> str:
    return written.text(longest=LONGEST)
