"""A signed-in person, without a browser."""

from django.test import Client

from agents.models import Person

HOME = {"HTTP_HOST": "127.0.0.1"}


def client_of(person: Person) -> Client:
    client = Client(**HOME)
    client.force_login(person)
    return client
