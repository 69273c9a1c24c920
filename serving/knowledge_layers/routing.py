"""Which section of a prompt each part of what was found goes to."""

from collections import defaultdict
from collections.abc import Mapping

from cairn.serving.knowledge_layers.items import CONTEXT, USER_PROFILE, Relation, Retrieved, Scored


def route(
    found: Retrieved, active_entity_id: str | None = None, metadata_info_type: str = USER_PROFILE
) -> Mapping[str, Retrieved]:
    """What was found, by info type, in the order of their names.

    Profiles go to `metadata_info_type`, a piece to its info type, an edge with a piece to the
    piece's. An edge without one goes to `user_profile` if it starts at the active entity, else to
    `context`. What got nothing is not there.

    Args:
        found: What was retrieved.
        active_entity_id: For whom, or about what, the prompt is.
        metadata_info_type: Section of the profiles.
    """
    pieces: dict[str, list[Scored]] = defaultdict(list)
    relations: dict[str, list[Relation]] = defaultdict(list)
    for scored in found.pieces:
        pieces[scored.piece.info_type or CONTEXT].append(scored)
    for relation in found.graph_context:
        relations[_info_type(relation, active_entity_id)].append(relation)
    profiled = {metadata_info_type} if found.metadata or found.global_metadata else set[str]()
    return {
        info_type: Retrieved(
            entity_id=found.entity_id,
            metadata=found.metadata if info_type in profiled else None,
            global_metadata=found.global_metadata if info_type in profiled else None,
            pieces=tuple(pieces[info_type]),
            graph_context=tuple(relations[info_type]),
        )
        for info_type in sorted({*profiled, *pieces, *relations})
    }


def _info_type(relation: Relation, active_entity_id: str | None) -> str:
    if relation.piece:
        return relation.piece.info_type or CONTEXT
    from_active = active_entity_id is not None and relation.edge.source_id == active_entity_id
    return USER_PROFILE if from_active else CONTEXT
