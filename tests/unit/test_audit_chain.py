"""The chain as pure rules: whatever is changed, removed, moved or added is found and named."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import domain
from audit.domain import GENESIS, Link

KEY = "a key outside the database"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def chain_of(count: int) -> list[Link]:
    links: list[Link] = []
    previous = GENESIS
    for sequence in range(1, count + 1):
        content = {"verb": "action.act", "n": sequence}
        seal = domain.seal(
            KEY, chain="r", sequence=sequence, previous_hash=previous, content=content
        )
        links.append(Link(sequence, content, previous, seal))
        previous = seal
    return links


def check(links: list[Link], *, count: int = 5, key: str = KEY) -> domain.Break | None:
    head = chain_of(count)[-1].hash
    return domain.find_break(
        key,
        chain="r",
        links=links,
        count=count,
        head=head,
        head_seal=domain.seal_head(KEY, chain="r", count=count, head=head),
    )


def test_an_untouched_chain_verifies() -> None:
    assert check(chain_of(5)) is None


@pytest.mark.parametrize("place", range(5))
def test_a_changed_entry_is_named(place: int) -> None:
    links = chain_of(5)
    links[place] = dataclasses.replace(links[place], content={"verb": "other"})
    found = check(links)
    assert found
    assert found.sequence == place + 1


@pytest.mark.parametrize("place", range(5))
def test_a_removed_entry_is_found_also_at_the_end(place: int) -> None:
    links = chain_of(5)
    del links[place]
    assert check(links)


def test_moved_and_inserted_entries_are_found() -> None:
    links = chain_of(5)
    assert check([links[1], links[0], *links[2:]])
    assert check([*links[:2], links[1], *links[2:]])


def test_a_head_counted_down_to_hide_a_cut_tail_is_found() -> None:
    links, short = chain_of(5)[:3], chain_of(3)[-1].hash
    found = domain.find_break(
        KEY,
        chain="r",
        links=links,
        count=3,
        head=short,
        head_seal=domain.seal_head(KEY, chain="r", count=5, head=chain_of(5)[-1].hash),
    )
    assert found
    assert found.problem == "the head was changed"


def test_a_chain_rehashed_without_the_key_is_found() -> None:
    assert check(chain_of(5), key="another key")


@given(json_values)
def test_any_payload_is_sealed_as_the_database_gives_it_back(value: Any) -> None:
    plain = domain.plain({"value": value})
    assert domain.plain(plain) == plain
    assert b"\x00" not in domain.canonical(plain)
