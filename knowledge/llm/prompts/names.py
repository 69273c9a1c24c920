"""First pass of full mode: what a text is about, by name."""

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt


class Name(BaseModel):
    """One thing by its name, and where it is named."""

    name: str = Field(description="The name as written, without article or quotation marks.")
    message: int = Field(description="Number of the message.")
    quote: str = Field(description="A few words of that message, verbatim, that hold the name.")


class Names(BaseModel):
    """The names found; none is a fine answer."""

    names: list[Name] = []


NAMES = Prompt(
    name="names",
    about="What a text is about, by name.",
    context=(
        "Cairn gathers lasting knowledge from the logs of one person: chats, sessions with coding "
        "agents, searches. This step finds what a text is about; a later step looks for facts "
        "about each name. The input is messages of one conversation: before each stand its "
        "number, who speaks and when; its text is indented below."
    ),
    requirements=(
        "List the people, animals, places, organisations, products, works, technologies, projects, "
        "devices, events, activities and subjects that the text is really about: things that one "
        "could want to know more about later.\n"
        "- A name of its own (Lisbon, PostgreSQL) or a specific subject of a few words (sourdough "
        "baking, heat pump noise). Not: pronouns, roles and generic words (the meeting, a friend, "
        "the file, error, update), dates, numbers, addresses of pages, paths, commands, code, "
        "whole sentences.\n"
        "- Write each name as the text writes it, in its language and script; translate nothing.\n"
        "- Each name once, at the message that says most about it.\n"
        "- The quote is copied letter by letter from that message and holds the name.\n"
        "- Never list what is not in the messages, whatever you know of the subject."
    ),
    criteria=(
        "A good name still says what is meant when it stands alone. Better few good names than "
        "many; when nothing is named, the list is empty."
    ),
    output=Names,
    examples=(
        Example(
            "[1] human Oswella, 2026-01-14 18:02\n"
            "    Since we moved to Tellmarsh I go bog snorkelling with Quorvane every Friday.\n"
            "    Can you remind me what I need to buy tomorrow?\n"
            "[2] human Oswella, 2026-01-14 18:05\n"
            "    Ja, und der Neopren von Zwirbelfjord hat Löcher.",
            Names(
                names=[
                    Name(name="Tellmarsh", message=1, quote="Since we moved to Tellmarsh I go bog"),
                    Name(
                        name="bog snorkelling",
                        message=1,
                        quote="I go bog snorkelling with Quorvane every Friday",
                    ),
                    Name(
                        name="Quorvane",
                        message=1,
                        quote="I go bog snorkelling with Quorvane every Friday",
                    ),
                    Name(
                        name="Zwirbelfjord",
                        message=2,
                        quote="der Neopren von Zwirbelfjord hat Löcher",
                    ),
                ]
            ),
            canaries=("Oswella", "Tellmarsh", "Quorvane", "Zwirbelfjord"),
        ),
    ),
)
