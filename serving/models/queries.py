"""The table of queries. Whoever adds one writes its function, and a declaration here."""

from typing import Any

from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES
from cairn.serving.models import answers, bodies, functions, parameters, things
from cairn.serving.models.query import Query, listed, narrowed, one, one_with_events
from cairn.serving.query import conversation as talk
from cairn.serving.query import lineage, listing, research
from cairn.serving.query.decisions import decisions
from cairn.serving.query.interests import interests
from cairn.serving.query.missed import missed
from cairn.serving.query.notifications import notifications
from cairn.serving.query.projects import projects
from cairn.serving.read.bounds import ANY_ID, Id
from cairn.serving.status.pending import ATTITUDES, LEARN, MISSED, NOTICES, RESEARCH, SCHEDULES

FACT = Id.of("fact", "f_1c0ad2398567ecbb")
ENTITY = Id.of("entity", "e_a4160f63031a50c7")
LEARNING = Id.of("learning", "l_7bd6fe39ba5a3bba")
EPISODE = Id.of("episode", "r_bb2c0d0b011bcbb2")
CONVERSATION = Id("conversation_id", "Of a conversation.", "797df401-d9e3-405b-8320", ANY_ID)
RECORD = Id.of("record", "r_bb2c0d0b011bcbb2")
ANY = Id(
    "id",
    "Of a fact, entity, learning, episode, conversation, record, candidate, …",
    "f_1c0ad2398567ecbb",
    ANY_ID,
)

