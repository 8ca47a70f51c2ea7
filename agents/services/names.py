"""How the record names people, and how secrets are kept."""

import hashlib

from agents.models import Person
from core.actors import Actor


def actor_of(person: Person) -> Actor:
    """A person as the record names them."""
    return Actor(kind="person", id=str(person.pk), name=person.username)


def hash_of(secret: str) -> str:
    """SHA-256; enough for secrets of 256 random bits, and one index look-up per call."""
    return hashlib.sha256(secret.encode()).hexdigest()
