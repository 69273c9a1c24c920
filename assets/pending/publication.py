"""Publication: whether there is anything that readers do not have yet."""

import polars as pl

from cairn.assets.pending import raw_logs
from cairn.assets.pending.in_force import in_force
from cairn.assets.pending.steps import BY_CONVERSATION
from cairn.knowledge.engine.extractors import extractors_frame
from cairn.knowledge.schema.tables import (
    CONVERSATIONS,
    DEAD_LETTERS,
    EXTRACTORS,
    MODEL_CALLS,
    RAW_LOGS,
    SOURCE_FILES,
    TABLES,
    WORK,
    Table,
)
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgetting
from cairn.resources.retraction_guard import bounds
from cairn.resources.vector_index.protocol import MissingGenerationError, VectorIndexError
from cairn.resources.warehouse.publication import (
    BlockedPublication,
    blocked_namespaces,
    published,
)

PUBLISHED = tuple(table for table in TABLES.values() if table is not WORK)
"""Tables that readers may follow; `work` is the writers' own."""


BOOKS = frozenset({SOURCE_FILES.name, DEAD_LETTERS.name, MODEL_CALLS.name})
"""Tables that are written beside all others: a change in them alone is not published by itself."""


def versions(state: State) -> dict[str, int]:
    """Version of each table of a namespace that is there."""
    found = {table.name: state.warehouse.version(table) for table in PUBLISHED}
    return {name: version for name, version in found.items() if version is not None}


def is_stale(state: State) -> bool:
    """Whether some namespace is not published as it stands (`_is_stale`)."""
    return any(map(_is_stale, state.each()))


def _is_stale(state: State) -> bool:
    """Whether tables, or what is in force, changed since a namespace was published.

    So it is while an older manifest may be read that holds what is forgotten.

    One that is blocked is looked at again when they change, or what may be struck out does, and
    by each run of the suites. A generation that is no longer there is pending too: its folder was
    removed, or another engine is set.
    """
    now = state.warehouse.version(RAW_LOGS)
    if now is None:
        return False
    current = versions(state)
    now_in_force = extractors_frame(in_force(state.settings), state.policy)
    if not now_in_force.equals(_sorted(state, EXTRACTORS)) or older_to_drop(state):
        return True
    made = {name for name in current if name not in BOOKS}
    last = blocked_namespaces(state.home).get(state.own) or published(state.home, state.own)
    if last is None:
        return bool(state.warehouse.namespaces(CONVERSATIONS))
    if not last.tables.keys() <= current.keys():
        return True
    if any(last.tables.get(name) != current[name] for name in made):
        return True
    if isinstance(last, BlockedPublication):
        return last.bounds != bounds(state)
    return bool(last.generation) and not _is_there(state, state.own, last.generation)


def _is_there(state: State, namespace: str, generation: str) -> bool:
    try:
        state.index.generation(namespace, generation)
    except MissingGenerationError:
        return False
    except VectorIndexError:
        pass  # a server that does not answer has it still, for all that is known
    return True


def _sorted(state: State, table: Table) -> pl.DataFrame:
    return state.warehouse.read(table).collect().sort(table.key)


def older_to_drop(state: State) -> set[str]:
    """Namespaces whose older manifests and generations hold what is forgotten, and may go for good.

    None while days of it are pending, as what is published may hold what they hold; nor those
    blocked.
    """
    waiting = forgetting(state.home) - blocked_namespaces(state.home).keys()
    return {
        own.own
        for own in state.each()
        if own.own in waiting
        and not any(part.pending_days(own) for part in (raw_logs, *BY_CONVERSATION))
    }
