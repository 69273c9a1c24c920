"""The stages over whole tables, in the order of the data, and what each reads and writes."""

from collections.abc import Set

import polars as pl

from cairn.knowledge.consolidation.stages import VALIDITY, WEIGHING
from cairn.knowledge.consolidation.themes import themes
from cairn.knowledge.consolidation.verdicts.decisions import DECIDED, decisions
from cairn.knowledge.engine.diff import Change
from cairn.knowledge.engine.stage import (
    Changes,
    Count,
    Frames,
    Stage,
    StageContext,
    StageResult,
    all_made,
    stage_of,
)
from cairn.knowledge.extraction.attitudes import READ_BY_MODEL
from cairn.knowledge.extraction.introductions import (
    NAMING_COLUMNS,
    introductions,
    introductions_after,
)
from cairn.knowledge.extraction.known_entities_extraction import (
    KNOWN_ONLY,
    READ,
    known_only,
    known_only_by_grammar,
    known_only_rows,
)
from cairn.knowledge.extraction.proposed_operations import (
    proposed_operations,
    proposed_operations_after,
)
from cairn.knowledge.extraction.theme_facts import GENERALISED, generalised
from cairn.knowledge.failures.stages import FAILURES_STAGE, error_signatures
from cairn.knowledge.ingest.inbox_events.offers import OFFERS
from cairn.knowledge.interests.engagements import COLUMNS as ENGAGING_COLUMNS
from cairn.knowledge.interests.engagements import READ as ENGAGING
from cairn.knowledge.interests.engagements import engagements
from cairn.knowledge.interests.interests import interests
from cairn.knowledge.interests.preferences import muted
from cairn.knowledge.learnings.feedback import REACTIONS, feedback
from cairn.knowledge.learnings.recurrence.lessons import recurrent
from cairn.knowledge.learnings.recurrence.occurrences import READ_OF, TOLD
from cairn.knowledge.learnings.stages import DUPLICATES, BeyondOne, learnings, outcomes, tried
from cairn.knowledge.llm.prompts import GENERALISED_FACTS, KNOWN_FACTS
from cairn.knowledge.offers.lookup import facts_now
from cairn.knowledge.offers.utility import utility
from cairn.knowledge.practices.briefs.brief import Ground, briefs
from cairn.knowledge.practices.places.projects import in_projects
from cairn.knowledge.practices.stages import (
    CHECKOUTS_STAGE,
    COMMAND_RUNS_STAGE,
    OBSERVATIONS_STAGE,
    PRACTICES_STAGE,
    PROJECT_FACTS_STAGE,
    PROJECTS_STAGE,
)
from cairn.knowledge.quality.funnel import funnel
from cairn.knowledge.research.stages import RESEARCH
from cairn.knowledge.resolution.facts import FactTables, facts, facts_after
from cairn.knowledge.resolution.gating import GATED_COLUMNS, Gated, entities, entities_after
from cairn.knowledge.schema.calendar import watermark
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.tables import (
    BRIEFS,
    CANDIDATES,
    COMMAND_RUNS,
    CONVERSATIONS,
    DECISIONS,
    ENGAGEMENTS,
    ENTITIES,
    ENTITY_MERGES,
    EPISODE_MST_EDGES,
    EPISODES,
    ERROR_SIGNATURES,
    FACT_SOURCES,
    FACTS,
    FAILURES,
    FUNNEL,
    INTERESTS,
    INTRODUCTIONS,
    KNOWN_ONLY_CANDIDATES,
    LEARNING_CANDIDATES,
    LEARNINGS,
    MEMORY,
    MEMORY_ENTITIES,
    PRACTICES,
    PREFERENCES,
    PROJECT_FACTS,
    PROJECTS,
    PROPOSED_OPERATIONS,
    RAW_LOGS,
    REJECTED_FACTS,
    REJECTIONS,
    THEME_FACTS,
    THEMES,
    UTILITY,
    VALID_TIMES,
)


def _contexts(episodes: pl.DataFrame) -> pl.DataFrame:
    # A request begins with the text of its first record, so offsets count in both alike.
    return episodes.select("namespace", record_id="episode_id", text="request")


