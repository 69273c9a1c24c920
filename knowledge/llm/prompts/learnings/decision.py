"""Lessons from decisions: options, choice, rationale."""

from pydantic import Field

from knowledge.llm.prompt import Example
from knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


class Decision(Lesson):
    """A choice between options, with its reason."""

    question: str = Field(description="What was to be decided.")
    options: list[str] = Field(description="What was weighed, each with what speaks for it.")
    choice: str = Field(description="What was chosen, and by whom.")
    rationale: str = Field(description="Why.")


LEARNING_DECISION = lesson_prompt(
    "decision",
    "Lessons from decisions: options, choice, rationale.",
    "Write down each decision that was taken here: the options, the choice, the rationale.\n"
    "- A decision is taken by the person, or by an agent whom the person does not contradict. A "
    "proposal that nobody took up is none.\n"
    "- The rationale is theirs, in their words; without one there is no lesson.",
    Lessons[Decision],
    Example(
        "[1] agent\n"
        "    Quorvane keeps drafts in one file, Brindlecask needs a server. Which one?\n"
        "[2] human\n"
        "    Quorvane. We have nobody to run a server.",
        Lessons[Decision](
            lessons=[
                Decision(
                    title="Quorvane rather than Brindlecask where nobody runs a server",
                    tags=["quorvane", "brindlecask", "drafts"],
                    evidence=[1, 2],
                    factors=Grades(
                        actionability=0.7, generalizability=0.7, clarity=1.0, evidence=0.7
                    ),
                    question="Where are drafts kept?",
                    options=["Quorvane, which keeps them in one file", "Brindlecask, on a server"],
                    choice="The person chose Quorvane.",
                    rationale="Brindlecask needs a server, and there is nobody to run one.",
                )
            ]
        ),
        canaries=("Quorvane", "Brindlecask"),
    ),
)
