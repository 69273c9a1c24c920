"""What queries do where no function of `query` answers them as it stands."""

from functools import partial
from typing import Any

from cairn.knowledge.ingest.inbox_events.decisions import FACT
from cairn.resources.vector_index.protocol import Filters
from cairn.serving.models import bodies, parameters
from cairn.serving.models.query import paged
from cairn.serving.query import conversation as talk
from cairn.serving.query import graph, lineage, listing, research
from cairn.serving.query import utility as offers
from cairn.serving.query.briefs import project_brief
from cairn.serving.query.changes import changes
from cairn.serving.query.costs import costs
from cairn.serving.query.dead_letters import dead_letters
from cairn.serving.query.lessons import lesson
from cairn.serving.query.review.queue import review
from cairn.serving.query.sources import sources
from cairn.serving.read.pagination import BadCursor, Page
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context import as_text, offer
from cairn.serving.retrieval.search import answer, served
from cairn.serving.status.freshness import freshness
from cairn.serving.status.totals import totals


def search(reader: Reader, wanted: parameters.Searched) -> dict[str, Any]:
    """Results of a search, and what of the question was read as days."""
    days = [day.isoformat() if day else None for day in (wanted.from_day, wanted.to_day)]
    only = Filters(
        statuses=[wanted.status] if wanted.status else None,
        entity_ids=listing.named(reader, wanted.entity) if wanted.entity else None,
        predicates=[wanted.predicate] if wanted.predicate else None,
        categories=[wanted.category] if wanted.category else None,
        knowledge_types=[wanted.knowledge_type] if wanted.knowledge_type else None,
        sources=[wanted.source] if wanted.source else None,
        from_day=days[0],
        to_day=days[1],
    )
    ask = partial(
        answer, reader, wanted.query, wanted.type, wanted.limit, wanted.min_confidence, only,
        events=wanted.events,
    )  # fmt: skip
    its = served(reader, ask)
    return {
        "query": wanted.query,
        "time_expression": its.time_expression,
        "from_day": its.from_day or days[0],
        "to_day": its.to_day or days[1],
        "reranked": its.reranked,
        "not_reranked": its.not_reranked,
        "results": its.results,
        "text": as_text(reader, its.results),
    }


def context(reader: Reader, said: bodies.ContextBody) -> dict[str, Any]:
    """What bears on the turns and the message, and as much of it as fits the budget."""
    made = offer(reader, said.message, said.turns, said.tool_results, said.system, said.budget)
    return {
        "streamed": made.streamed,
        "found": made.found,
        "reranked": made.reranked,
        "not_reranked": made.not_reranked,
        "known": made.known,
        "memories": made.context.streamed,
        "tokens": made.context.tokens,
        "text": made.context.text,
    }


def about(reader: Reader, wanted: parameters.AboutParameters) -> dict[str, Any] | None:
    """An entity by any of its names, and a page of its facts; None if nothing is called so."""
    ids = listing.named(reader, wanted.entity)
    found = (listing.entity(reader, id_, events=wanted.events) for id_ in ids)
    rows = [row for row in found if row]
    if not rows:
        return None
    rows.sort(key=lambda row: (-row["active_facts"], -row["mentions"], row["entity_id"]))
    only = listing.FactFilter(entity=rows[0]["entity_id"], events=wanted.events)
    page = listing.facts(reader, only, wanted.limit, wanted.cursor)
    return paged(page) | {"entity": rows[0], "same_name": rows[1:]}


def learnings(reader: Reader, wanted: parameters.LearningParameters) -> Page:
    """Learnings that a query finds, the nearest first; without one, all, the surest first.

    Raises:
        BadCursor: the cursor is none of this list, or what a query finds has no pages.
    """
    if wanted.query is None:
        return listing.learnings(reader, wanted, wanted.limit, wanted.cursor)
    if wanted.cursor:
        raise BadCursor("what a query finds has no pages: leave `cursor` out, or raise `limit`")
    categories = [wanted.category] if wanted.category else None
    ask = partial(
        answer, reader, wanted.query, "learnings", wanted.limit, wanted.min_confidence,
        Filters(categories=categories),
    )  # fmt: skip
    found = served(reader, ask)
    rows = (listing.learning(reader, one.id) for one in found.results)
    fit = [row for row in rows if row and _is_of(row, wanted)]
    return Page(fit, None, len(fit))


def _is_of(learning: dict[str, Any], wanted: parameters.LearningParameters) -> bool:
    """Whether a learning that was found is one of those that are wanted."""
    return (
        (wanted.tag is None or wanted.tag.casefold() in learning["tags"])
        and wanted.conversation in (None, *learning["conversation_ids"])
        and (wanted.since is None or learning["created_at"] >= wanted.since)
        and (wanted.until is None or learning["created_at"] < wanted.until)
    )


