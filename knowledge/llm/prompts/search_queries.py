"""What to search for, to learn about a topic."""

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt

Query = Annotated[str, Field(max_length=120)]


class SearchQueries(BaseModel):
    """Queries for a search engine, in the order in which they are asked."""

    queries: list[Query] = Field(
        default=[],
        max_length=5,
        description="Three to five queries, the most general first; none if nothing can be asked.",
    )


SEARCH_QUERIES = Prompt(
    name="search_queries",
    about="What to search for, to learn about a topic.",
    context=(
        "Cairn gathers lasting knowledge for one person, who wants to learn about a topic. This "
        "step words the queries that a search engine is asked, one after the other. The input is "
        "the topic, as the person wrote it."
    ),
    requirements=(
        "Write three to five queries that bring different things to light.\n"
        "- Each names the topic, or what it is about, so that it can be asked alone.\n"
        "- The first asks for an overview; the others each for one side of it: how it works, what "
        "it is good for, what is new, what goes wrong, what to do instead.\n"
        "- Words of a query, no sentence, no operators, no quotation marks; in the language of the "
        "topic.\n"
        "- Nothing about the person who asks."
    ),
    criteria="No two queries would bring the same page first. A narrow topic needs only three.",
    output=SearchQueries,
    examples=(
        Example(
            "Topic: quellmoor vats",
            SearchQueries(
                queries=[
                    "quellmoor vats overview",
                    "how quellmoor vats are built",
                    "quellmoor vats common mistakes",
                ]
            ),
            canaries=("quellmoor",),
        ),
    ),
    max_tokens=500,
)
