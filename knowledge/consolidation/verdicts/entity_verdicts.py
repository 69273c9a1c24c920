"""What a language model says of entities that may be one, and what rules let it say.

A pair is a question of its own: its answer is kept by which two entities it is about, not by what
was known of them on that day. So it is asked about once, and what it said stays when more is said.
Its word never stands alone: names that differ in a number are not asked about, nor is what a person
decided; it must be sure, and `cairn unmerge` undoes it.
"""

from typing import Any

import polars as pl

from cairn.knowledge.consolidation.verdicts.llm_verdicts import LONGEST_REASON, JudgedPairs
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.llm_units import extractor
from cairn.knowledge.extraction.validation import has_canary
from cairn.knowledge.llm.client import Answer, Ask, Bundle, LanguageModel
from cairn.knowledge.llm.pair_questions import apart, together
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.llm.prompts.entity_pairs import SAME, EntityVerdicts
from cairn.knowledge.resolution.canonical import with_canonical
from cairn.knowledge.schema.calendar import UNDATED, undated
from cairn.knowledge.schema.fact_types import is_event
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import FREE_STATEMENTS
from cairn.knowledge.schema.tables import ENTITY_VERDICTS

STATEMENTS, SHOWN, NAMES_SHOWN = 3, 160, 4
"""Of each entity: statements that are shown, characters of one and of a name, and other names."""

Told = dict[str, Any]
"""What is known of an entity, by any of its names."""


def entity_verdicts(
    stage: Extractor,
    prompt: Prompt[EntityVerdicts],
    alike: pl.DataFrame,
    entities: pl.DataFrame,
    facts: pl.DataFrame,
    merged: pl.DataFrame,
    model: LanguageModel,
    policy: Policy,
) -> JudgedPairs:
    """Rows of ENTITY_VERDICTS: each pair that a model has decided.

    Args:
        stage: Whose rows they are; its name is that of the table.
        prompt: What is asked, as it ships.
        alike: Rows of `alike_entities`, the likeliest first: so they are asked about.
        entities: ENTITIES rows.
        facts: FACTS rows.
        merged: ENTITY_MERGES rows by rules and people, without a model.
        model: Is asked. What gives orders to one is not shown.
        policy: `pairs_per_call`, `min_same_confidence`.
    """
    prompt = model.prompts.version(prompt)
    bundle = Bundle(policy.pairs_per_call, together, apart)
    label = extractor(stage, prompt, model.model)
    told = _told(alike, entities, facts, merged)
    rows: list[dict[str, object]] = []
    pending = False
    for (namespace,), own in alike.group_by("namespace", maintain_order=True):
        asked = [
            (pair, _ask(stage, prompt, pair, left, right))
            for pair in own.iter_rows(named=True)
            if (left := told.get((str(namespace), pair["left_id"])))
            and (right := told.get((str(namespace), pair["right_id"])))
        ]
        answers = model.answers_together([ask for _, ask in asked], bundle)
        pending |= any(answer.outcome == "pending" for answer in answers)
        for (pair, _), answer in zip(asked, answers, strict=True):
            sides = [told[str(namespace), pair[side]] for side in ("left_id", "right_id")]
            if row := _row(pair, sides, answer, label, policy):
                rows.append(row)
    return JudgedPairs(ENTITY_VERDICTS.frame(rows), pending)


def _told(
    alike: pl.DataFrame, entities: pl.DataFrame, facts: pl.DataFrame, merged: pl.DataFrame
) -> dict[tuple[str, str], Told]:
    """What is known of the entities of pairs; one whose name gives orders is left out."""
    paired = pl.concat(
        [alike.select("namespace", canonical_id=side) for side in ("left_id", "right_id")]
    ).unique()
    placed = with_canonical(entities, merged).join(paired, on=paired.columns, how="semi")
    first = pl.col("first_seen").fill_null(undated())
    own = placed.filter(pl.col("entity_id") == pl.col("canonical_id"))
    known = own.join(
        placed.sort(first, "entity_id")
        .group_by("namespace", "canonical_id", maintain_order=True)
        .agg(known_as=pl.col("entity_id").first(), names=pl.col("display_name")),
        on=["namespace", "canonical_id"],
    )
    said = _said_first(facts, placed)
    return {
        (row["namespace"], row["entity_id"]): row | {"said": said.get(row["entity_id"], [])}
        for row in known.iter_rows(named=True)
        if not any(gives_orders(name, "external") for name in row["names"])
    }


