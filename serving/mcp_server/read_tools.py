"""The tools that read. Each docstring is what an agent is told of its tool."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from knowledge.ingest.inbox_events.decisions import FACT
from resources.home.usage import CONTEXT, note_use
from resources.vector_index.protocol import Filters
from resources.warehouse.publication import namespaces
from serving.mcp_server import answers, things
from serving.mcp_server.arguments import (
    At,
    Entities,
    ForContext,
    Learnings,
    OneEntity,
    OneThing,
    Paged,
    Recent,
    Research,
    Search,
    Turning,
)
from serving.mcp_server.auth import Asked, Refused
from serving.query import lineage, listing, research
from serving.query.interests import interests
from serving.query.notifications import notifications
from serving.read.reader import Reader
from serving.retrieval.context import brief, found_for
from serving.retrieval.context_stream import next_context
from serving.retrieval.entity_context import Known, known
from serving.retrieval.search import Found, answer, served
from serving.retrieval.token_budget import build_context
from serving.status.freshness import freshness
from serving.status.overview import totals
from serving.status.pending import ATTITUDES, LEARN, NOTICES, RESEARCH, as_rows, pending


def search_memory(asked: Asked, wanted: Search) -> answers.Results:
    """Search what is remembered of past sessions.

    Finds facts, episodes (requests and what came of them) and learnings, each with its id, score,
    confidence and sources; nothing rather than noise. `explain_fact` tells the words that an id
    rests on.
    """
    reader = asked.reader(wanted)
    only = Filters(
        entity_ids=_named(reader, wanted.entity) if wanted.entity else None,
        from_day=wanted.from_day and wanted.from_day.isoformat(),
        to_day=wanted.to_day and wanted.to_day.isoformat(),
    )
    its = answer(
        reader, wanted.query, wanted.search_type, wanted.limit, wanted.min_confidence, only
    )
    served(reader, its)
    return answers.Results(
        **_head(reader),
        query=wanted.query,
        said=its.said,
        from_day=its.from_day or only.from_day,
        to_day=its.to_day or only.to_day,
        results=[things.Result.model_validate(found) for found in its.results],
    )


def get_context(asked: Asked, wanted: ForContext) -> answers.Context:
    """Get what is worth knowing before you answer, within a budget of tokens.

    That is what is known of what the message names, the facts, episodes and learnings that a search
    for it finds, and what bears on the turns before it. `sufficient` says whether you can do
    without a search of your own; `explain_fact` tells the whole of what is cut here.
    """
    reader = asked.reader(wanted)
    message = (wanted.message or "").strip()
    if not message and not any(map(str.strip, wanted.turns)):
        raise Refused("give `message`, `turns`, or both")
    told = (
        known(reader, message)
        if message
        else Known([], 0.0, reader.state.policy.sufficient_similarity)
    )
    streamed = next_context(reader, wanted.turns)
    entities = _each_fact_once(told)
    seen = {fact.fact_id for entity in entities for fact in entity.facts}
    found = found_for(reader, message) if message else ()
    bears = {one.id: one for one in (*found, *streamed.facts, *streamed.episodes)}
    facts, episodes, learnings = (
        [_brief(one) for one in bears.values() if one.kind == kind and one.id not in seen]
        for kind in ("fact", "episode", "learning")
    )
    memories = {
        "known": [answers.memory(fact) for entity in entities for fact in entity.facts],
        "facts": [answers.memory(one) for one in facts],
        "episodes": [answers.memory(one) for one in episodes],
        "learnings": [answers.memory(one) for one in learnings],
    }
    context = build_context(
        [], streamed=memories, budget=wanted.budget,
        namespace=reader.namespace, generation=reader.manifest.generation,
    )  # fmt: skip
    fits = context.streamed
    note_use(asked.state.home, reader.namespace, CONTEXT, sum(map(len, fits.values())))
    room = len(fits["known"])
    for entity in entities:
        entity.facts = entity.facts[:room]
        room -= len(entity.facts)
    return answers.Context(
        **_head(reader),
        known=entities,
        sufficient=told.sufficient,
        score=told.score,
        threshold=told.threshold,
        facts=facts[: len(fits["facts"])],
        episodes=episodes[: len(fits["episodes"])],
        learnings=learnings[: len(fits["learnings"])],
        tokens=context.total,
    )


def get_entity(asked: Asked, wanted: OneEntity) -> answers.EntityAnswer:
    """Get what is known of one person, project, host, tool, topic, …, by id, name or alias.

    Tells what it is, and its facts page by page. Of several with that name, it is the one with the
    most facts; `same_name` has the others.
    """
    reader = asked.reader(wanted)
    ids = _named(reader, wanted.entity)
    rows = [row for id_ in ids if (row := listing.entity(reader, id_))]
    rows.sort(key=lambda row: (-row["active_facts"], -row["mentions"], row["entity_id"]))
    only = listing.Facts(entity=rows[0]["entity_id"])
    page = listing.facts(reader, only, wanted.limit, wanted.cursor)
    return answers.EntityAnswer.model_validate(
        _head(reader) | rows[0] | {"same_name": rows[1:], "facts": page.rows, "next": page.cursor}
    )


def list_entities(asked: Asked, wanted: Entities) -> answers.EntityList:
    """List who and what is known, those with the most facts first.

    Narrow it by a part of the name, or by type; `get_entity` tells of one of them.
    """
    reader = asked.reader(wanted)
    only = listing.Entities(wanted.type, wanted.name)
    page = listing.entities(reader, only, wanted.limit, wanted.cursor)
    return answers.EntityList.model_validate(
        _head(reader) | {"entities": page.rows, "next": page.cursor}
    )


def get_learnings(asked: Asked, wanted: Learnings) -> answers.LearningList:
    """Get lessons from past work.

    Bug fixes with their cause, decisions with their reason, how a tool is used. With a query the
    nearest come first, without one the surest.
    """
    reader = asked.reader(wanted)
    if wanted.query is None:
        only = listing.Learnings(category=wanted.category, min_confidence=wanted.min_confidence)
        page = listing.learnings(reader, only, wanted.limit, wanted.cursor)
        rows, following = page.rows, page.cursor
    elif wanted.cursor:
        raise Refused("what a query finds has no pages: leave `cursor` out, or raise `limit`")
    else:
        only = Filters(categories=[wanted.category] if wanted.category else None)
        found = answer(reader, wanted.query, "learnings", wanted.limit, wanted.min_confidence, only)
        served(reader, found)
        rows = [listing.learning(reader, one.id) for one in found.results]
        following = None
    return answers.LearningList.model_validate(
        _head(reader) | {"learnings": rows, "next": following}
    )


def explain_fact(asked: Asked, wanted: OneThing) -> answers.Explained:
    """Explain why a fact is remembered.

    Tells the words that it rests on with file and line, how sure it was over time, what people
    decided about it. Takes the id of a learning, episode, record, conversation or entity, too.
    """
    reader = asked.reader(wanted)
    found = lineage.why(reader, wanted.id)
    if found is None:
        raise Refused("nothing has that id: take one from another answer, whole")
    about = found["explanation"]
    fact = _fact(about["fact"]) if found["kind"] == FACT else None
    thing = next((about[name] for name in (found["kind"], "theme") if name in about), {})
    facts = about.get("facts") or [*about.get("merged_from", []), *about.get("corrected", [])]
    return answers.Explained.model_validate(
        _head(reader)
        | {
            "kind": found["kind"],
            "id": found["id"],
            "text": _text(thing) or about.get("label") or "",
            "fact": fact,
            "extractor": thing.get("extractor"),
            "quotes": found["quotes"],
            "history": about.get("history", []),
            "decisions": about.get("decisions", []),
            "facts": [_fact(row) for row in facts if "fact_id" in row],
            "learnings": about.get("learnings", []),
            "episodes": about.get("episodes") or about.get("drawn_from", []),
        }
    )


def recent_activity(asked: Asked, wanted: Recent) -> answers.RecentList:
    """List what came last: facts first said, lessons learnt, requests made; the latest first."""
    reader = asked.reader(wanted)
    page = listing.recent(reader, wanted.kinds, wanted.since, wanted.limit, wanted.cursor)
    return answers.RecentList.model_validate(
        _head(reader) | {"events": page.rows, "next": page.cursor}
    )


def list_interests(asked: Asked, wanted: Turning) -> answers.InterestList:
    """List what the person cares about, by what they did and said; the most first.

    What they are against has a score below 0, and what they muted is marked: bring up neither
    unasked.
    """
    reader = asked.reader(wanted)
    page = interests(reader, wanted.limit, wanted.cursor)
    return answers.InterestList.model_validate(
        _head(reader)
        | {"interests": page.rows, "next": page.cursor, "waiting": _waiting(reader, ATTITUDES)}
    )


def list_learn_prompts(asked: Asked, wanted: Paged) -> answers.LearnPromptList:
    """List what the person asked to learn about, the latest first, and what was found by that."""
    reader = asked.reader()
    page = research.prompts(reader, wanted.limit, wanted.cursor)
    return answers.LearnPromptList.model_validate(
        _head(reader)
        | {
            "provider": searches(asked),
            "prompts": page.rows,
            "next": page.cursor,
            "waiting": _waiting(reader, LEARN),
        }
    )


def list_research(asked: Asked, wanted: Research) -> answers.ResearchList:
    """List what is to be searched for, what recurs, what was searched for, what is not known."""
    reader = asked.reader()
    due, held, made = research.report(reader)
    return answers.ResearchList.model_validate(
        _head(reader)
        | {
            "provider": searches(asked),
            "totals": {"due": due.height, "held": held.height, "done": len(made)},
            "due": due.head(wanted.limit).to_dicts(),
            "held": held.head(wanted.limit).to_dicts(),
            "done": made[: wanted.limit],
            "waiting": _waiting(reader, RESEARCH),
        }
    )


def list_notifications(asked: Asked, wanted: Paged) -> answers.NotificationList:
    """List what the person is told unasked: what is due, held back and why, and what was told."""
    reader = asked.reader()
    page = notifications(reader, wanted.limit, wanted.cursor)
    return answers.NotificationList.model_validate(
        _head(reader)
        | {"notifications": page.rows, "next": page.cursor, "waiting": _waiting(reader, NOTICES)}
    )


def searches(asked: Asked) -> bool:
    """Whether anything is searched for: a search provider is set."""
    return asked.state.settings.search_provider is not None


def memory_status(asked: Asked, wanted: At) -> answers.Status:
    """Tell what is remembered, how much of it, and how fresh it is."""
    reader = asked.reader(wanted)
    fresh = freshness(asked.state, reader.namespace)
    return answers.Status(
        **_head(reader),
        published_at=reader.manifest.published_at,
        lag_seconds=fresh.lag_seconds or 0.0,
        held_back=fresh.held_back,
        freshness=fresh.words,
        totals=answers.Totals.model_validate(totals(reader)),
        writes=asked.scope.writes,
        namespaces=[
            name
            for name in namespaces(asked.state.home)
            if name in (asked.scope.namespaces or [reader.namespace])
        ],
    )


def _waiting(reader: Reader, verbs: Collection[str]) -> list[dict[str, Any]]:
    return as_rows(pending(reader.state, reader.namespace, verbs))


def _head(reader: Reader) -> dict[str, Any]:
    manifest = reader.manifest
    return {
        "namespace": reader.namespace, "as_of": reader.as_of, "generation": manifest.generation,
    }  # fmt: skip


def _named(reader: Reader, name: str) -> list[str]:
    """Ids of what is called so.

    Raises:
        Refused: nothing is.
    """
    ids = listing.named(reader, name)
    if not ids:
        raise Refused("nothing is called that: `list_entities` finds names by a part of them")
    return ids


def _brief(found: Found) -> things.Result:
    """A result of which several fit into a context."""
    whole = things.Result.model_validate(found)
    return whole.model_copy(update={"text": brief(found.kind, found.text)})


def _each_fact_once(told: Known) -> list[things.KnownEntity]:
    """Entities with their facts; a fact about several of them stands with the nearest."""
    entities = [things.KnownEntity.model_validate(asdict(each)) for each in told.entities]
    said: set[str] = set()
    for entity in entities:
        entity.facts = [fact for fact in entity.facts if fact.text not in said]
        said |= {fact.text for fact in entity.facts}
    return entities


def _fact(row: dict[str, Any]) -> dict[str, Any]:
    """A fact with the confidence of the reader's moment."""
    return row | {"confidence": row["effective"]}


def _text(thing: dict[str, Any]) -> str:
    """What a row of any kind says."""
    if "title" in thing and "content" in thing:
        return f"{thing['title']}\n{thing['content']}"
    names = ("content", "text", "title", "display_name", "reason", "terms")
    said = next((thing[name] for name in names if thing.get(name)), "")
    return said if isinstance(said, str) else ", ".join(said)
