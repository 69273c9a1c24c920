"""Lessons on what to avoid: the problem that it causes, and better ways."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class AntiPattern(Lesson):
    """A way of doing something that does harm."""

    avoid: str = Field(description="What not to do, and why one is tempted to.")
    problem: str = Field(description="The problem that it caused or causes.")
    better: list[str] = Field(description="Better ways.")


LEARNING_ANTI_PATTERN = lesson_prompt(
    "anti_pattern",
    "Lessons on what to avoid: the problem that it causes, and better ways.",
    "Write down each way of doing something that turned out here to do harm: what to avoid, the "
    "problem that it caused, better alternatives.\n"
    "- The harm is shown or explained, not only feared.\n"
    "- It names at least one better way.",
    Lessons[AntiPattern],
    Example(
        "[1] agent\n"
        "    Every request opened its own Brindlecask session, so the server ran out of sockets "
        "under load. One pool of sessions for the process keeps it at 20.",
        Lessons[AntiPattern](
            lessons=[
                AntiPattern(
                    title="Do not open a Brindlecask session per request: sockets run out",
                    tags=["brindlecask", "sessions", "pooling"],
                    evidence=[1],
                    factors=Grades(
                        actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    avoid="Opening a Brindlecask session in each request.",
                    problem="Under load the server runs out of sockets.",
                    better=["Share one pool of sessions in the process; it stayed at 20 sockets."],
                )
            ]
        ),
        canaries=("Brindlecask",),
    ),
)
