"""What the server says of its own time."""

import pytest
from django.test import Client


@pytest.mark.django_db
def test_every_page_says_how_long_the_server_took() -> None:
    name, took = Client().get("/sign-in")["Server-Timing"].split(";dur=")
    assert name == "app"
    assert 0 < float(took) < 60_000
