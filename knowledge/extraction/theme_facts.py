"""Facts that hold beyond the single episode, drawn from themes of several conversations.

A model is asked about the medoid of a theme and its nearest members alone, so drift at the edge of
a theme costs no call; several themes share one, and which do depends on nothing but themselves.
Without a model themes say nothing: what a medoid says is no more than what was said once.

These rows have no trigger and the origin `system`: they can be facts about names that are known,
and bring none in. Themes are made of episodes, which hold none of them.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.trust import AGENT, PERSON
from cairn.knowledge.engine.extractors import Extractor
from cairn.knowledge.extraction.llm_units import extractor, label_of_answer
from cairn.knowledge.extraction.rules.entities import project_name
from cairn.knowledge.extraction.validation import LONGEST_STATEMENT, KnownName, has_canary
from cairn.knowledge.llm.batches import halved, in_halves
from cairn.knowledge.llm.chunks import boundaries
from cairn.knowledge.llm.client import Ask, LanguageModel
from cairn.knowledge.llm.prompt import Prompt
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.llm.prompts.generalised_facts import (
    GENERALISED_FACTS,
    GeneralisedFact,
    GeneralisedFacts,
)
from cairn.knowledge.nlp.names import REDACTED_WHOLE
from cairn.knowledge.nlp.spans import occurring
from cairn.knowledge.nlp.text import STOP_WORDS, estimated_tokens, sentences, words
from cairn.knowledge.nlp.vocabulary import stem
from cairn.knowledge.schema.failures import FAILURE_SCHEMA
from cairn.knowledge.schema.identity import digest
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.predicates import NOBODY
from cairn.knowledge.schema.tables import THEME_FACTS

GENERALISED = Extractor(
    "generalised", "stage", 5,
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
    names: tuple[KnownName, ...]

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
    FAILURE_SCHEMA, with the medoid as record. Where something is pending,
    the stage is owed still; what is there may be written.
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

    They are about names of `entities` alone. Without a model nothing is drawn.
    """
    if model is None:
        return Generalised(THEME_FACTS.empty(), pl.DataFrame(schema=FAILURE_SCHEMA), pending=False)
    read = _themes(themes, episodes, entities)
    prompt = model.prompts.version(GENERALISED_FACTS)
    settled = in_halves(_batches(read), partial(_ask, prompt), halved, model)
    label = extractor(GENERALISED, prompt, model.model)
    rows = [
        _row(theme, fact, label_of_answer(label, answer), policy)
        for batch, _, answer in settled
        if isinstance(answer.value, GeneralisedFacts)
        for fact in answer.value.facts
        if 0 < fact.theme <= len(batch)
        for theme in [batch[fact.theme - 1]]
    ]
    lost = [
        (*_place(theme), GENERALISED_FACTS.name, answer.reason or "", answer.key)
        for batch, _, answer in settled
        if answer.outcome == "failed"
        for theme in batch
    ]
    return Generalised(
        _frame(rows),
        pl.DataFrame(lost, schema=FAILURE_SCHEMA, orient="row").sort(pl.all()),
        pending=any(answer.outcome == "pending" for _, _, answer in settled),
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
) -> list[tuple[KnownName, ...]]:
    """Known names of each theme: those of most of its episodes first, then by type and name."""
    open_ = entities.filter(pl.col("type").is_in(_OPEN_TYPES)).sort("type", "name")
    by_form: dict[str, list[KnownName]] = {}
    user: list[KnownName] = []
    for name, type_ in open_.select("display_name", "type").iter_rows():
        known = KnownName(name, type_)
        by_form.setdefault(known.key, []).append(known)
        if known == KnownName(NOBODY, "person"):
            user.append(known)
    names = [known.name for group in by_form.values() for known in group if known not in user]
    texts = [episode.text for episodes in members for episode in episodes]
    occur = iter(occurring(texts, names))
    result: list[tuple[KnownName, ...]] = []
    for episodes in members:
        counts: Counter[KnownName] = Counter()
        for episode in episodes:
            forms = {KnownName(name, "topic").key for name in next(occur)}
            there = {known for form in forms for known in by_form[form] if known not in user}
            if episode.project:
                own = KnownName(project_name(episode.project), "project")
                there |= {known for known in by_form.get(own.key, ()) if known.type == own.type}
            counts.update(there)
        ranked = sorted(
            counts, key=lambda one: (-counts[one], _OPEN_TYPES.index(one.type), one.name)
        )
        result.append((*ranked[:MOST_NAMES], *user))
    return result


def _batches(read: Sequence[_Theme]) -> list[Sequence[_Theme]]:
    """Themes that share a question."""
    batches: list[Sequence[_Theme]] = []
    for namespace in dict.fromkeys(theme.namespace for theme in read):
        own = [theme for theme in read if theme.namespace == namespace]
        sizes = [estimated_tokens(theme.shown) for theme in own]
        # Cut where digests say, so that a theme that comes or goes moves its own batch alone.
        starts = boundaries(sizes, [theme.theme_id for theme in own], MOST_TOKENS)
        batches += [own[a:b] for a, b in zip(starts, [*starts[1:], len(own)], strict=True)]
    return batches


def _ask(prompt: Prompt[GeneralisedFacts], batch: Sequence[_Theme]) -> Ask:
    given = "\n\n".join(f"Theme {n}\n{theme.shown}" for n, theme in enumerate(batch, 1))
    records = tuple(episode.episode_id for theme in batch for episode in theme.episodes)
    return Ask(prompt, batch[0].namespace, given, records, ASSET)


def _row(theme: _Theme, fact: GeneralisedFact, label: str, policy: Policy) -> dict[str, object]:
    """A fact that a model proposed, with what refuses it."""
    numbers = [n for n in sorted(set(fact.episodes)) if 0 < n <= len(theme.episodes)]
    shown = [theme.episodes[n - 1] for n in numbers]
    statement = " ".join(fact.statement.split())
    given = {name.key: name for name in reversed(theme.names)}
    entity = re.sub(r"\s*\((?:\w+)\)\s*$", "", fact.entity)
    about = given.get(KnownName(fact.entity, "topic").key) or given.get(
        KnownName(entity, "topic").key
    )
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
        reason = QUARANTINED_ORDERS
    about = about or KnownName(entity.strip(), "topic")
    shown = shown or theme.episodes[:1]
    span = next(iter(sentences(shown[0].request)), (0, 0))
    row = _made(theme, about, statement, shown, span, label, policy, reason)
    return row | {"trust": PERSON if _asked_for(statement, shown) else AGENT}


def _asked_for(statement: str, shown: Sequence[_Episode]) -> bool:
    """Whether people said it: no word of it stands in an agent's answer alone."""
    said = {stem(word) for episode in shown for word in _words(episode.request)}
    told = {stem(word) for episode in shown for word in _words(episode.text)}
    spoken = {stem(word) for word in _words(statement)}
    return bool(spoken & said) and not spoken & (told - said)


def _words(text: str) -> set[str]:
    return {word for word in words(text) if word not in STOP_WORDS and len(word) > 1}


def _made(
    theme: _Theme,
    about: KnownName,
    statement: str,
    shown: Sequence[_Episode],
    span: tuple[int, int],
    label: str,
    policy: Policy,
    reason: str | None,
) -> dict[str, object]:
    """A row of THEME_FACTS; its quote is a span of the nearest episode's request."""
    first = shown[0]
    predicate = "states"
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
        "quote": first.request[slice(*span)],
        "quote_field": "request",
        "quote_start": span[0],
        "quote_end": span[1],
        "confidence": policy.model_confidence,
        "mode": "generalised",
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