def _said_first(facts: pl.DataFrame, placed: pl.DataFrame) -> dict[str, list[Told]]:
    """The statements that came first of each entity, by its id; none that gives orders."""
    said = (
        facts.filter(pl.col("predicate").is_in(list(FREE_STATEMENTS)), ~is_event())
        .join(
            placed.select("namespace", "entity_id", "canonical_id"), on=["namespace", "entity_id"]
        )
        .sort(pl.col("first_seen").fill_null(undated()), "content", "fact_id")
        .unique(["canonical_id", "content"], keep="first", maintain_order=True)
    )
    found: dict[str, list[Told]] = {}
    columns = ["canonical_id", "content", "first_seen", "source_record_ids"]
    for row in said.select(columns).iter_rows(named=True):
        own = found.setdefault(row["canonical_id"], [])
        if len(own) < STATEMENTS and not gives_orders(row["content"], "human"):
            own.append(row)
    return found


def _ask(stage: Extractor, prompt: Prompt[EntityVerdicts], pair: Told, *sides: Told) -> Ask:
    """The question about a pair, but for its number; the one that was seen first is A."""
    ordered = sorted(sides, key=lambda told: (told["first_seen"] or UNDATED, told["known_as"]))
    lines = [line for mark, told in zip("AB", ordered, strict=True) for line in _lines(mark, told)]
    beside = [_short(name) for name in pair["beside"] if not gives_orders(name, "external")]
    if beside:
        lines.append(f"Beside both: {', '.join(beside[:NAMES_SHOWN])}")
    records = {
        record for told in sides for said in told["said"] for record in said["source_record_ids"]
    }
    return Ask(
        prompt, pair["namespace"], "\n".join(lines), tuple(sorted(records)), stage.name,
        known_as=" ".join(sorted(told["known_as"] for told in sides)),
    )  # fmt: skip


def _lines(mark: str, told: Told) -> list[str]:
    others = [_short(name) for name in told["names"] if name != told["display_name"]]
    also = f" (also: {', '.join(others[:NAMES_SHOWN])})" if others else ""
    return [
        f"{mark}, {told['type']}: {_short(told['display_name'])}{also}",
        *(
            f"  {at.date().isoformat() if (at := said['first_seen']) else 'undated'}: "
            f"{_short(said['content'])}"
            for said in told["said"]
        ),
    ]


def _short(text: str) -> str:
    """A text on one line, so that it cannot pass for another line of the question."""
    return " ".join(text.split())[:SHOWN]


def _row(
    pair: Told, sides: list[Told], answer: Answer, label: str, policy: Policy
) -> dict[str, object] | None:
    """A decided pair, with what refuses it."""
    if not isinstance(answer.value, EntityVerdicts) or not answer.value.verdicts:
        return None
    (said,) = answer.value.verdicts
    verdict, reason = said.verdict.lower(), " ".join(said.reason.split())[:LONGEST_REASON]
    rejected_by = None
    if has_canary(reason):
        rejected_by = "canary"
    elif gives_orders(reason, "external"):
        rejected_by = QUARANTINED_ORDERS
    elif verdict == SAME and said.confidence < policy.min_same_confidence:
        rejected_by = "confidence"
    return {
        **{name: pair[name] for name in ("namespace", "left_id", "right_id", "similarity")},
        "verdict": verdict,
        "confidence": said.confidence,
        "reason": reason,
        "rejected_by": rejected_by,
        "extractor": label,
        "decided_at": max((at for told in sides if (at := told["first_seen"])), default=None),
    }
