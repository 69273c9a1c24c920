"""A text that somebody ingests, as knowledge in layers: profiles, pieces and relations."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt

EntityType = Literal["project", "host", "path", "tool", "package", "system", "person", "topic"]
KnowledgeType = Literal["fact", "instruction", "preference", "procedure", "note", "episodic"]


class Property(BaseModel):
    """One value of an entity."""

    name: str = Field(description="What the value is, in one to three words: `city`, `port`.")
    value: str = Field(description="The value, as the text has it.")
    quote: str = Field(description="The words of the text that say so, verbatim.")


class Profile(BaseModel):
    """An entity, and its values."""

    name: str = Field(description="Its name, as the text writes it.")
    type: EntityType = Field(description="What it is; `topic` if nothing else fits.")
    properties: list[Property] = []


class PieceOfText(BaseModel):
    """One thing that is worth knowing, in a sentence that stands by itself."""

    content: str = Field(description="One sentence, true without the text around it.")
    knowledge_type: KnowledgeType = Field(
        description="fact; instruction: what is to be done or left, always; preference: what "
        "someone likes; procedure: how something is done; episodic: what happened once; else note."
    )
    info_type: str | None = Field(
        default=None,
        max_length=40,
        description="Where in a prompt it belongs, if not by its kind: user_profile, "
        "instructions, context, skills, or another word.",
    )
    tags: list[Annotated[str, Field(max_length=40)]] = Field(
        default=[], description="At most five words to find it by."
    )
    about: str | None = Field(
        default=None, description="Name of the profile that it is about; none if of no one."
    )
    quote: str = Field(description="The words of the text that say so, verbatim.")


class Link(BaseModel):
    """How one entity stands to another."""

    source: str = Field(description="Name of a profile.")
    relation: str = Field(description="A verb in capitals: `WORKS_AT`, `RUNS_ON`.")
    target: str = Field(description="Name of another profile.")
    statement: str = Field(description="The relation as a sentence.")
    quote: str = Field(description="The words of the text that say so, verbatim.")


class Structured(BaseModel):
    """What a text holds; empty lists are a fine answer."""

    metadata: list[Profile] = []
    pieces: list[PieceOfText] = []
    graph: list[Link] = []


STRUCTURE = Prompt(
    name="structure",
    about="Profiles, pieces and relations in a text that somebody ingests.",
    context=(
        "Cairn keeps lasting knowledge for one person. This person gives it a text to remember: a "
        "note, a page of a manual, a letter. The input is this text, or a part of it, indented "
        "below a line that says when it was given."
    ),
    requirements=(
        "Take the text apart.\n"
        "- metadata: each person, project, host, tool, system and topic that the text says "
        "something lasting about, with the values that it has: one value a property.\n"
        "- pieces: every sentence that is worth knowing in a month, each by itself, with names in "
        "the place of `he`, `it` and `there`.\n"
        "- graph: relations between two entities that both stand in metadata.\n"
        "- A value or a relation need not be said again as a piece.\n"
        "- Leave credentials out altogether: no password, key, token or address that holds one, "
        "not even as a name of something.\n"
        "- Every quote is copied letter by letter from the text."
    ),
    criteria=(
        "Each item is true if its quote is true, and nothing is in it that the text does not say. "
        "Questions, wishes and what others are said to think are left out."
    ),
    output=Structured,
    max_tokens=4000,
    examples=(
        Example(
            "[1] human, 2026-02-03 08:30\n"
            "    Velmarie moved to Utrecht and keeps the books of Tarnwick & Sons. She wants "
            "reports as tables. To close a month in Ledgerloft: lock the journal, then export it.",
            Structured(
                metadata=[
                    Profile(
                        name="Velmarie",
                        type="person",
                        properties=[
                            Property(
                                name="city", value="Utrecht", quote="Velmarie moved to Utrecht"
                            )
                        ],
                    ),
                    Profile(name="Tarnwick & Sons", type="topic"),
                    Profile(name="Ledgerloft", type="system"),
                ],
                pieces=[
                    PieceOfText(
                        content="Velmarie wants reports as tables.",
                        knowledge_type="preference",
                        tags=["reports", "tables"],
                        about="Velmarie",
                        quote="She wants reports as tables.",
                    ),
                    PieceOfText(
                        content="To close a month in Ledgerloft, lock the journal, then export it.",
                        knowledge_type="procedure",
                        tags=["month", "journal", "export"],
                        about="Ledgerloft",
                        quote="To close a month in Ledgerloft: lock the journal, then export it.",
                    ),
                ],
                graph=[
                    Link(
                        source="Velmarie",
                        relation="KEEPS_BOOKS_OF",
                        target="Tarnwick & Sons",
                        statement="Velmarie keeps the books of Tarnwick & Sons.",
                        quote="keeps the books of Tarnwick & Sons",
                    )
                ],
            ),
            canaries=("Velmarie", "Tarnwick & Sons", "Ledgerloft"),
        ),
    ),
)
