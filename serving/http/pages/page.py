"""Which pages there are: each shows what one query answers."""

from dataclasses import dataclass, field
from typing import Any

from cairn.serving.models.queries import BY_NAME
from cairn.serving.models.query import Query

CARED, CHANGED, RUN = "What agents and people get", "What was put right", "How it runs"


@dataclass(frozen=True, kw_only=True)
class ShownPage:
    """One page of a namespace."""

    path: str
    """Below `/n/NAMESPACE`; with `.json` behind it, the same as JSON."""
    title: str
    query: str
    """The query whose answer it shows."""
    template: str
    menu: bool = False
    """Whether every page leads to it."""
    group: str = ""
    """One of GROUPS, of a page that the first one leads to."""
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    """What is asked where nobody says otherwise."""

    @property
    def asks(self) -> Query[Any]:
        """The query itself."""
        return BY_NAME[self.query]


PAGES = (
    ShownPage(path="/projects", title="Projects", query="projects", template="projects.html",
         menu=True),
    ShownPage(path="/project", title="Project", query="brief", template="project.html",
         given={"budget": 1_000}),
    ShownPage(path="/learnings", title="Lessons", query="learnings", template="learnings.html",
         menu=True),
    ShownPage(path="/learnings/{id}", title="Lesson", query="why", template="why.html"),
    ShownPage(path="/facts", title="Facts", query="facts", template="facts.html", menu=True),
    ShownPage(path="/facts/{id}", title="Fact", query="why", template="why.html"),
    ShownPage(path="/entities", title="Entities", query="entities", template="entities.html",
         menu=True),
    ShownPage(path="/entities/{id}", title="Entity", query="why", template="why.html"),
    ShownPage(path="/graph/{id}", title="Graph", query="graph", template="graph.html",
         given={"depth": 2, "limit": 120}),
    ShownPage(path="/conversations", title="Conversations", query="conversations",
         template="conversations.html", menu=True),
    ShownPage(path="/conversations/{conversation_id}", title="Conversation", query="messages",
         template="conversation.html"),
    ShownPage(path="/records/{record_id}", title="Record", query="record", template="record.html",
         given={"around": 3}),
    ShownPage(path="/why/{id}", title="Why", query="why", template="why.html"),
    ShownPage(path="/review", title="Review", query="review", template="review.html", menu=True),
    ShownPage(path="/interests", title="Interests", query="interests", template="interests.html",
         group=CARED),
    ShownPage(path="/research", title="Research", query="research", template="research.html",
         group=CARED),
    ShownPage(path="/notifications", title="Notifications", query="notifications",
         template="notifications.html", group=CARED),
    ShownPage(path="/brief", title="Brief", query="brief", template="brief.html", group=CARED),
    ShownPage(path="/utility", title="Utility", query="utility", template="utility.html",
         group=CARED),
    ShownPage(path="/decisions", title="Decisions", query="decisions", template="decisions.html",
         group=CHANGED),
    ShownPage(path="/missed", title="Missed", query="missed", template="missed.html",
         group=CHANGED),
    ShownPage(path="/changes", title="Changes", query="changes", template="changes.html",
         group=CHANGED),
    ShownPage(path="/sources", title="Sources", query="sources", template="sources.html",
         group=RUN),
    ShownPage(path="/costs", title="Costs", query="costs", template="costs.html", group=RUN),
    ShownPage(path="/dead-letters", title="Dead letters", query="dead_letters",
         template="dead_letters.html", group=RUN),
)  # fmt: skip
"""All but the first page of a namespace, its search and what is to be forgotten."""

MENU = [page for page in PAGES if page.menu]

GROUPS = {name: [page for page in PAGES if page.group == name] for name in (CARED, CHANGED, RUN)}
"""Pages that the first page of a namespace leads to, beside the menu."""
