"""Text in logs that gives orders to a model, to be held for a person and never injected.

Nothing is obeyed here anyway: what a model reads is fenced as data, and it has no tools. This is
about what it may be made to write down, since facts are later shown to agents.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import polars as pl

from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import UNSEEN, undisguised

_MODEL = r"(?:ai|a\.i\.|llms?|language\s+models?|chat\s?bots?|assistants?|models?|ki|ia)"

ALWAYS = lazy_pattern(
    rf"""
      \b(?:ignore|disregard|forget|override|bypass|overlook|(?:do\s+not|don['’]t)\s+(?:follow|obey))
        \b[^.!?\n]{{0,30}}
        (?: \b(?:previous|prior|above|earlier|preceding|your)\b[^.!?\n]{{0,30}}
            \b(?:instructions?|directives?|guidelines?|prompts?|rules|guardrails|training)\b
          | \b(?:all|any|system)\s+(?:instructions|directives|prompts?|guardrails)\b
          | \b(?:instructions?|directives?|prompts?|rules)\s+(?:above|before|so\s+far)\b )
    | \b(?:ignorier\w*|vergiss|missachte\w*)\b[^.!?\n]{{0,50}}
        \b(?:anweisung\w*|instruktion\w*|vorgaben|befehle)\b
    | \b(?:ignore[zr]?|oublie[zr]?|ignor[ae]|olvid[ae]|esque[çc]a)\b[^.!?\n]{{0,50}}
        \b(?:consignes|instructions\s+pr[ée]c\w+|(?:tes|vos)\s+instructions|instrucciones
        |istruzioni|instru[çc][õo]es)\b
    | \bnegeer\b[^.!?\n]{{0,50}}\b(?:instructies|opdrachten|aanwijzingen)\b
    | \b(?:z?ignoruj|zapomnij)\b[^.!?\n]{{0,50}}\b(?:instrukcj|polece)\w+
    | \btalimat\w*[^.!?\n]{{0,30}}\b(?:yok\s+say|unut|görmezden)
    | \b(?:(?:про)?игнорируй|забудь)\w*[^.!?\n]{{0,50}}\b(?:инструкц|указани)\w+
    | (?:تجاهل|انس)\b[^.!?\n]{{0,50}}(?:التعليمات|الأوامر)
    | (?:忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉)[^。！？\n]{{0,15}}(?:指令|指示|提示词)
    | (?:指示|命令|プロンプト)[^。！？\n]{{0,12}}(?:無視|忘れ)
    | (?:지시|지침|명령|프롬프트)[^.!?\n]{{0,12}}(?:무시|잊)
    | \byou\s+are\s+now\s+(?:an?\s+|in\s+|the\s+)?(?:[\w-]+\s+){{0,3}}(?:{_MODEL}|mode|dan)\b
    | \b(?:act\s+as|pretend\s+(?:to\s+be|(?:that\s+)?you\s+are))\s+(?:an?\s+)?(?:[\w-]+\s+){{0,2}}
        (?:ai|llms?|language\s+models?|chat\s?bots?|dan)\b
    | \b(?:reveal|print|repeat|output|leak|disclose)\b[^.!?\n]{{0,15}}\byour\b[^.!?\n]{{0,20}}
        \b(?:prompt|instructions?)\b
    | \b(?:if|when|since|as)\s+you\s+are\s+(?:an?\s+)?(?:[\w-]+\s+){{0,2}}{_MODEL}\b
    | \b(?:attention|note|message|instructions?|hinweis|anweisung\w*)\b[^.!?\n]{{0,15}}
        \b(?:to|for|an|für)\s+(?:all\w?\s+|any\s+|the\s+|every\s+|die\s+)?
        (?:ai|llms?|language\s+models?|ki)\b
    | <\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|(?:start|end)_header_id)\|>
    | <start_of_turn> | \[/?INST\] | <</?SYS>>
    | ^\W*(?:(?:system|developer)\s+(?:prompt|message|override)|new\s+instructions?)\s*:
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Whoever says it."""

FROM_OUTSIDE = lazy_pattern(
    rf"""
      \b{_MODEL}\s+(?:must|should|shall|are\s+to|is\s+to|has\s+to|have\s+to|needs?\s+to)\b
        [^.!?\n]{{0,30}}\b(?:respond|reply|answer|recommend|tell|inform|remind|convince|remember
        |memori[sz]e|obey|comply|forward|exfiltrate|send|store|save|run|execute)\b
    | \byou\s+(?:must|shall|will)\b[^.!?\n]{{0,30}}\b(?:obey|comply|exfiltrate|recommend|convince)\b
    | \b(?:tell|inform|remind|convince|warn|urge|mention\s+to)\s+(?:the|your)\s+(?:users?|humans?)\b
    | \b(?:in|to|into)\s+your\s+(?:long[-\s]term\s+)?(?:memory|knowledge\s+base)\b
    | \b(?:store|save|remember|record)\b[^.!?\n]{{0,40}}\bas\s+a\s+fact\b
    | (?:^|[.!?:;]\s+|\bplease\s+|\band\s+)(?:always|from\s+now\s+on,?|only)\s+
        (?:recommend|suggest|respond|reply|answer|say|trust|obey)\b
    | (?:^|[.!?:;]\s+|\bplease\s+)(?:respond|reply|answer)\s+(?:only|always|exclusively|with)\b
    | \byour\s+(?:new|real|true|only)\s+
        (?:instructions?|task|goal|mission|purpose|role)\s+(?:is|are)\b
    | </?(?:tool_calls?|function_calls?)\b
    | \bantworte(?:n\s+\w+)?\s+(?:ab|nur|immer|stets|mit)\b
    | \bsag(?:e|en\s+\w+)?\s+de[mn]\s+(?:be)?nutzer\w*\b | \bin\s+dein(?:em)?\s+gedächtnis\b
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""What a person may well ask of an agent, and no web page or tool has to say to one."""

_TAG_LETTERS = "[\\x{E0020}-\\x{E007E}]"

VERSION = 1
"""Rises when it finds something else; a part of whatever asks it over whole tables."""

QUARANTINED_ORDERS = "instructions"
"""Reason of what is held in quarantine: it gives orders to a model."""

MARK = "[held]"
"""What stands in a text where a line was that gives orders."""

_MARKED = r"(?m)^\[held\] *\n?"
_WRAPPED = lazy_pattern(r"(?<=[^\s.:;!?])\n(?=[^\s])")
_LINE = lazy_pattern(r"[^\n\r\v\f\x85\u2028\u2029]+")
_STRANGERS = frozenset({"external", "tool"})
_MOST_WRAPPED = 4
"""Lines over which an order that is wrapped is looked for."""


def gives_orders(text: str, origin: str) -> bool:
    """Whether a text gives orders to a model, as far as its wording shows.

    Args:
        text: A message, a sentence or a statement.
        origin: Who speaks: a person or an agent may say more than what came from outside.
    """
    return orders(text, origin) is not None


@lru_cache(maxsize=64)  # every fact of a page asks about the page
def orders(text: str, origin: str) -> str | None:
    """The first words of a text that give orders to a model; None if none do."""
    return _orders(text, origin)


def _orders(text: str, origin: str) -> str | None:
    seen = undisguised(text)
    # Lines that are wrapped are read as one, too.
    forms = dict.fromkeys((seen, _WRAPPED.sub(" ", seen)))
    rules = (ALWAYS, FROM_OUTSIDE) if origin in _STRANGERS else (ALWAYS,)
    found = (rule.search(form) for rule in rules for form in forms)
    return next((each[0] for each in found if each), None)


def order_spans(text: str, origin: str) -> list[tuple[int, int]]:
    """Where a text gives orders (start, end): whole lines; of what came from outside all of it.

    What a page says beside an order is not to be trusted either. A person or an agent who speaks of
    one says other things besides, which are theirs.
    """
    if _orders(text, origin) is None:
        return []
    lines = [(line.start(), line.end()) for line in _LINE.finditer(text) if line[0].strip()]
    if origin in _STRANGERS:
        return lines
    held: set[int] = set()
    for together in range(1, _MOST_WRAPPED + 1):
        for first in range(len(lines) - together + 1):
            some = range(first, first + together)
            if held.isdisjoint(some) and _orders(
                text[lines[first][0] : lines[some[-1]][1]], origin
            ):
                held.update(some)
    spans = [lines[number] for number in sorted(held)]
    return lines if _orders(_with_marks(text, spans), origin) else spans


def without_orders(text: str, origin: str) -> str:
    """A text with a mark in place of each line that gives orders.

    The mark is filled up with blanks to the length of the line: whatever else is found at some
    place of the text stands there still.
    """
    return _with_marks(text, order_spans(text, origin))


def _with_marks(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + MARK.ljust(end - start) + text[end:]
    return text


def unmarked(text: pl.Expr) -> pl.Expr:
    """A text without the lines of which a mark is left."""
    return text.str.replace_all(_MARKED, "")


def quiet(texts: pl.Series, origins: pl.Series) -> pl.Series:
    """`without_orders` of many texts, by who speaks in each; null stays null."""
    told = texts.to_list()
    for row in orders_among(texts).arg_true():
        told[row] = without_orders(told[row], origins[row])
    return pl.Series(texts.name, told, pl.String)


def quiet_names(names: pl.Series) -> pl.Series:
    """Names and paths, null in place of each that gives orders, whole or in one folder."""
    told = names.to_list()
    parts = names.str.replace_all(r"[/\\]+", "\n")
    for row in (orders_among(names) | orders_among(parts)).arg_true():
        if gives_orders(told[row], "human") or gives_orders(parts[row], "human"):
            told[row] = None
    return pl.Series(names.name, told, pl.String)


def orders_among(texts: pl.Series) -> pl.Series:
    """Whether each of many texts may give orders, whoever speaks: a fast sieve before `orders`."""
    none = pl.Series(texts.name, [False] * len(texts), pl.Boolean)
    # To compile what is looked for takes longer than to look, in a few texts.
    if texts.null_count() == len(texts):
        return none
    some = _found_in(texts, _sieve).arg_true()
    if some.is_empty():
        return none
    return none.scatter(some, _found_in(texts.gather(some), lambda pattern: pattern))


def _found_in(texts: pl.Series, read: Callable[[str], str]) -> pl.Series:
    """Texts in which some rule, or a disguised letter, is found; `read` alters what is looked for.

    Null is none.
    """
    seen = texts.str.normalize("NFKC").str.replace_all(UNSEEN, "")
    flat = seen.str.replace_all("\n", " ", literal=True)
    forms = [seen] if flat.equals(seen) else [seen, flat]
    found = texts.str.contains(_TAG_LETTERS)
    for rule in (ALWAYS, FROM_OUTSIDE):
        pattern = f"(?imx){read(rule.pattern)}"
        for form in forms:
            found = found | form.str.contains(pattern)
    return found.fill_null(value=False)


def _sieve(pattern: str) -> str:
    """A pattern that matches wherever `pattern` does, with ends of words as ASCII has them.

    Where a text has any other letter, those of Unicode take two hundred times as long.
    """
    # Beside a letter of ASCII, an end of a word is one in ASCII, too; else it is left out.
    loose = _LOOSE_EDGE.sub("", pattern.replace(rf"{_MODEL}\b", _MODEL))
    return loose.replace(r"\b", r"(?-u:\b)")


_LOOSE_EDGE = lazy_pattern(r"\\b(?=(?:\(\?:)*[^\x00-\x7f])|(?<=[^\x00-\x7f]\))\\b")
"""An end of a word in a pattern, next to letters that are not ASCII's."""
