"""What a change of facts and episodes does to what consolidation made of them before.

Each function gives what `run` of its stage would change: from what came and went in the tables
that it reads, from its own tables as they were and from those that it reads as they are. Both are
read only as far as the change reaches. It names facts that are touched, too many rather than too
few, makes those anew by the functions that make all, and compares. A further table that decides is
one more line among those that name what is touched.
"""

from collections.abc import Iterable

import polars as pl

from knowledge.change import Change, LazyFrames, difference, rows_with
from knowledge.confidence import confidence_updates
from knowledge.embeddings import SAID, embeddings, texts_of
from knowledge.evidence import contradictions, united
from knowledge.identity import digest_column
from knowledge.kinds import structural
from knowledge.memory import Grounds, memory, memory_entities
from knowledge.merges import merges
from knowledge.similar_facts import SAME, similar_facts
from knowledge.stage import Changes, Means
from knowledge.support import (
    NONE,
    earliest,
    first_statements,
    known_from,
    restatements,
    similar_episodes,
)
from knowledge.tables import EMBEDDINGS

_FACT = ["namespace", "fact_id"]
_NO_FACTS = pl.DataFrame(schema={"namespace": pl.String, "fact_id": pl.String})
_HEARD = ("namespace", "episode_id", "conversation_id", "text", "started_at")
_STATED = ("conversation_id", "record_id", "occurred_at")


def embeddings_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """EMBEDDINGS: texts that are new are embedded; what stands nowhere any more goes."""
    said = {name: changes[name].of(*columns) for name, (columns, _, _) in SAID.items()}
    come = texts_of({name: change.come.lazy() for name, change in said.items()}).collect()
    gone = texts_of({name: change.gone.lazy() for name, change in said.items()}).collect()
    gone = gone.join(come, on=gone.columns, how="anti")
    if gone.height:  # what is gone in one place may stand in another
        gone = gone.join(rows_with(texts_of(reads), gone), on=gone.columns, how="anti")
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


def similar_facts_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """SIMILAR_FACTS: facts that came meet all of their group; pairs of those that went go."""
    compared = (*_FACT, "entity_id", "predicate", "content")
    changed = changes["facts"].of(*compared)
    near = rows_with(reads["facts"], changed.come.select("namespace", "entity_id"), *compared)
    now = similar_facts(near, means.embedder, means.policy, changed.come)
    before = _pairs_of(stored["similar_facts"], _keys(changed.rows))
    return {"similar_facts": difference(before, now)}


def evidence_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """EVIDENCE: facts that changed meet all episodes, all facts meet episodes that came.

    Facts that lost a source or an episode that spoke for them, or that were drawn from an episode
    that changed, count as changed. For all others the earliest similar episode of a conversation
    is the one that was, or one that came; and a conversation that now states a fact needs none.
    """
    facts, sources = changes["facts"], changes["fact_sources"].of(*_FACT, *_STATED)
    heard, similar = changes["episodes"].of(*_HEARD), changes["similar_facts"].rows
    deciding = (*_FACT, "predicate", "content", "first_seen", "derived_from")
    spoke = stored["evidence"].filter(kind="episode").select(*_FACT, "source_id")
    silent = heard.gone.select("namespace", "episode_id")
    anew = _keys(
        facts.of(*deciding).rows,
        sources.gone,
        _drawn_from_one_of(reads["facts"], heard.rows),
        rows_with(spoke, silent, of="source_id") if silent.height else _NO_FACTS,
    )
    paired = _keys(anew, sources.come, *_sides(similar))
    pairs = _pairs_of(reads["similar_facts"], paired)
    denials = stored["evidence"].filter(kind="contradiction").collect()
    denied = denials.filter(_is_one_of("fact_id", paired) | _is_one_of("source_id", paired))
    hits = _similar_to(heard.come, anew, reads, means)
    touched = _keys(anew, sources.come, hits, denied, *_sides(pairs))

    known = rows_with(reads["facts"], touched, *deciding)
    stated = first_statements(rows_with(reads["fact_sources"], touched, *_FACT, *_STATED))
    drawn = _episodes_drawn_from(known, reads["episodes"])
    supporting = known_from(stated, known, drawn)
    again = known.join(anew, on=_FACT, how="semi")
    speakable = again.filter(~structural()).height > 0
    episodes = reads["episodes"].select(_HEARD).collect() if speakable else heard.come.clear()
    before = rows_with(stored["evidence"], touched)
    spoken = before.filter(kind="episode").drop("evidence_id", "weight")
    stay = pl.concat([spoken, hits.select(spoken.columns)]).join(anew, on=_FACT, how="anti")
    now = united(
        [
            restatements(stated, known, drawn),
            similar_episodes(again, supporting, episodes, means.embedder, means.policy),
            earliest(stay.join(supporting, on=[*_FACT, "conversation_id"], how="anti")),
            contradictions(known, stated, pairs, means.policy),
            before.join(denied, on="evidence_id", how="anti").filter(
                pl.col("kind").is_in(["contradiction", "feedback"])
            ),
        ]
    ).join(known, on=_FACT, how="semi")
    return {"evidence": difference(before, now)}


def confidence_updates_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """CONFIDENCE_UPDATES: of facts whose evidence or first source changed."""
    first = (*_FACT, "first_seen", "base_confidence")
    touched = _keys(changes["facts"].of(*first).rows, changes["evidence"].rows)
    now = confidence_updates(
        rows_with(reads["facts"], touched, *first),
        rows_with(reads["evidence"], touched),
        means.policy,
    )
    before = rows_with(stored["confidence_updates"], touched)
    return {"confidence_updates": difference(before, now)}


