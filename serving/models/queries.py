"""The table of queries. Whoever adds one writes its function, and a declaration here."""

from typing import Any

from cairn.resources.vector_index.protocol import Filters
from cairn.serving.models import answers, parameters, things
from cairn.serving.models.bounds import ANY_ID, Id
from cairn.serving.models.query import Query, listed, one, one_with_events
from cairn.serving.query import graph, lineage, listing, research
from cairn.serving.query.briefs import project_brief
from cairn.serving.query.interests import interests
from cairn.serving.query.lessons import lesson
from cairn.serving.query.notifications import notifications
from cairn.serving.read.pagination import Page
from cairn.serving.read.reader import Reader
from cairn.serving.retrieval.context import as_text
from cairn.serving.retrieval.search import answer, served
from cairn.serving.status.pending import ATTITUDES, LEARN, NOTICES, RESEARCH, SCHEDULES

FACT = Id.of("fact", "f_1c0ad2398567ecbb")
ENTITY = Id.of("entity", "e_a4160f63031a50c7")
LEARNING = Id.of("learning", "l_f4a2826654062026")
EPISODE = Id.of("episode", "r_bb2c0d0b011bcbb2")
RECORD = Id.of("record", "r_bb2c0d0b011bcbb2")
ANY = Id(
    "id",
    "Of a fact, entity, learning, episode, conversation, record, candidate, …",
    "f_1c0ad2398567ecbb",
    ANY_ID,
)


def search(reader: Reader, wanted: parameters.Searched) -> dict[str, Any]:
    """Results of a search, and what of the question was read as days."""
    days = [day and day.isoformat() for day in (wanted.from_day, wanted.to_day)]
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
    its = answer(
        reader, wanted.query, wanted.type, wanted.limit, wanted.min_confidence, only,
        events=wanted.events,
    )  # fmt: skip
    served(reader, its)
    return {
        "query": wanted.query,
        "time_expression": its.time_expression,
        "from_day": its.from_day or days[0],
        "to_day": its.to_day or days[1],
        "results": its.results,
        "text": as_text(reader, its.results),
    }


def _recent(reader: Reader, wanted: parameters.RecentParameters) -> Page:
    return listing.recent(reader, wanted.kind, wanted.since, wanted.limit, wanted.cursor)


def _graph(
    reader: Reader, wanted: parameters.GraphParameters, entity_id: str
) -> dict[str, Any] | None:
    return graph.around(reader, entity_id, wanted.depth, wanted.limit, events=wanted.events)


def _research(reader: Reader, wanted: parameters.ResearchParameters) -> dict[str, Any]:
    due, blocked, made = research.report(reader)
    return {
        "totals": {"due": due.height, "blocked": blocked.height, "done": len(made)},
        "due": due.head(wanted.limit).to_dicts(),
        "blocked": blocked.head(wanted.limit).to_dicts(),
        "done": made[: wanted.limit],
    }


def _brief(reader: Reader, wanted: parameters.BriefParameters) -> dict[str, Any]:
    return project_brief(reader, wanted.project, wanted.budget)


def _lesson(reader: Reader, wanted: parameters.LessonParameters) -> dict[str, Any]:
    return lesson(reader, wanted.error, wanted.project, wanted.limit)


SEARCH: Query[Any] = Query(
    name="search",
    about="Find facts, episodes and learnings, each with where it comes from.",
    do=search,
    asked=parameters.SearchParameters,
    answer=answers.Results,
    path="/search",
    tag="asking",
    note='Words that say when ("in March", "last spring") become days, and `said` tells which.',
    tool="search_memory",
    title="Search memory",
    hint="Episodes are requests and what came of them. Nothing rather than noise: `explain_fact`"
    " tells the words that an id rests on.",
    takes=(
        "query", "type", "limit", "min_confidence", "entity", "events", "from_day", "to_day",
        "as_of", "true_at",
    ),
)  # fmt: skip

