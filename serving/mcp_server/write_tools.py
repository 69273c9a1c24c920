"""The tools that write: each appends one event to the inbox, and the next run applies it."""

import time
from collections.abc import Sequence
from typing import Any

from cairn.knowledge.deletion.tombstones import NAMESPACE
from cairn.knowledge.ingest.inbox_events.decisions import CONFIRM, FACT, RETRACT
from cairn.knowledge.ingest.speakers import spoken
from cairn.serving.mcp_server.answers import ForgottenForAgents, Recorded
from cairn.serving.mcp_server.arguments import Attitude, Feedback, ToRemember, ToSchedule
from cairn.serving.mcp_server.auth import Asked, ToolRefused
from cairn.serving.mcp_server.words import OFF
from cairn.serving.models.bodies import ForgetBody, LearnBody
from cairn.serving.read.id_lookup import Thing, UnknownId, exactly
from cairn.serving.write import research
from cairn.serving.write.deciding import WantedDecision, decide
from cairn.serving.write.deletion import Target, Unforgettable, named, whole
from cairn.serving.write.dry_run import NotNow, answer
from cairn.serving.write.inbox import add_event_of
from cairn.serving.write.rating import LEARNING, rate
from cairn.serving.write.requests import OF_KNOWN, muted_as, order, topic_of

APPLIED = "Recorded now; it takes effect with the next run."
FOUND = "Recorded now; it takes effect with the next run, and is found from then on."
SEARCHED = "Recorded now; it takes effect with the next run, and searches follow by themselves."
NOT_READY = "Nothing was changed. The receipt is being made: ask the same again in some seconds."
UNCHANGED = "Nothing was changed: this is what would come of it."
COMMAND = "command"
GONE = "Recorded now; it takes effect with the next run, and until then it is still found."


def record_feedback(asked: Asked, wanted: Feedback) -> Recorded:
    """Say that a fact is right or wrong, or that a learning helped or did not.

    Only what the person said, or what you saw to be so.
    """
    reader = asked.reader()
    thing = _there(asked, wanted.id)
    if thing.kind == FACT:
        word = WantedDecision(
            CONFIRM if wanted.verdict == "right" else RETRACT,
            [thing.id],
            reason=wanted.reason,
            event_id=wanted.event_id,
        )
        said = decide(asked.state, word, reader.namespace).told
        said["record_id"] = said["decision_id"]
        return _recorded(said, word.decision, APPLIED, said["ids"])
    if thing.kind != LEARNING:
        raise ToolRefused(f"that is of kind {thing.kind}: feedback is for facts and learnings")
    if wanted.reason:
        raise ToolRefused("a reason is kept for facts alone: leave it out")
    rated = rate(thing, "up" if wanted.verdict == "right" else "down", wanted.event_id)
    return _recorded(rated, "reaction", APPLIED, [thing.id])


def remember(asked: Asked, wanted: ToRemember) -> Recorded:
    """Note something in the person's name, when they ask for it to be remembered."""
    # What memory told an agent is no news when the agent tells it back.
    own = "\n".join(text for who, text in spoken(wanted.text) if who == "human")
    if not own.strip():
        raise ToolRefused("the text has no words of a person: memory and harness said all of it")
    namespace = asked.inbox()
    event = {"type": "note", "text": own, "event_id": wanted.event_id}
    return _recorded(add_event_of(asked.state, namespace, event), "note", FOUND)


def set_preference(asked: Asked, wanted: Attitude) -> Recorded:
    """Note that the person likes or dislikes something, wants it muted, or takes that back.

    Only what they said themselves.
    """
    verb, topic = wanted.verb, topic_of([wanted.topic])
    if verb in OF_KNOWN:
        topic = muted_as(asked.reader(), topic)
    said = order(asked.state, asked.inbox(), verb, topic, wanted.event_id)
    return _recorded(said, COMMAND, APPLIED)


def learn(asked: Asked, wanted: LearnBody) -> Recorded:
    """Have a topic looked into, later, that the person wants to know more about."""
    said = research.learn(asked.state, asked.inbox(), wanted.topic, wanted.event_id)
    return _recorded(said, COMMAND, _searched(asked))


def schedule(asked: Asked, wanted: ToSchedule) -> Recorded:
    """Have a topic searched for again and again, or no more, when the person asks for that."""
    every = None if wanted.every == "never" else wanted.every
    namespace, event_id = asked.inbox(), wanted.event_id
    said = research.schedule(asked.state, namespace, wanted.topic, every, event_id)
    return _recorded(said, COMMAND, _searched(asked) if every else SEARCHED)


def forget(asked: Asked, wanted: ForgetBody) -> ForgottenForAgents:
    """Tell what would go if something were forgotten; with `dry_run` false, forget it for good.

    Only when the person asks for just that, and has seen what would go: to take back what is
    wrong, use `record_feedback`.
    """
    begun = time.monotonic()
    try:
        target = _target(asked, wanted)
        told = answer(asked.state, target, wanted.event_id, dry_run=wanted.dry_run, since=begun)
    except UnknownId as unknown:
        raise ToolRefused(f"nothing has that id: {unknown}") from None
    except Unforgettable as error:
        raise ToolRefused(str(error).replace("`cairn why`", "`explain_fact`")) from None
    except NotNow as why:
        raise ToolRefused(str(why)) from None
    told.pop("named", None)
    if "rows" in told:
        told["rows"] = sorted(told["rows"], key=lambda row: row["text"] is None)[: wanted.limit]
    after = {True: UNCHANGED, False: NOT_READY, None: GONE}[told.get("ready")]
    return ForgottenForAgents.model_validate(told | {"takes_effect": after})


def _target(asked: Asked, wanted: ForgetBody) -> Target:
    """What is to be forgotten, of the namespace of the call.

    Raises:
        UnknownId: it is not there, or not what it must be.
        Unforgettable: it rests on other things.
    """
    if wanted.target_type == NAMESPACE:
        if wanted.everywhere:
            raise Unforgettable("all of a namespace goes: leave `everywhere` out")
        own = asked.inbox()
        if wanted.id != own:
            raise UnknownId("this call is about another namespace")
        return whole(asked.state, own)
    found = named(asked.reader(), wanted.id, everywhere=wanted.everywhere)
    if wanted.target_type not in (None, found.target_type):
        raise UnknownId(f"it is of kind {found.target_type}")
    return found


def _there(asked: Asked, id_: str) -> Thing:
    """What has an id.

    Raises:
        Refused: nothing has.
    """
    thing = exactly(asked.reader(), id_)
    if thing is None:
        raise ToolRefused("nothing has that id: take one from another answer, whole")
    return thing


def _searched(asked: Asked) -> str:
    """When a search takes effect: never, where no provider is set."""
    return SEARCHED if asked.state.settings.search_provider else OFF


def _recorded(
    said: dict[str, Any], what: str, takes_effect: str, ids: Sequence[str] = ()
) -> Recorded:
    """What became of an event, as whatever notes it tells."""
    return Recorded.model_validate(
        said | {"what": what, "ids": list(ids), "takes_effect": takes_effect}
    )
