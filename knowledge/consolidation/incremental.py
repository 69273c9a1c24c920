"""What a change of facts and episodes does to what consolidation made of them before.

Each function gives what `run` of its stage would change: from what came and went in the tables
that it reads, from its own tables as they were and from those that it reads as they are. Both are
read only as far as the change reaches. It names facts that are touched, too many rather than too
few, makes those anew by the functions that make all, and compares. A further table that decides is
one more line among those that name what is touched.
"""

from collections.abc import Sequence

import polars as pl

from cairn.knowledge.consolidation.confidence import confidence_updates
from cairn.knowledge.consolidation.embeddings import SAID, embeddings, entity_texts, texts_of
from cairn.knowledge.consolidation.evidence import confirmed, contradictions, united
from cairn.knowledge.consolidation.memory import MemoryInput, memory
from cairn.knowledge.consolidation.memory_entities import memory_entities
from cairn.knowledge.consolidation.merges import AUTO_MERGE, MERGE, merges
from cairn.knowledge.consolidation.pairs import sides
from cairn.knowledge.consolidation.similar_facts import SAME, moved_in_templates, similar_facts
from cairn.knowledge.consolidation.support import (
    earliest,
    first_statements,
    known_from,
    no_support,
    restatements,
    similar_episodes,
)
from cairn.knowledge.consolidation.verdicts.decision_effects import (
    as_looked_at,
    confirmations,
    decided_pairs,
    facts_named,
    undecided,
    withdrawn,
)
from cairn.knowledge.consolidation.verdicts.llm_verdicts import judged, standing
from cairn.knowledge.engine.diff import Change, LazyFrames, difference, rows_with, with_change
from cairn.knowledge.engine.stage import Changes, StageContext
from cairn.knowledge.resolution.canonical import about_canonical, equal_statements, with_canonical
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.identity import digest_column
from cairn.knowledge.schema.tables import EMBEDDINGS, MEMORY

_FACT = ["namespace", "fact_id"]
_CANDIDATE = ["namespace", "candidate_id"]
_ENTITY = ["namespace", "entity_id"]
_NO_FACTS = pl.DataFrame(schema={"namespace": pl.String, "fact_id": pl.String})
_NAMED = (*_ENTITY, "display_name")
_HEARD = ("namespace", "episode_id", "conversation_id", "text", "started_at")
_STATED = ("conversation_id", "record_id", "occurred_at")


def embeddings_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """EMBEDDINGS: texts that are new are embedded; what stands nowhere any more goes."""
    said = {name: changes[name].of(*columns) for name, (columns, _, _) in SAID.items()}
    merged = reads["entity_merges"].collect()
    named = _names_of_entities(changes, reads["entities"], merged)
    come, gone = (
        texts_of(
            {name: change[side].lazy() for name, change in said.items()}, named[side]
        ).collect()
        for side in (0, 1)
    )
    gone = gone.join(come, on=gone.columns, how="anti")
    if gone.height:  # what is gone in one place may stand in another
        entities = reads["entities"].select(_NAMED).collect()
        texts = texts_of(reads, entity_texts(with_canonical(entities, merged)))
        gone = gone.join(rows_with(texts, gone), on=gone.columns, how="anti")
    hashed = ("namespace", "text_hash")
    come, gone = (each.with_columns(text_hash=digest_column("text")) for each in (come, gone))
    there = rows_with(stored["embeddings"], come.select(hashed), *hashed)
    new = come.join(there, on=hashed, how="anti").select("namespace", "text")
    return {
        "embeddings": Change(
            embeddings(new, means.embedder),
            rows_with(stored["embeddings"], gone.select(hashed))
            if gone.height
            else EMBEDDINGS.empty(),
        )
    }


