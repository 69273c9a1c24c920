"""Which pages there are: each shows what one query answers."""

from dataclasses import dataclass, field
from typing import Any

from cairn.serving.models.queries import BY_NAME
from cairn.serving.models.query import Query


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
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    """What is asked where nobody says otherwise."""

    @property
    def asks(self) -> Query[Any]:
        """The query itself."""
        return BY_NAME[self.query]


PAGES = (
    ShownPage(path="/learnings", title="Lessons", query="learnings", template="learnings.html",
         menu=True),
    ShownPage(path="/learnings/{id}", title="Lesson", query="why", template="why.html"),
    ShownPage(path="/facts", title="Facts", query="facts", template="facts.html", menu=True),
    ShownPage(path="/facts/{id}", title="Fact", query="why", template="why.html"),
    ShownPage(path="/entities", title="Entities", query="entities", template="entities.html",
         menu=True),
    ShownPage(path="/entities/{id}", title="Entity", query="why", template="why.html"),
    ShownPage(path="/conversations", title="Conversations", query="conversations",
         template="conversations.html", menu=True),
    ShownPage(path="/conversations/{conversation_id}", title="Conversation", query="messages",
         template="conversation.html"),
    ShownPage(path="/records/{record_id}", title="Record", query="record", template="record.html",
         given={"around": 3}),
    ShownPage(path="/why/{id}", title="Why", query="why", template="why.html"),
    ShownPage(path="/brief", title="Brief", query="brief", template="brief.html", menu=True),
    ShownPage(path="/review", title="Review", query="review", template="review.html", menu=True),
    ShownPage(path="/decisions", title="Decisions", query="decisions", template="decisions.html"),
    ShownPage(path="/interests", title="Interests", query="interests", template="interests.html"),
    ShownPage(path="/utility", title="Utility", query="utility", template="utility.html"),
    ShownPage(path="/sources", title="Sources", query="sources", template="sources.html"),
    ShownPage(path="/costs", title="Costs", query="costs", template="costs.html"),
    ShownPage(path="/dead-letters", title="Dead letters", query="dead_letters",
         template="dead_letters.html"),
)  # fmt: skip
"""All but the first page of a namespace and its search, which show several answers."""