def merges_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """MERGES: of facts that hang together with one that changed by pairs that say the same."""
    deciding = (*_FACT, "predicate", "content", "first_seen", "base_confidence")
    pairs = reads["similar_facts"].filter(verdict=SAME).collect()
    touched = _connected(
        _keys(
            changes["facts"].of(*deciding).rows,
            changes["evidence"].rows,
            *_sides(changes["similar_facts"].rows),
        ),
        pairs,
    )
    near = pairs.filter(_is_one_of("left_id", touched))
    joined = _keys(*_sides(near))
    now = merges(
        rows_with(reads["facts"], joined, *deciding),
        rows_with(reads["evidence"], joined),
        near,
        means.policy,
    )
    before = stored["merges"].filter(_is_one_of("winner_id", touched)).collect()
    return {"merges": difference(before, now)}


def memory_after(
    changes: Changes, stored: LazyFrames, reads: LazyFrames, means: Means
) -> dict[str, Change]:
    """MEMORY of facts that changed in any way, and of those that they merge with or deny.

    MEMORY_ENTITIES of entities that changed, and of those of such facts.
    """
    taken = reads["merges"].collect()
    told, turned = changes["merges"].rows, changes["entities"].of("namespace", "entity_id", "type")
    texts = changes["embeddings"].rows.select("namespace", "text")
    denials = reads["evidence"].filter(kind="contradiction").select(*_FACT, "source_id").collect()
    moved = changes["episodes"].of("namespace", "episode_id", "conversation_id").rows
    lean = reads["facts"].select(*_FACT, "entity_id", "content")
    touched = _keys(
        *(changes[name].rows for name in ("facts", "fact_sources", "evidence")),
        changes["confidence_updates"].rows,
        _members(told),
        denials.filter(_is_one_of("source_id", _members(told))),
        _drawn_from_one_of(reads["facts"], moved),
        rows_with(lean, turned.rows.select("namespace", "entity_id")) if turned.rows.height
        else _NO_FACTS,
        rows_with(lean, texts, of="content"),
    )  # fmt: skip
    members = _members(taken)
    groups = members.join(touched, on=_FACT, how="semi").select("namespace", "merge_id")
    touched = _keys(touched, members.join(groups, on=["namespace", "merge_id"], how="semi"))
    # Whom a touched fact denies, or is denied by, may stand for another.
    against = denials.join(touched, on=_FACT, how="semi")
    near = _keys(touched, against.select("namespace", fact_id="source_id"))
    facts = rows_with(reads["facts"], near)
    wanted = facts.select("namespace", text_hash=digest_column("content"))
    vectors = rows_with(reads["embeddings"], wanted, "namespace", "text_hash")
    embedded = facts.filter(wanted["text_hash"].is_in(vectors["text_hash"].implode()))["fact_id"]
    grounds = Grounds(
        facts=facts,
        fact_sources=rows_with(reads["fact_sources"], near),
        episodes=_episodes_drawn_from(facts, reads["episodes"]),
        entities=rows_with(reads["entities"], facts.select("namespace", "entity_id")),
        evidence=rows_with(reads["evidence"], near),
        confidence_updates=rows_with(reads["confidence_updates"], near),
        merges=taken,
    )
    view = memory(grounds, embedded.to_list(), means.policy).join(touched, on=_FACT, how="semi")
    change = difference(rows_with(stored["memory"], touched), view)

    counted = (*_FACT, "entity_id", "status", "confidence")
    of_entity = pl.concat(
        [
            frame.select("namespace", "entity_id")
            for frame in (changes["entities"].rows, change.of(*counted).rows)
        ]
    ).unique()
    kept = rows_with(stored["memory"], of_entity, *counted).join(touched, on=_FACT, how="anti")
    about = pl.concat([kept, view.select(counted)])
    now = memory_entities(rows_with(reads["entities"], of_entity), about)
    before = rows_with(stored["memory_entities"], of_entity)
    return {"memory": change, "memory_entities": difference(before, now)}


def _keys(*frames: pl.DataFrame) -> pl.DataFrame:
    """Keys, namespace and fact_id, of rows of any of these frames."""
    return pl.concat([frame.select(_FACT) for frame in frames]).unique()


def _sides(pairs: pl.DataFrame) -> Iterable[pl.DataFrame]:
    """The left and the right facts of rows of SIMILAR_FACTS, as keys."""
    return (pairs.select("namespace", fact_id=side) for side in ("left_id", "right_id"))


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
    episodes: pl.DataFrame, but: pl.DataFrame, reads: LazyFrames, means: Means
) -> pl.DataFrame:
    """Supporting episodes among some, of all facts but some; whoever states them."""
    if episodes.is_empty():
        return NONE
    columns = (*_FACT, "predicate", "content", "first_seen")
    facts = reads["facts"].select(columns).filter(~structural()).collect()
    others = facts.join(but, on=_FACT, how="anti")
    nobody = but.clear().with_columns(conversation_id=pl.lit(None, pl.String))
    return similar_episodes(others, nobody, episodes, means.embedder, means.policy)


def _connected(facts: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Keys of some facts and of all that pairs lead to from them, however far."""
    ways = pl.concat(
        [
            pairs.select("namespace", fact_id=here, to=there)
            for here, there in (("left_id", "right_id"), ("right_id", "left_id"))
        ]
    )
    reached = edge = facts
    while edge.height:
        beyond = ways.join(edge, on=_FACT, how="semi").select("namespace", fact_id="to").unique()
        edge = beyond.join(reached, on=_FACT, how="anti")
        reached = pl.concat([reached, edge])
    return reached
