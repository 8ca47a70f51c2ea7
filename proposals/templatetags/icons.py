"""Our few icons, drawn in the page itself: one stroke, the colour of the words beside them."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SHAPES = {
    "clear": '<circle cx="8" cy="8" r="6.25"/><path d="m5.25 8.25 2 2 3.5-4.25"/>',
    "caution": '<path d="M8 2.25 14.5 13.5h-13Z"/><path d="M8 6.5v3"/><path d="M8 11.5v.01"/>',
    "danger": '<path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4Z"/>'
    '<path d="M8 4.75v3.75"/><path d="M8 11v.01"/>',
    "none": '<circle cx="8" cy="8" r="6.25"/><path d="M5.25 8h5.5"/>',
    "star": '<path fill="currentColor" d="m8 1.75 1.9 3.95 4.35.6-3.17 3.03.78 4.32L8 11.57'
    'l-3.86 2.08.78-4.32L1.75 6.3l4.35-.6Z"/>',
    "clock": '<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.25 1.5"/>',
    "eye": '<path d="M1.5 8S3.75 3.5 8 3.5 14.5 8 14.5 8 12.25 12.5 8 12.5 1.5 8 1.5 8Z"/>'
    '<circle cx="8" cy="8" r="2"/>',
    "back": '<path d="M9.75 3 4.75 8l5 5"/>',
    "forward": '<path d="m6.25 3 5 5-5 5"/>',
    "down": '<path d="m3 6 5 5 5-5"/>',
    "check": '<path d="m2.75 8.5 3.5 3.5 7-8"/>',
    "cross": '<path d="m3.5 3.5 9 9m0-9-9 9"/>',
    "undo": '<path d="M5.5 2.75 2.75 5.5 5.5 8.25"/><path d="M3 5.5h6.25a4 4 0 0 1 0 8H6.5"/>',
    "frame": '<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5"/>'
    '<rect x="4.75" y="6.25" width="6.5" height="4" rx=".75"/>',
    "lock": '<rect x="3" y="7" width="10" height="7" rx="1.5"/><path d="M5.25 7V5a2.75 2.75 0 0 1 '
    '5.5 0v2"/>',
    "person": '<circle cx="8" cy="5.25" r="2.75"/><path d="M2.5 14c.5-3 2.6-4.5 5.5-4.5s5 1.5 '
    '5.5 4.5"/>',
    "agent": '<rect x="2.25" y="5" width="11.5" height="8" rx="2"/><path d="M8 5V2.25"/>'
    '<path d="M5.75 8.5v1M10.25 8.5v1"/>',
    "help": '<circle cx="8" cy="8" r="6.25"/><path d="M6.25 6.25a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.85'
    '.65-.85 1.4"/><path d="M8 11.5v.01"/>',
    "runs": '<path d="M4 2.5v11"/><circle cx="4" cy="4.5" r="1.5" fill="currentColor"/>'
    '<circle cx="4" cy="11" r="1.5" fill="currentColor"/><path d="M7.5 4.5h6M7.5 11h6"/>',
    "queue": '<path d="M1.75 9h3.5l1 2h3.5l1-2h3.5"/><path d="m1.75 9 2-6h8.5l2 6v4.25H1.75Z"/>',
    "chain": '<path d="M6.75 9.25a2.75 2.75 0 0 0 3.9 0l2.1-2.1a2.75 2.75 0 0 0-3.9-3.9l-.85.85"/>'
    '<path d="M9.25 6.75a2.75 2.75 0 0 0-3.9 0l-2.1 2.1a2.75 2.75 0 0 0 3.9 3.9l.85-.85"/>',
    "irreversible": '<path d="M8 1.75v6.5"/><path d="M4.75 3.75a5.5 5.5 0 1 0 6.5 0"/>',
    "picture": '<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5"/>'
    '<path d="m2 11 3.5-3.5 3 3 2-2L14 12"/><circle cx="10.5" cy="6" r="1"/>',
    "zoom": '<circle cx="7" cy="7" r="4.75"/><path d="m10.5 10.5 3.75 3.75"/>'
    '<path d="M7 5v4M5 7h4"/>',
    "aim": '<circle cx="8" cy="8" r="4.75"/><path d="M8 1v4M8 11v4M1 8h4M11 8h4"/>',
    "message": '<path d="M2 3.5h12v8H7.5L4.5 14v-2.5H2Z"/>',
    "seal": '<circle cx="8" cy="6.25" r="4.5"/>'
    '<path d="m5.25 9.75-1 4.5 2.5-1M10.75 9.75l1 4.5-2.5-1"/>'
    '<path d="m8.75 1.75-1.5 3 1.75 1.5-1.75 4.5"/>',
    "more": '<path d="M3 8v.01M8 8v.01M13 8v.01" stroke-width="2.5"/>',
    "pause": '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
    "hand": '<path d="M8 1.75v6.5M5 4v6M11 4v5"/><path d="M2.75 9.5c0 2.75 2 4.75 5.25 4.75S13.25 '
    '12 13.25 9V6"/>',
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """Decoration only: the words beside it say the same."""
    return format_html(
        '<svg class="icon icon-{}" viewBox="0 0 16 16" width="16" height="16" fill="none" '
        'stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" '
        'aria-hidden="true" focusable="false">{}</svg>',
        name,
        mark_safe(SHAPES[name]),  # our own constants, never text from outside
    )
