"""Who speaks without a name, where an agent asked who they are: a customer, by their own word.

Customers of one log are many people. One who is looked up, by a name or an identifier that an agent
asked for, is this person in that conversation; a nameless speaker of whom nobody asks it stays the
one whom the logs are about.
"""

import re
from collections.abc import Iterator

import polars as pl

from cairn.knowledge.dialogue.typed import typed

VERSION = 1
"""Rises when others count as identified; a part of whatever makes candidates."""

_ASKS = re.compile(
    r"""(?i)\b(?:provide|give|share|confirm|verify|tell|need|have|know|get|what\ is|what's|may\ i)\b
        [^.?!\n]{0,120}\byour\ (?:[\w,]+\ ){0,6}
        (?:user\ ?name|(?:user\ )?id|e-?mail|zip|post(?:al)?\ ?code|account|customer|order
          |reservation|booking|confirmation|membership|phone)\b""",
    re.VERBOSE,
)
"""How an agent asks for what somebody is looked up by; an assistant may ask for a name alone."""

_NAME = r"[A-ZÀ-Þ][\w'’-]+(?:[ ][A-ZÀ-Þ][\w.'’-]+){1,3}"
_NAMED = re.compile(
    r"(?:\b[Mm]y (?:full )?name is|\b[Mm]y name's|\bI am|\bI['’]m|\b[Tt]his is|\b[Ii]t['’]s"
    rf"|\b[Nn]ame:)\s+(?P<name>{_NAME})(?=[\s,.;!]|$)"
)
_FIRST_AND_LAST = re.compile(
    r"(?i:\bfirst name is) (?P<first>[A-ZÀ-Þ][\w'’-]+),?(?: and)?(?: my)?"
    r" (?i:last name(?: is)?) (?P<last>[A-ZÀ-Þ][\w'’-]+)"
)
_KNOWN_BY = re.compile(
    r"(?i)\b(?:user ?name|user ?id|customer (?:id|number)|account (?:id|number)"
    r"|e-?mail(?: address)?)(?: (?:is|associated with [^.,]{1,40} is)|:)\s+"
    r"[`\"“]?(?P<key>[\w.+-]+@[\w-]+\.[\w.-]*\w|\w*\d\w*|\w+_\w+)"
)
_CONVERSATION = ["namespace", "conversation_id"]


def identified(logs: pl.DataFrame) -> pl.DataFrame:
    """namespace, conversation_id, speaker: who a nameless person says they are, where asked.

    Args:
        logs: Rows of RAW_LOGS, whole conversations, in order.
    """
    nameless = (
        pl.col("project").is_null().all()
        & pl.col("name").filter(pl.col("origin") == "human").is_null().all()
    )
    said = (pl.col("kind") == "message") & pl.col("origin").is_in(["human", "agent"])
    told = (
        logs.filter(said)
        .with_columns(apart=nameless.over(_CONVERSATION))
        .filter("apart")
        .group_by(_CONVERSATION, maintain_order=True)
        .agg("origin", "text")
    )
    rows = [
        (namespace, conversation, speaker)
        for namespace, conversation, origins, texts in told.iter_rows()
        if (speaker := _speaker(zip(origins, texts, strict=True)))
    ]
    schema = dict.fromkeys([*_CONVERSATION, "speaker"], pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _speaker(said: Iterator[tuple[str, str]]) -> str | None:
    """The full name that a person gives, else what they are known by; None if nobody asks."""
    asked, name, key = False, None, None
    for origin, text in said:
        if origin == "agent":
            asked = asked or _ASKS.search(text) is not None
            continue
        words = typed(text)
        name = name or _name(words)
        key = key or ((found := _KNOWN_BY.search(words)) and found["key"])
    return (name or key) if asked else None


def _name(words: str) -> str | None:
    if parts := _FIRST_AND_LAST.search(words):
        return f"{parts['first']} {parts['last']}"
    found = _NAMED.search(words)
    return " ".join(found["name"].split()).rstrip(".") if found else None
