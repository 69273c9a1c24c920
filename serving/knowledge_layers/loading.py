"""Knowledge that somebody has put in layers already: one JSON document, item by item.

    {"metadata": {"alice": {"entity_type": "person", "properties": {"city": "Utrecht"}}},
     "pieces": [{"piece_id": "p1", "content": "Alice prefers tea.", "knowledge_type": "preference",
                 "info_type": "user_profile", "tags": ["drinks"], "entity_id": "alice",
                 "embedding_text": "what Alice likes to drink"}],
     "graph": {"nodes": [{"node_id": "alice", "node_type": "person", "label": "Alice"}, …],
               "edges": [{"source_id": "alice", "target_id": "acme", "edge_type": "WORKS_AT",
                          "properties": {"piece_id": "p2"}}]}}

An item that is not right is left out with the reason, and the others load. The profile `global` is
everybody's.
"""

import json
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.fact_types import INFO_TYPES
from cairn.knowledge.schema.identity import digest
from cairn.serving.knowledge_layers.cache import HeldGraph, HeldMetadata, HeldPieces
from cairn.serving.knowledge_layers.items import (
    CONTEXT,
    INSTRUCTIONS,
    SKILLS,
    USER_PROFILE,
    Edge,
    KnowledgeType,
    Metadata,
    Node,
    Piece,
)
from cairn.serving.knowledge_layers.stores import Stores

log = logging.getLogger(__name__)

T = TypeVar("T")
_Place = tuple[str, Any]


class LoadedGraph(NamedTuple):
    """Nodes, and edges between them."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


class Skipped(NamedTuple):
    """An item that did not load: its place in the document, and why."""

    where: str
    why: str


class Loaded(NamedTuple):
    """What was right in a document, and what was not, in the document's order."""

    metadata: tuple[Metadata, ...]
    pieces: tuple[Piece, ...]
    graph: LoadedGraph
    skipped: tuple[Skipped, ...]

    def stores(self) -> Stores:
        """The layers in memory."""
        return Stores(HeldMetadata(self.metadata), HeldPieces(self.pieces), HeldGraph(*self.graph))


def load(document: str | bytes | Mapping[str, Any]) -> Loaded:
    """The knowledge of a document, as `checked`; what is left out is warned of, too.

    Raises:
        ValueError: it is no JSON object.
    """
    loaded = checked(document)
    for where, why in loaded.skipped:
        log.warning("%s is left out: %s", where, why)
    return loaded


def checked(document: str | bytes | Mapping[str, Any]) -> Loaded:
    """The knowledge of a document; each item that is not right is listed.

    Enumerations may be in any case, and null is as good as nothing. A piece without an id has one
    of its content; without an info type, that of its knowledge type. An id counts once: what comes
    later with the same is left out. What holds a secret does not load (docs/redaction.md), nor an
    edge without its two nodes.

    Args:
        document: The JSON, or the object that it is.

    Raises:
        ValueError: it is no JSON object.
    """
    whole = _object(document)
    skipped: list[Skipped] = []
    profiles = _mapping("metadata", whole.pop("metadata", None), skipped)
    metadata = _read(map(_with_id, profiles.items()), _profile, skipped)
    pieces = _read(_listed("pieces", whole.pop("pieces", None), skipped), _piece, skipped)
    graph = _mapping("graph", whole.pop("graph", None), skipped)
    nodes = _read(_listed("graph.nodes", graph.pop("nodes", None), skipped), _node, skipped)

    def edge(item: Any) -> tuple[Hashable, Edge]:
        return _edge(item, nodes)

    edges = _read(_listed("graph.edges", graph.pop("edges", None), skipped), edge, skipped)
    for name in (*(f"graph.{name}" for name in graph), *whole):
        _skip(skipped, name, "there is no such section")
    return Loaded(
        tuple(metadata.values()),
        tuple(pieces.values()),
        LoadedGraph(tuple(nodes.values()), tuple(edges.values())),
        tuple(skipped),
    )


class _Refused(Exception):  # noqa: N818  never leaves this module
    """Why an item does not load."""


