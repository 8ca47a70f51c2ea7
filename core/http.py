"""The one place where errors become HTTP: RFC 9457 problem+json with a stable `code`."""

import logging
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from redis import RedisError
from rest_framework import exceptions
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from core.errors import DomainError

log = logging.getLogger(__name__)
PROBLEM = "application/problem+json"
CODES = {
    400: "malformed",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    415: "unsupported_media_type",
    429: "too_many",
}


def problem(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler: every error of the API in one form."""
    status, body, headers = _told(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, DomainError):
        log.error("an API call failed", exc_info=error)
    response = Response(body, status=status, headers=headers, content_type=PROBLEM)
    response.exception = True
    return response


def _told(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    match error:
        case DomainError():
            body = _body(error.status, error.code, error.message, retryable=error.retryable)
            return error.status, {**error.details, **body}, _retry_after(error.details)
        case exceptions.ValidationError():
            body = _body(422, "invalid", "The request does not fit what this call takes.")
            return 422, {**body, "errors": listed(error.detail)}, {}
        case exceptions.APIException():
            headers = {}
            if challenge := getattr(error, "auth_header", None):
                headers["WWW-Authenticate"] = challenge
            return error.status_code, _api_body(error), headers
        case Http404():
            return 404, _body(404, "not_found", "There is nothing at this address."), {}
        case PermissionDenied():
            return 403, _body(403, "forbidden", "You may not do this."), {}
        case OperationalError() | InterfaceError() | RedisError():
            text = "The database or Redis does not answer at the moment. Try again."
            return 503, _body(503, "unavailable", text, retryable=True), {}
        case RequestDataTooBig():
            return 413, _body(413, "too_large", "The request is larger than 4 MiB."), {}
    text = "Pointsman failed on this call. It was logged; try again."
    return 500, _body(500, "internal", text, retryable=True), {}


def _api_body(error: exceptions.APIException) -> dict[str, Any]:
    code = CODES.get(error.status_code, "error")
    return _body(error.status_code, code, str(error.detail), retryable=error.status_code == 429)


def _body(status: int, code: str, detail: str, *, retryable: bool = False) -> dict[str, Any]:
    return {
        "type": f"about:blank#{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "retryable": retryable,
    }


def _retry_after(details: dict[str, Any]) -> dict[str, str]:
    seconds = details.get("retry_after_s")
    return {"Retry-After": str(seconds)} if seconds else {}


def listed(detail: Any, at: str = "") -> list[dict[str, str]]:
    """DRF's nested messages as a flat list of {field, message}."""
    if isinstance(detail, dict):
        return [
            line
            for name, part in detail.items()
            for line in listed(part, f"{at}.{name}" if at else str(name))
        ]
    if isinstance(detail, list):
        return [line for part in detail for line in listed(part, at)]
    return [{"field": at.removesuffix(".non_field_errors"), "message": str(detail)}]


class DeepJSONParser(JSONParser):
    """JSON nested beyond what Python reads is the sender's error, not ours."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError:
            raise exceptions.ParseError("This JSON is nested too deeply.") from None


@csrf_exempt
def nothing_here(request: HttpRequest, rest: str = "") -> JsonResponse:
    """An API address that does not exist is told as a problem too, not as a page."""
    body = _body(404, "not_found", "There is no such call: see /api/v1/schema.")
    return JsonResponse(body, status=404, content_type=PROBLEM)
