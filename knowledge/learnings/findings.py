"""What a conversation states outright: decisions, advice, gains, and sequences that repeat."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.learnings.sentences import HEDGED, Sentence, is_question, said
from knowledge.learnings.steps import Step
from knowledge.learnings.turns import Turn

DECIDED = re.compile(
    r"(?i)\b(?:(?:i|we)(?:'ve| have)? (?:decided|chose|opted)\b|decided (?:to|on|against)\b"
    r"|(?:i|we) went with\b|(?:i'll|we'll|let's|i will|we will) (?:go|stick) with\b"
    r"|going with\b|settled on\b|the decision (?:is|was) to\b)"
)
PREFERRED = re.compile(
    r"(?i)^(?:(?:[\w' -]{0,40}?)\b(?:i'll|we'll|let's|i will|we will|we should|please))?\s*\b"
    r"(?:use|keep|put|store|choose|pick|prefer|write|call|go for)\b.+\b(?:instead of|rather than)\b"
)
ALTERNATIVE = re.compile(
    r"(?i)\b(?:instead of|rather than|as opposed to|and not|over)\s+([^,;.()—]{3,80}?)"
    r"(?=\s+(?:because|since|so that|as|to avoid|due to)\b|[,;.()—]|$)"
)
REASON = re.compile(
    r"(?i)\b(?:because|since|so that|so it|so we|due to|to avoid|to prevent"
    r"|as (?:it|this|that|the|we)"
    r"|which (?:is|would|will|avoids?|keeps?|makes?|means)|otherwise|given that|in order to)\b"
)
ADVICE = re.compile(
    r"(?i)^(?:please\s+|and\s+|also\s+)?(?:always|never|avoid|prefer|make sure|don't forget"
    r"|remember to|do not|don't)\s+\w+|\b(?:should|must) (?:always|never)\b"
    r"|\bit(?:'s| is) (?:best|better|safer) to\b"
    r"|\b(?:best|good|recommended) practice\b"
)
HARM = re.compile(
    r"(?i)\bwhich (?:will|would|can|could)?"
    r" ?(?:fail|break|crash|leak|deadlock|block|corrupt|lose)\w*"
    r"|\bwhich [\w ]{1,30}(?:doesn't|does not|can't|cannot) (?:support|handle|work|allow)"
    r"|\b(?:leads? to|causes?|results? in) (?:a |an )?[\w -]{0,30}"
    r"(?:bugs?|errors?|leaks?|deadlocks?|race|failures?|crash|corruption|timeouts?|slow)"
    r"|\b(?:can|will|would) never (?:succeed|match|run|work|happen)"
)
_ABOUT = r"(?:about |just |only |roughly |~)?"
_UNIT = r"(?:%|ms|s|sec\w*|min\w*|[kmg]i?b|bytes|calls|queries)"
GAIN = re.compile(
    rf"(?i)\bfrom {_ABOUT}[\d.,]+ ?{_UNIT}? (?:down )?to {_ABOUT}[\d.,]+ ?{_UNIT}\b"
    r"|\b[\d.,]+ ?(?:x|×|times) (?:faster|smaller|fewer|less|quicker)\b"
    rf"|\b(?:reduced?s?|cuts?|saves?d?|dropped) .{{0,60}}\bby {_ABOUT}\d[\d.,]* ?(?:x|{_UNIT})\b"
)
PATTERN = re.compile(
    r"(?i)\b(?:use|apply|follow|introduce|adopt|with) (?:the |a |an )[\w -]{3,40}\bpattern\b"
)
ANSWERED = re.compile(r'"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"')

FEWEST_REPEATS = 3
FEWEST_PROGRAMS = 3
SEQUENCE = (5, 4, 3)
"""Lengths of a sequence that may be a workflow, the longest first."""

_OUTCOME = re.compile(r"(?i)\b(?:tests?|they|it) (?:pass|fail)|\b\d+ tests\b")


@dataclass(frozen=True)
class Choice:
    """A stated decision."""

    sentence: Sentence
    alternative: str
    reason: Sentence | None
    """The sentence that says why; may be the same."""


@dataclass(frozen=True)
class Answer:
    """A question with options that a person answered."""

    step: Step
    question: str
    options: tuple[tuple[str, str], ...]
    """Labels with their descriptions."""
    answer: str


@dataclass(frozen=True)
class Advice:
    """A statement of advice, harm, gain or pattern."""

    category: str
    sentence: Sentence
    follow: Sentence | None
    """The next sentence of the same message."""

    @property
    def reason(self) -> Sentence | None:
        """The sentence that says why: the statement itself, or the next one."""
        if REASON.search(self.sentence.plain):
            return self.sentence
        return self.follow if self.follow and REASON.search(self.follow.plain) else None


@dataclass(frozen=True)
class Routine:
    """A sequence of commands that was run several times and worked."""

    keys: tuple[str, ...]
    runs: tuple[tuple[Step, ...], ...]


def choices(turns: Sequence[Turn]) -> list[Choice]:
    """Decisions that a person or an agent stated, with an alternative or a reason."""
    found: list[Choice] = []
    for sentence, follow in _pairs(turns):
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text):
            continue
        if not (DECIDED.search(text) or PREFERRED.match(text)):
            continue
        other = ALTERNATIVE.search(text)
        reason = sentence if REASON.search(text) else None
        if reason is None and follow and REASON.search(follow.plain) and not is_question(follow):
            reason = follow
        if other or reason:
            found.append(Choice(sentence, other[1].strip() if other else "", reason))
    return found


def answers(steps: Sequence[Step]) -> list[Answer]:
    """Questions that an agent asked with options, and what the person chose."""
    found: list[Answer] = []
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
                found.append(Answer(step, question, options, answer))
    return found


def advice(turns: Sequence[Turn]) -> list[Advice]:
    """Statements of advice, of harm with a way out, of gains in numbers, and of patterns in use."""
    found: list[Advice] = []
    for sentence, follow in _pairs(turns):
        text = sentence.plain
        if is_question(sentence) or HEDGED.search(text) or len(text.split()) < 6:
            continue
        if GAIN.search(text) and not _OUTCOME.search(text):
            found.append(Advice("optimization", sentence, follow))
        elif HARM.search(text):
            found.append(Advice("anti_pattern", sentence, follow))
        elif ADVICE.search(text):
            found.append(Advice("best_practice", sentence, follow))
        elif PATTERN.search(text) and REASON.search(text):
            found.append(Advice("pattern", sentence, follow))
    return found


def routine(steps: Sequence[Step]) -> Routine | None:
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
