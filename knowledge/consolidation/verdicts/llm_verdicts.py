"""What a language model says of pairs of facts that no rule decides, and what rules let it say.

A pair is a question of its own: its answer is kept by what its two statements say, not by their ids
nor by the other pairs of the call. So what was answered once is never asked again, and these tables
are made of facts and answers alone, however many nights it took. The model's word never stands
alone: it unites nothing that differs in a number, version, path, host, tense or polarity, and what
it says against the rules is kept as refused, and waits for a person.
"""

from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.consolidation.pairs import PAIR, sides
from cairn.knowledge.consolidation.similar_facts import APART, DENIED, SAME, UNSURE, VALUE
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.llm_units import extractor
from cairn.knowledge.extraction.validation import has_canary
from cairn.knowledge.llm.client import Answer, Ask, Bundle, LanguageModel
from cairn.knowledge.llm.pair_questions import apart, together
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.llm.prompts.contradiction_pairs import PairVerdicts
from cairn.knowledge.nlp.statements.statement import read_statement
from cairn.knowledge.schema.fact_types import comparable
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import MERGE_VERDICTS

MERGE, KEEP_BOTH, CONTRADICTION = "merge", "keep_both", "contradiction"

MAY_DIFFER = frozenset({"word", "order", "person"})
"""What two facts that a model merges may differ in: no literal, tense or polarity."""

LONGEST_REASON = 200
SHOWN = 500
"""Characters that are shown of a statement."""


class JudgedPairs(NamedTuple):
    """What a model says of pairs; where something is pending, the stage is owed still."""

    rows: pl.DataFrame
    pending: bool


def verdicts(
    stage: Extractor,
    prompt: Prompt[PairVerdicts],
    pairs: pl.DataFrame,
    facts: pl.DataFrame,
    entities: pl.DataFrame,
    model: LanguageModel,
    policy: Policy,
) -> JudgedPairs:
    """Rows of CONTRADICTION_VERDICTS or MERGE_VERDICTS: each pair that a model has decided.

    What is worth most is asked about first: the pair with the greatest sum of base confidences,
    then the more alike one, then by ids. Statements that give orders are not shown to a model.
    `prompt` is the one that ships. `pairs` are rows of SIMILAR_FACTS, and `facts` are about
    canonical entities. The name of the stage is that of the table.
    """
    prompt = model.prompts.version(prompt)
    bundle = Bundle(policy.pairs_per_call, together, apart)
    label = extractor(stage, prompt, model.model)
    rows: list[dict[str, object]] = []
    pending = False
    for (namespace,), own in _told(pairs, facts, entities).group_by(
        "namespace", maintain_order=True
    ):
        asked = [
            (pair, Ask(prompt, str(namespace), _shown(pair), _records(pair), stage.name))
            for pair in own.iter_rows(named=True)
        ]
        answers = model.answers_together([ask for _, ask in asked], bundle)
        pending |= any(answer.outcome == "pending" for answer in answers)
        rows += [
            row
            for (pair, _), answer in zip(asked, answers, strict=True)
            if (row := _row(pair, answer, label))
        ]
    return JudgedPairs(MERGE_VERDICTS.frame(rows), pending)


def differing(similar: pl.DataFrame, valid_times: pl.DataFrame) -> pl.DataFrame:
    """Pairs whose words differ: denied, of another value, or unsure.

    Two values of a slot that holds one at a time are left out: time decides between them.
    """
    slot = ["namespace", "entity_id", "slot"]
    filled = valid_times.drop_nulls("slot").select("fact_id", *slot).unique()
    one_slot = filled.rename({"fact_id": "left_id"}).join(
        filled.rename({"fact_id": "right_id"}), on=slot
    )
    return similar.filter(pl.col("verdict") != SAME).join(one_slot, on=PAIR, how="anti")