INTRODUCTIONS_STAGE = Stage(
    stage_of("introductions", 1, "Names and who brought them in.", "name_words"),
    (CANDIDATES,),
    (INTRODUCTIONS,),
    lambda reads, means: StageResult(
        {"introductions": introductions(reads["candidates"], means.policy)}
    ),
    after=lambda changes, stored, reads, means: {
        "introductions": introductions_after(
            changes["candidates"], stored["introductions"], reads["candidates"], means.policy
        )
    },
    columns={CANDIDATES.name: NAMING_COLUMNS},
)


def _known_only(reads: Frames, means: StageContext) -> StageResult:
    logs, introduced = reads["raw_logs"], reads["introductions"]
    if means.model is None:
        found = known_only_by_grammar(logs, introduced, means.policy)
    else:
        found = known_only(logs, introduced, means.model, means.policy)
    pending = (found.outcomes["outcome"] == "pending").any()
    return StageResult({"known_only_candidates": known_only_rows(found)}, found.failures, pending)


def _known_only_count(reads: Frames, made: StageResult) -> Count:
    return _became(
        set(reads["raw_logs"]["conversation_id"]),
        made.tables["known_only_candidates"].select("reason", unit="conversation_id"),
        set(made.lost["conversation_id"]),
    )


def _became(units: Set[str], rows: pl.DataFrame, lost: Set[str]) -> Count:
    """What became of units that a model was asked about; `rows` has unit and reason."""
    refused = set(rows.filter(pl.col("reason").is_not_null())["unit"])
    done = set(rows.filter(pl.col("reason").is_null())["unit"]) - lost
    rejected = refused - done - lost
    return Count(len(done), len(units - done - rejected - lost), len(rejected), len(lost))


KNOWN_ONLY_STAGE = Stage(
    KNOWN_ONLY,
    (RAW_LOGS, INTRODUCTIONS),
    (KNOWN_ONLY_CANDIDATES,),
    _known_only,
    _known_only_count,
    only={RAW_LOGS.name: READ},
    prompts=(KNOWN_FACTS,),
)

_ACCEPTED = pl.col("reason").is_null()


def _said(reads: Frames) -> pl.DataFrame:
    """Candidates of both modes, and of themes where they are read, with `derived_from`."""
    parts = [reads["candidates"], reads["known_only_candidates"]]
    there = [name for name in CANDIDATES.columns if name in parts[0].columns]
    nothing = pl.lit([], dtype=pl.List(pl.String)).alias("derived_from")
    alike = [frame.select(*there, nothing) for frame in parts]
    if THEME_FACTS.name in reads:
        alike.append(reads["theme_facts"].select(*there, "derived_from"))
    return pl.concat(alike)


def _said_change(changes: Changes) -> Change:
    come, gone = ({name: change[side] for name, change in changes.items()} for side in (0, 1))
    return Change(_said(come), _said(gone))


def _entities(reads: Frames, means: StageContext) -> StageResult:
    introduced, contexts = reads["introductions"], _contexts(reads["episodes"])
    gated = entities(_said(reads), introduced, contexts, means.embedder, means.policy)
    return StageResult(gated._asdict())


def _entities_after(
    changes: Changes, stored: Frames, reads: Frames, means: StageContext
) -> dict[str, pl.DataFrame]:
    return entities_after(
        _said_change(changes),
        changes["introductions"],
        _contexts(changes["episodes"].rows),
        Gated(**stored),
        _said(reads),
        reads["introductions"],
        _contexts(reads["episodes"]),
        means.embedder,
        means.policy,
    )._asdict()


def _entities_count(_: Frames, made: StageResult) -> Count:
    return Count(
        done=int(made.tables["entities"]["mentions"].sum()),
        rejected=int(made.tables["rejections"]["candidates"].sum()),
    )


ENTITIES_STAGE = Stage(
    stage_of(
        "entities", 3, "Names through the gates.", "name_words", "min_name_similarity", "embedder",
    ),
    (CANDIDATES, KNOWN_ONLY_CANDIDATES, INTRODUCTIONS, EPISODES),
    (ENTITIES, REJECTIONS),
    _entities,
    _entities_count,
    _entities_after,
    only={KNOWN_ONLY_CANDIDATES.name: _ACCEPTED},
    columns={
        CANDIDATES.name: GATED_COLUMNS,
        KNOWN_ONLY_CANDIDATES.name: GATED_COLUMNS,
        EPISODES.name: ("namespace", "episode_id", "request"),
    },
)  # fmt: skip

