"""What a conversation states outright: decisions, answers to questions, patterns in use."""

from collections.abc import Sequence
from dataclasses import dataclass

from cairn.knowledge.dialogue.overruled import overruled
from cairn.knowledge.dialogue.sentences import HEDGED, Sentence, is_question, said
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.extraction.rules.chosen import lasts, left_open, topic
from cairn.knowledge.nlp.patterns import lazy_pattern

DECIDED = lazy_pattern(
    r"(?i)\b(?:(?:i|we)(?:'ve| have)? (?:decided|chose|opted)\b"
    r"|(?<!you )(?<!they )(?<!he )(?<!user )decided (?:to|on|against)\b"
    r"|(?:i|we) went with\b|(?:i'll|we'll|let's|i will|we will) (?:go|stick) with\b"
    r"|going with\b|settled on\b|the decision (?:is|was) to\b)"
)
PREFERRED = lazy_pattern(
    r"(?i)^(?:(?:[\w' -]{0,40}?)\b(?:i'll|we'll|let's|i will|we will|we should|please))?\s*\b"
    r"(?:use|keep|put|store|choose|pick|prefer|write|call|go for)\b.+\b(?:instead of|rather than)\b"
)
_OTHER = r"\s+([^,;.()—]{3,80}?)(?=\s+(?:because|since|so that|as|to avoid|due to)\b|[,;.()—]|$)"
ALTERNATIVES = (
    lazy_pattern(rf"(?i)\b(?:instead of|rather than|as opposed to|and not){_OTHER}"),
    lazy_pattern(rf"(?i)\b(?:prefer\w*|cho(?:o|)se|picked?|favou?r\w*)\b[^,;.]*?\bover{_OTHER}"),
)
"""How the other option is named; "over" is one only behind a word of choice."""

REASON = lazy_pattern(
    r"(?i)\b(?:because|since|so that|so it|so we|due to|to avoid|to prevent"
    r"|as (?:it|this|that|the|we)"
    r"|which (?:is|would|will|avoids?|keeps?|makes?|means)|otherwise|given that|in order to)\b"
    r"|,? or (?:else|the|it|you|we|they)\b| [—–-] (?:it|this|that|the|they|otherwise)\b"
)
_NAMED_PATTERNS = (
    r"(?:repository|factory|adapter|observer|strategy|decorator|builder|facade|mediator|visitor"
    r"|state[- ]machine|circuit[- ]breakers?|(?:transactional )?outbox|saga|event[- ]sourcing"
    r"|dependency injection|(?:exponential )?backoff|optimistic (?:locking|concurrency)"
    r"|copy[- ]on[- ]write|write-?ahead log|write-?through|cache-?aside|dead[- ]letter queue"
    r"|idempotency keys?|feature flags?|blue[- ]green|two-phase commit|unit of work|memoi[sz]ation"
    r"|debounc(?:e|ing)|expand and contract|bulkheads?|leader election|connection pool(?:ing)?)"
)
PATTERN = lazy_pattern(
    r"(?i)\b(?:us(?:e|es|ed|ing)|appl(?:y|ies|ied)|follow(?:s|ed)?|introduc(?:e|es|ed)"
    r"|adopt(?:s|ed)?|implement(?:s|ed)?|switch(?:ed)? to|moved? to|with|via)"
    r" (?!(?:the |an? |our )?(?:same|existing|similar|this|that)\b)(?:the |an? |our )?"
    rf"(?:[\w-]+ ){{0,3}}(?:[\w-]+ pattern|{_NAMED_PATTERNS})\b"
)
_REMARKED = lazy_pattern(r"(?i)^(?:while|although|though|if)\b|\bconsider\b")
"""How a reviewer speaks of a pattern beside what is to be done."""

ANSWERED = lazy_pattern(r'"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"')

FEWEST_WORDS = 6
FEWEST_OF_REASON = 5


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
    topic: str
    """What its header says of what it is about, where the question does not."""

    @property
    def why(self) -> str:
        """What the chosen option says of itself."""
        return next((about for label, about in self.options if label == self.answer), "")

    @property
    def explained(self) -> bool:
        """Whether that is a reason, and not the option said again."""
        return len(self.why.split()) > FEWEST_OF_REASON


@dataclass(frozen=True)
class StatedPattern:
    """A named pattern that was put to use, and why."""

    sentence: Sentence
    reason: Sentence
    """The sentence that says why: the statement itself, or the next one."""


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


def answers(turns: Sequence[Turn], steps: Sequence[ToolStep]) -> list[AnsweredQuestion]:
    """Questions that an agent asked with options, and what the person chose for good.

    What they ended later in the conversation, by another answer or in words, was not for good.
    """
    given = _answers(steps)
    last = {one.question: one.answer for one in given}
    found: list[AnsweredQuestion] = []
    for one in given:
        later = (
            turn.text
            for turn in turns
            if turn.origin == "human" and turn.kind == "message" and turn.seq > one.step.call.seq
        )
        told = f"{one.question} {one.answer}"
        if last[one.question] == one.answer and not overruled(told, later):
            found.append(one)
    return found


def _answers(steps: Sequence[ToolStep]) -> list[AnsweredQuestion]:
    found: list[AnsweredQuestion] = []
    for step in steps:
        if step.kind != "ask" or step.result is None or not step.worked:
            continue
        given = dict(ANSWERED.findall(step.result.text))
        for asked in step.call.input.get("questions", []):
            question = str(asked.get("question", "")) if isinstance(asked, dict) else ""
            answer = given.get(question, "")
            if lasts(" ".join(question.split()), answer):
                options = tuple(
                    (str(option.get("label", "")), str(option.get("description", "")))
                    for option in asked.get("options", [])
                    if isinstance(option, dict) and not left_open(str(option.get("label", "")))
                )
                about = topic(asked.get("header"), question)
                found.append(AnsweredQuestion(step, question, options, answer, about))
    return found


def patterns(turns: Sequence[Turn]) -> list[StatedPattern]:
    """Named patterns that somebody says were put to use, with the reason."""
    found: list[StatedPattern] = []
    for sentence, follow in _pairs(turns):
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text) or len(text.split()) < FEWEST_WORDS:
            continue
        if PATTERN.search(text) and not _REMARKED.search(text):
            why = (s for s in (sentence, follow) if s and REASON.search(s.plain))
            if reason := next(why, None):
                found.append(StatedPattern(sentence, reason))
    return found


def _pairs(turns: Sequence[Turn]) -> list[tuple[Sentence, Sentence | None]]:
    """Sentences of messages, each with the next one of its message."""
    found: list[tuple[Sentence, Sentence | None]] = []
    for turn in turns:
        if turn.kind != "message" or turn.origin not in ("human", "agent"):
            continue
        every = list(said(turn))
        found += zip(every, [*every[1:], None], strict=False)
    return found
