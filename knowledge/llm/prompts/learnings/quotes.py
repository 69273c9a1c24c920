"""The words that a lesson rests on, and the lesson in a sentence or two."""

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt

SHOWN = 500
"""Characters that are shown of each message."""


class QuotedWords(BaseModel):
    """Words of one message."""

    message: int = Field(description="Number of the message.")
    text: str = Field(
        description="Words of that message, verbatim.", json_schema_extra={"maxLength": 200}
    )


class LessonQuotes(BaseModel):
    """Quotes and summary of a lesson."""

    quotes: list[QuotedWords] = Field(
        default=[],
        description="The most telling words.",
        json_schema_extra={"minItems": 2, "maxItems": 4},
    )
    summary: str = Field(
        default="",
        description="The lesson in a sentence or two.",
        json_schema_extra={"maxLength": 300},
    )


LEARNING_QUOTES = Prompt(
    name="learning_quotes",
    about="The words that a lesson rests on, and the lesson in a sentence or two.",
    context=(
        "Cairn gathers lasting knowledge from sessions with coding agents and from chats. A lesson "
        "was drawn from one conversation; this step finds the words that it rests on. The input "
        "is the lesson, then the messages that it was drawn from: before each stand its number "
        "and who speaks; its text is indented below, and may be cut off."
    ),
    requirements=(
        "Choose two to four quotes, and sum the lesson up.\n"
        "- Each quote is copied letter by letter from one message, at most 200 characters, "
        "without `…` and without joining places. Together they show the lesson: what was met, "
        "what was done or chosen, that it worked.\n"
        "- From different messages, where there are several.\n"
        "- The summary has at most 300 characters, and says nothing that the lesson does not."
    ),
    criteria="A reader who has only the quotes believes the lesson.",
    output=LessonQuotes,
    max_tokens=500,
    examples=(
        Example(
            "Lesson: Frostquill needs fonts-core in slim images\n"
            "Symptom: Rendering fails with 'no glyph table'.\nSolution: Install fonts-core.\n\n"
            "Messages:\n"
            "[1] tool error\n"
            "    frostquill: cannot render: no glyph table\n"
            "[2] agent\n"
            "    The slim image has no fonts. I'll install fonts-core.",
            LessonQuotes(
                quotes=[
                    QuotedWords(message=1, text="frostquill: cannot render: no glyph table"),
                    QuotedWords(
                        message=2, text="The slim image has no fonts. I'll install fonts-core."
                    ),
                ],
                summary="In slim images Frostquill finds no glyph table until fonts-core is "
                "installed.",
            ),
            canaries=("Frostquill",),
        ),
    ),
)
