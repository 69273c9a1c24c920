"""Cairn as a library: what is known, for a program that asks.

    from cairn import Knowledge
    knowledge = Knowledge.open()
    print(knowledge("why does the backup fail?"))

Everything is imported at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serving.budget import Context, build_context, count_tokens
    from serving.layers.feeds import FeedStrategy, feed
    from serving.layers.formatting import Formatter
    from serving.layers.knowledge import Knowledge
    from serving.layers.loading import load
    from serving.layers.pieces import Edge, KnowledgeType, Metadata, Node, Piece, Retrieved, Scored
    from serving.layers.routing import route
    from serving.layers.stores import GraphStore, MetadataStore, PieceStore, Stores
    from serving.layers.templates import TemplateError, handlebars, jinja, str_format

_PLACES = {
    "serving.budget": ("Context", "build_context", "count_tokens"),
    "serving.layers.feeds": ("FeedStrategy", "feed"),
    "serving.layers.formatting": ("Formatter",),
    "serving.layers.knowledge": ("Knowledge",),
    "serving.layers.loading": ("load",),
    "serving.layers.pieces": (
        "Edge", "KnowledgeType", "Metadata", "Node", "Piece", "Retrieved", "Scored",
    ),
    "serving.layers.routing": ("route",),
    "serving.layers.stores": ("GraphStore", "MetadataStore", "PieceStore", "Stores"),
    "serving.layers.templates": ("TemplateError", "handlebars", "jinja", "str_format"),
}  # fmt: skip
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Context",
    "Edge",
    "FeedStrategy",
    "Formatter",
    "GraphStore",
    "Knowledge",
    "KnowledgeType",
    "Metadata",
    "MetadataStore",
    "Node",
    "Piece",
    "PieceStore",
    "Retrieved",
    "Scored",
    "Stores",
    "TemplateError",
    "build_context",
    "count_tokens",
    "feed",
    "handlebars",
    "jinja",
    "load",
    "route",
    "str_format",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'cairn' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
