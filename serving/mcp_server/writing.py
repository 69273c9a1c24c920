"""The tools that write: each appends one event to the inbox, and the next run applies it."""

from knowledge.decision_events import CONFIRM, FACT, RETRACT
from knowledge.identity import record_id
from knowledge.origins import spoken
from knowledge.tombstones import TYPE
from resources.inbox import Received
from serving.deciding import chosen, note, unretracted, with_members
from serving.forgetting import THINGS, Target, tombstone
from serving.forgetting import note as note_tombstone
from serving.ids import Thing, exactly
from serving.inbox import add_event
from serving.mcp_server.answers import Recorded
from serving.mcp_server.arguments import Attitude, Feedback, ToForget, Told, ToRemember
from serving.mcp_server.scope import Asked, Refused
from serving.ordering import order, topic_of

APPLIED = "Recorded now; it takes effect with the next run."
FOUND = "Recorded now; it takes effect with the next run, and is found from then on."
GONE = "Recorded now; it takes effect with the next run, and until then it is still found."

THUMBS = {"right": "👍", "wrong": "👎"}


def record_feedback(asked: Asked, wanted: Feedback) -> Recorded:
    """Say that a fact is right or wrong, or that a learning helped or did not.

    A fact that is right gets surer, one that is wrong is taken back. Only say what the person said,
    or what you saw to be so.
    """
    reader = asked.reader()
    thing = _there(asked, wanted.id)
    if thing.kind == FACT:
        choice = chosen(reader, FACT, [thing.id])
        if wanted.verdict == "right":
            decision, named = CONFIRM, choice.named
        else:
            unretracted(choice)
            decision, named = RETRACT, with_members(choice)
        said = note(choice, decision, named, reason=wanted.reason, event_id=_event_id(wanted))
        return Recorded(
            namespace=reader.namespace,
            what=decision,
            ids=said["ids"],
            event_id=said["event_id"],
            record_id=said["decision_id"],
            written=said["written"],
            takes_effect=APPLIED,
        )
    if thing.kind != "learning":
        raise Refused(f"that is of kind {thing.kind}: feedback is for facts and learnings")
    if wanted.reason:
        raise Refused("a reason is kept for facts alone: leave it out")
    reaction: dict[str, object] = {"text": THUMBS[wanted.verdict], "reply_to": thing.id}
    return _added(asked, reader.namespace, wanted, "reaction", [thing.id], reaction, APPLIED)


def remember(asked: Asked, wanted: ToRemember) -> Recorded:
    """Note something in the person's name, when they ask for it to be remembered.

    Statements that can be understood alone: with names, and without "this" or "here". Secrets are
    taken out.
    """
    # What memory told an agent is no news when the agent tells it back.
    own = "\n".join(text for who, text in spoken(wanted.text) if who == "human")
    if not own.strip():
        raise Refused("the text has no words of a person: memory and harness said all of it")
    return _added(asked, asked.inbox(), wanted, "note", [], {"text": own}, FOUND)


def set_preference(asked: Asked, wanted: Attitude) -> Recorded:
    """Note that the person likes or dislikes something, wants it muted, or takes that back.

    Only what the person said themselves. What is muted is named as it is known.
    """
    namespace = asked.inbox()
    said = order(asked.state, namespace, wanted.verb, topic_of([wanted.topic]), _event_id(wanted))
    return Recorded(
        namespace=namespace,
        what="command",
        ids=[],
        event_id=said["event_id"],
        record_id=said["record_id"],
        written=said["written"],
        takes_effect=APPLIED,
    )


def forget(asked: Asked, wanted: ToForget) -> Recorded:
    """Have a fact, entity, record, episode or conversation forgotten for good.

    All that rests on it alone goes with it. Only when the person asks for just that: to take back
    what is wrong, use `record_feedback`.
    """
    thing = _there(asked, wanted.id)
    if thing.kind not in THINGS:
        raise Refused(
            f"that is of kind {thing.kind}: forget the records that it rests on; `explain_fact`"
            " lists them"
        )
    namespace = thing.reader.namespace
    event = tombstone(asked.state, Target(namespace, thing.kind, thing.id), _event_id(wanted))
    return _recorded(namespace, TYPE, [thing.id], note_tombstone(asked.state, event), GONE)


def _there(asked: Asked, id_: str) -> Thing:
    """What has an id.

    Raises:
        Refused: nothing has.
    """
    thing = exactly(asked.reader(), id_)
    if thing is None:
        raise Refused("nothing has that id: take one from another answer, whole")
    return thing


def _added(
    asked: Asked,
    namespace: str,
    wanted: Told,
    what: str,
    ids: list[str],
    event: dict[str, object],
    takes_effect: str,
) -> Recorded:
    head: dict[str, object] = {"type": what, "namespace": namespace}
    if wanted.event_id:
        head["event_id"] = str(wanted.event_id)
    return _recorded(namespace, what, ids, add_event(asked.state, head | event), takes_effect)


def _recorded(
    namespace: str, what: str, ids: list[str], received: Received, takes_effect: str
) -> Recorded:
    return Recorded(
        namespace=namespace,
        what=what,
        ids=ids,
        event_id=received.event_id,
        record_id=record_id(namespace, received.event_id),
        written=received.written,
        takes_effect=takes_effect,
    )


def _event_id(wanted: Told) -> str | None:
    return str(wanted.event_id) if wanted.event_id else None
