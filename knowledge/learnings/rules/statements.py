"""What a conversation states outright: decisions, advice, and sequences that repeat."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cairn.knowledge.dialogue.sentences import HEDGED, Sentence, is_question, said
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn

DECIDED = re.compile(
    r"(?i)\b(?:(?:i|we)(?:'ve| have)? (?:decided|chose|opted)\b|decided (?:to|on|against)\b"
    r"|(?:i|we) went with\b|(?:i'll|we'll|let's|i will|we will) (?:go|stick) with\b"
    r"|going with\b|settled on\b|the decision (?:is|was) to\b)"
)
PREFERRED = re.compile(
    r"(?i)^(?:(?:[\w' -]{0,40}?)\b(?:i'll|we'll|let's|i will|we will|we should|please))?\s*\b"
    r"(?:use|keep|put|store|choose|pick|prefer|write|call|go for)\b.+\b(?:instead of|rather than)\b"
)
_OTHER = r"\s+([^,;.()—]{3,80}?)(?=\s+(?:because|since|so that|as|to avoid|due to)\b|[,;.()—]|$)"
ALTERNATIVES = (
    re.compile(rf"(?i)\b(?:instead of|rather than|as opposed to|and not){_OTHER}"),
    re.compile(rf"(?i)\b(?:prefer\w*|cho(?:o|)se|picked?|favou?r\w*)\b[^,;.]*?\bover{_OTHER}"),
)
"""How the other option is named; "over" is one only behind a word of choice."""

REASON = re.compile(
    r"(?i)\b(?:because|since|so that|so it|so we|due to|to avoid|to prevent"
    r"|as (?:it|this|that|the|we)"
    r"|which (?:is|would|will|avoids?|keeps?|makes?|means)|otherwise|given that|in order to)\b"
    r"|,? or (?:else|the|it|you|we|they)\b| [—–-] (?:it|this|that|the|they|otherwise)\b"
)
OPENING = re.compile(
    r"(?i)^(?:(?:please|and|also|so|but|note|important|remember(?= (?:always|never))|in general"
    r"|generally|as a rule|rule of thumb|(?:best|good) practices?(?: here| from this)?"
    r"|lessons? learned|from now on|going forward|next time"
    r"|in (?:this|the|our) (?:project|repo\w*|code ?base|team))\b(?:[\s,:—–-]+|$)"
    r"(?:is (?:to )?)?)+"
)
"""Words that lead up to advice; some of them already say that it is meant to last."""

_YOU_SHOULD = re.compile(r"(?i)^(?:you|we|one|i) (?:should|must|have to|need to) (?=always|never)")
_LASTS = re.compile(
    r"(?i)^(?:always|never)\b|\b(?:should|must) (?:always|never)\b"
    r"|^(?:do not|don't) (?:ever\b|[^,;]* (?:without|unless|until)\b)"
    r"|\b(?:best|good|recommended) practice\b"
)
_LASTS_BY_OPENING = re.compile(
    r"(?i)\b(?:from now on|going forward|as a rule|rule of thumb|practices?|learned|in general"
    r"|in (?:this|the|our) \w+)"
)
_CARE = re.compile(
    r"(?i)^(?:make sure|be sure|be careful|take care|avoid|prefer|remember to|don't forget"
    r"|do not|don't|ensure)\b|^it(?:'s| is) (?:best|better|safer) to\b"
)
_ORDERED = re.compile(r"(?i)\b(?:before|after|when|whenever|every time|each time)\b")
_NO_ADVICE = re.compile(
    r"(?i)^(?:do not|don't|never) (?:mind|worry|know|think|need|see|seen|want|ha(?:ve|d)|been|like"
    r"|understand|care|believe|recall|remember|bother|heard|used)\b"
    r"|^(?:always|never|avoid|prefer)s? (?!process|access|pass|address|cross|focus|compress|press"
    r"|bypass|discuss|express)\w+s\b"  # "always returns a list" describes
)
_ABOUT_TALK = re.compile(
    r"(?i)^(?:always|never|do not|don't|avoid|make sure(?: to| you)?|remember to|be sure to)"
    r" (?:ever |to )?(?:ask|asking|tell|answer|reply|respond|explain|show|summari[sz]e|mention|say"
    r"|apologi[sz]e|guess|assume|continue|do (?:it|that|this))\b|\basking me\b"
)
"""How a person wants to be worked with, which is no lesson about the work."""

_FOR_NOW = re.compile(
    r"(?i)\b(?:yet|for now|right now|this time|today|tomorrow|tonight|later|i'll|we'll|until i"
    r"|unless i|in this (?:pr|commit|task|session|change|step|issue)|this (?:pr|commit|file))\b"
)
HARM = re.compile(
    r"(?i)\bwhich (?:will|would|can|could)?"
    r" ?(?:fail|break|crash|leak|deadlock|block|corrupt|lose)\w*"
    r"|\bwhich [\w ]{1,30}(?:doesn't|does not|can't|cannot) (?:support|handle|work|allow)"
    r"|\b(?:leads? to|causes?|results? in) (?:a |an )?[\w -]{0,30}"
    r"(?:bugs?|errors?|leaks?|deadlocks?|race|failures?|crash|corruption|timeouts?|slow)"
    r"|\b(?:can|will|would) never (?:succeed|match|run|work|happen)"
)
_NAMED_PATTERNS = (
    r"(?:repository|factory|adapter|observer|strategy|decorator|builder|facade|mediator|visitor"
    r"|state[- ]machine|circuit[- ]breakers?|(?:transactional )?outbox|saga|event[- ]sourcing"
    r"|dependency injection|(?:exponential )?backoff|optimistic (?:locking|concurrency)"
    r"|copy[- ]on[- ]write|write-?ahead log|write-?through|cache-?aside|dead[- ]letter queue"
    r"|idempotency keys?|feature flags?|blue[- ]green|two-phase commit|unit of work|memoi[sz]ation"
    r"|debounc(?:e|ing)|expand and contract|bulkheads?|leader election|connection pool(?:ing)?)"
)
PATTERN = re.compile(
    r"(?i)\b(?:us(?:e|es|ed|ing)|appl(?:y|ies|ied)|follow(?:s|ed)?|introduc(?:e|es|ed)"
    r"|adopt(?:s|ed)?|implement(?:s|ed)?|switch(?:ed)? to|moved? to|with|via)"
    r" (?!(?:the |an? |our )?(?:same|existing|similar|this|that)\b)(?:the |an? |our )?"
    rf"(?:[\w-]+ ){{0,3}}(?:[\w-]+ pattern|{_NAMED_PATTERNS})\b"
)
ANSWERED = re.compile(r'"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"')

FEWEST_WORDS = 6
FEWEST_OF_REASON = 5
FEWEST_REPEATS = 3
FEWEST_PROGRAMS = 3
SEQUENCE = (5, 4, 3)
"""Lengths of a sequence that may be a workflow, the longest first."""


@dataclass(frozen=True)
class StatedDecision:
    """A stated decision."""

    sentence: Sentence
    alternative: str
    reason: Sentence | None
    """The sentence that says why; may be the same."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question with options that a person answered."""

    step: ToolStep
    question: str
    options: tuple[tuple[str, str], ...]
    """Labels with their descriptions."""
    answer: str

    @property
    def why(self) -> str:
        """What the chosen option says of itself."""
        return next((about for label, about in self.options if label == self.answer), "")

    @property
    def explained(self) -> bool:
        """Whether that is a reason, and not the option said again."""
        return len(self.why.split()) > FEWEST_OF_REASON


