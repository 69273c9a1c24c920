"""Facts that hold beyond the single episode, drawn from themes of several conversations.

A model is asked about the medoid of a theme and its nearest members alone, so drift at the edge of
a theme costs no call; several themes share one, and which do depends on nothing but themselves.
Without a model the medoid's own statement stands, in the mode `medoid`.

These rows have no trigger and the origin `system`: they can be facts about names that are known,
and bring none in. Themes are made of episodes, which hold none of them.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import polars as pl

from knowledge.asking import Answer, Ask, LanguageModel
from knowledge.candidates import NOBODY
from knowledge.chunks import boundaries
from knowledge.extraction import extractor
from knowledge.extractors import Extractor
from knowledge.identity import digest
from knowledge.injection import gives_orders
from knowledge.names import REDACTED_WHOLE
from knowledge.policy import Policy
from knowledge.prompts.generalised_facts import (
    GENERALISED_FACTS,
    GeneralisedFact,
    GeneralisedFacts,
)
from knowledge.proposals import HELD, LONGEST_STATEMENT, Known, has_canary
from knowledge.questions import FAILURE_SCHEMA
from knowledge.quoting import asks, occurring
from knowledge.rules.entities import project_name
from knowledge.tables import THEME_FACTS
from knowledge.text import estimated_tokens, sentences

GENERALISED = Extractor(
    "generalised", "stage", 1,
    "Facts drawn from themes of at least two conversations.",
    ("model_confidence",),
)  # fmt: skip

FEWEST_CONVERSATIONS = 2
FEWEST_EPISODES = 2
EPISODE_SHOWN = 500
"""Characters that are shown of an episode."""

MOST_NAMES = 20
MOST_TOKENS = 4000
"""Of the themes that share a question; one alone may be longer."""

ASSET = THEME_FACTS.name

_OPEN_TYPES = ("project", "topic", "system", "host", "package", "person")
"""Types of names that a habit or a set-up may be about; of equal counts the first comes first."""

_REDACTED = re.compile(REDACTED_WHOLE)


class _Episode(NamedTuple):
    episode_id: str
    conversation_id: str
    day: str
    request: str
    text: str
    project: str | None
    ended_at: datetime | None


class _Theme(NamedTuple):
    namespace: str
    theme_id: str
    episodes: tuple[_Episode, ...]
    """The medoid, then its nearest members."""
    names: tuple[Known, ...]

    @property
    def shown(self) -> str:
        """What a model is shown of it, but for its number."""
        names = "\n".join(f"- {name.name} ({name.type})" for name in self.names)
        texts = (
            f"[{number}]\n{textwrap.indent(episode.text[:EPISODE_SHOWN].strip(), '    ')}"
            for number, episode in enumerate(self.episodes, 1)
        )
        return f"Names:\n{names}\n\n" + "\n".join(texts)


class Generalised(NamedTuple):
    """What themes say.

    `theme_facts` are rows of THEME_FACTS, refused ones with their reason. `failures` are rows of
    knowledge.questions.FAILURE_SCHEMA, with the medoid as record. Where something is pending, the
    stage is owed still; what is there may be written.
    """

    theme_facts: pl.DataFrame
    failures: pl.DataFrame
    pending: bool


def generalised(
    themes: pl.DataFrame,
    episodes: pl.DataFrame,
    entities: pl.DataFrame,
    model: LanguageModel | None,
    policy: Policy,
) -> Generalised:
    """Facts that themes of at least two conversations bear out.

    Args:
        themes: THEMES rows.
        episodes: EPISODES rows.
        entities: ENTITIES rows: facts are about these names alone.
        model: Answers; None if there is none.
        policy: model_confidence.
    """
    read = _themes(themes, episodes, entities)
    if model is None:
        rows = [row for theme in read if (row := _medoid_row(theme, policy))]
        return Generalised(_frame(rows), pl.DataFrame(schema=FAILURE_SCHEMA), pending=False)
    settled = _asked(read, model)
    label = extractor(GENERALISED, GENERALISED_FACTS, model.model)
    rows = [
        _row(theme, fact, label, policy)
        for batch, answer in settled
        if isinstance(answer.value, GeneralisedFacts)
        for fact in answer.value.facts
        if 0 < fact.theme <= len(batch)
        for theme in [batch[fact.theme - 1]]
    ]
    lost = [
        (*_place(theme), GENERALISED_FACTS.name, answer.reason or "", answer.key)
        for batch, answer in settled
        if answer.outcome == "failed"
        for theme in batch
    ]
    return Generalised(
        _frame(rows),
        pl.DataFrame(lost, schema=FAILURE_SCHEMA, orient="row").sort(pl.all()),
        pending=any(answer.outcome == "pending" for _, answer in settled),
    )


def _themes(themes: pl.DataFrame, episodes: pl.DataFrame, entities: pl.DataFrame) -> list[_Theme]:
    """Themes of several conversations that are about a known name, in the order of their ids."""
    columns = ["episode_id", "conversation_id", "day", "request", "text", "project", "ended_at"]
    wide = themes.filter(pl.col("conversation_count") >= FEWEST_CONVERSATIONS).sort(
        "namespace", "theme_id"
    )
    found: list[_Theme] = []
    for (namespace,), own in wide.group_by("namespace", maintain_order=True):
        here = pl.col("namespace") == namespace
        known = {
            row[0]: _Episode(*row) for row in episodes.filter(here).select(columns).iter_rows()
        }
        members = [
            tuple(known[id_] for id_ in [medoid, *nearest] if id_ in known)
            for medoid, nearest in own.select("medoid_id", "nearest_ids").iter_rows()
        ]
        named = _names(members, entities.filter(here))
        found += [
            _Theme(str(namespace), theme_id, own_members, names)
            for theme_id, own_members, names in zip(own["theme_id"], members, named, strict=True)
            if names and len({e.conversation_id for e in own_members}) >= FEWEST_CONVERSATIONS
        ]
    return found


def _names(
    members: Sequence[Sequence[_Episode]], entities: pl.DataFrame
) -> list[tuple[Known, ...]]:
    """Known names of each theme: those of most of its episodes first, then by type and name."""
    open_ = entities.filter(pl.col("type").is_in(_OPEN_TYPES)).sort("type", "name")
    by_form: dict[str, list[Known]] = {}
    user: list[Known] = []
    for name, type_ in open_.select("display_name", "type").iter_rows():
        known = Known(name, type_)
        by_form.setdefault(known.key, []).append(known)
        if known == Known(NOBODY, "person"):
            user.append(known)
    names = [known.name for group in by_form.values() for known in group if known not in user]
    texts = [episode.text for episodes in members for episode in episodes]
    occur = iter(occurring(texts, names))
    result: list[tuple[Known, ...]] = []
    for episodes in members:
        counts: Counter[Known] = Counter()
        for episode in episodes:
            forms = {Known(name, "topic").key for name in next(occur)}
            there = {known for form in forms for known in by_form[form] if known not in user}
            if episode.project:
                own = Known(project_name(episode.project), "project")
                there |= {known for known in by_form.get(own.key, ()) if known.type == own.type}
            counts.update(there)
        ranked = sorted(
            counts, key=lambda one: (-counts[one], _OPEN_TYPES.index(one.type), one.name)
        )
        result.append((*ranked[:MOST_NAMES], *user))
    return result


def _asked(read: Sequence[_Theme], model: LanguageModel) -> list[tuple[tuple[_Theme, ...], Answer]]:
    """Answers about themes; a batch whose answer fails is asked again in halves, down to one."""
    waiting: list[tuple[_Theme, ...]] = []
    for namespace in dict.fromkeys(theme.namespace for theme in read):
        own = [theme for theme in read if theme.namespace == namespace]
        sizes = [estimated_tokens(theme.shown) for theme in own]
        # Cut where digests say, so that a theme that comes or goes moves its own batch alone.
        starts = boundaries(sizes, [theme.theme_id for theme in own], MOST_TOKENS)
        waiting += [tuple(own[a:b]) for a, b in zip(starts, [*starts[1:], len(own)], strict=True)]
    settled: list[tuple[tuple[_Theme, ...], Answer]] = []
    while waiting:
        answers = model.answers([_ask(batch) for batch in waiting])
        again: list[tuple[_Theme, ...]] = []
        for batch, answer in zip(waiting, answers, strict=True):
            if answer.outcome == "failed" and len(batch) > 1:
                middle = (len(batch) + 1) // 2
                again += [batch[:middle], batch[middle:]]
            else:
                settled.append((batch, answer))
        waiting = again
    return settled


def _ask(batch: Sequence[_Theme]) -> Ask:
    given = "\n\n".join(f"Theme {n}\n{theme.shown}" for n, theme in enumerate(batch, 1))
    records = tuple(episode.episode_id for theme in batch for episode in theme.episodes)
    return Ask(GENERALISED_FACTS, batch[0].namespace, given, records, ASSET)


def _row(theme: _Theme, fact: GeneralisedFact, label: str, policy: Policy) -> dict[str, object]:
    """A fact that a model proposed, with what refuses it."""
    numbers = [n for n in sorted(set(fact.episodes)) if 0 < n <= len(theme.episodes)]
    shown = [theme.episodes[n - 1] for n in numbers]
    statement = " ".join(fact.statement.split())
    given = {name.key: name for name in reversed(theme.names)}
    entity = re.sub(r"\s*\((?:\w+)\)\s*$", "", fact.entity)
    about = given.get(Known(fact.entity, "topic").key) or given.get(Known(entity, "topic").key)
    reason = None
    if has_canary(statement, fact.entity):
        reason = "canary"
    elif about is None:
        reason = "not_given"
    elif not any(character.isalnum() for character in statement):
        reason = "blank"
    elif _REDACTED.search(statement):
        reason = "redacted"
    elif len(statement) > LONGEST_STATEMENT:
        reason = "too_long"
    elif (
        len(shown) < FEWEST_EPISODES
        or len({episode.conversation_id for episode in shown}) < FEWEST_CONVERSATIONS
    ):
        reason = "too_few_episodes"
    elif gives_orders(statement, "external") or any(
        gives_orders(episode.text[:EPISODE_SHOWN], "human") for episode in shown
    ):
        reason = HELD
    about = about or Known(entity.strip(), "topic")
    return _made(
        theme, about, statement, shown or theme.episodes[:1], "states", "generalised", label,
        policy, reason,
    )  # fmt: skip


def _medoid_row(theme: _Theme, policy: Policy) -> dict[str, object] | None:
    """What the medoid's request says, about the name that most of the theme shares."""
    medoid = theme.episodes[0]
    spans = sentences(medoid.request)
    told = [medoid.request[a:b] for a, b in spans]
    said = next((text for text in told if not asks(text)), told[0] if told else "")
    statement = " ".join(said.split())[:LONGEST_STATEMENT]
    if not statement or _REDACTED.search(statement) or gives_orders(medoid.text, "human"):
        return None
    return _made(
        theme, theme.names[0], statement, theme.episodes, "recurs", "medoid",
        GENERALISED.label, policy, None,
    )  # fmt: skip


