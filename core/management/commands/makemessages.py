"""`makemessages`, which also collects what `core/words.py: phrase` marks."""

from typing import Any

from django.core.management.commands import makemessages

# The shop is a site of its own, and what only developers read stays English.
LEFT_OUT = (
    *(".venv", ".data", "benchmarks", "demo", "scripts", "tests"),
    *("static/vendor", "templates/shop"),
)


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=phrase"]
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]

    def handle(self, *args: Any, **options: Any) -> None:
        options["ignore_patterns"] += [*LEFT_OUT, *(f"{folder}/*" for folder in LEFT_OUT)]
        options["no_location"] = options["no_obsolete"] = True
        options["no_wrap"] = True
        super().handle(*args, **options)
