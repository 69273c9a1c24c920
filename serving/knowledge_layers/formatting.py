"""What was found as text for a prompt: the same bytes for the same knowledge, in any order."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cairn.serving.knowledge_layers.items import Metadata, Relation, Retrieved, Scored, by_score
from cairn.serving.knowledge_layers.retrieving import by_relation

Format = Callable[[Retrieved], str]
"""Whatever makes text of what was found."""


@dataclass(frozen=True)
class Formatter:
    r"""The default form, in sections; one that is empty is left out.

        [Metadata]
        name: Mira

        [Knowledge]
        [preference] Short messages when a backup fails.
          Tags: backups, style
        ---
        [fact] The NAS sleeps at night.

        [Relationships]
        WORKS_ON → Project:harbor-backup (since March)

    Profiles have their keys in alphabetical order, pieces (-score, piece_id), edges their type and
    target. What several pieces, or edges, say in the same words is said once.
    """

    section_delimiter: str = "\n\n"
    item_delimiter: str = "\n---\n"
    include_tags: bool = True
    include_scores: bool = False

    def __call__(self, found: Retrieved) -> str:
        """The text; empty if nothing was found."""
        bodies = self.bodies(found)
        titles = ("Metadata", "Global Metadata", "Knowledge", "Relationships")
        sections = zip(titles, bodies.values(), strict=True)
        return self.section_delimiter.join(f"[{title}]\n{body}" for title, body in sections if body)

    def bodies(self, found: Retrieved) -> dict[str, str]:
        """Texts of `metadata`, `global_metadata`, `pieces` and `graph_context`, without titles."""
        pieces = map(self._piece, told(found))
        edges = map(_edge, sorted(found.graph_context, key=by_relation))
        return {
            "metadata": _profile(found.metadata),
            "global_metadata": _profile(found.global_metadata),
            "pieces": self.item_delimiter.join(pieces),
            "graph_context": "\n".join(dict.fromkeys(edges)),
        }

    def _piece(self, scored: Scored) -> str:
        piece = scored.piece
        text = f"[{piece.knowledge_type}] {piece.content}"
        if self.include_scores:
            text += f" (score: {scored.score:.2f})"
        if self.include_tags and piece.tags:
            text += f"\n  Tags: {', '.join(sorted(piece.tags))}"
        return text


def told(found: Retrieved) -> list[Scored]:
    """Pieces in their order; of those with the same words (said of several entities), the first."""
    once: dict[tuple[str, str], Scored] = {}
    for scored in sorted(found.pieces, key=by_score):
        once.setdefault((scored.piece.knowledge_type, scored.piece.content), scored)
    return list(once.values())


def shown(value: Any) -> str:
    """A property in one line: lists with commas, what has parts as JSON with sorted names."""
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(shown, value))
    if isinstance(value, Mapping):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return " ".join(str(value).split())


def known(metadata: Metadata | None) -> dict[str, Any]:
    """The properties of a profile that have a value, in alphabetical order."""
    properties = metadata.properties if metadata else {}
    return {name: properties[name] for name in sorted(properties) if properties[name] is not None}


def _profile(metadata: Metadata | None) -> str:
    return "\n".join(f"{name}: {shown(value)}" for name, value in known(metadata).items())


def _edge(relation: Relation) -> str:
    target, said = relation.target, shown(relation.edge.description)
    line = f"{relation.edge.edge_type} → {target.node_type.capitalize()}:{shown(target.label)}"
    return f"{line} ({said})" if said else line
