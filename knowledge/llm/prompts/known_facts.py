"""Known-only mode: facts about names that are known already, and about nothing else."""

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt
from cairn.knowledge.llm.prompts.entity_facts import STANCES, WORDING, Stance


class KnownFact(BaseModel):
    """One statement about one of the known names."""

    entity: str = Field(description="One of the known names, exactly as given.")
    statement: str = Field(description="One sentence that can be read alone.")
    message: int = Field(description="Number of the message that says it.")
    quote: str = Field(description="Words of that message, verbatim, that say it.")
    stance: Stance = Field(description="How it is said.")


class KnownFacts(BaseModel):
    """The facts found; none is a fine answer."""

    facts: list[KnownFact] = []


KNOWN_FACTS = Prompt(
    name="known_facts",
    about="Facts about known names, in what the system looked up by itself.",
    context=(
        "Cairn gathers lasting knowledge for one person. It looked something up by itself, to "
        "learn more about what the person cares for. This step finds facts about known names in "
        "the result. The input is these names, then the text, numbered and indented."
    ),
    requirements=(
        "List what the text says about the known names, and about these alone.\n"
        "- Whatever else the text is about, it brings in no other name: `entity` is one of the "
        "known names, exactly as given. A text that only mentions a name says nothing about it.\n"
        "- Another thing of the same name is not the known one: leave it out.\n"
        f"{STANCES}{WORDING}"
        "- Not: praise and advertising, prices of the day, what the page says of itself."
    ),
    criteria=(
        "Each fact is true if its quote is true. Better few that last than many; when nothing is "
        "said about the known names, the list is empty."
    ),
    output=KnownFacts,
    examples=(
        Example(
            "Names:\n- zwirbelfjord (topic)\n\nMessages:\n"
            "[1] search result, 2026-02-03 06:10\n"
            "    Zwirbelfjord suits are glued and not sewn. The new Plimmerdale line is said to be "
            "warmer. Buy now and save!",
            KnownFacts(
                facts=[
                    KnownFact(
                        entity="zwirbelfjord",
                        statement="Zwirbelfjord suits are glued and not sewn.",
                        message=1,
                        quote="Zwirbelfjord suits are glued and not sewn",
                        stance="asserted",
                    )
                ]
            ),
            canaries=("Zwirbelfjord", "Plimmerdale"),
        ),
    ),
)