def _made(
    theme: _Theme,
    about: Known,
    statement: str,
    shown: Sequence[_Episode],
    predicate: str,
    mode: str,
    label: str,
    policy: Policy,
    reason: str | None,
) -> dict[str, object]:
    """A row of THEME_FACTS; its quote is the first sentence of the nearest episode's request."""
    first = shown[0]
    start, end = next(iter(sentences(first.request)), (0, 0))
    times = [episode.ended_at for episode in shown if episode.ended_at is not None]
    return {
        "candidate_id": "k_"
        + digest(theme.namespace, GENERALISED.name, theme.theme_id, *about, predicate, statement),
        "namespace": theme.namespace,
        "day": first.day,
        "conversation_id": first.conversation_id,
        "episode_id": first.episode_id,
        "record_id": first.episode_id,
        "kind": "fact",
        "subject": f"theme_{theme.theme_id}",
        "predicate": predicate,
        "object": statement,
        "content": statement,
        "entity_name": about.name,
        "entity_type": about.type,
        "quote": first.request[start:end],
        "quote_field": "text",
        "quote_start": start,
        "quote_end": end,
        "confidence": policy.model_confidence,
        "mode": mode,
        "extractor": label,
        "origin": "system",
        "trigger": None,
        "occurred_at": max(times, default=None),
        "theme_id": theme.theme_id,
        "derived_from": sorted({episode.episode_id for episode in shown}),
        "reason": reason,
    }


def _frame(rows: Sequence[dict[str, object]]) -> pl.DataFrame:
    """Rows of THEME_FACTS, each once; the first answer counts, which has the more evidence."""
    once: dict[object, dict[str, object]] = {}
    for row in sorted(rows, key=lambda row: (row["reason"] is not None, str(row["derived_from"]))):
        once.setdefault(row["candidate_id"], row)
    return THEME_FACTS.frame(once.values())


def _place(theme: _Theme) -> tuple[str, str, str, str]:
    medoid = theme.episodes[0]
    return theme.namespace, medoid.day, medoid.conversation_id, medoid.episode_id
