"""The face of the library: asked, formatted, routed, closed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import cairn
from cairn.knowledge.llm.fence import fenced
from cairn.serving.knowledge_layers.formatting import Formatter
from cairn.serving.knowledge_layers.items import Metadata
from cairn.serving.knowledge_layers.knowledge import Knowledge
from cairn.serving.knowledge_layers.stores import Stores
from tests.serving.knowledge_layers.examples import stores
from tests.serving.knowledge_layers.test_loading import DOCUMENT


def test_it_is_called_with_a_query() -> None:
    knowledge = Knowledge(stores(), active_entity_id="ada")
    assert knowledge("tea") == fenced(Formatter()(knowledge.retrieve("tea")))
    assert "\n[Metadata]\ncity: Ghent\nname: Ada\n\n[Global Metadata]\n" in knowledge("tea")
    assert Knowledge(stores([], [], [], []))("tea") == ""


def test_an_entity_that_is_named_is_what_pieces_are_about() -> None:
    """Of the active entity come profile and graph; what else is asked may be about anybody."""
    knowledge = Knowledge(stores(), active_entity_id="ada")
    assert {one.piece.entity_id for one in knowledge.retrieve("tea").pieces} == {"ada", "ben", None}
    about = knowledge.retrieve("tea", "ada")
    assert {one.piece.entity_id for one in about.pieces} == {"ada", None}
    assert knowledge.retrieve("", "ben", graph_traversal_depth=2).entity_id == "ben"


def test_defaults_are_of_the_class_and_can_be_overruled() -> None:
    knowledge = Knowledge(stores(), active_entity_id="ada", top_k=1, graph_traversal_depth=0)
    assert [one.piece.piece_id for one in knowledge.retrieve("tea").pieces] == ["p1"]
    found = knowledge.retrieve("tea", top_k=9, graph_traversal_depth=1)
    assert len(found.pieces) == 4


def test_sections_have_their_own_formatters() -> None:
    knowledge = Knowledge(
        stores(),
        active_entity_id="ada",
        formatter=Formatter(include_tags=False),
        formatters={"skills": lambda found: f"{len(found.pieces)} skill", "context": lambda _: ""},
        metadata_info_type="about",
    )
    assert knowledge.by_info_type("tea") == {
        "about": fenced(
            "[Metadata]\ncity: Ghent\nname: Ada\n\n[Global Metadata]\nlanguage: English"
        ),
        "skills": fenced("1 skill"),
        "user_profile": fenced(
            "[Knowledge]\n[preference] Ada drinks tea.\n\n"
            "[Relationships]\nOWNS → Place:Clock Street 4"
        ),
    }


class Closing:
    """A store that notes that it was closed."""

    def __init__(self, closed: list[str], name: str, *, fails: bool) -> None:
        self.closed, self.name, self.fails = closed, name, fails

    def close(self) -> None:
        self.closed.append(self.name)
        if self.fails:
            raise OSError(self.name)


@pytest.mark.parametrize("failing", ["", "metadata", "pieces", "graph"])
def test_every_store_is_closed_even_if_one_fails(failing: str) -> None:
    closed: list[str] = []
    layers = [Closing(closed, name, fails=name == failing) for name in Stores._fields]
    knowledge = Knowledge(Stores(*layers))
    if failing:
        with pytest.raises(OSError, match=failing):
            knowledge.close()
    else:
        knowledge.close()
    assert sorted(closed) == ["graph", "metadata", "pieces"]
    knowledge.close()
    assert len(closed) == 3
    with pytest.raises(ValueError, match="closed"):
        knowledge("tea")


def test_one_store_for_all_layers_is_closed_once() -> None:
    closed: list[str] = []
    store = Closing(closed, "all", fails=False)
    with Knowledge(Stores(store, store, store)):
        pass
    assert closed == ["all"]


def test_a_document_is_knowledge_too() -> None:
    with cairn.Knowledge.load(json.dumps(DOCUMENT), active_entity_id="ada") as knowledge:
        assert knowledge.retrieve("").metadata == Metadata("ada", "person", {"city": "Ghent"})


def test_the_library_names_what_it_has() -> None:
    assert sorted(cairn._MODULES) == sorted(cairn.__all__) == dir(cairn)
    assert all(getattr(cairn, name).__name__ == name for name in cairn.__all__)
    with pytest.raises(AttributeError, match="Ledge"):
        _ = cairn.Ledge


def test_importing_the_library_imports_nothing_else() -> None:
    """What takes time (polars, pydantic, the engine) waits for its use."""
    code = "import sys, cairn; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(cairn.__file__).parents[1],
    )  # fmt: skip
    heavy = {"polars", "numpy", "pydantic", "dagster", "jinja2", "tokenizers", "serving"}
    assert not heavy & set(done.stdout.split())
