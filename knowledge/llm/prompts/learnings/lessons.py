"""What is asked for lessons of each category, with the parts that its lessons have."""

from typing import Any

from pydantic import Field

from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompts.learnings.lesson import Grades, Lesson, Lessons, lesson_prompt


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
    "[1] tool error\n"
    "    frostquill: cannot render: no glyph table\n"
    "[2] agent\n"
    "    The slim image has no fonts, so Frostquill finds no glyph table. I'll install "
    "fonts-core.\n"
    "[3] tool result\n"
    "    frostquill: rendered 12 pages",
    BugFix(
        title="Frostquill needs fonts-core in slim images: 'no glyph table'",
        tags=["frostquill", "fonts", "containers"],
        evidence=[1, 2, 3],
        factors=Grades(actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7),
        symptom="Rendering with Frostquill in a slim container image fails with "
        "'cannot render: no glyph table'.",
        root_cause="Slim images ship no fonts, so Frostquill finds no glyph table.",
        solution="Install the package fonts-core in the image; rendering then worked.",
    ),
    canaries=("Frostquill",),
)


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
    "[1] agent\n"
    "    Quorvane keeps drafts in one file, Brindlecask needs a server. Which one?\n"
    "[2] human\n"
    "    Quorvane. We have nobody to run a server.",
    Decision(
        title="Quorvane rather than Brindlecask where nobody runs a server",
        tags=["quorvane", "brindlecask", "drafts"],
        evidence=[1, 2],
        factors=Grades(actionability=0.7, generalizability=0.7, clarity=1.0, evidence=0.7),
        question="Where are drafts kept?",
        options=["Quorvane, which keeps them in one file", "Brindlecask, on a server"],
        choice="The person chose Quorvane.",
        rationale="Brindlecask needs a server, and there is nobody to run one.",
    ),
    canaries=("Quorvane", "Brindlecask"),
)


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
    "[1] tool call Bash\n"
    "    tellmarsh sync --all\n"
    "[2] tool error\n"
    "    tellmarsh: locked by another run\n"
    "[3] tool call Bash\n"
    "    tellmarsh sync --all --wait 60\n"
    "[4] tool result\n"
    "    14 folders in sync",
    ToolUsage(
        title="tellmarsh sync --wait 60 instead of failing with 'locked'",
        tags=["tellmarsh", "sync", "locks"],
        evidence=[1, 2, 3, 4],
        factors=Grades(actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7),
        tool="tellmarsh",
        purpose="Syncing all folders while another run may hold the lock.",
        how="`tellmarsh sync --all --wait 60` waits for the lock for up to 60 s; "
        "without --wait it fails with 'locked by another run'.",
    ),
    canaries=("tellmarsh",),
)


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
    "[1] agent\n"
    "    Every request opened its own Brindlecask session, so the server ran out of sockets "
    "under load. One pool of sessions for the process keeps it at 20.",
    AntiPattern(
        title="Do not open a Brindlecask session per request: sockets run out",
        tags=["brindlecask", "sessions", "pooling"],
        evidence=[1],
        factors=Grades(actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7),
        avoid="Opening a Brindlecask session in each request.",
        problem="Under load the server runs out of sockets.",
        better=["Share one pool of sessions in the process; it stayed at 20 sockets."],
    ),
    canaries=("Brindlecask",),
)


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
    "[1] human\n"
    "    From now on always take a Tellmarsh snapshot before a migration. Last time we could "
    "not go back.",
    BestPractice(
        title="Take a Tellmarsh snapshot before every migration",
        tags=["migrations", "snapshots", "tellmarsh"],
        evidence=[1],
        factors=Grades(actionability=0.7, generalizability=0.7, clarity=1.0, evidence=0.7),
        practice="Take a Tellmarsh snapshot of the database before a migration runs.",
        why="Without one a migration that fails cannot be taken back, as happened.",
        when="Before every migration.",
    ),
    canaries=("Tellmarsh",),
)


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
    "[1] tool result\n"
    "    frostquill index: 84 s\n"
    "[2] agent\n"
    "    I batch the inserts by 500 now; it keeps a batch in memory.\n"
    "[3] tool result\n"
    "    frostquill index: 6 s",
    Optimization(
        title="Batch inserts by 500 when filling a Frostquill index: 84 s to 6 s",
        tags=["frostquill", "indexing", "batching"],
        evidence=[1, 2, 3],
        factors=Grades(actionability=1.0, generalizability=0.7, clarity=1.0, evidence=0.7),
        before="Filling the Frostquill index row by row took 84 s.",
        after="With batches it takes 6 s.",
        how="Inserts are sent in batches of 500.",
        trade_offs="One batch is kept in memory.",
    ),
    canaries=("Frostquill",),
)


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
    "[1] agent\n"
    "    I put a Quorvane outbox beside the orders table: one transaction writes both, and a "
    "worker sends what is in the outbox. So no order is lost when the queue is down.",
    Pattern(
        title="Write messages to an outbox table in the transaction of the data",
        tags=["outbox", "transactions", "queues", "quorvane"],
        evidence=[1],
        factors=Grades(actionability=1.0, generalizability=1.0, clarity=0.7, evidence=0.7),
        what="An outbox table, as Quorvane has it, beside the table of orders.",
        why="No message is lost when the queue is down.",
        when="A write to a database must also be told to a queue.",
        how="One transaction writes the row and the outbox; a worker sends what is in the outbox.",
    ),
    canaries=("Quorvane",),
)


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
    "[1] human\n"
    "    Release Quorvane.\n"
    "[2] tool call Bash\n"
    "    quorvane bump minor\n"
    "[3] tool call Bash\n"
    "    quorvane notes > NOTES.md\n"
    "[4] tool call Bash\n"
    "    quorvane publish --signed",
    Workflow(
        title="Releasing Quorvane: bump, notes, signed publish",
        tags=["quorvane", "releases", "signing"],
        evidence=[1, 2, 3, 4],
        factors=Grades(actionability=1.0, generalizability=0.4, clarity=1.0, evidence=0.7),
        goal="A signed release of Quorvane.",
        when="A release is asked for.",
        steps=[
            "`quorvane bump minor`",
            "`quorvane notes > NOTES.md`",
            "`quorvane publish --signed`",
        ],
    ),
    canaries=("Quorvane",),
)

LESSON_PROMPTS: dict[str, Prompt[Any]] = {
    prompt.name.removeprefix("learning_"): prompt
    for prompt in (
        LEARNING_BUG_FIX, LEARNING_DECISION, LEARNING_TOOL_USAGE, LEARNING_ANTI_PATTERN,
        LEARNING_BEST_PRACTICE, LEARNING_OPTIMIZATION, LEARNING_PATTERN, LEARNING_WORKFLOW,
    )
}  # fmt: skip
"""The prompt for lessons of each category."""
