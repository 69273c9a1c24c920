"""Lessons on tools: how to use X to do Y."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class ToolUsage(Lesson):
    """How a tool is used for a purpose."""

    tool: str = Field(description="The tool, with its version if that matters.")
    purpose: str = Field(description="What it is used for.")
    how: str = Field(description="The command, call or setting, and what to mind.")


LEARNING_TOOL_USAGE = lesson_prompt(
    "tool_usage",
    "Lessons on tools: how to use X to do Y.",
    "Write down each use of a tool that had to be found out here: how to use X to do Y.\n"
    "- The command, option or call that worked, letter by letter, and what to mind.\n"
    "- It was seen to work. What every user of the tool knows is no lesson.",
    Lessons[ToolUsage],
    Example(
        "[1] tool call Bash\n"
        "    tellmarsh sync --all\n"
        "[2] tool error\n"
        "    tellmarsh: locked by another run\n"
        "[3] tool call Bash\n"
        "    tellmarsh sync --all --wait 60\n"
        "[4] tool result\n"
        "    14 folders in sync",
        Lessons[ToolUsage](
            lessons=[
                ToolUsage(
                    title="tellmarsh sync --wait 60 instead of failing with 'locked'",
                    tags=["tellmarsh", "sync", "locks"],
                    evidence=[1, 2, 3, 4],
                    factors=Grades(
                        actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    tool="tellmarsh",
                    purpose="Syncing all folders while another run may hold the lock.",
                    how="`tellmarsh sync --all --wait 60` waits for the lock for up to 60 s; "
                    "without --wait it fails with 'locked by another run'.",
                )
            ]
        ),
        canaries=("tellmarsh",),
    ),
)
