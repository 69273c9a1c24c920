"""Lessons on what was made faster, smaller or cheaper: before, after, trade-offs."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class Optimization(Lesson):
    """A gain, and what it costs."""

    before: str = Field(description="How it was, with the measured number.")
    after: str = Field(description="How it is, with the measured number.")
    how: str = Field(description="What brought the gain, with code where the messages have it.")
    trade_offs: str = Field(
        default="", description="What it costs; empty if nothing is said of it."
    )


LEARNING_OPTIMIZATION = lesson_prompt(
    "optimization",
    "Lessons on what was made faster, smaller or cheaper: before, after, trade-offs.",
    "Write down each thing that was made faster, smaller or cheaper here: before, after, how, and "
    "the trade-offs.\n"
    "- Both sides are measured or seen. A gain that is only expected is none.\n"
    "- Numbers are copied as they stand, with their unit.",
    Lessons[Optimization],
    Example(
        "[1] tool result\n"
        "    frostquill index: 84 s\n"
        "[2] agent\n"
        "    I batch the inserts by 500 now; it keeps a batch in memory.\n"
        "[3] tool result\n"
        "    frostquill index: 6 s",
        Lessons[Optimization](
            lessons=[
                Optimization(
                    title="Batch inserts by 500 when filling a Frostquill index: 84 s to 6 s",
                    tags=["frostquill", "indexing", "batching"],
                    evidence=[1, 2, 3],
                    factors=Grades(
                        actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    before="Filling the Frostquill index row by row took 84 s.",
                    after="With batches it takes 6 s.",
                    how="Inserts are sent in batches of 500.",
                    trade_offs="One batch is kept in memory.",
                )
            ]
        ),
        canaries=("Frostquill",),
    ),
)
