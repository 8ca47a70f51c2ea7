"""Admins write the router's rules: every text is a version, the latest one holds."""

from django.db import connection, transaction

from audit.services import record
from core import clock
from core.actors import Actor
from core.errors import Conflict, Invalid
from core.words import phrase
from routing import rules
from routing.domain.rules import BadRules, Rules
from routing.models import RulesVersion
from routing.rules_file import parse

LARGEST = 256 * 1024  # characters of one text


class UnreadableRules(Invalid):
    """The text cannot be read; `details` name the line."""

    code = "bad_rules"


class Overtaken(Conflict):
    """Somebody saved rules since these were seen."""

    code = "stale"


@transaction.atomic
def save_rules(text: str, *, seen: int, actor: Actor) -> RulesVersion:
    """In force within a second, everywhere. `seen` is the version that was changed, 0 for none.

    An empty text gives way to the file and the product's own. Raises UnreadableRules, and Overtaken
    when somebody was first: the rules before stay."""
    kept = plain(text)
    checked_rules(kept)
    _hold_the_rules()
    latest = RulesVersion.objects.first()
    if (latest.number if latest else 0) != seen:
        raise _overtaken(latest)
    made = RulesVersion.objects.create(number=seen + 1, text=kept, at=clock.now(), by=actor.name)
    record("router.rules.save", actor=actor, payload={"version": made.number, "text": kept})
    transaction.on_commit(rules.forget)
    return made


def checked_rules(text: str) -> Rules:
    """What would hold with it. Raises UnreadableRules, which names line and key."""
    if len(text) > LARGEST:
        said = phrase("The text is longer than {most} characters.", most=LARGEST)
        raise UnreadableRules(said)
    try:
        return parse(text, base=rules.file_in_force().rules)
    except BadRules as error:
        raise UnreadableRules(str(error), line=error.line or "") from None


def plain(text: str) -> str:
    """As it is kept: a browser's form sends other line ends. No line is lost before another, so
    that an error names the line that was written."""
    kept = text.replace("\r\n", "\n").rstrip()
    return f"{kept}\n" if kept else ""


def _overtaken(latest: RulesVersion | None) -> Overtaken:
    if latest is None:
        return Overtaken(phrase("No rules are saved: load this page again."))
    said = phrase(
        "{who} changed the rules meanwhile: they have version {version} now.",
        who=latest.by,
        version=latest.number,
    )
    return Overtaken(said, version=latest.number)


def _hold_the_rules() -> None:
    """One change at a time."""
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {RulesVersion._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