def judged(similar: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    """SIMILAR_FACTS rows with the model's verdict in the place of that of their words.

    What it keeps both is `apart`, what it calls a contradiction is `denied`; what it merges
    stays what it is by its words, and knowledge/consolidation/merges.py takes it from the verdicts.
    """
    said = standing(verdicts).select(*PAIR, said="verdict")
    by_model = pl.col("said").replace_strict(
        {KEEP_BOTH: APART, CONTRADICTION: DENIED}, default=None, return_dtype=pl.String
    )
    return (
        similar.join(said, on=PAIR, how="left")
        .with_columns(verdict=pl.coalesce(by_model, "verdict"))
        .select(similar.columns)
    )


def standing(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Verdicts that rules follow."""
    return verdicts.filter(pl.col("rejected_by").is_null())


def waiting(
    differing: pl.DataFrame,
    unequal: pl.DataFrame,
    contradiction_verdicts: pl.DataFrame,
    merge_verdicts: pl.DataFrame,
) -> pl.DataFrame:
    """Pairs that no model has decided, with what it said in vain: they wait for it or a person.

    `differing` and `unequal` are the pairs that these functions give of all similar facts.

    Returns:
        SIMILAR_FACTS columns; `asks`, the table that a model would decide them in; and
        `model_verdict`, `reason`, `rejected_by` of a verdict that rules do not follow.
    """
    parts: list[pl.DataFrame] = []
    for name, pairs, decided in (
        ("contradiction_verdicts", differing, contradiction_verdicts),
        ("merge_verdicts", unequal, merge_verdicts),
    ):
        vain = decided.select(*PAIR, "reason", "rejected_by", model_verdict="verdict")
        parts.append(
            pairs.join(standing(decided), on=PAIR, how="anti")
            .join(vain, on=PAIR, how="left")
            .with_columns(asks=pl.lit(name))
        )
    return pl.concat(parts).sort(PAIR)


_SIDES = ("left", "right")


def _told(pairs: pl.DataFrame, facts: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Pairs with what is known of either fact, in the order of their worth; none gives orders."""
    names = entities.select(
        "namespace",
        "entity_id",
        about=pl.concat_str("display_name", pl.lit(" ("), "type", pl.lit(")")),
    )
    paired = facts.join(sides(pairs), on=["namespace", "fact_id"], how="semi")
    ordering = [gives_orders(content, "human") for content in paired["content"]]
    paired = paired.filter(~pl.Series(ordering, dtype=pl.Boolean))
    known = paired.join(names, on=["namespace", "entity_id"], how="left").select(
        "namespace", "content", "predicate", "base_confidence", "first_seen", "source_record_ids",
        "about", id="fact_id", kind=comparable(),
    )  # fmt: skip
    for side in _SIDES:
        own = known.select("namespace", pl.exclude("namespace").name.prefix(f"{side}_"))
        pairs = pairs.join(own, on=["namespace", f"{side}_id"])
    return pairs.sort(
        "namespace",
        (pl.col("left_base_confidence") + pl.col("right_base_confidence")).round(9),
        "similarity", "left_id", "right_id",
        descending=[False, True, True, False, False],
    )  # fmt: skip


def _shown(pair: dict[str, Any]) -> str:
    """What a model is shown of a pair, but for its number: the same whichever fact is the left."""
    about = sorted({pair[f"{side}_about"] for side in _SIDES} - {None})
    seen = [
        (
            at.date().isoformat() if (at := pair[f"{side}_first_seen"]) else "undated",
            pair[f"{side}_predicate"],
            " ".join(pair[f"{side}_content"].split())[:SHOWN],
        )
        for side in _SIDES
    ]
    lines = (
        f"{mark}, {first_said}, {predicate}: {content}"
        for mark, (first_said, predicate, content) in zip("AB", sorted(seen), strict=True)
    )
    return "\n".join((f"About: {' / '.join(about) or 'unknown'}", *lines))


def _records(pair: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted({one for side in _SIDES for one in pair[f"{side}_source_record_ids"]}))


def _row(pair: dict[str, Any], answer: Answer, label: str) -> dict[str, object] | None:
    """A decided pair, with what refuses it."""
    if not isinstance(answer.value, PairVerdicts) or not answer.value.verdicts:
        return None
    (said,) = answer.value.verdicts
    verdict, reason = said.verdict.lower(), " ".join(said.reason.split())[:LONGEST_REASON]
    times = [at for side in _SIDES if (at := pair[f"{side}_first_seen"])]
    return {
        **{name: pair[name] for name in (*PAIR, "similarity")},
        "verdict": verdict,
        "reason": reason,
        "rejected_by": _refused(pair, verdict, reason),
        "extractor": label,
        "decided_at": max(times, default=None),
    }


def _refused(pair: dict[str, Any], verdict: str, reason: str) -> str | None:
    """Why rules do not follow a verdict; None if they do."""
    if has_canary(reason):
        return "canary"
    if gives_orders(reason, "external"):
        return QUARANTINED_ORDERS
    if verdict == CONTRADICTION and pair["verdict"] == SAME:
        return "same_words"
    if verdict == MERGE:
        if pair["left_kind"] != pair["right_kind"]:
            return "kind"
        if not _may_be_one(pair):
            return "difference"
    return None


def _may_be_one(pair: dict[str, Any]) -> bool:
    """Whether nothing of weight differs, and neither denies anything where the other does not."""
    if pair["verdict"] == SAME:
        return True
    denies = {read_statement(pair[f"{side}_content"]).denies for side in _SIDES}
    differ = pair["verdict"] in (UNSURE, VALUE) and pair["difference"] in MAY_DIFFER
    return differ and len(denies) == 1
