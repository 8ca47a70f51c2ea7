"""Rows as files: JSON Lines and CSV, a page of rows at a time, however many there are."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

from core.errors import Invalid

MEDIA_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
# A spreadsheet would run a cell that begins so; some part cells at semicolons or tabs too, and a
# line break inside a cell may begin a row.
FORMULA_START = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\t\r])")

Row = Mapping[str, Any]
# The rows after a mark, and the mark of the last one; None when there are no more.
NextRows = Callable[[Any], tuple[Sequence[Row], Any]]


def export(
    name: str, *, form: str, columns: Sequence[str], next_rows: NextRows
) -> StreamingHttpResponse:
    """`next_rows(None)` gives the first page. Raises Invalid for another form than jsonl or csv."""
    if form not in MEDIA_TYPES:
        raise Invalid("format must be jsonl or csv.")
    lines = _csv_lines if form == "csv" else _json_lines
    head = _csv_line(columns) if form == "csv" else ""
    response = StreamingHttpResponse(
        _stream(head, lambda rows: lines(rows, columns), next_rows),
        content_type=MEDIA_TYPES[form],
    )
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


async def _stream(
    head: str, lines: Callable[[Sequence[Row]], str], next_rows: NextRows
) -> AsyncIterator[bytes]:
    yield head.encode()
    rows, mark = await sync_to_async(next_rows)(None)
    while rows:
        yield lines(rows).encode()
        if mark is None:
            return
        rows, mark = await sync_to_async(next_rows)(mark)


def _json_lines(rows: Sequence[Row], columns: Sequence[str]) -> str:
    kept = ({name: row[name] for name in columns} for row in rows)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept)


def _csv_lines(rows: Sequence[Row], columns: Sequence[str]) -> str:
    return "".join(_csv_line([row[name] for name in columns]) for row in rows)


def _csv_line(values: Sequence[Any]) -> str:
    held = io.StringIO()
    csv.writer(held).writerow([_cell(value) for value in values])
    return held.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return FORMULA_START.sub(r"\1'", text)