@dataclass(frozen=True)
class Advice:
    """A statement of advice, harm or pattern."""

    category: str
    sentence: Sentence
    follow: Sentence | None
    """The next sentence of the same message."""

    @property
    def reason(self) -> Sentence | None:
        """The sentence that says why: the statement itself, or the next one."""
        return _reason(self.sentence, self.follow)


@dataclass(frozen=True)
class Routine:
    """A sequence of commands that was run several times and worked."""

    keys: tuple[str, ...]
    runs: tuple[tuple[ToolStep, ...], ...]


def choices(turns: Sequence[Turn]) -> list[StatedDecision]:
    """Decisions that a person or an agent stated, with an alternative or a reason."""
    found: list[StatedDecision] = []
    for sentence, follow in _pairs(turns):
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text):
            continue
        if not (DECIDED.search(text) or PREFERRED.match(text)):
            continue
        other = next((m for way in ALTERNATIVES if (m := way.search(text))), None)
        reason = sentence if REASON.search(text) else None
        if reason is None and follow and REASON.search(follow.plain) and not is_question(follow):
            reason = follow
        if other or reason:
            found.append(StatedDecision(sentence, other[1].strip() if other else "", reason))
    return found


def answers(steps: Sequence[ToolStep]) -> list[AnsweredQuestion]:
    """Questions that an agent asked with options, and what the person chose."""
    found: list[AnsweredQuestion] = []
    for step in steps:
        if step.kind != "ask" or step.result is None or not step.worked:
            continue
        given = dict(ANSWERED.findall(step.result.text))
        for asked in step.call.input.get("questions", []):
            question = str(asked.get("question", "")) if isinstance(asked, dict) else ""
            if answer := given.get(question):
                options = tuple(
                    (str(option.get("label", "")), str(option.get("description", "")))
                    for option in asked.get("options", [])
                    if isinstance(option, dict)
                )
                found.append(AnsweredQuestion(step, question, options, answer))
    return found