THEMES_STAGE = Stage(
    stage_of(
        "themes", 3, "HDBSCAN over episodes.", "theme_min_size", "cluster_neighbours", "embedder"
    ),
    (EPISODES,),
    (THEMES, EPISODE_MST_EDGES),
    lambda reads, means: StageResult(
        themes(reads["episodes"], means.embedder, means.policy)._asdict()
    ),
    after=lambda _, stored, reads, means: themes(
        reads["episodes"], means.embedder, means.policy, stored["episode_mst_edges"]
    )._asdict(),
    sample_check=True,
)


def _theme_facts(reads: Frames, means: StageContext) -> StageResult:
    found = generalised(
        reads["themes"], reads["episodes"], reads["entities"], means.model, means.policy
    )
    return StageResult({"theme_facts": found.theme_facts}, found.failures, found.pending)


def _theme_facts_count(reads: Frames, made: StageResult) -> Count:
    medoids = dict(reads["themes"].select("medoid_id", "theme_id").iter_rows())
    return _became(
        set(medoids.values()),
        made.tables["theme_facts"].select("reason", unit="theme_id"),
        {medoids[record] for record in made.lost["record_id"]},
    )


THEME_FACTS_STAGE = Stage(
    GENERALISED,
    (THEMES, EPISODES, ENTITIES),
    (THEME_FACTS,),
    _theme_facts,
    _theme_facts_count,
    prompts=(GENERALISED_FACTS,),
)


def _facts_after(
    changes: Changes, stored: Frames, reads: Frames, _: StageContext
) -> dict[str, pl.DataFrame]:
    known = changes["entities"]
    said = {name: change for name, change in changes.items() if name != "entities"}
    return facts_after(
        _said_change(said), known, FactTables(**stored), _said(reads), reads["entities"]
    )._asdict()


def _facts_count(reads: Frames, made: StageResult) -> Count:
    said = _said(reads)
    proposed = said.filter(pl.col("kind") != "entity")
    used = made.tables["fact_sources"]["candidate_id"].n_unique()
    names = said.height - proposed.height
    return Count(done=used, empty=names, rejected=proposed.height - used)


FACTS_STAGE = Stage(
    stage_of("facts", 5, "Equal statements united over their sources, with the best trust."),
    (CANDIDATES, KNOWN_ONLY_CANDIDATES, THEME_FACTS, ENTITIES),
    (FACTS, FACT_SOURCES),
    lambda reads, _: StageResult(facts(_said(reads), reads["entities"])._asdict()),
    _facts_count,
    _facts_after,
    only={KNOWN_ONLY_CANDIDATES.name: _ACCEPTED, THEME_FACTS.name: _ACCEPTED},
)


def _proposed_operations_after(
    changes: Changes, stored: Frames, reads: Frames, means: StageContext
) -> dict[str, pl.DataFrame]:
    of = ["namespace", "fact_id"]
    again = reads["facts"].join(changes["fact_sources"].rows.select(of), on=of, how="semi")
    return {
        "proposed_operations": proposed_operations_after(
            pl.concat([changes["facts"].rows, again]), stored["proposed_operations"],
            reads["facts"], reads["fact_sources"], means.policy,
        )
    }  # fmt: skip


PROPOSED_OPERATIONS_STAGE = Stage(
    stage_of(
        "proposed_operations", 3, "Commands that no rule names a kind of.", "learned_operations",
        "operation_min_commands", "operation_min_conversations",
    ),
    (FACTS, FACT_SOURCES),
    (PROPOSED_OPERATIONS,),
    lambda reads, means: StageResult(
        {
            "proposed_operations": proposed_operations(
                reads["facts"], reads["fact_sources"], means.policy
            )
        }
    ),
    after=_proposed_operations_after,
    only={FACTS.name: pl.col("predicate") == "executed_command"},
)  # fmt: skip


def _decisions(reads: Frames, _: StageContext) -> StageResult:
    found = decisions(reads["raw_logs"], reads["facts"], reads["fact_sources"], reads["entities"])
    return StageResult({"decisions": found})


def _decisions_count(_: Frames, made: StageResult) -> Count:
    wrong = made.tables["decisions"]["unresolved"].count()
    return Count(done=made.tables["decisions"].height - wrong, rejected=wrong)


