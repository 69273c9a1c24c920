"""Which kinds of lessons a conversation holds."""

from pydantic import BaseModel, Field, field_validator

from cairn.knowledge.llm.prompt import Example, Prompt
from cairn.knowledge.schema.learning_categories import CATEGORIES, Category


class FoundCategory(BaseModel):
    """One kind of lesson, and what speaks for it."""

    category: Category
    confidence: float = Field(ge=0.0, le=1.0, description="How surely such a lesson is there.")
    signals: list[str] = Field(
        default=[], description="What speaks for it, in a few words each, with message numbers."
    )


class Categories(BaseModel):
    """The kinds found; none is a fine answer."""

    categories: list[FoundCategory] = []

    @field_validator("categories", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        """Kinds of the model's own making are left out; they must not cost the others."""
        if not isinstance(value, list):
            return value
        found: list[object] = value
        return [
            one for one in found if not isinstance(one, dict) or one.get("category") in CATEGORIES
        ]


LEARNING_CATEGORIES = Prompt(
    name="learning_categories",
    about="Which kinds of lessons a conversation holds.",
    context=(
        "Cairn gathers lasting knowledge from sessions with coding agents and from chats. This "
        "step finds which kinds of reusable lessons one conversation holds; later steps write "
        "them down. The input is the telling messages of one conversation: before each stand its "
        "number and who speaks; its text is indented below."
    ),
    requirements=(
        "List the categories of which the messages bear a lesson that others can use again:\n"
        "- bug_fix: a fault was met, understood and solved.\n"
        "- decision: options were weighed and one was chosen, with a reason.\n"
        "- tool_usage: how to use a tool for a purpose was found out.\n"
        "- optimization: something was made faster, smaller or cheaper, and measured.\n"
        "- workflow: steps in an order that led to a goal.\n"
        "- pattern: a way of building something that can be used again, and why.\n"
        "- best_practice: something is recommended in general, and why.\n"
        "- anti_pattern: a way of doing something did harm, and there is a better one.\n"
        "For each, confidence from 0 to 1 and one to three signals. Each category once."
    ),
    criteria=(
        "0.9: the lesson is there in all its parts. 0.7: one part has to be inferred. 0.5: it is "
        "there, but barely. Below: do not list it. Most conversations hold none or one; plain "
        "work that went as expected holds none."
    ),
    output=Categories,
    max_tokens=1000,
    examples=(
        Example(
            "[1] tool error\n"
            "    frostquill: cannot render: no glyph table\n"
            "[2] agent\n"
            "    The slim image has no fonts. I'll install fonts-core.\n"
            "[3] tool result\n"
            "    frostquill: rendered 12 pages",
            Categories(
                categories=[
                    FoundCategory(
                        category="bug_fix",
                        confidence=0.9,
                        signals=["error explained (1, 2)", "solution shown to work (3)"],
                    )
                ]
            ),
            canaries=("frostquill",),
        ),
    ),
)