def advice(turns: Sequence[Turn]) -> list[Advice]:
    """Statements of advice, of harm with a way out, and of patterns in use."""
    found: list[Advice] = []
    for sentence, follow in _pairs(turns):
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text) or len(text.split()) < FEWEST_WORDS:
            continue
        if _advises(sentence, follow):
            found.append(Advice("best_practice", sentence, follow))
        elif HARM.search(text):
            found.append(Advice("anti_pattern", sentence, follow))
        elif PATTERN.search(text) and _reason(sentence, follow):
            found.append(Advice("pattern", sentence, follow))
    return found


def _advises(sentence: Sentence, follow: Sentence | None) -> bool:
    """Whether a sentence says what to do in general: a person's rule, or advice with its reason.

    What a person asks for now, or of the agent's manners, is no advice.
    """
    opening = OPENING.match(sentence.plain)
    text = advised(sentence.plain)
    if _NO_ADVICE.match(text) or _ABOUT_TALK.match(text) or _FOR_NOW.search(sentence.plain):
        return False
    lasts = bool(_LASTS.search(text) or (opening and _LASTS_BY_OPENING.search(opening[0])))
    if not (lasts or _CARE.search(text)):
        return False
    if _reason(sentence, follow):
        return True
    return sentence.turn.origin == "human" and (lasts or _ORDERED.search(text) is not None)


def advised(text: str) -> str:
    """Advice without the words that lead up to it: "In general, we should never" as "never"."""
    return _YOU_SHOULD.sub("", OPENING.sub("", text))


def _reason(sentence: Sentence, follow: Sentence | None) -> Sentence | None:
    """The sentence that says why: the statement itself, or the next one."""
    if REASON.search(sentence.plain):
        return sentence
    if follow is None or is_question(follow):
        return None
    return follow if REASON.search(follow.plain) or HARM.search(follow.plain) else None


def routine(steps: Sequence[ToolStep]) -> Routine | None:
    """The longest sequence of different commands that was run at least three times and worked."""
    worked = [step for step in steps if step.kind == "run" and step.worked]
    keys = [(action.key, step) for step in worked for action in step.actions]
    keys = [pair for at, pair in enumerate(keys) if at == 0 or keys[at - 1][0] != pair[0]]
    for length in SEQUENCE:
        windows = [
            tuple(key for key, _ in keys[at : at + length]) for at in range(len(keys) - length + 1)
        ]
        counts = Counter(w for w in windows if len(set(w)) == length)
        for window, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if count < FEWEST_REPEATS:
                break
            if len({key.split()[0] for key in window}) < FEWEST_PROGRAMS:
                continue
            places = _apart([at for at, w in enumerate(windows) if w == window], length)
            if len(places) >= FEWEST_REPEATS:
                runs = tuple(tuple(step for _, step in keys[at : at + length]) for at in places)
                return Routine(window, runs)
    return None


def _apart(places: list[int], length: int) -> list[int]:
    """Places that do not overlap, from the first."""
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + length:
            kept.append(place)
    return kept


def _pairs(turns: Sequence[Turn]) -> list[tuple[Sentence, Sentence | None]]:
    """Sentences of messages, each with the next one of its message."""
    found: list[tuple[Sentence, Sentence | None]] = []
    for turn in turns:
        if turn.kind != "message" or turn.origin not in ("human", "agent"):
            continue
        every = list(said(turn))
        found += zip(every, [*every[1:], None], strict=False)
    return found