QUERIES: tuple[Query[Any], ...] = (
    SEARCH,
    Query(
        name="brief",
        about="Tell what to know of a project before work on it starts.",
        do=_brief,
        asked=parameters.BriefParameters,
        answer=answers.ProjectBrief,
        path="/brief",
        tag="asking",
        note="How its commands are run, what the person wants and refused, what ended errors,"
        " where things are, and what was done last.",
        tool="get_brief",
        title="Get brief",
        hint="Ask once when a session starts.",
    ),
    Query(
        name="lesson",
        about="Tell what ended an error before, by its line or the whole output.",
        do=_lesson,
        asked=parameters.LessonParameters,
        answer=answers.EndedError,
        path="/lesson",
        tag="asking",
        note="No fix where nothing is proven: a flake, a bypass and a change that was undone are"
        " none.",
        tool="get_lesson",
        title="Get lesson",
        hint="Ask when a command fails, before you look for the cause yourself.",
    ),
    Query(
        name="facts",
        about="List facts: those that hold first; of them sentences before attributes, then by"
        " support.",
        do=listed(listing.facts, listing.FactFilter),
        asked=parameters.FactParameters,
        answer=answers.FactPage,
        path="/facts",
        tag="browsing",
    ),
    Query(
        name="fact",
        about="Tell one fact, with its first sources.",
        do=one(listing.fact),
        asked=parameters.At,
        id=FACT,
        answer=things.OneFact,
        path="/facts/{fact_id}",
        tag="browsing",
    ),
    Query(
        name="entities",
        about="List entities, those with the most facts first.",
        do=listed(listing.entities, listing.EntityFilter),
        asked=parameters.EntityParameters,
        answer=answers.EntityPage,
        path="/entities",
        tag="browsing",
        tool="list_entities",
        title="List entities",
        hint="They are who and what is known; `get_entity` tells of one of them.",
    ),
    Query(
        name="entity",
        about="Tell one entity, what it took up, and how many facts it has.",
        do=one_with_events(listing.entity),
        asked=parameters.AlsoEvents,
        id=ENTITY,
        answer=things.OneEntity,
        path="/entities/{entity_id}",
        tag="browsing",
    ),
    Query(
        name="learnings",
        about="List learnings, the surest first.",
        do=listed(listing.learnings, listing.LearningFilter),
        asked=parameters.LearningParameters,
        answer=answers.LearningPage,
        path="/learnings",
        tag="browsing",
    ),
    Query(
        name="learning",
        about="Tell one learning, with its quotes.",
        do=one(listing.learning),
        asked=parameters.At,
        id=LEARNING,
        answer=things.OneLearning,
        path="/learnings/{learning_id}",
        tag="browsing",
    ),
    Query(
        name="episodes",
        about="List episodes, the latest first.",
        do=listed(listing.episodes, listing.Talks),
        asked=parameters.TalkParameters,
        answer=answers.EpisodePage,
        path="/episodes",
        tag="browsing",
    ),
    Query(
        name="episode",
        about="Tell one episode, and where its request stands.",
        do=one(listing.episode),
        asked=parameters.At,
        id=EPISODE,
        answer=things.OneEpisode,
        path="/episodes/{episode_id}",
        tag="browsing",
    ),
    Query(
        name="conversations",
        about="List conversations, the latest first.",
        do=listed(listing.conversations, listing.Talks),
        asked=parameters.TalkParameters,
        answer=answers.ConversationPage,
        path="/conversations",
        tag="browsing",
    ),
    Query(
        name="recent",
        about="List what came last: facts that were first said, learnings, episodes.",
        do=_recent,
        asked=parameters.RecentParameters,
        answer=answers.RecentPage,
        path="/recent",
        tag="browsing",
        tool="recent_activity",
        title="List recent activity",
        hint="The latest comes first.",
    ),
    Query(
        name="interests",
        about="List what the person cares about, the most first, with what made it.",
        do=listed(interests),
        asked=parameters.Turning,
        answer=answers.InterestPage,
        path="/interests",
        tag="browsing",
        tool="list_interests",
        title="List interests",
        hint="What they are against has a score below 0, and what they muted is marked: bring up"
        " neither unasked.",
        waiting=ATTITUDES,
    ),
    Query(
        name="graph",
        about="Tell what lies around an entity, along its relations in either direction.",
        do=_graph,
        asked=parameters.GraphParameters,
        id=ENTITY,
        answer=answers.Graph,
        path="/graph/{entity_id}",
        tag="tracing",
    ),
    Query(
        name="why",
        about="Tell why something is here: fact → quote → record → file and line, and all that is"
        " known.",
        do=one_with_events(lineage.why),
        asked=parameters.AlsoEvents,
        id=ANY,
        answer=answers.Why,
        path="/why/{id}",
        tag="tracing",
    ),
    Query(
        name="uses",
        about="Tell what depends on a record: its episode, facts, learnings, entities it"
        " introduced.",
        do=one_with_events(lineage.uses),
        asked=parameters.AlsoEvents,
        id=RECORD,
        answer=answers.Uses,
        path="/uses/{record_id}",
        tag="tracing",
    ),
    Query(
        name="learn_prompts",
        about="List what somebody wants to know, the latest first, with what was found through it.",
        do=listed(research.prompts),
        asked=parameters.Paged,
        answer=answers.LearnPromptPage,
        path="/learn-prompts",
        tag="researching",
        tool="list_learn_prompts",
        title="List learn prompts",
        waiting=LEARN,
    ),
    Query(
        name="schedules",
        about="List what is searched for again and again, the next first.",
        do=listed(research.schedules),
        asked=parameters.Paged,
        answer=answers.SchedulePage,
        path="/schedules",
        tag="researching",
        waiting=SCHEDULES,
    ),
    Query(
        name="research",
        about="List what is to be searched for, what was, and what is not known.",
        do=_research,
        asked=parameters.ResearchParameters,
        answer=answers.Research,
        path="/research",
        tag="researching",
        tool="list_research",
        title="List research",
        hint="What recurs is among it.",
        waiting=RESEARCH,
    ),
    Query(
        name="notifications",
        about="List what is told unasked: what is to be told, what is blocked and why, what was"
        " told.",
        do=listed(notifications),
        asked=parameters.Paged,
        answer=answers.NotificationPage,
        path="/notifications",
        tag="researching",
        note="An event of type `reaction` answers one: `reply_to` is its `message_id`.",
        tool="list_notifications",
        title="List notifications",
        waiting=NOTICES,
    ),
)
"""Every query that HTTP, agents and `cairn query` answer alike."""
