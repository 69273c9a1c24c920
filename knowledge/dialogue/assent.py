"""Assent: how a person says that what an agent said is so, or is to be done so.

Precise rather than generous: to go on with the work, or to say thanks, is no assent.
"""

import re

import polars as pl

from knowledge.dialogue.fault_words import DENIES, bare

_LEADS = (
    r"(?:(?:yes|yep|yeah|yup|ah|oh|ok|okay|great|nice|cool|hm+|perfect|thanks|thank you)\b"
    r"[\s,.!:—–-]*)*"
)
_SO = (
    r"(?:exactly|precisely|correct|agreed|confirmed|indeed|true|makes sense|spot on"
    r"|good (?:catch|find|point)|i (?:can )?(?:\w+ )?(?:agree|confirm|concur)"
    r"|(?:that|this|it|you)(?:'s| is| was|'re| are)? (?:\w+ )?(?:right|correct|true"
    r"|the (?:cause|reason|problem|fix|case)|what i (?:meant|thought|expected|saw|see)))"
)
ASSENTS = re.compile(rf"^{_LEADS}{_SO}\b")
"""How a message begins that says that what was said is so."""

WORKS = re.compile(
    r"\b(?:it|that|this|all|now|everything) (?:\w+ ){0,2}(?:works?|worked|passes|loads|starts)\b"
    r"|\b(?:it|that|this) (?:\w+ ){0,2}(?:did (?:it|the trick)|fixed|solved|resolved)\b"
    r"|\b(?:is|it's|that's|are) (?:now )?(?:fixed|solved|resolved|gone)\b"
    r"|\bwithout (?:a|any) (?:single )?(?:loss|errors?|problems?|issues?|failures?|crash)\b"
)
"""How people say that what was done works."""

APPROVES = re.compile(
    rf"^{_LEADS}(?:{_SO}|yes\b|sounds (?:good|great|right|fine|reasonable)"
    r"|(?:let's|lets|please|we'll|i'd|let us) "
    r"(?:do|go with|use|take|go for|choose|stick with|keep)\b|do (?:it|that|so)\b"
    r"|go (?:with|for)\b|(?:that's |it's )?(?:fine|ok|okay|good|great)"
    r"(?: (?:with|by|for) me| choice| decision| idea| plan)"
    r"|(?:good|great|nice|excellent) (?:choice|decision|idea|plan|call)|approved?\b|i approve"
    r"|lgtm\b|works for me)|^(?:yes|yep|yeah|yup|sure)\W*$"
)
"""How a message begins that wants it done so."""

_RESERVES = re.compile(
    r"\b(?:but|however|except|although|though|actually|wait|instead|unless|wrong|rather|stop"
    r"|not (?:sure|quite|right|what|so|the)|don't|do not|didn't|doesn't|isn't|shouldn't"
    r"|never mind|no longer)\b|\?"
)
"""What takes back, or asks, in the same breath."""

LIKED = frozenset({
    "👍", "✅", "💯", "👌", "☑", "✔", "+1", "thumbsup", "thumbs_up", "thumbs up", "yes",
})  # fmt: skip
"""Reactions that say yes; a heart or a laugh says something else."""

_TONES = "[\\x{1F3FB}-\\x{1F3FF}\\x{FE0F}]"


def says_so(text: str) -> bool:
    """Whether a person's message says that what was said before it is so, or that it works."""
    opening = opening_of(text)
    told = ASSENTS.search(opening) or (WORKS.search(opening) and not DENIES.search(opening))
    return bool(told) and not _RESERVES.search(opening)


def approves(text: str) -> bool:
    """Whether a person's message says that something is to be done as was said before it."""
    opening = opening_of(text)
    return bool(APPROVES.search(opening)) and not _RESERVES.search(opening)


def opening_of(text: str) -> str:
    """How a message begins, as it is looked at here."""
    return bare(text.lstrip()[:200].split("\n\n", 1)[0])


def assented_by_sign(raw_logs: pl.DataFrame) -> list[str]:
    """Records of agents' messages that a person's reaction says yes to.

    Args:
        raw_logs: Rows of RAW_LOGS.
    """
    sign = pl.col("text").str.replace_all(_TONES, "").str.strip_chars(" :!.\t\n").str.to_lowercase()
    reactions = raw_logs.filter(
        pl.col("kind") == "reaction", pl.col("origin") == "human", sign.is_in(list(LIKED))
    )
    messages = raw_logs.filter(kind="message", origin="agent")
    answered = reactions.select("namespace", native_id="reply_to").drop_nulls()
    return messages.join(answered, on=["namespace", "native_id"], how="semi")["record_id"].to_list()
