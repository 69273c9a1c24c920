"""What a run ends with: what there is now, the best of it, and one search that finds some."""

from typing import Any

import polars as pl

from knowledge.fence import defused, harmless
from knowledge.predicates import STRUCTURAL_PREDICATES
from knowledge.standing import IN_FORCE
from knowledge.tables import CONVERSATIONS, RAW_LOGS, THEMES
from serving.interests import interests
from serving.notifications import notifications
from serving.reader import Reader
from serving.researching import prompts
from serving.search import Found, search_memory
from serving.terminal import Column, console, count, one_line, print_table, say

ENTITY_COLUMNS = (
    Column("entity_id", "id"),
    Column("type"),
    Column("display_name", "name", wide=True),
    Column("active_facts", "facts"),
    Column("mentions", from_width=70),
    Column("last_seen", from_width=90),
)


def totals(reader: Reader) -> dict[str, int]:
    """Rows of what was published."""

    def height(frame: pl.LazyFrame) -> int:
        return frame.select(pl.len()).collect().item()

    every = reader.memory().filter(pl.col("status").is_in(IN_FORCE))
    memory = every.filter(pl.col("status") != "deprecated")
    plain = memory.filter(~pl.col("predicate").is_in(list(STRUCTURAL_PREDICATES)))
    return {
        "conversations": height(reader.table(CONVERSATIONS, ["conversation_id"])),
        "records": height(reader.table(RAW_LOGS, ["record_id"])),
        "entities": height(reader.top_entities()),
        "facts": height(plain),
        "structural_facts": height(memory) - height(plain),
        "deprecated_facts": height(every) - height(memory),
        "learnings": height(reader.learnings()),
        "themes": height(reader.table(THEMES, ["theme_id"])),
    }


def overview(reader: Reader) -> dict[str, Any]:
    """The best of a namespace: learnings, entities, what is cared about, one search."""
    learnings = reader.learnings().head(5).drop("simhash").collect().to_dicts()
    entities = reader.top_entities().head(10).collect().to_dicts()
    query = example_query(reader, learnings, entities)
    return {
        "namespace": reader.namespace,
        "as_of": reader.as_of,
        "totals": totals(reader),
        "learnings": learnings,
        "entities": entities,
        "interests": [row for row in interests(reader, 3).rows if row["score"] > 0],
        "learn_prompts": prompts(reader, 5).rows,
        "notifications": notifications(reader, 3).rows,
        "example": {
            "query": query,
            "results": search_memory(reader, query, "all", 3) if query else [],
        },
    }


def example_query(
    reader: Reader, learnings: list[dict[str, Any]], entities: list[dict[str, Any]]
) -> str | None:
    """Words that find something: the largest theme's, the best learning's, an entity's name."""
    themes = reader.table(THEMES).sort("size", "theme_id", descending=[True, False])
    largest = themes.head(1).collect()
    if largest.height:
        return " ".join(largest["terms"][0][:3])
    if learnings:
        return str(learnings[0]["title"])
    return str(entities[0]["display_name"]) if entities else None


def print_totals(found: dict[str, Any]) -> None:
    """One line of what there is."""
    there = found["totals"]
    parts = [
        count(there["conversations"], "conversation"),
        count(there["records"], "record"),
        count(there["entities"], "entity", "entities"),
        count(there["facts"], "fact")
        + (f" ({there['deprecated_facts']:,} faded)" if there["deprecated_facts"] else ""),
        count(there["learnings"], "learning"),
        count(there["themes"], "theme"),
    ]
    say(f"{found['namespace']}: {', '.join(parts)}", style="bold")


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
            how = "held back: " if row["held"] else ""
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


def print_found(result: Found) -> None:
    """One result of a search, with where it came from."""
    about = f"  {defused(one_line(result.entity, 40))}" if result.entity else ""
    out = console()
    out.print()
    out.print(
        f"[bold]{result.score:.2f}[/]  [cyan]{result.kind}[/]  [dim]{result.id}[/]"
        f"  confidence {result.confidence:.2f}",
        end="",
    )
    out.print(about, style="green", markup=False)
    say(harmless(one_line(result.text, 600)), indent=2)
    for source in result.sources[:2]:
        out.print(f"  {source['file']}:{source['line']}", style="dim", markup=False, soft_wrap=True)
