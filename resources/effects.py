"""What Cairn does to the world: an intent in the inbox before, a receipt after.

An intent is written once: who finds it there does not act again, whatever became of it.
"""

import json
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

import polars as pl

from cairn.knowledge.redaction import redactor
from cairn.knowledge.schema.tables import Table
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import forgets
from cairn.resources.home.inbox import all_files, append_event, namespaces_of_inbox

_MOST_SWITCHES = 1_000
"""Each time that it is forgotten since when something may be done, it is noted anew."""

_IDS = uuid.UUID("5b1c9a55-2f0e-4f5c-9d0a-6a1a5f2f7c11")


def now() -> datetime:
    """The clock: only what acts may look at it."""
    return datetime.now(UTC)


def switched_off(state: State, table: Table) -> list[str]:
    """Namespaces in which a table of what is due holds back what came before it was switched on."""
    off = state.warehouse.read(table).filter(pl.col("blocked_by") == "switched_off")
    return sorted(off.select(pl.col("namespace").unique()).collect()["namespace"])


def switch_on(state: State, namespace: str, effect: str, now: datetime) -> bool:
    """Notes since when something may be done of itself; False if it was noted before."""
    names = ("", *map(str, range(1, _MOST_SWITCHES)))
    ids = [event_id(namespace, "switch", effect, one) for one in names]
    gone = forgets(state.home, namespace, ids, now)
    name = next((one for one, lost in zip(names, gone, strict=True) if not lost), "")
    return _tell(state, namespace, "switch", effect, name, {}, now)


def intend(
    state: State, namespace: str, effect: str, effect_id: str, item: Mapping[str, object],
    now: datetime,
) -> bool:  # fmt: skip
    """Says what is about to be done; False if that was said before, and must not be done again."""
    return _tell(state, namespace, "intent", effect, effect_id, item, now)


def acknowledge(
    state: State, namespace: str, effect: str, effect_id: str, item: Mapping[str, object],
    now: datetime,
) -> bool:  # fmt: skip
    """Says what came of it."""
    return _tell(state, namespace, "receipt", effect, effect_id, item, now)


def try_again(state: State, namespace: str, effect: str, effect_id: str, now: datetime) -> bool:
    """A person's word that something may be tried again; False if it was given before."""
    item = {"effect_id": effect_id}
    return _tell(state, namespace, "retry", effect, effect_id, item, now)


def forgotten(state: State, effect: str, rows: pl.DataFrame, now: datetime) -> pl.Series:
    """Which of what is due was done, and is forgotten: nobody is to see it come back.

    Its intent would be dropped, too, so that it were due for ever. `rows` have namespace and
    effect_id.
    """
    gone = set[tuple[str, str]]()
    for (namespace,), own in rows.group_by("namespace"):
        effects = own["effect_id"].to_list()
        ids = [event_id(str(namespace), "intent", effect, each) for each in effects]
        lost = forgets(state.home, str(namespace), ids, now)
        gone |= {(str(namespace), each) for each in own["effect_id"].filter(lost)}
    told = rows.select("namespace", "effect_id").iter_rows()
    return pl.Series([each in gone for each in told], dtype=pl.Boolean)


def event_id(namespace: str, kind: str, effect: str, effect_id: str) -> str:
    """Id of the line that says it: the same whenever it is said."""
    return str(uuid.uuid5(_IDS, f"{namespace} {kind} {effect} {effect_id}"))


def _tell(
    state: State, namespace: str, kind: str, effect: str, effect_id: str,
    item: Mapping[str, object], now: datetime,
) -> bool:  # fmt: skip
    clean = redactor(state.policy.redact_personal)

    def redact(text: bytes) -> tuple[bytes, int]:
        cleaned, found = clean.redact_text(text.decode())
        return cleaned.encode(), len(found)

    event = {
        "event_id": event_id(namespace, kind, effect, effect_id),
        "type": kind,
        "namespace": namespace,
        "effect": effect,
        "item": item,
    }
    return append_event(state.home, event, redact=redact, at=now).written


def intended(state: State, effect: str, since: datetime) -> Counter[str]:
    """How often something was intended since a time, by namespace."""
    count = Counter[str]()
    since = since.astimezone(UTC)
    named = namespaces_of_inbox(state.home)
    files = [(name, file) for name in named for file in all_files(state.home, name)]
    for name, file in files:
        if file.stem < f"{since:%Y-%m}":
            continue
        for line in file.read_bytes().splitlines():
            if b'"type": "intent"' not in line:
                continue
            try:
                event = json.loads(line)
                told = event.get("type") == "intent" and event.get("effect") == effect
                if told and datetime.fromisoformat(event["at"]) >= since:
                    count[name] += 1
            except (ValueError, KeyError, TypeError):
                continue  # what a crash left of a line
    return count
