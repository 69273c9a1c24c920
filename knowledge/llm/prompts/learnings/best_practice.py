"""Lessons on practices that are recommended, and why."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class BestPractice(Lesson):
    """Something that should be done in general, and why."""

    practice: str = Field(description="What to do.")
    why: str = Field(description="Why it is recommended: what goes wrong without it.")
    when: str = Field(description="Where it holds.")


LEARNING_BEST_PRACTICE = lesson_prompt(
    "best_practice",
    "Lessons on practices that are recommended, and why.",
    "Write down each practice that is recommended here for the future, with the reason.\n"
    "- It is said or shown why; advice without a reason is none.\n"
    "- It is meant to last. What is asked for now, or how a person wants to be talked to, is none.",
    Lessons[BestPractice],
    Example(
        "[1] human\n"
        "    From now on always take a Tellmarsh snapshot before a migration. Last time we could "
        "not go back.",
        Lessons[BestPractice](
            lessons=[
                BestPractice(
                    title="Take a Tellmarsh snapshot before every migration",
                    tags=["migrations", "snapshots", "tellmarsh"],
                    evidence=[1],
                    factors=Grades(
                        actionability=0.7, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    practice="Take a Tellmarsh snapshot of the database before a migration runs.",
                    why="Without one a migration that fails cannot be taken back, as happened.",
                    when="Before every migration.",
                )
            ]
        ),
        canaries=("Tellmarsh",),
    ),
)
