"""Lessons on patterns: what, why, when, how."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class Pattern(Lesson):
    """A way of building something that can be used again."""

    what: str = Field(description="The pattern.")
    why: str = Field(description="What it brings.")
    when: str = Field(description="Where it fits.")
    how: str = Field(description="How it is built, with code where the messages have it.")


LEARNING_PATTERN = lesson_prompt(
    "pattern",
    "Lessons on patterns: what, why, when, how.",
    "Write down each way of building something that was used here and can be used again: what it "
    "is, why, when it fits, how it is built.\n"
    "- It is more than the change that was made here: it has a shape that others can copy.\n"
    "- The messages say why; that it was used is not enough.",
    Lessons[Pattern],
    Example(
        "[1] agent\n"
        "    I put a Quorvane outbox beside the orders table: one transaction writes both, and a "
        "worker sends what is in the outbox. So no order is lost when the queue is down.",
        Lessons[Pattern](
            lessons=[
                Pattern(
                    title="Write messages to an outbox table in the transaction of the data",
                    tags=["outbox", "transactions", "queues", "quorvane"],
                    evidence=[1],
                    factors=Grades(
                        actionability=1.0, generalizability=1.0, clarity=0.7, evidence=0.7
                    ),
                    what="An outbox table, as Quorvane has it, beside the table of orders.",
                    why="No message is lost when the queue is down.",
                    when="A write to a database must also be told to a queue.",
                    how="One transaction writes the row and the outbox; a worker sends what is in "
                    "the outbox.",
                )
            ]
        ),
        canaries=("Quorvane",),
    ),
)
