"""What a person is told unasked: what searches found about the things that they care about.

Nothing here acts, and nothing depends on the clock: a row says from when on it may be told. What
was told stays told, whatever is found in its records later.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from cairn.knowledge.ingest.inbox_events.notifications import NOTICES, Notice, instant_of, notice_of
from cairn.knowledge.research.backoff import Pace, pace
from cairn.knowledge.research.findings import BATCH, FINDINGS, findings, known_facts
from cairn.knowledge.research.novelty import worth_telling
from cairn.knowledge.schema.calendar import UNDATED, undated
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import BY_PERSON
from cairn.knowledge.schema.tables import NOTIFICATIONS
from cairn.knowledge.vectors.model import Embedder

READ = NOTICES.fill_null(value=False) | FINDINGS.fill_null(value=False) | BY_PERSON
"""Rows of RAW_LOGS that are read."""

COLUMNS = (
    "namespace", "record_id", "conversation_id", "kind", "origin", "role", "trigger", "tool_name",
    "tool_input", "occurred_at",
)  # fmt: skip
"""Columns of RAW_LOGS that are read."""

_ENTITY = ["namespace", "entity_id"]

_BLOCKED = {
    "trigger_off": "what {trigger} finds is not told: see notify_triggers",
    "switched_off": "found before anything was told",
    "before_switch": "found before anything was told",
    "stale": "found {days:g} days before the latest event, or earlier",
    "muted": "the entity is muted",
    "disliked": "the entity is disliked",
    "nothing_new": "it says too little that is new",
}
"""Why something is not told, the first that applies."""

Row = dict[str, Any]


class _Try(NamedTuple):
    """A telling that was begun, and how it went."""

    notice: Notice
    at: datetime
    status: str
    """sent, failed or unknown."""


@dataclass
class _ToldNamespace:
    """What a namespace was told, and how its person answers."""

    tries: dict[str, _Try] = field(default_factory=dict[str, _Try])
    """By effect."""
    retried: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """Effects that a person let be tried again, and when."""
    switched_on: datetime | None = None
    pace: Pace = field(default_factory=lambda: Pace(0, None))

    def latest(self) -> dict[str, _Try]:
        """The latest try of each notification."""
        ordered = sorted(self.tries.items(), key=lambda each: (each[1].at, each[0]))
        return {one.notice.notification_id: one for _, one in ordered}


def notifications(
    raw_logs: pl.DataFrame,
    fact_sources: pl.DataFrame,
    memory: pl.DataFrame,
    memory_entities: pl.DataFrame,
    interests: pl.DataFrame,
    embedder: Embedder,
    policy: Policy,
    as_of: datetime,
) -> pl.DataFrame:
    """NOTIFICATIONS, in the order in which they are told.

    What was found long before the watermark `as_of` is not told any more.
    """
    told = _told(raw_logs)
    known = known_facts(fact_sources, memory, memory_entities, policy)
    names = memory_entities.select(*_ENTITY, name="display_name")
    wanted = interests.select(*_ENTITY, "score", "muted", "disliked")
    found = (
        findings(raw_logs, known)
        .join(names, on=_ENTITY)
        .join(wanted, on=_ENTITY, how="left", maintain_order="left")
        .with_columns(
            pl.col("score").fill_null(0.0), pl.col("muted", "disliked").fill_null(value=False)
        )
        .join(_naming(told), on=["namespace", "fact_id"], how="anti", maintain_order="left")
    )
    held = _held(_batches(found), told, policy, as_of)
    free = found.join(held.filter(pl.col("blocked_by").is_null()), on=BATCH, how="semi")
    worth = worth_telling(free, known, embedder, policy)
    batches = held.join(_batches(worth).select(*BATCH, new="facts"), on=BATCH, how="left")
    rows: list[Row] = []
    for namespace in sorted({*batches["namespace"], *told}):
        past = told.get(namespace, _ToldNamespace())
        open_ = list(_open(batches.filter(namespace=namespace), past, policy))
        rows += _ordered(open_, list(_over(namespace, past)), past.pace)
    return NOTIFICATIONS.frame(rows)


def _told(raw_logs: pl.DataFrame) -> dict[str, _ToldNamespace]:
    """What each namespace was told, from rows of RAW_LOGS in any order."""
    columns = ["namespace", "kind", "role", "tool_input", "occurred_at"]
    rows = raw_logs.filter(NOTICES.fill_null(value=False)).sort("occurred_at", "record_id")
    found: dict[str, _ToldNamespace] = defaultdict(_ToldNamespace)
    begun: dict[tuple[str, str], datetime] = {}
    for namespace, kind, role, given, time in rows.select(columns).iter_rows():
        past, notice, at = found[namespace], notice_of(given), time or UNDATED
        effect = notice.effect_id
        if role == "switch":
            past.switched_on = min(at, past.switched_on or at)
        elif role == "retry":
            past.retried[effect] = at
        elif effect:
            status = "sent" if kind == "message" else "failed" if role == "receipt" else "unknown"
            start = min(at, begun.get((namespace, effect), at))
            begun[namespace, effect] = start
            if status != "unknown" or effect not in past.tries:
                past.tries[effect] = _Try(notice, start, status)
            else:
                past.tries[effect] = past.tries[effect]._replace(at=start)
    acted = raw_logs.filter(BY_PERSON).group_by("namespace").agg(pl.col("occurred_at").max())
    answered = dict(acted.iter_rows())
    for namespace, past in found.items():
        # One that failed counts as well: while a service is down, few are lost to it.
        past.pace = pace([one.at for one in past.tries.values()], answered.get(namespace))
    return dict(found)


def _naming(told: dict[str, _ToldNamespace]) -> pl.DataFrame:
    """namespace, fact_id: what was told, as part of whatever notification.

    What a person let be tried again may be told once more.
    """
    rows = [
        (namespace, fact)
        for namespace, past in sorted(told.items())
        for one in past.latest().values()
        if one.notice.effect_id not in past.retried
        for fact in one.notice.fact_ids
    ]
    schema = {"namespace": pl.String, "fact_id": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _batches(found: pl.DataFrame) -> pl.DataFrame:
    """One row per batch and entity: what its facts have in common, and they, most trusted first."""
    trusted = ["confidence", "fact_id"]
    ordered = found.sort(*BATCH, *trusted, descending=[*[False] * len(BATCH), True, False])
    return ordered.group_by(BATCH, maintain_order=True).agg(
        pl.col(
            "name", "trigger", "mode", "known", "found_at", "score", "muted", "disliked"
        ).first(),
        image_url=pl.col("image_url").drop_nulls().first(),
        facts=pl.struct("fact_id", "record_id"),
    )


def _held(
    batches: pl.DataFrame, told: dict[str, _ToldNamespace], policy: Policy, as_of: datetime
) -> pl.DataFrame:
    """Batches with `held`: why they are not told, whatever they say."""
    since = pl.DataFrame(
        [(namespace, past.switched_on) for namespace, past in sorted(told.items())],
        schema={"namespace": pl.String, "since": pl.Datetime("us", "UTC")},
        orient="row",
    )
    at, since_ = pl.col("found_at").fill_null(undated()), pl.col("since")
    oldest = as_of - timedelta(days=policy.notify_days)
    return (
        batches.join(since, on="namespace", how="left", maintain_order="left")
        .with_columns(
            blocked_by=pl.when(~pl.col("trigger").fill_null("").is_in(policy.notify_triggers))
            .then(pl.lit("trigger_off"))
            .when(since_.is_null())
            .then(pl.lit("switched_off"))
            .when(at < since_)
            .then(pl.lit("before_switch"))
            .when(at < oldest)
            .then(pl.lit("stale"))
            .when("muted")
            .then(pl.lit("muted"))
            .when(pl.col("disliked") | (pl.col("score") < 0))
            .then(pl.lit("disliked"))
        )
        .drop("since")
    )


def _open(batches: pl.DataFrame, past: _ToldNamespace, policy: Policy) -> Iterator[Row]:
    """Notifications of one namespace that were not told, or may be told again."""
    latest = past.latest()
    again = Counter(
        one.notice.notification_id for effect, one in past.tries.items() if effect in past.retried
    )
    for batch in batches.iter_rows(named=True):
        id_ = digest(*(batch[part] for part in ("namespace", "batch", "entity_id")))
        before = latest.get(id_)
        if before and before.notice.effect_id not in past.retried:
            continue  # told already: what its records say now is not told once more
        blocked_by = batch["blocked_by"] or (None if batch["new"] else "nothing_new")
        asked_at = past.retried[before.notice.effect_id] if before else None
        if asked_at:
            blocked_by = None  # somebody wants it, whatever it says
        facts = batch["new"] or batch["facts"]
        yield {
            "notification_id": id_,
            "namespace": batch["namespace"],
            "effect_id": "n_" + digest(batch["namespace"], id_, again[id_]),
            "status": "blocked" if blocked_by else "waiting",
            "blocked_by": blocked_by,
            "entity_id": batch["entity_id"],
            "name": batch["name"],
            "batch": batch["batch"],
            "trigger": batch["trigger"],
            "mode": batch["mode"],
            "text": _text(batch["name"], len(facts), first=not batch["known"]),
            "fact_ids": [fact["fact_id"] for fact in facts],
            "record_ids": sorted({fact["record_id"] for fact in facts}),
            "image_url": batch["image_url"],
            "found_at": batch["found_at"],
            "from": asked_at or batch["found_at"],
            "reason": _BLOCKED[blocked_by].format(**batch, days=policy.notify_days)
            if blocked_by
            else "",
            "score": batch["score"],
        }


def _text(name: str, facts: int, *, first: bool) -> str:
    if first:
        return f"Discovered {name}: {facts} {'fact' if facts == 1 else 'facts'}"
    return f"Learned {facts} new {'fact' if facts == 1 else 'facts'} about {name}"


def _over(namespace: str, past: _ToldNamespace) -> Iterator[Row]:
    """Notifications of one namespace that were told, or begun to be."""
    reasons = {
        "sent": "told", "failed": "it could not be sent: {error}",
        "unknown": "begun, and nobody knows whether it was sent",
    }  # fmt: skip
    for id_, one in past.latest().items():
        notice = one.notice
        if notice.effect_id in past.retried:
            continue
        yield {
            "notification_id": id_,
            "namespace": namespace,
            "effect_id": notice.effect_id,
            "status": one.status,
            "entity_id": notice.entity_id,
            "name": notice.name,
            "batch": notice.batch,
            "trigger": notice.trigger,
            "mode": notice.mode,
            "text": notice.text,
            "fact_ids": notice.fact_ids,
            "record_ids": notice.record_ids,
            "image_url": notice.image_url,
            "found_at": instant_of(notice.found_at),
            "sent_at": one.at,
            "reason": reasons[one.status].format(error=notice.error),
        }


def _ordered(open_: Sequence[Row], over: Sequence[Row], at: Pace) -> Iterator[Row]:
    """Rows of one namespace with their rank, and from when on each may be told.

    What is cared about most comes first, then what was found first.
    """

    def key(row: Row) -> tuple[object, ...]:
        return -row["score"], row["found_at"] or UNDATED, row["notification_id"]

    waiting = sorted((row for row in open_ if not row["blocked_by"]), key=key)
    ready: datetime | None = None
    for place, row in enumerate(waiting):
        ready = at.next_at(row["from"] if ready is None else max(row["from"], ready))
        behind = f"{at.unanswered} unanswered" if at.unanswered else "nothing is unanswered"
        yield {
            **row,
            "status": "waiting" if place else "due",
            "due_at": ready,
            "rank": place + 1,
            "reason": f"{place} before it" if place else behind,
        }
        at = at.told(ready)
    held = sorted((row for row in open_ if row["blocked_by"]), key=key)
    ended = sorted(over, key=lambda row: (row["sent_at"], row["effect_id"]), reverse=True)
    for rank, row in enumerate([*held, *ended], len(waiting) + 1):
        yield {**row, "rank": rank}
