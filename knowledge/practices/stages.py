"""The stages: what was run and edited, what is in force, and what counting tells of a project."""

from cairn.knowledge.engine.stage import ConversationStage, Stage, StageResult, stage_of
from cairn.knowledge.practices.command_runs import EXTRACTOR, command_runs
from cairn.knowledge.practices.file_edits import file_edits
from cairn.knowledge.practices.observed.observations import EXTRACTOR as OBSERVING
from cairn.knowledge.practices.observed.observations import observations
from cairn.knowledge.practices.places.checkouts import EXTRACTOR as SEEN_CHECKOUTS
from cairn.knowledge.practices.places.checkouts import checkouts
from cairn.knowledge.practices.places.projects import in_projects, projects
from cairn.knowledge.practices.practices import practices
from cairn.knowledge.practices.project_facts import project_facts
from cairn.knowledge.schema import tables

CHECKOUTS_STAGE = ConversationStage(
    SEEN_CHECKOUTS, (tables.CHECKOUTS,), lambda logs: {"checkouts": checkouts(logs)}
)

PROJECTS_STAGE = Stage(
    stage_of("projects", 2, "Which folders are checkouts of one repository."),
    (tables.CHECKOUTS,),
    (tables.PROJECTS,),
    lambda reads, _: StageResult({"projects": projects(reads["checkouts"])}),
)

COMMAND_RUNS_STAGE = ConversationStage(
    EXTRACTOR,
    (tables.COMMAND_RUNS, tables.FILE_EDITS),
    lambda logs: {"command_runs": command_runs(logs), "file_edits": file_edits(logs)},
)

OBSERVATIONS_STAGE = ConversationStage(
    OBSERVING, (tables.OBSERVATIONS,), lambda logs: {"observations": observations(logs)}
)

PRACTICES_STAGE = Stage(
    stage_of("practices", 6, "How a project is worked on: its commands by task, ranked."),
    (tables.COMMAND_RUNS, tables.PROJECTS),
    (tables.PRACTICES,),
    lambda reads, _: StageResult(
        {"practices": practices(in_projects(reads["command_runs"], reads["projects"]))}
    ),
)

PROJECT_FACTS_STAGE = Stage(
    stage_of("project_facts", 8, "Package managers, files, versions, forms, ports, wishes."),
    (tables.COMMAND_RUNS, tables.FILE_EDITS, tables.OBSERVATIONS, tables.PROJECTS),
    (tables.PROJECT_FACTS,),
    lambda reads, _: StageResult(
        {
            "project_facts": project_facts(
                in_projects(reads["command_runs"], reads["projects"]),
                in_projects(reads["file_edits"], reads["projects"]),
                in_projects(reads["observations"], reads["projects"]),
            )
        }
    ),
)
