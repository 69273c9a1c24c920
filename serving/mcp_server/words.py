"""Answers in words: the same as short lines for whoever reads text."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import singledispatch
from itertools import chain

from cairn.knowledge.practices.briefs.brief import HEADINGS
from cairn.serving.mcp_server.answers import ForgottenForAgents, Recorded
from cairn.serving.models import answers, requests, things
from cairn.serving.models.fields import Model
from cairn.serving.read.display import count, one_line, times
from cairn.serving.retrieval.context import brief

ABOVE = ("namespace", "as_of")
"""Fields that stand above every answer."""

OFF = "No search provider is set: nothing is searched for until there is one."


@singledispatch
def lines(one: Model) -> Iterator[str]:
    """An answer, or a thing, in words; one that nobody wrote words for, field by field."""
    for name in (each for each in one.brief() if each not in ABOVE):
        value = getattr(one, name)
        if isinstance(value, list) and value and isinstance(value[0], Model):
            yield f"{name}:"
            yield from _each(value)
        elif value not in (None, [], {}):
            yield f"{name}: {minute(value) if isinstance(value, datetime) else value}"


@lines.register
def _(one: things.Source) -> Iterator[str]:
    yield f"  from {one.file}:{one.line} ({one.record_id})"


@lines.register
def _(one: things.QuoteAnswer) -> Iterator[str]:
    when = minute(one.occurred_at) if one.occurred_at else ""
    yield " ".join(filter(None, ["said", one.origin and f"by {one.origin}", when])) + ":"
    yield from indented(one.quote or "")
    yield from lines.dispatch(things.Source)(one)


@lines.register
def _(one: things.Result) -> Iterator[str]:
    about = f"  about {one.entity}" if one.entity else ""
    sure = f"score {one.score:.2f}, confidence {one.confidence:.2f}, last {day(one.timestamp)}"
    yield f"{one.kind} {one.id}  {sure}{about}"
    yield from indented(one.text)
    yield from _each(one.sources)


@lines.register
def _(one: things.FactAnswer) -> Iterator[str]:
    ends = f", until {day(one.valid_to)}" if one.valid_to else ""
    seen = f"{count(one.conversation_count, 'conversation')}, last {day(one.last_seen)}{ends}"
    yield f"{one.fact_id}  {one.confidence:.2f}  {one.status}  {one.entity or ''}  {seen}"
    yield from indented(one.content)


@lines.register
def _(one: things.UsedFact) -> Iterator[str]:
    yield f"{one.fact_id}  {one.confidence:.2f}  {one.status}  {one.entity or ''}"
    yield from indented(one.content)


@lines.register
def _(one: things.Entity) -> Iterator[str]:
    also = f"  also {', '.join(one.aliases)}" if one.aliases else ""
    yield (
        f"{one.entity_id}  {one.display_name} ({one.type})  {count(one.active_facts, 'fact')},"
        f" {count(one.mentions, 'mention')}, last {day(one.last_seen)}{also}"
    )


@lines.register
def _(one: things.Learning) -> Iterator[str]:
    yield f"{one.learning_id}  {one.confidence:.2f}  {one.category}  {day(one.created_at)}"
    yield from indented(one.title)
    yield from indented(one.content)


@lines.register
def _(one: things.UsedLearning) -> Iterator[str]:
    yield f"{one.learning_id}  {one.category}"
    yield from indented(one.title)


@lines.register
def _(one: things.Happened) -> Iterator[str]:
    about = f"  {one.about}" if one.about else ""
    yield f"{minute(one.at)}  {one.kind} {one.id}{about}"
    yield from indented(one.text)


@lines.register
def _(one: requests.Interest) -> Iterator[str]:
    muted = "  muted" if one.muted else ""
    yield (
        f"{one.rank}  {one.score:.2f}  {one.entity_id}  {one.display_name} ({one.type}),"
        f" {count(one.active_facts, 'fact')}, last {day(one.last_engaged_at)}{muted}"
    )
    for sign in one.signs:
        against = " against it" if sign.valence < 0 else ""
        kind = sign.engagement_type.replace("_", " ")
        yield f"  {minute(sign.occurred_at)}  {kind}{against}  {sign.record_id}"


@lines.register
def _(one: requests.Notification) -> Iterator[str]:
    yield (
        f"{one.status}  {minute(one.sent_at or one.found_at)}  {one.text}"
        f"  {one.entity_id}  ({one.reason})"
    )


@lines.register
def _(one: requests.LearnPrompt) -> Iterator[str]:
    mark = "✓" if one.status == "completed" else "…"
    found = ", ".join(f"{each.display_name} ({count(each.facts, 'fact')})" for each in one.entities)
    searches = count(one.searches_remaining, "search", "searches")
    left = f"{searches} to make" if one.searches_remaining else ""
    said = "; ".join(filter(None, [found, left])) or "nothing was found"
    yield f"{mark} {one.learn_prompt_id}  {one.prompt_text}: {said}"


@lines.register
def _(one: requests.Due) -> Iterator[str]:
    blocked = f"  blocked by: {one.blocked_by}" if one.blocked_by else ""
    yield f"{minute(one.due_at)}  {one.mode}  {one.effect_id}{blocked}"
    yield from indented(one.query)
    yield from indented(one.reason)


@lines.register
def _(one: requests.Made) -> Iterator[str]:
    found = "" if one.results is None else f", {one.results} results"
    why = f": {one.error}" if one.error else ""
    yield f"{minute(one.at)}  {one.effect_id}  {one.outcome}{found}{why}"
    yield from indented(one.query)


@lines.register
def _(one: requests.Waiting) -> Iterator[str]:
    yield f"waits for the next run: {one.text}"


@lines.register
def _(one: requests.ReceiptRow) -> Iterator[str]:
    yield f"{one.effect}  {one.table}  {one.id}"
    yield from indented(one.text or "")


@lines.register(answers.Listed)
def _(page: answers.Listed[Model]) -> Iterator[str]:
    """One after the other, what waits, and how to go on."""
    yield from _each([*page.items, *getattr(page, "waiting", [])], "Nothing.")
    if page.next:
        yield f"There are more, {page.total:,} in all: ask again with cursor {page.next}"
    if not getattr(page, "provider", True):
        yield OFF


@lines.register
def _(told: answers.Results) -> Iterator[str]:
    if told.time_expression:
        yield f"“{told.time_expression}” read as {told.from_day or '…'} to {told.to_day or '…'}"
    if told.not_reranked:
        yield f"Not reranked: {told.not_reranked}"
    yield from _each(told.results, "Nothing about that.")


@lines.register
def _(told: answers.ProjectBrief) -> Iterator[str]:
    """The lines of each kind under their heading."""
    yield told.project or "No project is known."
    for kind, heading in HEADINGS.items():
        own = [line for line in told.lines if line.kind == kind]
        yield from [f"{heading}:"] if own else []
        yield from (f"- {line.text} ({line.id})" for line in own)
    if told.project and not told.lines:
        yield "Nothing that helps is known of it."


@lines.register
def _(told: answers.EndedError) -> Iterator[str]:
    """The error, how often it was seen, and what ended it."""
    yield told.signature or "No line of this says why it failed."
    if told.failures:
        yield f"seen {times(told.failures, 0)}, last {day(told.last_seen)}"
    for fix in told.fixes:
        helped = f"ended it {times(fix.wins, fix.losses)}, last {day(fix.last_seen)}"
        yield f"- {fix.text} ({fix.id}, {helped})"
    if told.signature and not told.fixes:
        yield "Nothing is proven to end it."


@lines.register
def _(told: answers.Research) -> Iterator[str]:
    for name, rows in (("due", told.due), ("blocked", told.blocked), ("done", told.done)):
        yield f"{name}: {told.totals[name]}"
        yield from _each(rows)
    yield from _each(told.waiting)
    if not told.provider:
        yield OFF


@lines.register
def _(told: answers.ContextAnswer) -> Iterator[str]:
    """How it is done, what is known, then what bears on the turns: as much as fits the budget."""
    fits = {kind: {*map(one_line, texts)} for kind, texts in told.memories.items()}
    said: set[str] = set()

    def new(kind: str, text: str) -> bool:
        """Whether it is within the budget, and not told yet."""
        line = one_line(brief(kind, text))
        fresh = line not in said and line in fits.get(f"{kind}s", ())
        said.update([line] if fresh else [])
        return fresh

    if practices := told.memories.get("practices"):
        yield "Practices"
        yield from (f"- {one}" for one in practices)
    for entity in told.known.entities if told.known else []:
        facts = [
            memory("fact", each.fact_id, each) for each in entity.facts if new("fact", each.text)
        ]
        if facts or entity.similarity == 1:
            yield f"{entity.name} ({entity.type}, {entity.entity_id})"
            yield from facts
    found = [*told.found, *told.streamed.facts, *told.streamed.episodes]
    for kind in ("fact", "episode", "learning"):
        bears = [
            memory(kind, one.id, one) for one in found if one.kind == kind and new(kind, one.text)
        ]
        if bears:
            yield f"{kind.capitalize()}s that bear on it"
            yield from bears
    if told.known is None and not found:
        yield "Nothing about that. Give `message`, `turns`, or both."
    elif not said and not practices:
        yield "Nothing about that."
    elif told.known and told.known.sufficient:
        yield "This is likely enough to answer without a search."


@lines.register
def _(told: answers.EntityFacts) -> Iterator[str]:
    """What it is, and its facts."""
    entity = told.entity
    yield from lines(entity)
    kinds = ", ".join(f"{name} {rows}" for name, rows in entity.predicates.items())
    yield f"Facts by predicate: {kinds or 'none'}"
    for others, what in ((entity.merged_from, "took up"), (told.same_name, "not the same as")):
        for other in others:
            yield f"{what} {other.entity_id}  {other.display_name} ({other.type})"
    yield from lines.dispatch(answers.Listed)(told)


@lines.register
def _(told: answers.Why) -> Iterator[str]:
    """The thing, its words, its history."""
    yield f"{told.kind} {told.id}"
    if told.text not in [quote.quote for quote in told.quotes]:
        yield from indented(told.text)
    if told.fact:
        about = f" about {told.fact.entity}" if told.fact.entity else ""
        yield f"{told.fact.status}, confidence {told.fact.confidence:.2f}{about}"
    if told.extractor:
        yield f"found by {told.extractor}"
    yield from _each(told.quotes, "No words are kept for it.")
    for change in told.history:
        source = f" by {change.source_id}" if change.source_id else ""
        yield f"{minute(change.occurred_at)}  {change.cause}{source}: {change.confidence:.2f}"
    for decision in told.decisions:
        reason = f": {decision.reason}" if decision.reason else ""
        yield f"{minute(decision.decided_at)}  {decision.decision}{reason}"
    for listed, name in ((told.facts, "Facts"), (told.learnings, "Learnings")):
        if listed:
            yield f"{name}:"
            yield from _each(listed)
    for episode in told.episodes:
        yield f"{minute(episode.started_at)}  episode {episode.episode_id}"
        yield from indented(episode.request)


@lines.register
def _(told: answers.Status) -> Iterator[str]:
    there = told.totals
    yield (
        f"{there.conversations:,} conversations, {there.records:,} records,"
        f" {there.entities:,} entities, {there.facts:,} facts"
        f" ({there.deprecated_facts:,} faded, {there.events:,} events),"
        f" {there.learnings:,} learnings, {there.themes:,} themes"
    )
    yield f"published {minute(told.published_at)}; latest event {minute(told.as_of)}"
    yield told.freshness


@lines.register
def _(told: Recorded) -> Iterator[str]:
    """What was noted, and when it will be seen."""
    about = f" about {', '.join(told.ids)}" if told.ids else ""
    before = "" if told.written else ", as it was before"
    yield f"{told.what}{about} is recorded{before} as {told.record_id} (event {told.event_id})."
    yield told.takes_effect


@lines.register
def _(told: ForgottenForAgents) -> Iterator[str]:
    """What goes by table, and what stays."""
    gone, still = told.lines_removed, told.lines_still_naming
    goes = f"{told.target_type} {told.id}{', everywhere' if told.everywhere else ''}, {gone} lines"
    yield f"{'Would' if told.dry_run else 'Will'} be forgotten: {goes}"
    if still:
        yield f"{still} more lines name it, and stay unless it goes everywhere"
    for effect, tables in (told.counts or {}).items():
        yield f"{effect}: {', '.join(f'{table} {rows}' for table, rows in tables.items())}"
    yield from _each(told.rows or [])
    yield told.takes_effect


def memory(kind: str, id_: str, one: things.Result | things.KnownFactAnswer) -> str:
    """A memory as it stands in a context: one line."""
    return f"- {one_line(brief(kind, one.text))} ({id_}, confidence {one.confidence:.2f})"


def _each(rows: Iterable[Model], nothing: str = "") -> Iterator[str]:
    said = list(chain.from_iterable(map(lines, rows)))
    yield from said or filter(None, [nothing])


def indented(text: str) -> Iterator[str]:
    """A text of the logs under the line that says what it is."""
    for line in text.splitlines():
        yield f"  {line}".rstrip()


def minute(moment: datetime | None) -> str:
    """A time as people read it."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "undated"


def day(moment: datetime | None) -> str:
    """The day of a time."""
    return f"{moment:%Y-%m-%d}" if moment else "undated"