def _names_of_entities(changes: Changes, entities: pl.LazyFrame, merged: pl.DataFrame) -> Change:
    """`entity_texts` of entities that a change touches, as they are and as they were."""
    turned = changes["entities"].of(*_NAMED)
    moved = changes["entity_merges"].of(*_ENTITY, "canonical_id")
    ids = _entities(turned.rows, moved.rows, _standing(moved.rows))
    before = with_change(merged.select(moved.come.columns), Change(moved.gone, moved.come))
    near = _entities(_together(ids, merged), _together(ids, before))
    now = rows_with(entities, near, *_NAMED) if near.height else turned.come.clear()
    then = with_change(now, Change(turned.gone, turned.come))
    return Change(
        entity_texts(with_canonical(now, merged)), entity_texts(with_canonical(then, before))
    )


def similar_facts_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """SIMILAR_FACTS: facts that came meet all of their group; pairs of those that went go.

    Facts of a template count as such if one came between them and their next, or went.
    """
    compared = (*_FACT, "entity_id", "predicate", "event", "content")
    changed, moved = changes["facts"].of(*compared), changes["entity_merges"]
    merged = reads["entity_merges"].collect()
    merged_before = with_change(merged, Change(moved.gone, moved.come))
    fresh = _keys(changed.rows, _about(reads, moved.rows))
    entities = _entities(changed.rows, moved.rows)
    entities = _entities(_together(entities, merged), _together(entities, merged_before))
    known = rows_with(reads["facts"], entities, *compared)
    near = about_canonical(known, merged)
    known_before = with_change(known, Change(changed.gone, changed.come))
    fresh = _keys(
        fresh, moved_in_templates(about_canonical(known_before, merged_before), near, means.policy)
    )
    now = similar_facts(near, means.embedder, means.policy, fresh)
    before = _pairs_of(stored["similar_facts"], fresh)
    return {"similar_facts": difference(before, now)}


def evidence_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """EVIDENCE: facts that changed meet all episodes, all facts meet episodes that came.

    Facts that lost a source or an episode that spoke for them, or that were drawn from an episode
    that changed, count as changed. For all others the earliest similar episode of a conversation
    is the one that was, or one that came; and a conversation that now states a fact needs none.
    Pairs count as a model and people judged them.
    """
    facts, sources = changes["facts"], changes["fact_sources"].of(*_FACT, *_STATED)
    heard, decisions = changes["episodes"].of(*_HEARD), reads["decisions"].collect()
    compared = (changes["similar_facts"].rows, changes["contradiction_verdicts"].rows)
    decided = _decided(changes, decisions)
    deciding = (*_FACT, "predicate", "content", "first_seen", "derived_from", "trust", "event")
    spoke = stored["evidence"].filter(kind="episode").select(*_FACT, "source_id")
    silent = heard.gone.select("namespace", "episode_id")
    anew = _keys(
        facts.of(*deciding).rows,
        sources.gone,
        _drawn_from_one_of(reads["facts"], heard.rows),
        rows_with(spoke, silent, of="source_id") if silent.height else _NO_FACTS,
    )
    paired = _keys(anew, sources.come, decided, sides(*compared))
    pairs = _pairs_of(reads["similar_facts"], paired)
    told = _pairs_of(reads["contradiction_verdicts"], paired)
    pairs = undecided(judged(pairs, told), decisions)
    denials = stored["evidence"].filter(kind="contradiction").collect()
    denied = denials.filter(_is_one_of("fact_id", paired) | _is_one_of("source_id", paired))
    hits = _similar_to(heard.come, anew, reads, means)
    touched = _keys(anew, sources.come, decided, hits, denied, sides(pairs))

    known = rows_with(reads["facts"], touched, *deciding)
    said = rows_with(reads["fact_sources"], touched, *_FACT, *_STATED)
    stated = first_statements(as_looked_at(said, decisions))
    drawn = _episodes_drawn_from(known, reads["episodes"])
    supporting = known_from(stated, known, drawn)
    again = known.join(anew, on=_FACT, how="semi")
    speakable = again.filter(~is_event()).height > 0
    episodes = reads["episodes"].select(_HEARD).collect() if speakable else heard.come.clear()
    before = rows_with(stored["evidence"], touched)
    spoken = before.filter(kind="episode").drop("evidence_id", "weight")
    stay = pl.concat([spoken, hits.select(spoken.columns)]).join(anew, on=_FACT, how="anti")
    now = united(
        [
            restatements(stated, known, drawn),
            similar_episodes(again, supporting, episodes, means.embedder, means.policy),
            earliest(stay.join(supporting, on=[*_FACT, "conversation_id"], how="anti")),
            contradictions(known, stated, pairs),
            before.join(denied, on="evidence_id", how="anti").filter(kind="contradiction"),
            confirmed(confirmations(decisions, means.policy)),
        ]
    ).join(known, on=_FACT, how="semi")
    return {"evidence": difference(before, now)}


