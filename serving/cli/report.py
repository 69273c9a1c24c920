"""What a run ends with: what there is now, the best of it, and one search that finds some."""

from collections.abc import Collection, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cairn.knowledge.llm.fence import CLOSING, harmless, opening
from cairn.serving.cli.run_output import print_totals
from cairn.serving.cli.terminal import TerminalColumn, advise, console, print_table, say
from cairn.serving.read.display import count, one_line, times

if TYPE_CHECKING:
    from cairn.serving.read.reader import Reader
    from cairn.serving.retrieval.search import SearchResult
    from cairn.serving.status.pending import Pending

ENTITY_COLUMNS = (
    TerminalColumn("entity_id", "id"),
    TerminalColumn("type"),
    TerminalColumn("display_name", "name", wide=True),
    TerminalColumn("active_facts", "facts"),
    TerminalColumn("mentions", from_width=70),
    TerminalColumn("last_seen", from_width=90),
)


def print_brief(found: dict[str, Any]) -> None:
    """The brief of a project, as `cairn.serving.query.briefs.project_brief` gives it."""
    from cairn.knowledge.practices.briefs.brief import HEADINGS

    say(f"{found['project']}  ({found['tokens']} tokens)", style="bold")
    for kind, heading in HEADINGS.items():
        own = [line for line in found["lines"] if line["kind"] == kind]
        if own:
            say(heading, style="bold")
        for line in own:
            say(line["text"], indent=2)
            say(f"{line['id']}  {_borne_out(line)}".rstrip(), indent=6, style="dim")


def _borne_out(line: dict[str, Any]) -> str:
    """How often, in how many conversations, and when last; of a conversation nothing."""
    from cairn.knowledge.practices.briefs.brief import ERROR, PRACTICE, RECENT

    if line["kind"] == RECENT:
        return ""
    talks = count(line["conversations"], "conversation")
    much = {
        PRACTICE: f"{count(line['support'], 'run')} in {talks}",
        ERROR: f"ended it {times(line['support'], 0)}, seen in {talks}"
        if line["support"]
        else f"seen in {talks}",
    }.get(line["kind"], talks)
    if line["last_seen"] is None:
        return much
    return f"{much}, {'last ' if line['conversations'] > 1 else ''}on {line['last_seen']:%Y-%m-%d}"


def print_overview(found: dict[str, Any]) -> None:
    """The overview, for people."""
    out = console()
    print_totals(found)
    if found["learnings"]:
        out.print("\nTop learnings", style="bold")
        for row in found["learnings"]:
            out.print(
                f"  {row['confidence']:.2f}  [cyan]{row['category']}[/]"
                f"  [dim]{row['learning_id']}[/]"
            )
            say(one_line(row["title"]), indent=8)
    if found["entities"]:
        out.print("\nTop entities", style="bold")
        print_table(found["entities"], ENTITY_COLUMNS, indent=2)
    if found["interests"]:
        out.print("\nCares most about", style="bold")
        for row in found["interests"]:
            known = f"{row['type']}, {count(row['active_facts'], 'fact')}"
            say(f"{row['score']:.2f}  {one_line(row['display_name'], 60)} ({known})", indent=2)
    if found["learn_prompts"]:
        out.print("\nWants to learn", style="bold")
        for row in found["learn_prompts"]:
            say(prompt_line(row), indent=2)
    if found["notifications"]:
        out.print("\nFound unasked", style="bold")
        for row in found["notifications"]:
            how = "blocked: " if row["blocked_by"] else ""
            say(f"{one_line(row['text'], 60)} ({how}{row['reason']})", indent=2)
    query = found["example"]["query"]
    if query:
        out.print()
        say(f'Example: cairn search "{query}"', style="bold")
        for result in found["example"]["results"]:
            print_found(result)


def prompt_line(prompt: dict[str, Any]) -> str:
    """One of `prompts` in a line: whether it is done, and what was found or waits."""
    mark = "✓" if prompt["status"] == "completed" else "…"
    entities = ", ".join(
        f"{one['display_name']} ({count(one['facts'], 'fact')})" for one in prompt["entities"]
    )
    left = prompt["searches_remaining"]
    waits = f"{count(left, 'search', 'searches')} to make" if left else "nothing was found"
    return f"{mark} {prompt['prompt_text']}: {entities or waits}"


@contextmanager
def recalled(reader: "Reader") -> Generator[None]:
    """What is printed within stands in the fence that says it is data of logs."""
    for line in opening(reader.namespace, reader.manifest.generation).splitlines():
        say(line, style="dim")
    yield
    say(CLOSING, style="dim")


def print_found(result: "SearchResult") -> None:
    """One result of a search, with where it came from."""
    about = f"  {one_line(harmless(result.entity), 40)}" if result.entity else ""
    out = console()
    out.print()
    out.print(
        f"[bold]{result.score:.2f}[/]  [cyan]{result.kind}[/]  [dim]{result.id}[/]"
        f"  confidence {result.confidence:.2f}",
        end="",
    )
    out.print(about, style="green", markup=False)
    say(one_line(harmless(result.text), 600), indent=2)
    for source in result.sources[:2]:
        place = harmless(f"{source['file']}:{source['line']}")
        out.print(f"  {place}", style="dim", markup=False, soft_wrap=True)


def say_pending(waiting: Collection["Pending"]) -> None:
    """Tells a person what waits for the next run; nothing if nothing does."""
    from cairn.knowledge.ingest.inbox_events.decisions import DECISION_TYPES
    from cairn.serving.status.pending import NEXT_RUN

    if waiting:
        spaces = sorted({one.namespace for one in waiting})
        advise(f"Noted for {', '.join(spaces)}, and applied {NEXT_RUN}", style="bold")
        for one in list(waiting)[-MOST:]:
            id_ = f"  {one.record_id}" if one.verb in DECISION_TYPES else ""
            say(f"{one.at:%Y-%m-%d %H:%M}{id_}  {one.text}", indent=2)
        if len(waiting) > MOST:
            say(f"… and {len(waiting) - MOST:,} before", indent=2, style="dim")


MOST = 10
"""Things that are shown of what waits, the latest."""


def shown_dollars(amount: float) -> str:
    """Dollars to four places; what is less, but something, is not shown as nothing."""
    return "<0.0001" if 0 < amount < 0.0001 else f"{amount:.4f}"


def spent(total: dict[str, Any]) -> str:
    """What calls to a language model came to, in one sentence."""
    parts = [count(total["calls"], "call")]
    if total["tokens_in"] is not None:
        parts.append(
            f"{total['tokens_in']:,} tokens in ({total['tokens_cached'] or 0:,} cached),"
            f" {total['tokens_out'] or 0:,} out"
        )
    if total["uncounted"]:
        parts.append(f"the tokens of {count(total['uncounted'], 'call')} unknown")
    if total["dollars"] is not None:
        parts.append(f"{shown_dollars(total['dollars'])} dollars")
    if total["unpriced"]:
        parts.append(f"the price of {count(total['unpriced'], 'call')} unknown")
    if total["unanswered"]:
        parts.append(f"{count(total['unanswered'], 'call')} without an answer")
    return ", ".join(parts)
