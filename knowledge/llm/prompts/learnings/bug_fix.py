"""Lessons from faults: symptom, root cause, solution."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class BugFix(Lesson):
    """A fault that was understood and solved."""

    symptom: str = Field(description="What was seen: the error's own words, and when it came.")
    root_cause: str = Field(description="Why it happened, below the symptom.")
    solution: str = Field(description="What solved it, with the code or command.")


LEARNING_BUG_FIX = lesson_prompt(
    "bug_fix",
    "Lessons from faults: symptom, root cause, solution.",
    "Write down each fault that was met and solved here, from symptom over root cause to "
    "solution.\n"
    "- The root cause is what the messages found out, not a guess. A slip of the pen (a typo, a "
    "missing bracket) teaches nothing.\n"
    "- Only if a later message shows or says that the solution worked.",
    Lessons[BugFix],
    Example(
        "[1] tool error\n"
        "    frostquill: cannot render: no glyph table\n"
        "[2] agent\n"
        "    The slim image has no fonts, so Frostquill finds no glyph table. I'll install "
        "fonts-core.\n"
        "[3] tool result\n"
        "    frostquill: rendered 12 pages",
        Lessons[BugFix](
            lessons=[
                BugFix(
                    title="Frostquill needs fonts-core in slim images: 'no glyph table'",
                    tags=["frostquill", "fonts", "containers"],
                    evidence=[1, 2, 3],
                    factors=Grades(
                        actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    symptom="Rendering with Frostquill in a slim container image fails with "
                    "'cannot render: no glyph table'.",
                    root_cause="Slim images ship no fonts, so Frostquill finds no glyph table.",
                    solution="Install the package fonts-core in the image; rendering then worked.",
                )
            ]
        ),
        canaries=("Frostquill",),
    ),
)