def confidence_updates_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """CONFIDENCE_UPDATES: of facts whose evidence or first source changed."""
    first = (*_FACT, "first_seen", "base_confidence", "predicate", "content", "extractor", "trust")
    touched = _keys(changes["facts"].of(*first).rows, changes["evidence"].rows)
    now = confidence_updates(
        rows_with(reads["facts"], touched, *first),
        rows_with(reads["evidence"], touched),
        means.policy,
    )
    before = rows_with(stored["confidence_updates"], touched)
    return {"confidence_updates": difference(before, now)}


def merges_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """MERGES: of facts that hang together with one that changed, however far.

    By pairs that say the same or that a model judged, by equal statements of one entity, by what
    people decided, and by what was merged before.
    """
    deciding = (*_FACT, "entity_id", "predicate", "object", "content", "first_seen",
                "base_confidence", "trust", "event")  # fmt: skip
    merged, decisions = reads["entity_merges"].collect(), reads["decisions"].collect()
    tables = ("contradiction_verdicts", "merge_verdicts")
    said = pl.concat([reads[name].collect() for name in tables])
    moved = changes["entity_merges"].of(*_ENTITY, "canonical_id").rows
    several = _together(_standing(merged), merged)
    alike = about_canonical(rows_with(reads["facts"], several, *deciding), merged)
    equal = equal_statements(alike, merged)
    taken = stored["merges"].collect()
    pairs = reads["similar_facts"].filter(verdict=SAME).collect()
    of_one = _bound(equal, "entity_id", "statement")
    ways = [pairs, said, decided_pairs(decisions), of_one, _bound(_members(taken), "merge_id")]
    touched = _connected(
        _keys(
            changes["facts"].of(*deciding).rows,
            changes["evidence"].rows,
            _about(reads, moved),
            _about(reads, _standing(moved)),
            _decided(changes, decisions),
            sides(changes["similar_facts"].rows, *(changes[name].rows for name in tables)),
        ),
        ways,
    )
    facts = about_canonical(rows_with(reads["facts"], touched, *deciding), merged)
    now = merges(
        facts,
        rows_with(reads["evidence"], touched),
        _pairs_of(reads["similar_facts"], touched),
        means.policy,
        equal=equal.join(touched, on=_FACT, how="semi"),
        verdicts=standing(said).filter(_is_one_of("left_id", touched)),
        decisions=decisions,
    ).filter(_is_one_of("winner_id", touched))
    return {"merges": difference(taken.filter(_is_one_of("winner_id", touched)), now)}


