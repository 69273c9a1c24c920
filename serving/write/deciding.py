"""A person's decision, whoever takes it down: what it is about is looked up, checked, and noted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cairn.knowledge.ingest.inbox_events.decisions import (
    CONFIRM,
    CORRECT,
    DISMISS,
    ENTITY,
    KEEP_APART,
    MERGE,
    RETRACT,
    UNDO,
    UNMERGE,
)
from cairn.resources.context import State
from cairn.serving.read.id_lookup import find
from cairn.serving.write.decisions import (
    DecisionTargets,
    NamedThing,
    Undecidable,
    check_length,
    choose,
    correction,
    note,
    united,
    unretracted,
    with_members,
)
from cairn.serving.write.dismissing import choose_waiting
from cairn.serving.write.undoing import choose_decisions


class WantedDecision(NamedTuple):
    """What a person says."""

    decision: str
    """One of DECISION_TYPES."""
    ids: Sequence[str]
    """Of facts or entities, of an undo those of decisions, of a dismissal those that review lists;
    or how these begin."""
    text: str | None = None
    """The true sentence, of a correction."""
    into: str | None = None
    """The one that stays, of a merge of facts."""
    reason: str | None = None
    event_id: str | None = None
    """A UUID that a retry repeats."""


class NotedDecision(NamedTuple):
    """What was noted; the next run applies it."""

    told: dict[str, Any]
    """As of `note`, with what the decision says besides."""
    named: list[NamedThing]
    """What it is about, as it stands."""
    will: str
    """What becomes of that, in words."""


class _Meant(NamedTuple):
    """A decision that may be noted."""

    named: list[NamedThing]
    will: str
    said: Mapping[str, str | None] = {}
    """What `note` is told besides."""


def decide(state: State, wanted: WantedDecision, namespace: str | None = None) -> NotedDecision:
    """Notes a decision; it is on disk when this returns.

    Raises:
        UnknownId: an id names nothing, or several things.
        Undecidable: it cannot be made about these; the message says why.
        NothingPublished: nothing is.
        ValueError: the event id is no UUID.
    """
    ids = list(wanted.ids)
    few, many = _NUMBERS[wanted.decision]
    if not few <= len(ids) <= many:
        raise Undecidable(_HOW_MANY[wanted.decision])
    check_length("reason", wanted.reason or "")
    if wanted.text is not None and wanted.decision != CORRECT:
        raise Undecidable("only a correction has a text")
    if wanted.into is not None:
        if wanted.decision != MERGE:
            raise Undecidable("only a merge says which one stays")
        stays = find(state, wanted.into, namespace).id
        if not any(stays.startswith(start) for start in ids):
            ids.append(stays)
        wanted = wanted._replace(into=stays)
    if among := _AMONG.get(wanted.decision):
        choice = among(state, ids, namespace)
    else:
        only = {CONFIRM: "confirmed", RETRACT: "retracted", CORRECT: "corrected"}
        choice = choose(state, ids, namespace, facts_only=only.get(wanted.decision))
    meant = _MEANT[wanted.decision](choice, wanted)
    told = note(choice, wanted.decision, meant.named, reason=wanted.reason,
                event_id=wanted.event_id, **meant.said)  # fmt: skip
    return NotedDecision({**told, **meant.said}, meant.named, meant.will)


def _merge(choice: DecisionTargets, wanted: WantedDecision) -> _Meant:
    named, stays = choice.named, wanted.into
    if len(named) < 2:
        raise Undecidable(_HOW_MANY[MERGE])
    if stays and choice.thing == ENTITY:
        raise Undecidable("of entities the most mentioned one stays: --into is for facts")
    unretracted(choice)
    standing = {each.stands_for for each in named}
    if len(standing) == 1 and stays in (None, *standing):
        raise Undecidable(f"they are merged already, into {standing.pop()}")
    kept = next((each for each in named if each.id == stays), None)
    first = "most mentioned" if choice.thing == ENTITY else "surest"
    will = f"to be merged into {kept.id}" if kept else f"to be merged into the {first} of them"
    return _Meant(named, will, {"into": stays})


def _unmerge(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    (own,) = choice.named
    together = united(choice, own.id)
    if len(together) < 2:
        raise Undecidable(f"{own.id} is not merged with anything")
    named = [own, *(each for each in together if each.id != own.id)]
    return _Meant(named, "the first to be taken from the others")


def _keep_apart(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    return _Meant(choice.named, "to be kept apart")


def _confirm(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    (own,) = choice.named
    again = own.status == "retracted"
    return _Meant(choice.named, "to stand again, confirmed" if again else "to be confirmed")


def _retract(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    unretracted(choice)
    return _Meant(with_members(choice), "to be retracted")


def _correct(choice: DecisionTargets, wanted: WantedDecision) -> _Meant:
    unretracted(choice)
    said = correction(choice, wanted.text or "")
    return _Meant(with_members(choice), f"to be replaced by “{said}”", {"text": said})


def _undo(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    return _Meant(choice.named, "to be undone, as if nobody had decided so")


def _dismiss(choice: DecisionTargets, _: WantedDecision) -> _Meant:
    return _Meant(choice.named, "to stay as it is, and to wait no more")


_AMONG = {UNDO: choose_decisions, DISMISS: choose_waiting}
"""Where to look for what is decided about, if not among facts and entities."""

_MEANT: Mapping[str, Callable[[DecisionTargets, WantedDecision], _Meant]] = {
    MERGE: _merge, UNMERGE: _unmerge, KEEP_APART: _keep_apart,
    CONFIRM: _confirm, RETRACT: _retract, CORRECT: _correct,
    UNDO: _undo, DISMISS: _dismiss,
}  # fmt: skip

_NUMBERS = {
    MERGE: (1, 100), UNMERGE: (1, 1), KEEP_APART: (2, 2),
    CONFIRM: (1, 1), RETRACT: (1, 1), CORRECT: (1, 1), UNDO: (1, 100),
    DISMISS: (1, 100),
}  # fmt: skip
"""How many ids each takes."""

_HOW_MANY = {
    MERGE: "a merge needs two ids or more",
    UNDO: "an undo names decisions, 100 at most",
    DISMISS: "a dismissal names what waits in review, 100 at most",
    KEEP_APART: "two ids are kept apart, no more and no fewer",
    **dict.fromkeys((UNMERGE, CONFIRM, RETRACT, CORRECT), "that is decided about one id"),
}
