"""Which of the texts that a search found answer the question?"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, field_validator

from cairn.knowledge.llm.prompt import Example, Prompt, fitting

BEST = 10
"""The score of a text that answers the question."""
LONGEST_TEXT, LONGEST_QUESTION = 240, 1000
"""Characters of each that are shown: what a text is about stands at its beginning."""


class TextScore(BaseModel):
    """How well one text answers the question."""

    text: int = Field(description="Number of the text.")
    score: int = Field(description="From 1, touches the matter, to 10, answers the question.")


class TextScores(BaseModel):
    """The texts that help to answer the question."""

    scores: list[TextScore] = []

    @field_validator("scores", mode="before")
    @classmethod
    def _readable(cls, found: Any) -> Any:
        """Leaves out what is no score: one text is lost by it, and no other."""
        return fitting(found, TextScore)


RERANK = Prompt(
    name="rerank",
    about="Which of the texts that a search found answer the question?",
    context=(
        "Cairn keeps what was said in the logs of one person, and searches it. A search by words "
        "found some texts, many of which only share words with the question. The input is the "
        "question and the texts, each with its number; long ones are cut."
    ),
    requirements=(
        "Score the texts that help to answer the question.\n"
        "- 10: it answers the question. 7: it answers a part, or nearly. 4: it is about the "
        "matter. 1: it only touches it.\n"
        "- Who, what, when and where must be those of the question: the same thing said of "
        "somebody else is at most 4.\n"
        "- Other words for the same thing are as good as the same words.\n"
        "- Texts that have nothing to do with the question are left out. None is named twice."
    ),
    criteria="What answers the question has a higher score than all that only shares its words.",
    output=TextScores,
    max_tokens=1200,
    temperature=0.0,
    examples=(
        Example(
            "Question: Which sport does Wendelbart do?\n"
            "Text 1: Which sport is on tonight?\n"
            "Text 2: Wendelbart: I was at the taekwondo hall twice this week.\n"
            "Text 3: Ostrunella: I gave up taekwondo for the choir.",
            TextScores(scores=[TextScore(text=2, score=10), TextScore(text=3, score=3)]),
            canaries=("Wendelbart", "Ostrunella"),
        ),
    ),
)


def shown(question: str, texts: Sequence[str]) -> str:
    """The data of the prompt: each text in a line of its own, numbered from 1."""
    numbered = (f"Text {at}: {_cut(text, LONGEST_TEXT)}" for at, text in enumerate(texts, 1))
    return "\n".join([f"Question: {_cut(question, LONGEST_QUESTION)}", *numbered])


def _cut(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()} …"


def score_of_each(answer: TextScores, count: int) -> list[float]:
    """Scores from 0 to 1 of texts by their numbers; 0 of those left out, and of what is no text.

    Of two scores for one text the first counts.
    """
    found = {one.text: one.score for one in reversed(answer.scores)}
    return [min(max(found.get(at, 0), 0), BEST) / BEST for at in range(1, count + 1)]
