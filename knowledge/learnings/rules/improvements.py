"""Optimisations: a figure before, a better one after, and what was done in between."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cairn.knowledge.dialogue.sentences import HEDGED, Sentence, fix, said
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.rules.statements import REASON
from cairn.knowledge.nlp.patterns import lazy_pattern

LEAST_GAIN = 0.1
"""Share by which a figure must have got better: less is noise of the measurement."""

_TIME = {
    "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "millisecond": 1e-3, "s": 1.0, "sec": 1.0, "second": 1.0,
    "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0,
}  # fmt: skip
_SIZE = {
    "byte": 1.0, "b": 1.0, "kb": 1e3, "kib": 2.0**10, "mb": 1e6, "mib": 2.0**20, "gb": 1e9,
    "gib": 2.0**30, "tb": 1e12, "tib": 2.0**40,
}  # fmt: skip
_COUNTED = "call query querie request roundtrip round-trip allocation roundtrips %"
_SCALES: dict[str, tuple[str, float]] = {
    **{unit: ("time", scale) for unit, scale in _TIME.items()},
    **{unit: ("size", scale) for unit, scale in _SIZE.items()},
    **{unit: (unit, 1.0) for unit in _COUNTED.split()},
}
_RATE = lazy_pattern(r"(?:/ ?s(?:ec(?:ond)?)?\b| (?:per|a) second\b)")

_NUMBER = r"(?:about |around |roughly |only |just |nearly |almost |under |over |~ ?|≈ ?)?\d[\d.,]*"
_UNIT = (
    r"(?:µs|us|ms|milliseconds?|s|secs?|seconds?|min(?:ute)?s?|h|hours?|%|[kmgt]i?b|bytes?|b"
    r"|(?:\w+ )?(?:calls?|quer(?:y|ies)|requests?|round-?trips?|allocations?))"
    r"(?:/ ?s(?:ec(?:ond)?)?|(?: per| a) second)?(?!\w)"
)
_BEFORE = rf"(?P<a>{_NUMBER}) ?(?P<x>{_UNIT})"
_AFTER = rf"(?P<b>{_NUMBER}) ?(?P<y>{_UNIT})"
FIGURES = tuple(
    lazy_pattern(rf"(?i){pattern}")
    for pattern in (
        rf"\bfrom (?P<a>{_NUMBER}) ?(?P<x>{_UNIT})?,? (?:down |up )?to {_AFTER}",
        rf"{_BEFORE} ?(?:→|->|=>|–>) ?{_AFTER}",
        rf"{_AFTER},? (?:instead of|rather than|(?:down|up) from|compared (?:to|with)) {_BEFORE}",
        rf"\bbefore:? {_BEFORE}\W+(?:\w+ ){{0,3}}?(?:after\w*|now):? {_AFTER}",
        rf"\b(?:took|needed|used|was|were|ran(?: in| for)?|cost|made) {_BEFORE}\b[^.;?]{{0,60}}?"
        rf"\b(?:now|afterwards|today|it|and)\b[^.;?\d]{{0,40}}?{_AFTER}",
    )
)
_DIGITS = lazy_pattern(r"(?<![\d.])\d{1,12}(?:\.\d{1,9})?")
_LONGEST_RESULT = 20_000
_TWO_NUMBERS = lazy_pattern(r"\d[^\d]*[^\d.,]\s*\d|\d\s*(?:→|->|=>)")
_SETTING = lazy_pattern(
    r"(?i)\b(?:time-?outs?|intervals?|ttl|limits?|retention|thresholds?|debounce|delays?|deadlines?"
    r"|poll\w*|budgets?|quotas?|defaults?|retries|grace|window|expir\w+|sleeps?|lease|coverage"
    r"|volume|opacity|width|height|padding|margin|price|discount|tax|battery|moisture)\b"
)
"""What is set to a figure, or is no cost: a lower one is no gain."""

_WISH = lazy_pattern(
    r"(?i)\b(?:would|could|should|expect\w*|goals?|targets?|aim\w*|if|estimat\w+|wants?|needs? to"
    r"|can we|must|hopefully|projected|in theory)\b"
)
_HOW = lazy_pattern(
    r"(?i)\b(?:because|since|thanks to|due to|(?:by|after) \w+ing|after (?:the|we|i) |now that|via"
    r"|^\w+ing\b.{3,80}\b(?:cuts?|reduce[sd]?|brings?|brought|lower(?:s|ed)|sped|shr[au]nk|saved|took)"
    r"|as (?:the|we|it) |with (?:a|an|the) |when (?:we|i|the) )"
)
_COST = lazy_pattern(
    r"(?i)\b(?:at the (?:cost|price|expense) of|trade-?off|in exchange|downside|the price is"
    r"|costs? us|in return"
    r"|but (?:it|this|that|the|we) (?:now )?(?:needs?|uses?|takes?|costs?|loses?|grows?))\b"
)


_REACH = 60
"""Records before the last change within which it was planned."""


@dataclass(frozen=True)
class Gain:
    """A figure that got better."""

    sentence: Sentence
    before: str
    after: str
    how: Sentence | None
    """What was done, in words; may be the same sentence."""
    cost: Sentence | None
    """What it costs."""
    edits: tuple[ToolStep, ...]
    """Changes between the request and the statement."""
    measured: tuple[Turn, ...]
    """What was printed before the last change and after it that has these figures; or nothing."""


def gains(turns: Sequence[Turn], steps: Sequence[ToolStep]) -> list[Gain]:
    """Figures that got better, with what was done; none where nobody says what that was.

    Args:
        turns: Turns of one conversation, in order.
        steps: Its steps, in order.
    """
    found: list[Gain] = []
    asked = -1
    spoken: list[Sentence] = []
    for turn in turns:
        if turn.kind != "message" or turn.origin not in ("human", "agent"):
            continue
        if turn.origin == "human":
            asked, spoken = turn.seq, []
        every = list(said(turn))
        spoken += every
        for at, sentence in enumerate(every):
            if (figures := _figures(sentence.plain)) is None:
                continue
            beside = [*every[max(at - 1, 0) : at], *every[at + 1 : at + 2]]
            edits = tuple(
                step
                for step in steps
                if asked < step.call.seq < turn.seq and step.kind == "edit" and step.worked
            )
            how = _how(sentence, beside, spoken, edits)
            if how and (edits or how == sentence):
                cost = next((s for s in [sentence, *beside] if _COST.search(s.plain)), None)
                shown = _measured(figures, steps, edits, turn.seq)
                found.append(Gain(sentence, *figures, how, cost, edits, shown))
    return found


def _measured(
    figures: tuple[str, str], steps: Sequence[ToolStep], edits: Sequence[ToolStep], end: int
) -> tuple[Turn, ...]:
    """The results that show the figure before, ahead of the last change, and the one after."""
    if not edits:
        return ()
    last = edits[-1].call.seq
    results = [step.result for step in steps if step.result and step.kind != "edit"]
    before = [turn for turn in results if turn.seq < last and _shows(turn.text, figures[0])]
    after = [turn for turn in results if last < turn.seq < end and _shows(turn.text, figures[1])]
    return (before[-1], after[-1]) if before and after else ()


def _shows(text: str, figure: str) -> bool:
    """Whether a text has a number that rounds to that of a figure."""
    number = _DIGITS.search(figure.replace(",", ""))
    if number is None:
        return False
    told, decimals = float(number[0]), len(number[0].partition(".")[2])
    printed = _DIGITS.findall(text[:_LONGEST_RESULT].replace(",", ""))
    return any(round(float(each), decimals) == told for each in printed)


def _figures(text: str) -> tuple[str, str] | None:
    """The figure before and the better one after; None where there are none."""
    if not _TWO_NUMBERS.search(text) or text.endswith("?"):
        return None
    if HEDGED.search(text) or _WISH.search(text) or _SETTING.search(text):
        return None
    for match in _matches(text):
        unit, other = match["x"] or match["y"], match["y"]
        one, two = _measure(match["a"], unit.casefold()), _measure(match["b"], other.casefold())
        if one is None or two is None or one[0] != two[0] or not one[1]:
            continue
        ratio = two[1] / one[1]
        rate = _RATE.search(other) is not None
        if ratio >= 1 + LEAST_GAIN if rate else ratio <= 1 - LEAST_GAIN:
            return f"{match['a']} {unit}".strip(), f"{match['b']} {other}".strip()
    return None


def _matches(text: str) -> Iterator[re.Match[str]]:
    for pattern in FIGURES:
        yield from pattern.finditer(text)


def _measure(number: str, unit: str) -> tuple[str, float] | None:
    """What is measured, and how much of it in the base unit of that."""
    digits = re.sub(r"[^\d.]", "", number.replace(",", "")).rstrip(".")
    name = _RATE.sub("", unit).split()[-1]
    kind, scale = _SCALES.get(name) or _SCALES.get(name.removesuffix("s")) or (name, 1.0)
    try:
        return kind + ("/s" if _RATE.search(unit) else ""), float(digits) * scale
    except ValueError:
        return None


def _how(
    sentence: Sentence,
    beside: Sequence[Sentence],
    spoken: Sequence[Sentence],
    edits: Sequence[ToolStep],
) -> Sentence | None:
    """The sentence that says what was done: the statement, one beside it, or a plan of the edit."""
    if _HOW.search(sentence.plain):
        return sentence
    told = next((s for s in beside if REASON.search(s.plain) or _HOW.search(s.plain)), None)
    changed = edits[-1].call.seq if edits else sentence.turn.seq
    return told or fix(s for s in spoken if changed - _REACH < s.turn.seq < sentence.turn.seq)