def memory_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: StageContext
) -> dict[str, Change]:
    """MEMORY of facts that changed in any way, and of those that they merge with or deny.

    MEMORY_ENTITIES of entities that changed, and of those of such facts.
    """
    taken = reads["merges"].collect()
    merged, decisions = reads["entity_merges"].collect(), reads["decisions"].collect()
    told, turned = changes["merges"].rows, changes["entities"].of(*_ENTITY, "type")
    moved = changes["entity_merges"].rows
    texts = changes["embeddings"].rows.select("namespace", "text")
    denials = reads["evidence"].filter(kind="contradiction").select(*_FACT, "source_id").collect()
    heard = changes["episodes"].of("namespace", "episode_id", "conversation_id").rows
    lean = reads["facts"].select(*_FACT, "content")
    touched = _keys(
        *(changes[name].rows for name in ("facts", "fact_sources", "evidence", "valid_times")),
        rows_with(reads["fact_sources"], changes["pieces"].rows.select(_CANDIDATE)),
        changes["confidence_updates"].rows,
        # What people took back points to what stands instead, wherever that went.
        facts_named(decisions),
        facts_named(changes["decisions"].gone),
        _members(told),
        denials.filter(_is_one_of("source_id", _members(told))),
        _drawn_from_one_of(reads["facts"], heard),
        _about(reads, moved),
        _about(reads, _together(_entities(turned.rows), merged)),
        rows_with(lean, texts, of="content"),
    )  # fmt: skip
    united = taken.filter(pl.col("decision").is_in([AUTO_MERGE, MERGE]))
    touched = _connected(touched, [_bound(_members(united), "merge_id")])
    # Whom a touched fact denies, or is denied by, may stand for another.
    against = denials.join(touched, on=_FACT, how="semi")
    near = _keys(touched, against.select("namespace", fact_id="source_id"))
    facts = about_canonical(rows_with(reads["facts"], near), merged)
    wanted = facts.select("namespace", text_hash=digest_column("content"))
    vectors = rows_with(reads["embeddings"], wanted, "namespace", "text_hash")
    embedded = facts.filter(wanted["text_hash"].is_in(vectors["text_hash"].implode()))["fact_id"]
    sources = rows_with(reads["fact_sources"], near)
    grounds = MemoryInput(
        facts=facts,
        fact_sources=as_looked_at(sources, decisions),
        pieces=rows_with(reads["pieces"], sources.select(_CANDIDATE)),
        episodes=_episodes_drawn_from(facts, reads["episodes"]),
        entities=rows_with(reads["entities"], facts.select("namespace", "entity_id")),
        evidence=rows_with(reads["evidence"], near),
        confidence_updates=rows_with(reads["confidence_updates"], near),
        merges=taken,
        valid_times=rows_with(reads["valid_times"], near),
    )
    view = withdrawn(memory(grounds, embedded.to_list(), means.policy), decisions)
    view = MEMORY.frame(view.join(touched, on=_FACT, how="semi"))
    change = difference(rows_with(stored["memory"], touched), view)

    counted = (*_FACT, "entity_id", "predicate", "object", "event", "status", "confidence")
    told_of = _entities(changes["entities"].rows, moved, _standing(moved), change.of(*counted).rows)
    standing_for = with_canonical(told_of, merged)
    of_entity = _entities(told_of, _standing(standing_for))
    kept = rows_with(stored["memory"], of_entity, *counted).join(touched, on=_FACT, how="anti")
    about = pl.concat([kept, view.select(counted)])
    known = rows_with(reads["entities"], _together(of_entity, merged))
    now = memory_entities(known, merged, about).join(of_entity, on=_ENTITY, how="semi")
    before = rows_with(stored["memory_entities"], of_entity)
    return {"memory": change, "memory_entities": difference(before, now)}


def _keys(*frames: pl.DataFrame) -> pl.DataFrame:
    """Keys, namespace and fact_id, of rows of any of these frames."""
    return pl.concat([frame.select(_FACT) for frame in frames]).unique()


def _entities(*frames: pl.DataFrame) -> pl.DataFrame:
    """Keys, namespace and entity_id, of entities that rows of any of these frames are about."""
    return pl.concat([frame.select(_ENTITY) for frame in frames]).unique()


def _standing(merged: pl.DataFrame) -> pl.DataFrame:
    """Keys of the entities that stand for others in rows with `canonical_id`."""
    return merged.select("namespace", entity_id="canonical_id").unique()


def _together(entities: pl.DataFrame, merged: pl.DataFrame) -> pl.DataFrame:
    """Keys of some entities, of those that stand for them, and of all that these stand for."""
    stand = _standing(with_canonical(entities, merged))
    others = merged.join(
        stand.rename({"entity_id": "canonical_id"}), on=["namespace", "canonical_id"], how="semi"
    )
    return _entities(entities, stand, others)


