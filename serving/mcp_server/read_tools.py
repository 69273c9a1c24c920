"""The tools that read, besides those of declared queries. Agents are told the docstrings."""

from dataclasses import asdict
from typing import Any

from cairn.knowledge.ingest.inbox_events.decisions import FACT
from cairn.resources.home.usage import CONTEXT, note_use
from cairn.resources.vector_index.protocol import Filters
from cairn.resources.warehouse.publication import namespaces
from cairn.serving.mcp_server import answers
from cairn.serving.mcp_server.arguments import EntityAsked, ForContext, Learnings, OneThing
from cairn.serving.mcp_server.auth import Asked, ToolRefused
from cairn.serving.mcp_server.words import memory
from cairn.serving.models import things
from cairn.serving.models.answers import LearningPage
from cairn.serving.models.parameters import At
from cairn.serving.models.query import of_reader
from cairn.serving.query import lineage, listing
from cairn.serving.query.briefs import practices_for
from cairn.serving.read.pagination import Page
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context import brief, found_for
from cairn.serving.retrieval.context_stream import next_context
from cairn.serving.retrieval.entity_context import KnownEntities, known
from cairn.serving.retrieval.search import SearchResult, answer, served
from cairn.serving.retrieval.token_budget import build_context
from cairn.serving.status.freshness import freshness
from cairn.serving.status.totals import totals


def get_context(asked: Asked, wanted: ForContext) -> answers.ContextForAgents:
    """Get what is worth knowing before you answer, within a budget of tokens.

    That is how the tasks that the message names are done, what is known of what it names, the
    facts, episodes and learnings that a search for it finds, and what bears on the turns before it.
    `sufficient` says whether you can do without a search of your own; `explain_fact` tells the
    whole of what is cut here.
    """
    reader = asked.reader(wanted)
    message = (wanted.message or "").strip()
    if not message and not any(map(str.strip, wanted.turns)):
        raise ToolRefused("give `message`, `turns`, or both")
    told = (
        known(reader, message)
        if message
        else KnownEntities([], 0.0, reader.state.policy.sufficient_similarity)
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
        "practices": [line.text for line in practices_for(reader, message)],
        "known": [memory(fact) for entity in entities for fact in entity.facts],
        "facts": [memory(one) for one in facts],
        "episodes": [memory(one) for one in episodes],
        "learnings": [memory(one) for one in learnings],
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
    return answers.ContextForAgents(
        namespace=reader.namespace,
        as_of=reader.as_of,
        practices=list(fits["practices"]),
        known=entities,
        sufficient=told.sufficient,
        score=told.score,
        threshold=told.threshold,
        facts=facts[: len(fits["facts"])],
        episodes=episodes[: len(fits["episodes"])],
        learnings=learnings[: len(fits["learnings"])],
        tokens=context.total,
    )


def get_entity(asked: Asked, wanted: EntityAsked) -> answers.EntityFacts:
    """Get what is known of one person, project, host, tool, topic, …, by id, name or alias.

    Tells what it is, and its facts page by page. Of several with that name, it is the one with the
    most facts; `same_name` has the others.
    """
    reader = asked.reader(wanted)
    ids = called(reader, wanted.entity)
    found = (listing.entity(reader, id_, events=wanted.events) for id_ in ids)
    rows = [row for row in found if row]
    rows.sort(key=lambda row: (-row["active_facts"], -row["mentions"], row["entity_id"]))
    only = listing.FactFilter(entity=rows[0]["entity_id"], events=wanted.events)
    page = listing.facts(reader, only, wanted.limit, wanted.cursor)
    return answers.EntityFacts.model_validate(
        of_reader(reader, page) | {"entity": rows[0], "same_name": rows[1:]}
    )


def get_learnings(asked: Asked, wanted: Learnings) -> LearningPage:
    """Get lessons from past work.

    Bug fixes with their cause, decisions with their reason, how a tool is used. With a query the
    nearest come first, without one the surest.
    """
    reader = asked.reader(wanted)
    if wanted.query is None:
        only = listing.LearningFilter(
            category=wanted.category, min_confidence=wanted.min_confidence
        )
        page = listing.learnings(reader, only, wanted.limit, wanted.cursor)
    elif wanted.cursor:
        raise ToolRefused("what a query finds has no pages: leave `cursor` out, or raise `limit`")
    else:
        only = Filters(categories=[wanted.category] if wanted.category else None)
        found = answer(reader, wanted.query, "learnings", wanted.limit, wanted.min_confidence, only)
        served(reader, found)
        rows = (listing.learning(reader, one.id) for one in found.results)
        page = Page([row for row in rows if row], None)
    return LearningPage.model_validate(of_reader(reader, page))


def explain_fact(asked: Asked, wanted: OneThing) -> answers.Explained:
    """Explain why a fact is remembered.

    Tells the words that it rests on with file and line, how sure it was over time, what people
    decided about it. Takes the id of a learning, episode, record, conversation, entity, or line of
    a brief, too.
    """
    reader = asked.reader(wanted)
    found = lineage.why(reader, wanted.id, events=wanted.events)
    if found is None:
        raise ToolRefused("nothing has that id: take one from another answer, whole")
    about = found["explanation"]
    fact = _fact(about["fact"]) if found["kind"] == FACT else None
    thing = next((about[name] for name in (found["kind"], "theme") if name in about), {})
    facts = about.get("facts") or [*about.get("merged_from", []), *about.get("corrected", [])]
    return answers.Explained.model_validate(
        {
            "namespace": reader.namespace,
            "as_of": reader.as_of,
            "kind": found["kind"],
            "id": found["id"],
            "text": about.get("text") or _text(thing) or about.get("label") or "",
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


def memory_status(asked: Asked, wanted: At) -> answers.Status:
    """Tell what is remembered, how much of it, and how fresh it is."""
    reader = asked.reader(wanted)
    fresh = freshness(asked.state, reader.namespace)
    return answers.Status(
        namespace=reader.namespace,
        as_of=reader.as_of,
        published_at=reader.manifest.published_at,
        lag_seconds=fresh.lag_seconds or 0.0,
        blocked_by=fresh.blocked_by,
        freshness=fresh.words,
        totals=answers.Totals.model_validate(totals(reader)),
        writes=asked.scope.writes,
        namespaces=[
            name
            for name in namespaces(asked.state.home)
            if name in (asked.scope.namespaces or [reader.namespace])
        ],
    )


def called(reader: Reader, name: str) -> list[str]:
    """Ids of what is called so.

    Raises:
        Refused: nothing is.
    """
    ids = listing.named(reader, name)
    if not ids:
        raise ToolRefused("nothing is called that: `list_entities` finds names by a part of them")
    return ids


def _brief(found: SearchResult) -> things.Result:
    """A result of which several fit into a context."""
    whole = things.Result.model_validate(found)
    return whole.model_copy(update={"text": brief(found.kind, found.text)})


def _each_fact_once(told: KnownEntities) -> list[things.KnownEntity]:
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
