"""A program that asks often: the same answers as from the tables, and no turn waits."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from cairn.resources.context import open_state
from cairn.resources.warehouse.publication import forget_others, manifests, publish
from cairn.serving.read.reader import Reader, open_reader
from cairn.serving.retrieval.context_stream import NOTHING, next_context
from cairn.serving.retrieval.entity_context import known
from cairn.serving.retrieval.open_memory import Memory, make_ready
from cairn.serving.retrieval.search import KINDS, search_memory
from tests.homes import copy_home

QUERIES = ["the nightly backup fails", "rsync permission denied", "what am I allergic to", "zebra"]


@pytest.fixture
def memory(home: Path) -> Memory:
    return Memory(open_state(home))


@pytest.fixture
def reader(memory: Memory) -> Reader:
    return memory.reader()


@pytest.mark.parametrize("as_of", [None, datetime(2026, 2, 20, tzinfo=UTC)])
def test_held_tables_answer_as_those_of_the_warehouse(memory: Memory, as_of: datetime) -> None:
    held, bare = memory.reader(as_of=as_of), open_reader(memory.state, as_of=as_of)
    for query in QUERIES:
        for kind in KINDS:
            assert search_memory(held, query, kind, 20) == search_memory(bare, query, kind, 20)
        assert known(held, query) == known(bare, query)


def test_a_new_publication_is_followed_and_the_last_one_stays_whole(memory: Memory) -> None:
    before = memory.reader()
    assert memory.reader().cached is before.cached
    manifest = manifests(memory.state.home, before.namespace)[0]
    tables = {name: version for name, version in manifest.tables.items() if name != "memory"}
    try:
        publish(memory.state.home, replace(manifest, tables=tables))
        after = memory.reader()
        assert search_memory(after, QUERIES[0], "facts") == []
        assert search_memory(before, QUERIES[0], "facts")
    finally:
        publish(memory.state.home, manifest)


def test_known_names_what_a_message_is_about(reader: Reader) -> None:
    found = known(reader, "Why does harbor-backup fail at night?")
    first = found.entities[0]
    assert (first.name, first.type, first.similarity) == ("harbor-backup", "project", 1.0)
    assert first.facts[0]["text"] == "The log is in /var/log/harbor/nightly.log."
    nearness = [fact["similarity"] for fact in first.facts]
    assert nearness == sorted(nearness, reverse=True)
    assert found.score == max(nearness)
    assert found.sufficient
    assert known(reader, "Do we use npm or pnpm in lantern-shop?").sufficient
    nothing = known(reader, "zebra quagga okapi")
    assert (nothing.entities, nothing.score, nothing.sufficient) == ([], 0.0, False)


def test_the_next_context_is_of_the_last_two_turns(reader: Reader) -> None:
    turns = ["zebra", "The nightly backup of the NAS failed", "It could not wake the NAS"]
    found = next_context(reader, turns)
    assert found.facts
    assert found.episodes
    assert all(one.confidence > reader.state.policy.passive_above for one in found.facts)
    assert len(found.facts) <= reader.state.policy.streamed >= len(found.episodes)
    assert next_context(reader, ["anything", *turns[1:]]) == found
    assert next_context(reader, []) == next_context(reader, [" "]) == NOTHING


@pytest.fixture
def gate() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def test_nobody_waits_for_a_publication_that_is_read_ahead(
    home: Path, monkeypatch: pytest.MonkeyPatch, gate: Event
) -> None:
    """Until its tables are there, answers are of the one before; then of the new one."""
    read = Event()

    def slowly(reader: Reader) -> None:
        gate.wait(30)
        make_ready(reader)
        read.set()

    monkeypatch.setattr("cairn.serving.retrieval.open_memory.make_ready", slowly)
    memory = Memory(open_state(home), ahead=True)
    before = memory.reader()
    manifest = manifests(memory.state.home, before.namespace)[0]
    tables = {name: version for name, version in manifest.tables.items() if name != "memory"}
    try:
        publish(memory.state.home, replace(manifest, tables=tables))
        assert memory.reader().cached is before.cached
        assert search_memory(memory.reader(), QUERIES[0], "facts")
        gate.set()
        assert read.wait(30)
        while memory.reader().cached is before.cached:
            pass
        assert search_memory(memory.reader(), QUERIES[0], "facts") == []
    finally:
        publish(memory.state.home, manifest)


def test_what_was_forgotten_is_not_answered_from(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "home"
    copy_home(home, copy)
    memory = Memory(open_state(copy), ahead=True)
    before = memory.reader()
    manifest = manifests(memory.state.home, before.namespace)[0]
    tables = {name: version for name, version in manifest.tables.items() if name != "memory"}
    publish(memory.state.home, replace(manifest, tables=tables))
    forget_others(memory.state.home, before.namespace)
    assert memory.reader().cached is not before.cached
    assert search_memory(memory.reader(), QUERIES[0], "facts") == []


def test_of_many_namespaces_the_last_ones_asked_for_are_held(
    two_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(open_state(two_home))

    def asked(namespace: str) -> Reader:
        reader = memory.reader(namespace)
        make_ready(reader)
        return reader

    ada = asked("ada")
    assert ada.cached
    assert ada.cached.bytes_held > 1000
    bo, again = asked("bo"), asked("ada")
    assert again.cached is ada.cached
    monkeypatch.setattr("cairn.serving.retrieval.open_memory.MOST_HELD", 1000)
    assert asked("bo").cached is bo.cached  # what is held already stays until more comes
    memory = Memory(open_state(two_home))
    first, _ = asked("ada"), asked("bo")
    assert asked("ada").cached is not first.cached
    assert search_memory(asked("ada"), "orchard") == search_memory(ada, "orchard") != []
