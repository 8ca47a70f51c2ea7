"""Says our words in the language of whoever looks at the page."""

from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import get_language, gettext
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

from core.words import Phrase

ENGLISH = "en"


def spoken(text: str) -> str:
    """A phrase or a known text in the page's language; what no catalogue knows stays as it is."""
    if isinstance(text, Phrase):
        said = gettext(text.pattern) if text.pattern else ""
        return said.format(**{name: _spoken(value) for name, value in text.values.items()})
    return gettext(text) if text else ""


def _spoken(value: object) -> object:
    return spoken(value) if isinstance(value, Phrase) else value


def number(value: float | Decimal, decimals: int = 0) -> str:
    """`12,480.50` as the page's language writes it."""
    return number_format(Decimal(f"{value:.{decimals}f}"), decimals, force_grouping=True)


def script_words() -> dict[str, Any]:
    """What the scripts say, by its English; nothing for English itself."""
    language = get_language() or ENGLISH
    if language == ENGLISH:
        return {}
    catalogue = JavaScriptCatalog()
    catalogue.translation = DjangoTranslation(language, domain="djangojs")
    words: dict[str, Any] = catalogue.get_catalog()
    return words
