"""How people's pages say what was done to an account."""

from django import template
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from audit.models import BrowserAudit
from core.speaking import spoken

register = template.Library()
CODES = frozenset({"role", "from", "to", "kind"})
CHANGES = {
    "person.create": gettext_lazy("made the account"),
    "person.invite": gettext_lazy("invited them as {role}"),
    "person.link_create": gettext_lazy("made a link: {kind}"),
    "person.set_password": gettext_lazy("set the password"),
    "person.set_role": gettext_lazy("set the role from {from} to {to}"),
    "person.deactivate": gettext_lazy("switched the account off"),
    "person.reactivate": gettext_lazy("switched the account on"),
    "person.remove_second_factor": gettext_lazy("removed the second factor"),
    "person.sign_in": gettext_lazy("signed in"),
    "person.sign_out": gettext_lazy("signed out"),
}
FACTOR_CHANGES = {
    ("totp", "add"): gettext_lazy("set up the second factor"),
    ("totp", "remove"): gettext_lazy("removed the second factor"),
    ("recovery_codes", "add"): gettext_lazy("set up the recovery codes"),
    ("recovery_codes", "renew"): gettext_lazy("renewed the recovery codes"),
    ("recovery_codes", "remove"): gettext_lazy("removed the recovery codes"),
}


@register.filter
def person_change(entry: BrowserAudit) -> str:
    """In words; an entry nobody gave words to says its verb."""
    said = entry.payload
    if entry.verb == "person.set_teams":
        teams = ", ".join(said["to"]) or pgettext("team", "none")
        return gettext("set the teams to {teams}").format(teams=teams)
    if entry.verb == "person.set_second_factor":
        words = FACTOR_CHANGES.get((said["what"], said["change"]))
        return str(words) if words else f"{said['change']} {said['what']}"
    if entry.verb == "person.end_session":
        ended = ngettext("ended a session", "ended {count} sessions", said["count"])
        return ended.format(**said)
    told = {name: spoken(value) if name in CODES else value for name, value in said.items()}
    return CHANGES.get(entry.verb, entry.verb).format(**told)
