"""`manage.py conformance FILE...`: do the product's own rules give the answers of these vectors?"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from core.conformance import BadVectors, run_file

MISMATCH, UNUSABLE = 1, 2


class Command(BaseCommand):
    help = (
        "Run vectors files through the product's own rules. Prints each mismatch as one line of "
        "JSON and a count. Exits 1 on any mismatch, 2 if a file cannot be run."
    )
    requires_system_checks: list[str] = []  # neither a database nor a stack is needed

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        codes = {self._run(path) for path in files}
        exit_code = MISMATCH if MISMATCH in codes else max(codes)
        if exit_code:
            sys.exit(exit_code)

    def _run(self, path: Path) -> int:
        try:
            report = run_file(path)
        except BadVectors as problem:
            self.stderr.write(f"{path}: {problem}")
            return UNUSABLE
        for mismatch in report.mismatches:
            line = {"file": str(path), "kind": report.kind, **mismatch.as_dict()}
            self.stdout.write(json.dumps(line, ensure_ascii=False, default=str))
        self.stdout.write(
            f"{path}: {report.case_count} {report.kind} cases, {len(report.mismatches)} mismatches"
        )
        return MISMATCH if report.mismatches else 0
