"""Words of ours in the page's language; every template has these without loading them."""

from typing import Any

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString

from core.speaking import script_words, spoken

register = template.Library()


@register.filter(name="spoken")
def spoken_filter(text: Any) -> str:
    """Of a value that holds words of ours: a level, a refusal, a flag's meaning."""
    return spoken(text) if isinstance(text, str) else str(text)


@register.simple_tag
def words_for_scripts() -> SafeString:
    return json_script(script_words(), "words")
