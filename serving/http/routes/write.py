"""Routes that tell: an event for the inbox, and what is to be forgotten."""

import time
from typing import Annotated, Any

from fastapi import Query

from cairn.knowledge.deletion.tombstones import NAMESPACE
from cairn.serving.http.auth import Access, Asked
from cairn.serving.http.errors import HttpRefused, NotThere
from cairn.serving.http.routes.router import Routes
from cairn.serving.models.answers import Forgotten, Noted, NotedMissing, Received
from cairn.serving.models.bodies import DecisionBody, EventBody, ForgetBody, MissedBody
from cairn.serving.models.parameters import Parameters
from cairn.serving.read.id_lookup import UnknownId
from cairn.serving.write.deciding import NotedDecision, WantedDecision, decide
from cairn.serving.write.decisions import Undecidable
from cairn.serving.write.deletion import Target, Unforgettable, named, whole
from cairn.serving.write.dry_run import NotNow, answer
from cairn.serving.write.inbox import received
from cairn.serving.write.missed import say_missed

router = Routes(prefix="/v1", tags=["telling"])

UNKNOWN = "no fact, entity, record, conversation or namespace has that id, or it is of several"


@router.post("/events", response_model=Received, status_code=202)
def events(asked: Asked, where: Annotated[Parameters, Query()], event: EventBody) -> dict[str, Any]:
    """Tell something. It is on disk when this answers; the next run makes knowledge of it."""
    namespace = asked.inbox(where.namespace)
    told = event.model_dump(mode="json", exclude_none=True)
    return received(asked.memory.state, namespace, told)


@router.post("/decisions", response_model=Noted, status_code=202)
def decide_about(
    asked: Asked, where: Annotated[Parameters, Query()], wanted: DecisionBody
) -> dict[str, Any]:
    """Decide about facts or entities, or undo it. It is on disk when this answers.

    The next run applies it.
    """
    noted = decided(asked, where.namespace, wanted)
    return noted.told | {"will": noted.will}


def decided(asked: Access, namespace: str | None, wanted: DecisionBody) -> NotedDecision:
    """Notes a decision, where the caller may have one noted.

    Raises:
        NotThere: it is about nothing that they may know of.
        HttpRefused: it cannot be made about these, or not by them.
    """
    asked.telling()
    own = asked.namespace(namespace)
    said = wanted.model_dump(exclude_none=True)
    try:
        return decide(asked.memory.state, WantedDecision(**said), own)
    except UnknownId:
        raise NotThere(
            "nothing that can be decided about has that id, or several things have"
        ) from None
    except Undecidable as error:
        raise HttpRefused(409, str(error)) from None


@router.post("/missed", response_model=NotedMissing, status_code=202)
def note_missed(
    asked: Asked, where: Annotated[Parameters, Query()], wanted: MissedBody
) -> dict[str, Any]:
    """Say what should have been learnt from a record: it is an example, and given as a text."""
    asked.telling()
    return say_missed(asked.reader(where), wanted.missed_in, wanted.expected)


@router.post("/forget", response_model=Forgotten)
def forget(
    asked: Asked, where: Annotated[Parameters, Query()], wanted: ForgetBody
) -> dict[str, Any]:
    """Tell what would go if something were forgotten; with `dry_run` false, have it forgotten.

    What goes is the lines that it rests on, with all that came only from them; `everywhere`, every
    line that has any name of an entity, or any words. There is no way to take it back. A dry run
    tells at once how many lines that are; the whole receipt takes seconds, and while it is not
    `ready`, ask the same again. What is to be forgotten is on disk when this answers, and gone
    after the next run.
    """
    told = forgotten(asked, where.namespace, wanted)
    return told | ({"rows": told["rows"][: wanted.limit]} if "rows" in told else {})


def forgotten(
    asked: Access, namespace: str | None, wanted: ForgetBody, patience: float | None = None
) -> dict[str, Any]:
    """Has something forgotten, or tells what would go, as `cairn.serving.write.dry_run.answer`.

    Raises:
        NotThere: it is not there, or not what it must be.
        HttpRefused: the caller may not, it rests on other things, or not now.
    """
    begun = time.monotonic()
    state, target = asked.memory.state, _target(asked, namespace, wanted)
    try:
        return answer(
            state, target, wanted.event_id, dry_run=wanted.dry_run, since=begun, patience=patience
        )
    except UnknownId:
        raise NotThere(UNKNOWN) from None
    except NotNow as why:
        raise HttpRefused(503, str(why)) from None


def _target(asked: Access, namespace: str | None, wanted: ForgetBody) -> Target:
    """What is to be forgotten, where the caller may have things forgotten.

    Raises:
        NotThere: it is not there, or not what it must be.
        Refused: the caller may not, or it rests on other things.
    """
    asked.telling()
    try:
        if wanted.target_type == NAMESPACE:
            if wanted.everywhere:
                raise HttpRefused(422, "all of a namespace goes: leave `everywhere` out")
            if namespace not in (None, wanted.id):
                raise NotThere(UNKNOWN)
            return whole(asked.memory.state, asked.inbox(wanted.id))
        found = named(
            asked.reader(Parameters(namespace=namespace)), wanted.id, everywhere=wanted.everywhere
        )
    except UnknownId as unknown:
        raise NotThere(UNKNOWN) from unknown
    except Unforgettable as error:
        raise HttpRefused(422, str(error).replace("`cairn why`", "`/v1/why`")) from None
    if wanted.target_type not in (None, found.target_type):
        raise NotThere(UNKNOWN)
    return found
