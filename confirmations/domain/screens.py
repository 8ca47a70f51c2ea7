"""The name of a page for which no profile has one."""

from urllib.parse import urlsplit


def screen_of_url(url: str) -> str:
    """`URL:<origin><path>`: query and fragment are no part of it. Never raises."""
    try:
        parts = urlsplit(url)
        return f"URL:{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path}"
    except ValueError:
        return "URL:"
