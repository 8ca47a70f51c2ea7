"""How people's pages say what was done to an account."""

from django import template

from audit.models import BrowserAudit

register = template.Library()
CHANGES = {
    "person.create": "made the account",
    "person.invite": "invited them as {role}",
    "person.link_create": "made a link: {kind}",
    "person.set_password": "set the password",
    "person.set_role": "set the role from {from} to {to}",
    "person.deactivate": "switched the account off",
    "person.reactivate": "switched the account on",
    "person.end_session": "ended {count} sessions",
    "person.remove_second_factor": "removed the second factor",
    "person.sign_in": "signed in",
    "person.sign_out": "signed out",
}
FACTOR_CHANGES = {"add": "set up", "renew": "renewed", "remove": "removed"}
FACTORS = {"totp": "the second factor", "recovery_codes": "the recovery codes"}


@register.filter
def person_change(entry: BrowserAudit) -> str:
    """In words; an entry nobody gave words to says its verb."""
    said = entry.payload
    if entry.verb == "person.set_teams":
        return f"set the teams to {', '.join(said['to']) or 'none'}"
    if entry.verb == "person.set_second_factor":
        return f"{FACTOR_CHANGES[said['change']]} {FACTORS.get(said['what'], said['what'])}"
    if entry.verb == "person.end_session" and said["count"] == 1:
        return "ended a session"
    return CHANGES.get(entry.verb, entry.verb).format(**said)
