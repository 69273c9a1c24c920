"""Lessons on workflows: steps in their order."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class Workflow(Lesson):
    """Steps that lead to a goal."""

    goal: str = Field(description="What the steps lead to.")
    when: str = Field(description="What sets them off.")
    steps: list[str] = Field(description="Each step with its command, in order.")


LEARNING_WORKFLOW = lesson_prompt(
    "workflow",
    "Lessons on workflows: steps in their order.",
    "Write down each sequence of steps that led to a goal here and can be followed again.\n"
    "- At least three steps, in the order in which they worked, each with its command.\n"
    "- Detours and failed attempts are left out.",
    Lessons[Workflow],
    Example(
        "[1] human\n"
        "    Release Quorvane.\n"
        "[2] tool call Bash\n"
        "    quorvane bump minor\n"
        "[3] tool call Bash\n"
        "    quorvane notes > NOTES.md\n"
        "[4] tool call Bash\n"
        "    quorvane publish --signed",
        Lessons[Workflow](
            lessons=[
                Workflow(
                    title="Releasing Quorvane: bump, notes, signed publish",
                    tags=["quorvane", "releases", "signing"],
                    evidence=[1, 2, 3, 4],
                    factors=Grades(
                        actionability=1.0, generalizability=0.4, clarity=1.0, evidence=0.7
                    ),
                    goal="A signed release of Quorvane.",
                    when="A release is asked for.",
                    steps=[
                        "`quorvane bump minor`",
                        "`quorvane notes > NOTES.md`",
                        "`quorvane publish --signed`",
                    ],
                )
            ]
        ),
        canaries=("Quorvane",),
    ),
)