DECISIONS_STAGE = Stage(
    stage_of("decisions", 5, "What people decided, by the ids of today."),
    (RAW_LOGS, FACTS, FACT_SOURCES, ENTITIES),
    (DECISIONS,),
    _decisions,
    _decisions_count,
    only={RAW_LOGS.name: DECIDED},
)


_WITH_PROJECTS = (COMMAND_RUNS.name, EPISODES.name)


def _learnings(reads: Frames, means: StageContext) -> StageResult:
    placed = {name: in_projects(reads[name], reads["projects"]) for name in _WITH_PROJECTS}
    seen = recurrent({**reads, **placed}, means.policy)
    beyond = BeyondOne(seen, tried(reads["error_signatures"]))
    given = feedback(reads["raw_logs"])
    candidates = reads["learning_candidates"]
    found = learnings(candidates, means.embedder, means.policy, given, beyond)
    return StageResult({"learnings": found})


def _learnings_count(reads: Frames, made: StageResult) -> Count:
    learned = made.tables["learnings"]
    final = outcomes(reads["learning_candidates"], learned)["outcome"].to_list()
    refused = final.count("low_quality") + final.count("duplicate")
    empty = final.count("low_value") + final.count("no_categories")
    return Count(final.count("stored"), empty, refused, final.count("failed"))


LEARNINGS_STAGE = Stage(
    DUPLICATES,
    (
        LEARNING_CANDIDATES, RAW_LOGS, FACTS, FACT_SOURCES, CANDIDATES, VALID_TIMES, DECISIONS,
        COMMAND_RUNS, EPISODES, ERROR_SIGNATURES, PROJECTS,
    ),
    (LEARNINGS,),
    _learnings,
    _learnings_count,
    only={
        RAW_LOGS.name: REACTIONS,
        FACTS.name: pl.col("predicate").is_in(TOLD),
        CANDIDATES.name: pl.col("predicate").is_in(TOLD),
        VALID_TIMES.name: pl.col("valid_to").is_not_null(),
        COMMAND_RUNS.name: pl.col("task").is_not_null(),
        ERROR_SIGNATURES.name: pl.col("fix").is_not_null(),
    },
    columns=READ_OF,
)  # fmt: skip


ERROR_SIGNATURES_STAGE = Stage(
    stage_of("error_signatures", 5, "What each kind of error was, and what ended it."),
    (FAILURES, PROJECTS),
    (ERROR_SIGNATURES,),
    lambda reads, _: StageResult(
        {"error_signatures": error_signatures(in_projects(reads["failures"], reads["projects"]))}
    ),
    all_made,
)


def _engagements(reads: Frames, means: StageContext) -> StageResult:
    found = engagements(
        reads["raw_logs"], reads["candidates"], reads["entities"], reads["facts"],
        reads["fact_sources"], reads["entity_merges"], means.embedder,
    )  # fmt: skip
    return StageResult(found._asdict())


def _engagements_count(reads: Frames, made: StageResult) -> Count:
    engaging = made.tables["engagements"]["record_id"].n_unique()
    return Count(engaging, reads["raw_logs"].height - engaging)


ENGAGEMENTS_STAGE = Stage(
    stage_of("engagements", 4, "What people engaged with, like and dislike.", "embedder"),
    (RAW_LOGS, CANDIDATES, ENTITIES, FACTS, FACT_SOURCES, ENTITY_MERGES),
    (ENGAGEMENTS, PREFERENCES),
    _engagements,
    _engagements_count,
    only={RAW_LOGS.name: ENGAGING, CANDIDATES.name: READ_BY_MODEL},
    columns={
        "raw_logs": ENGAGING_COLUMNS,
        "candidates": ("namespace", "record_id", "predicate", "origin", "entity_name",
                       "quote_start", "quote_end"),
        "entities": ("namespace", "entity_id", "type", "name", "display_name", "aliases",
                     "first_seen"),
        "facts": ("namespace", "fact_id", "entity_id"),
        "fact_sources": ("namespace", "record_id", "fact_id"),
        "entity_merges": ("namespace", "entity_id", "canonical_id"),
    },
)  # fmt: skip


def _interests(reads: Frames, means: StageContext) -> StageResult:
    found = interests(
        reads["engagements"], reads["preferences"], reads["entities"], reads["entity_merges"],
        means.embedder, means.policy, watermark(reads["conversations"], "ended_at"),
    )  # fmt: skip
    return StageResult({"interests": found})