QUERIES: tuple[Query[Any], ...] = (
    Query(
        name="search", path="/search", tag="asking", tool="search_memory",
        do=functions.search, asked=parameters.SearchParameters, body=bodies.SearchBody,
        answer=answers.Results,
        about="Find facts, episodes and learnings, each with where it comes from.",
        note='Words that say when ("in March", "last spring") are read as days.',
        hint="Episodes are requests and what came of them.",
        takes=("query", "type", "limit", "min_confidence", "entity", "events", "from_day", "to_day",
               "as_of", "true_at"),
    ),
    Query(
        name="context", path="/context", tag="asking", tool="get_context", in_address=False,
        do=functions.context, asked=bodies.ContextParameters, body=bodies.ContextBody,
        answer=answers.ContextAnswer,
        about="Tell what belongs into the next prompt: by the message, and by the turns before it.",
        note="`streamed` bears on the turns before; it can be made ready between turns. `known` is"
        " what is known of what the message names, and whether that is enough to do without a"
        " search; `found` is what a search for the message finds: facts, episodes and learnings,"
        " each sure enough to be told. `text` has the turns and what of memory fits the budget.",
        takes=("message", "turns", "budget", "as_of", "true_at"),
    ),
    Query(
        name="brief", path="/brief", tag="asking", tool="get_brief",
        do=functions.brief, asked=parameters.BriefParameters, answer=answers.ProjectBrief,
        about="Tell what to know of a project before work on it starts.",
        note="How its commands are run, what the person wants and refused, what ended errors,"
        " where things are, and what was done last.",
        hint="Ask once when a session starts.",
        takes=("project", "budget", "as_of"),
    ),
    Query(
        name="lesson", path="/lesson", tag="asking", tool="get_lesson",
        do=functions.ended, asked=parameters.LessonParameters, answer=answers.EndedError,
        about="Tell what ended an error before, by its line or the whole output.",
        note="No fix where nothing is proven: a flake, a bypass and a change that was undone are"
        " none.",
        hint="Ask when a command fails, before you look for the cause yourself.",
        takes=("error", "project", "limit", "as_of"),
    ),
    Query(
        name="utility", path="/utility", tag="asking",
        do=functions.utility, asked=parameters.UtilityParameters, answer=answers.Utility,
        about="Tell whether what agents were given helped: shown, against held out.",
        note="`difference` is that of the shares of good sessions, `low` and `high` its interval of"
        " 95 %. It is told of the latest event alone.",
    ),
    Query(
        name="facts", path="/facts", tag="browsing",
        do=narrowed(listing.facts), asked=parameters.FactParameters, answer=answers.FactPage,
        about="List facts: those that hold first; of them sentences before attributes, by"
        " support, the newest.",
    ),
    Query(
        name="fact", path="/facts/{fact_id}", tag="browsing", id=FACT,
        do=one(listing.fact), asked=parameters.At, answer=things.OneFact,
        about="Tell one fact, with its first sources.",
    ),
    Query(
        name="entities", path="/entities", tag="browsing", tool="list_entities",
        do=narrowed(listing.entities), asked=parameters.EntityParameters, answer=answers.EntityPage,
        about="List entities, those with the most facts first.",
    ),
    Query(
        name="entity", path="/entities/{entity_id}", tag="browsing", id=ENTITY,
        do=one_with_events(listing.entity), asked=parameters.AlsoEvents, answer=things.OneEntity,
        about="Tell one entity, what it took up, and how many facts it has.",
    ),
    Query(
        name="about", path="/about", tag="browsing", tool="get_entity",
        do=functions.about, asked=parameters.AboutParameters, answer=answers.EntityFacts,
        about="Tell what is known of one person, project, host, tool, …, by id, name or alias.",
    ),
    Query(
        name="learnings", path="/learnings", tag="browsing", tool="get_learnings",
        do=functions.learnings, asked=parameters.LearningParameters, answer=answers.LearningPage,
        about="List learnings, the surest first, or the nearest to a query.",
        takes=("query", "category", "min_confidence", "limit", "cursor", "as_of", "true_at"),
    ),
    Query(
        name="learning", path="/learnings/{learning_id}", tag="browsing", id=LEARNING,
        do=one(listing.learning), asked=parameters.At, answer=things.OneLearning,
        about="Tell one learning, with its quotes.",
    ),
    Query(
        name="episodes", path="/episodes", tag="browsing",
        do=narrowed(listing.episodes), asked=parameters.TalkParameters, answer=answers.EpisodePage,
        about="List episodes, the latest first.",
    ),
    Query(
        name="episode", path="/episodes/{episode_id}", tag="browsing", id=EPISODE,
        do=one(listing.episode), asked=parameters.At, answer=things.OneEpisode,
        about="Tell one episode, and where its request stands.",
    ),
    Query(
        name="projects", path="/projects", tag="browsing",
        do=listed(projects), asked=parameters.Turning, answer=answers.ProjectPage,
        about="List projects, the one that was worked on last first.",
    ),
    Query(
        name="conversations", path="/conversations", tag="browsing",
        do=narrowed(listing.conversations), asked=parameters.TalkParameters,
        answer=answers.ConversationPage,
        about="List conversations, the latest first.",
    ),
    Query(
        name="conversation", path="/conversations/{conversation_id}", tag="browsing",
        id=CONVERSATION,
        do=one(talk.conversation), asked=parameters.At, answer=things.OneConversation,
        about="Tell one conversation.",
    ),
    Query(
        name="messages", path="/conversations/{conversation_id}/messages", tag="browsing",
        id=CONVERSATION,
        do=functions.messages, asked=parameters.MessageParameters, answer=answers.MessagePage,
        about="Tell what was said in a conversation, in order, and what was drawn from each line.",
    ),
    Query(
        name="record", path="/records/{record_id}", tag="browsing", id=RECORD,
        do=functions.record, asked=parameters.RecordParameters, answer=answers.OneRecord,
        about="Tell one record whole, with what stands before and after it.",
    ),
    Query(
        name="recent", path="/recent", tag="browsing", tool="recent_activity",
        do=functions.recent, asked=parameters.RecentParameters, answer=answers.RecentPage,
        about="List what came last: facts that were first said, learnings, episodes.",
    ),
    Query(
        name="status", path="/status", tag="browsing", tool="memory_status",
        do=functions.status, asked=parameters.At, answer=answers.Status,
        about="Tell how much is remembered, and how fresh it is.",
    ),
    Query(
        name="review", path="/review", tag="operating", waiting=DECISION_TYPES,
        do=functions.reviewed, asked=parameters.ReviewParameters, answer=answers.Review,
        about="List what waits for a person: facts and entities to tell apart, unclear values, what"
        " is held in quarantine.",
        note="A POST of `/v1/decisions` decides.",
    ),
    Query(
        name="decisions", path="/decisions", tag="operating", waiting=DECISION_TYPES,
        do=listed(decisions), asked=parameters.Turning, answer=answers.DecisionPage,
        about="List what people decided about facts and entities, the latest first.",
    ),
    Query(
        name="missed", path="/missed", tag="operating", waiting=MISSED,
        do=listed(missed), asked=parameters.Turning, answer=answers.MissedPage,
        about="List what people said should have been learnt: labelled examples, the latest first.",
    ),
    Query(
        name="changes", path="/changes", tag="operating",
        do=functions.compared, asked=parameters.ChangeParameters, answer=answers.Changes,
        about="Tell what differs between two publications that are kept: learnings, facts, entities"
        " that appeared, changed or are gone.",
    ),
    Query(
        name="dead_letters", path="/dead-letters", tag="operating",
        do=functions.letters, asked=parameters.RowParameters, answer=answers.DeadLetters,
        about="List what could not be read or done, with its place, and why.",
    ),
    Query(
        name="costs", path="/costs", tag="operating",
        do=functions.paid, asked=parameters.CostParameters, answer=answers.Costs,
        about="Tell what calls to language models cost.",
    ),
    Query(
        name="sources", path="/sources", tag="operating",
        do=functions.watched, asked=parameters.RowParameters, answer=answers.Sources,
        about="List the watched sources, and how much of each was taken in.",
    ),
    Query(
        name="interests", path="/interests", tag="browsing", tool="list_interests",
        waiting=ATTITUDES,
        do=listed(interests), asked=parameters.Turning, answer=answers.InterestPage,
        about="List what the person cares about, the most first, with what made it.",
        hint="Bring up unasked neither what has a score below 0, nor what is muted.",
    ),
    Query(
        name="graph", path="/graph/{entity_id}", tag="tracing", id=ENTITY,
        do=functions.around, asked=parameters.GraphParameters, answer=answers.Graph,
        about="Tell what lies around an entity, along its relations in either direction.",
    ),
    Query(
        name="why", path="/why/{id}", tag="tracing", tool="explain_fact", id=ANY,
        do=functions.why, asked=parameters.AlsoEvents, answer=answers.Why,
        about="Tell why something is here: fact → quote → record → file and line, and all that is"
        " known.",
    ),
    Query(
        name="uses", path="/uses/{record_id}", tag="tracing", id=RECORD,
        do=one_with_events(lineage.uses), asked=parameters.AlsoEvents, answer=answers.Uses,
        about="Tell what depends on a record: its episode, facts, learnings, entities it"
        " introduced.",
    ),
    Query(
        name="learn_prompts", path="/learn-prompts", tag="researching", tool="list_learn_prompts",
        waiting=LEARN,
        do=listed(research.prompts), asked=parameters.Paged, answer=answers.LearnPromptPage,
        about="List what somebody wants to know, the latest first, with what was found through it.",
    ),
    Query(
        name="schedules", path="/schedules", tag="researching", waiting=SCHEDULES,
        do=listed(research.schedules), asked=parameters.Paged, answer=answers.SchedulePage,
        about="List what is searched for again and again, the next first.",
    ),
    Query(
        name="research", path="/research", tag="researching", tool="list_research",
        waiting=RESEARCH,
        do=functions.searches, asked=parameters.ResearchParameters, answer=answers.Research,
        about="List what is to be searched for, what was, and what is not known.",
    ),
    Query(
        name="notifications", path="/notifications", tag="researching", tool="list_notifications",
        waiting=NOTICES,
        do=listed(notifications), asked=parameters.Paged, answer=answers.NotificationPage,
        about="List what is told unasked: what is to be told, what is blocked and why, what was"
        " told.",
        note="An event of type `reaction` answers one: `reply_to` is its `message_id`.",
    ),
)  # fmt: skip
"""Every query that HTTP, agents and `cairn query` answer alike."""

BY_NAME = {query.name: query for query in QUERIES}