def _about(reads: LazyFrames, entities: pl.DataFrame) -> pl.DataFrame:
    """Keys of facts that were said of some entities."""
    if entities.is_empty():
        return _NO_FACTS
    return rows_with(reads["facts"].select(*_FACT, "entity_id"), _entities(entities)).select(_FACT)


def _decided(changes: Changes, decisions: pl.DataFrame) -> pl.DataFrame:
    """Keys of facts that people decided on, then or now, if any decision came or went."""
    changed = changes["decisions"]
    return facts_named(pl.concat([decisions, changed.gone])) if changed.rows.height else _NO_FACTS


def _bound(members: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Pairs, namespace, left_id and right_id, of the first of each group and its others."""
    first = pl.col("fact_id").first().over("namespace", *by)
    return members.select("namespace", left_id=first, right_id="fact_id")


def _members(merged: pl.DataFrame) -> pl.DataFrame:
    """Winners and losers in rows of MERGES: namespace, merge_id, fact_id."""
    won = merged.select("namespace", "merge_id", fact_id="winner_id")
    return pl.concat(
        [won, merged.select("namespace", "merge_id", fact_id="loser_ids").explode("fact_id")]
    )


def _is_one_of(column: str, facts: pl.DataFrame) -> pl.Expr:
    """Whether a column holds the id of one of some facts."""
    return pl.col(column).is_in(facts.get_column("fact_id").implode())


def _pairs_of(similar: pl.LazyFrame, facts: pl.DataFrame) -> pl.DataFrame:
    """Rows of SIMILAR_FACTS of which one side or both are among some facts."""
    return similar.filter(_is_one_of("left_id", facts) | _is_one_of("right_id", facts)).collect()


def _drawn_from_one_of(facts: pl.LazyFrame, episodes: pl.DataFrame) -> pl.DataFrame:
    """Keys of facts that were drawn from some episodes."""
    if episodes.is_empty():
        return _NO_FACTS
    drawn = facts.select(*_FACT, episode_id="derived_from").filter(
        pl.col("episode_id").list.len() > 0
    )
    return rows_with(drawn.explode("episode_id"), episodes.select("namespace", "episode_id"))


def _episodes_drawn_from(facts: pl.DataFrame, episodes: pl.LazyFrame) -> pl.DataFrame:
    """The episodes that some facts were drawn from, as EPISODES."""
    drawn = facts.select("namespace", episode_id="derived_from").explode("episode_id").drop_nulls()
    return rows_with(episodes, drawn) if drawn.height else episodes.limit(0).collect()


def _similar_to(
    episodes: pl.DataFrame, but: pl.DataFrame, reads: LazyFrames, means: StageContext
) -> pl.DataFrame:
    """Supporting episodes among some, of all facts but some; whoever states them."""
    if episodes.is_empty():
        return no_support()
    columns = (*_FACT, "predicate", "content", "first_seen", "event")
    facts = reads["facts"].select(columns).filter(~is_event()).collect()
    others = facts.join(but, on=_FACT, how="anti")
    nobody = but.clear().with_columns(conversation_id=pl.lit(None, pl.String))
    return similar_episodes(others, nobody, episodes, means.embedder, means.policy)


def _connected(facts: pl.DataFrame, pairs: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Keys of some facts and of all that pairs lead to from them, however far."""
    ways = pl.concat(
        [
            frame.select("namespace", fact_id=here, to=there)
            for frame in pairs
            for here, there in (("left_id", "right_id"), ("right_id", "left_id"))
        ]
    )
    reached = edge = facts
    while edge.height:
        beyond = ways.join(edge, on=_FACT, how="semi").select("namespace", fact_id="to").unique()
        edge = beyond.join(reached, on=_FACT, how="anti")
        reached = pl.concat([reached, edge])
    return reached