INTERESTS_STAGE = Stage(
    stage_of(
        "interests", 4, "What people care about, by the latest event.", "interest_half_life",
        "interest_repeat", "preference_similarity", "candidate_margin", "embedder",
    ),
    (ENGAGEMENTS, PREFERENCES, ENTITIES, ENTITY_MERGES, CONVERSATIONS),
    (INTERESTS,),
    _interests,
    columns={
        "entities": ("namespace", "entity_id", "type", "name", "display_name", "aliases"),
        "conversations": ("namespace", "ended_at"),
    },
)  # fmt: skip


FUNNEL_STAGE = Stage(
    stage_of("funnel", 2, "Pass rate of each gate."),
    (
        CANDIDATES, REJECTED_FACTS, KNOWN_ONLY_CANDIDATES, THEME_FACTS, REJECTIONS, ENTITIES,
        FACT_SOURCES, FACTS, MEMORY, LEARNING_CANDIDATES, LEARNINGS,
    ),
    (FUNNEL,),
    lambda reads, _: StageResult({"funnel": funnel(reads)}),
    only={KNOWN_ONLY_CANDIDATES.name: _ACCEPTED, THEME_FACTS.name: _ACCEPTED},
)  # fmt: skip


def _briefs(reads: Frames, means: StageContext) -> StageResult:
    talks = reads["conversations"]
    if talks.is_empty():
        return StageResult({"briefs": BRIEFS.empty()})
    ground = Ground(
        reads["practices"], reads["project_facts"], reads["error_signatures"],
        facts_now(reads, means.policy), in_projects(talks, reads["projects"]),
        reads["projects"], muted(reads["preferences"]),
    )  # fmt: skip
    return StageResult({"briefs": briefs(talks["namespace"][0], ground)})


BRIEFS_STAGE = Stage(
    stage_of(
        "briefs", 17, "What to know of each project before work on it starts.", "passive_above",
        "deprecated_below", "decay_per_day",
    ),
    (
        PRACTICES, PROJECT_FACTS, ERROR_SIGNATURES, MEMORY, VALID_TIMES, MEMORY_ENTITIES,
        CONVERSATIONS, PROJECTS, PREFERENCES,
    ),
    (BRIEFS,),
    _briefs,
    only={
        MEMORY.name: (pl.col("status") == "active") & ~is_event(),
        PREFERENCES.name: (pl.col("attitude") == "mute") & pl.col("ended_at").is_null(),
    },
    columns={
        "memory_entities": ("namespace", "entity_id", "display_name", "type"),
        "preferences": ("namespace", "attitude", "topic", "ended_at"),
    },
)  # fmt: skip

UTILITY_STAGE = Stage(
    stage_of("utility", 1, "What came of what was offered: shown, against held out."),
    (RAW_LOGS, COMMAND_RUNS, FAILURES, ERROR_SIGNATURES, PRACTICES, FACT_SOURCES),
    (UTILITY,),
    lambda reads, _: StageResult(
        {
            "utility": utility(
                reads["raw_logs"], reads["command_runs"], reads["failures"],
                reads["error_signatures"], reads["practices"], reads["fact_sources"],
            )
        }
    ),
    only={RAW_LOGS.name: OFFERS},
)  # fmt: skip

BY_RULES = (COMMAND_RUNS_STAGE, CHECKOUTS_STAGE, FAILURES_STAGE, OBSERVATIONS_STAGE)
"""The stages that read conversation by conversation, and by rules alone."""

STAGES = (
    INTRODUCTIONS_STAGE, KNOWN_ONLY_STAGE, ENTITIES_STAGE, THEMES_STAGE, THEME_FACTS_STAGE,
    FACTS_STAGE, PROPOSED_OPERATIONS_STAGE, DECISIONS_STAGE, PROJECTS_STAGE, PRACTICES_STAGE,
    PROJECT_FACTS_STAGE, ERROR_SIGNATURES_STAGE, *VALIDITY, LEARNINGS_STAGE, *WEIGHING,
    ENGAGEMENTS_STAGE, INTERESTS_STAGE, *RESEARCH, UTILITY_STAGE, BRIEFS_STAGE, FUNNEL_STAGE,
)  # fmt: skip
