"""Another embedder: readers keep the one by which they were published until all is made anew."""

from pathlib import Path

import pytest

from cairn.knowledge.schema.tables import EMBEDDINGS
from cairn.pipelines.follow import follow
from cairn.resources.context import State, open_state
from cairn.resources.home.sources import add_source
from cairn.resources.warehouse.publication import published
from cairn.serving.read.reader import open_reader
from cairn.serving.retrieval.search import search_memory
from tests.journeys.running import assert_as_built
from tests.resources.embedders.tiny import tiny_encoder

CHAT = """\
{"role": "user", "name": "Mira", "timestamp": "2026-03-01T10:00:00Z", "conversation_id": "c",
 "content": "The backup is late, the NAS sleeps."}
{"role": "user", "name": "Mira", "timestamp": "2026-03-02T10:00:00Z", "conversation_id": "c",
 "content": "We use Postgres for the orders."}
""".replace(",\n", ",")


def _found(state: State) -> tuple[str, list[str]]:
    """The model by which what is searched was embedded, and what a search finds."""
    reader = open_reader(state, "n")
    generation = published(state.home, "n")
    assert generation is not None
    name = generation.generation or ""
    results = search_memory(reader, "is the backup late", "both", 5)
    return name.partition("_")[0], [one.text for one in results]


def test_readers_change_over_at_once_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chat.jsonl").write_text(CHAT)
    home, folder = tmp_path / "home", tiny_encoder(tmp_path / "tiny")
    first = open_state(home)
    add_source(first.home, tmp_path / "chat.jsonl", "n")
    follow(first)
    model, before = _found(first)
    assert (model, len(before) > 0) == ("wordllama", True)

    monkeypatch.setenv("CAIRN_POLICY__EMBEDDER", f"onnx:{folder}")
    second = open_state(home)
    assert _found(second) == (model, before)  # as it was published
    follow(second)
    assert _found(second)[0] == "onnx"
    assert set(second.warehouse.read(EMBEDDINGS).collect()["model"]) == {second.embedder.model}
    assert_as_built(second)

    folder.rename(tmp_path / "gone")
    assert _found(open_state(home))[1]  # by words alone
    (tmp_path / "gone").rename(folder)

    monkeypatch.delenv("CAIRN_POLICY__EMBEDDER")
    third = open_state(home)
    assert _found(third)[0] == "onnx"
    follow(third)
    assert _found(third) == (model, before)