def _object(document: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    try:
        whole: Any = json.loads(document) if isinstance(document, str | bytes) else document
    except RecursionError as error:
        raise ValueError("the JSON is nested too deep") from error
    if isinstance(whole, Mapping):
        return dict(cast("Mapping[str, Any]", whole))
    raise ValueError("knowledge in layers is a JSON object: metadata, pieces, graph")


def _mapping(where: str, items: Any, skipped: list[Skipped]) -> dict[str, Any]:
    if items is None or isinstance(items, Mapping):
        return dict(cast("Mapping[str, Any]", items or {}))
    _skip(skipped, where, "is no object")
    return {}


def _with_id(named: tuple[str, Any]) -> _Place:
    """The place of a profile, and the profile with the id that it stands under."""
    entity_id, item = named
    held = isinstance(item, Mapping)
    return f"metadata.{entity_id}", {**item, "entity_id": entity_id} if held else item


def _listed(where: str, items: Any, skipped: list[Skipped]) -> Iterator[_Place]:
    """Items of a list with their places."""
    if items is not None and not isinstance(items, list):
        _skip(skipped, where, "is no list")
        return
    for place, item in enumerate(cast("list[Any]", items or [])):
        yield f"{where}[{place}]", item


def _read(
    items: Iterable[_Place], read: Callable[[Any], tuple[Hashable, T]], skipped: list[Skipped]
) -> dict[Hashable, T]:
    """What items are, by what makes each of them one; those that are not right are skipped."""
    found: dict[Hashable, T] = {}
    for where, item in items:
        try:
            key, thing = read(_clean(item))
            if key in found:
                _skip(skipped, where, "stands there before")
            found.setdefault(key, thing)
        except _Refused as refused:
            _skip(skipped, where, str(refused))
        except ValidationError as error:
            # Reasons name fields, and never say what stood there.
            faults = error.errors(include_input=False, include_url=False, include_context=False)
            told = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
            _skip(skipped, where, "; ".join(told))
    return found


def _clean(item: Any) -> dict[str, Any]:
    """An item without what is null.

    Raises:
        _Refused: it is no object, or there is a secret in it.
    """
    if not isinstance(item, Mapping):
        raise _Refused("is no object")
    try:
        payload = json.dumps(item, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise _Refused("is no valid JSON") from None
    if redactor().redact_json(payload)[1]:
        raise _Refused("holds a secret")
    return {name: value for name, value in item.items() if value is not None}


def _skip(skipped: list[Skipped], where: str, why: str) -> None:
    where = redactor().redact_text(where)[0]  # names of entities are texts, too
    skipped.append(Skipped(where, why))


def _said(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("empty", "is empty")
    return value


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _known_in_any_case(value: Any) -> Any:
    known = (USER_PROFILE, INSTRUCTIONS, CONTEXT, SKILLS)
    return _lower(value) if _lower(value) in known else value


_Text = Annotated[str, AfterValidator(_said)]
_Name = Annotated[_Text, StringConstraints(strip_whitespace=True)]


class _Profile(BaseModel):
    entity_id: _Name
    entity_type: _Name
    properties: dict[str, Any] = {}


class _Piece(BaseModel):
    content: _Text
    piece_id: _Name | None = None
    knowledge_type: Annotated[KnowledgeType, BeforeValidator(_lower)] = KnowledgeType.FACT
    info_type: Annotated[_Name, BeforeValidator(_known_in_any_case)] | None = None
    tags: list[_Name] = []
    entity_id: _Name | None = None
    embedding_text: _Text | None = None


class _Node(BaseModel):
    node_id: _Name
    node_type: _Name
    label: _Name | None = None


class _Properties(BaseModel):
    model_config = ConfigDict(extra="allow")
    piece_id: _Name | None = None
    description: str | None = None


class _Edge(BaseModel):
    source_id: _Name
    target_id: _Name
    edge_type: _Name
    properties: _Properties = _Properties()


def _profile(item: Any) -> tuple[Hashable, Metadata]:
    read = _Profile.model_validate(item)
    return read.entity_id, Metadata(read.entity_id, read.entity_type, read.properties)


def _piece(item: Any) -> tuple[Hashable, Piece]:
    read = _Piece.model_validate(item)
    piece = Piece(
        piece_id=read.piece_id or f"p_{digest(read.entity_id, read.content)}",
        content=read.content,
        knowledge_type=read.knowledge_type,
        info_type=read.info_type or INFO_TYPES.get(read.knowledge_type, CONTEXT),
        tags=tuple(dict.fromkeys(read.tags)),
        entity_id=read.entity_id,
        embedding_text=read.embedding_text,
    )
    return piece.piece_id, piece


def _node(item: Any) -> tuple[Hashable, Node]:
    read = _Node.model_validate(item)
    return read.node_id, Node(read.node_id, read.node_type, read.label or read.node_id)


def _edge(item: Any, nodes: Mapping[Hashable, Node]) -> tuple[Hashable, Edge]:
    read = _Edge.model_validate(item)
    for end in (read.source_id, read.target_id):
        if end not in nodes:
            raise _Refused(f"there is no node {end!r}")
    properties = read.properties.model_dump(exclude_none=True)
    edge = Edge(read.source_id, read.target_id, read.edge_type, properties)
    return edge.key, edge
