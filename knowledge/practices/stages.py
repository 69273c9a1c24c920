"""The stages: what was run and edited, what is in force, and what counting tells of a project."""

from cairn.knowledge.engine.stage import ConversationStage, Stage, StageResult, stage_of
from cairn.knowledge.practices.command_runs import EXTRACTOR, command_runs
from cairn.knowledge.practices.file_edits import file_edits
from cairn.knowledge.practices.practices import practices
from cairn.knowledge.practices.project_facts import project_facts
from cairn.knowledge.schema.tables import COMMAND_RUNS, FILE_EDITS, PRACTICES, PROJECT_FACTS

COMMAND_RUNS_STAGE = ConversationStage(
    EXTRACTOR,
    (COMMAND_RUNS, FILE_EDITS),
    lambda logs: {"command_runs": command_runs(logs), "file_edits": file_edits(logs)},
)

PRACTICES_STAGE = Stage(
    stage_of("practices", 2, "How a project is worked on: its commands by task, ranked."),
    (COMMAND_RUNS,),
    (PRACTICES,),
    lambda reads, _: StageResult({"practices": practices(reads["command_runs"])}),
)

PROJECT_FACTS_STAGE = Stage(
    stage_of("project_facts", 1, "Package managers, and files that are edited again."),
    (COMMAND_RUNS, FILE_EDITS),
    (PROJECT_FACTS,),
    lambda reads, _: StageResult(
        {"project_facts": project_facts(reads["command_runs"], reads["file_edits"])}
    ),
)