def recent(reader: Reader, wanted: parameters.RecentParameters) -> Page:
    """What came last."""
    return listing.recent(reader, wanted.kind, wanted.since, wanted.limit, wanted.cursor)


def messages(
    reader: Reader, wanted: parameters.MessageParameters, conversation_id: str
) -> Page | None:
    """What was said in a conversation."""
    return talk.messages(reader, conversation_id, wanted.limit, wanted.cursor)


def record(
    reader: Reader, wanted: parameters.RecordParameters, record_id: str
) -> dict[str, Any] | None:
    """A record in its conversation."""
    return talk.record(reader, record_id, wanted.around)


def reviewed(reader: Reader, wanted: parameters.ReviewParameters) -> dict[str, Any]:
    """What waits for a person."""
    return review(reader, wanted.kind, wanted.limit)


def letters(reader: Reader, wanted: parameters.RowParameters) -> dict[str, Any]:
    """What could not be read or done."""
    return dead_letters(reader, wanted.limit)


def paid(reader: Reader, wanted: parameters.CostParameters) -> dict[str, Any]:
    """What calls to language models cost."""
    return costs(reader, list(dict.fromkeys(wanted.by)), wanted.since, wanted.limit)


def watched(reader: Reader, wanted: parameters.RowParameters) -> dict[str, Any]:
    """The watched sources."""
    return sources(reader, wanted.limit)


def compared(reader: Reader, wanted: parameters.ChangeParameters) -> dict[str, Any]:
    """What differs between two publications."""
    return changes(reader, wanted.since, wanted.until, wanted.limit)


def around(
    reader: Reader, wanted: parameters.GraphParameters, entity_id: str
) -> dict[str, Any] | None:
    """What lies around an entity."""
    return graph.around(reader, entity_id, wanted.depth, wanted.limit, events=wanted.events)


def searches(reader: Reader, wanted: parameters.ResearchParameters) -> dict[str, Any]:
    """Searches that are due, blocked and done."""
    due, blocked, made = research.report(reader)
    return {
        "totals": {"due": due.height, "blocked": blocked.height, "done": len(made)},
        "due": due.head(wanted.limit).to_dicts(),
        "blocked": blocked.head(wanted.limit).to_dicts(),
        "done": made[: wanted.limit],
    }


def brief(reader: Reader, wanted: parameters.BriefParameters) -> dict[str, Any]:
    """What to know of a project."""
    return project_brief(reader, wanted.project, wanted.budget)


def ended(reader: Reader, wanted: parameters.LessonParameters) -> dict[str, Any]:
    """What ended an error."""
    return lesson(reader, wanted.error, wanted.project, wanted.limit)


def utility(reader: Reader, wanted: parameters.UtilityParameters) -> dict[str, Any]:
    """What came of offers."""
    return offers.utility(reader, wanted.limit)


def status(reader: Reader, _: parameters.At) -> dict[str, Any]:
    """How much is published, and how fresh that is."""
    fresh = freshness(reader.state, reader.namespace)
    return {
        "published_at": reader.manifest.published_at,
        "totals": totals(reader),
        "lag_seconds": fresh.lag_seconds or 0.0,
        "blocked_by": fresh.blocked_by,
        "freshness": fresh.words,
    }


def why(reader: Reader, wanted: parameters.AlsoEvents, id_: str) -> dict[str, Any] | None:
    """What something is and rests on, with what its kind has under one name for all kinds."""
    found = lineage.why(reader, id_, events=wanted.events)
    if found is None:
        return None
    its = found["explanation"]
    thing = next((its[name] for name in (found["kind"], "theme") if name in its), {})
    facts = its.get("facts") or [*its.get("merged_from", []), *its.get("corrected", [])]
    return found | {
        "text": its.get("text") or _text(thing) or its.get("label") or "",
        "fact": _now(its["fact"]) if found["kind"] == FACT else None,
        "extractor": thing.get("extractor"),
        "history": its.get("history", []),
        "decisions": its.get("decisions", []),
        "facts": [_now(row) for row in facts if "fact_id" in row],
        "learnings": its.get("learnings", []),
        "episodes": its.get("episodes") or its.get("drawn_from", []),
    }


def _now(row: dict[str, Any]) -> dict[str, Any]:
    """A fact with the confidence of the reader's moment."""
    return row | {"confidence": row["effective"]}


def _text(thing: dict[str, Any]) -> str:
    """What a row of any kind says."""
    if "title" in thing and "content" in thing:
        return f"{thing['title']}\n{thing['content']}"
    names = ("content", "text", "title", "display_name", "reason", "terms")
    said = next((thing[name] for name in names if thing.get(name)), "")
    return said if isinstance(said, str) else ", ".join(said)
