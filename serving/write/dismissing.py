"""What waits in review, or could not be read, and needs nothing: it is listed no more."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from cairn.knowledge.ingest.inbox_events.decisions import IN_REVIEW, DecidedThing
from cairn.resources.context import State
from cairn.serving.query.dead_letters import letters, review_id
from cairn.serving.query.review.pairs import readers
from cairn.serving.query.review.queue import REVIEWED, waiting
from cairn.serving.read.id_lookup import id_begun
from cairn.serving.write.decisions import DecisionTargets, NamedThing, Undecidable, together

WHOLE = r"v_[0-9a-f]{16}"


def choose_waiting(state: State, starts: Sequence[str], namespace: str | None) -> DecisionTargets:
    """What waits, by its review ids, or how these begin.

    A whole id of what waits no more is passed over: somebody else may have been first.

    Raises:
        UnknownId: the beginning of an id names nothing that can be dismissed, or several things.
        Undecidable: none of them waits any more, they are of two namespaces, or one is named twice.
        NothingPublished: nothing is.
    """
    owners = {reader.namespace: reader for reader in readers(state, namespace)}
    kinds = [name for name, kind in REVIEWED.items() if kind.key]
    known: defaultdict[str, dict[str, NamedThing]] = defaultdict(dict)
    for kind, rows in waiting(state, namespace, kinds).items():
        for row in rows.iter_rows(named=True):
            known[row["review_id"]][row["namespace"]] = _named(kind, row)
    for row in letters(state, namespace):
        if row["namespace"] in owners:
            own = review_id(row)
            known[own][row["namespace"]] = _called(own, row["reason"], "dead_letter")
    wanted = [start for start in starts if start in known or not re.fullmatch(WHOLE, start)]
    if not wanted:
        raise Undecidable("that waits no more: somebody decided about it, or it is gone")
    found = [
        (own, one)
        for start in wanted
        for own, one in known[
            id_begun(start, known, f"nothing waits that has the id {start}; see `cairn review`")
        ].items()
    ]
    together([(owners[own], one.id) for own, one in found])
    return DecisionTargets(owners[found[0][0]], IN_REVIEW, [one for _, one in found])


def _named(kind: str, row: dict[str, Any]) -> NamedThing:
    return _called(row["review_id"], next(iter(REVIEWED[kind].item(row)["texts"]), kind), kind)


def _called(id_: str, text: str, kind: str) -> NamedThing:
    # What is noted has none of its words: an order to a model, or what is forgotten, may be there.
    return NamedThing(id_, text, "waits", 1.0, id_, DecidedThing(id_, kind))
