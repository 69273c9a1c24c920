"""Drafts from what was stated: decisions, answers, advice, and routines that repeat."""

import re

from cairn.knowledge.dialogue.overruled import RECOMMENDED, read_alone
from cairn.knowledge.dialogue.retries import file_names
from cairn.knowledge.dialogue.sentences import (
    headline,
    imperative,
    plain,
    stands_alone,
    statement,
)
from cairn.knowledge.dialogue.trust import AGENT, OUTSIDE, PERSON
from cairn.knowledge.extraction.rules.chosen import meaning
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import (
    Scene,
    changed,
    draft,
    labelled,
    languages,
    stems,
)
from cairn.knowledge.learnings.quotes import QuoteSpan
from cairn.knowledge.learnings.rules.improvements import Gain
from cairn.knowledge.learnings.rules.statements import (
    AnsweredQuestion,
    StatedDecision,
    StatedPattern,
)
from cairn.knowledge.learnings.scoring import PROJECT, DraftGrounds, factors, scope
from cairn.knowledge.nlp.text import sentences

_ORDERS = {
    "used": "Use", "use": "Use", "applied": "Apply", "introduced": "Introduce", "adopted": "Adopt",
    "implemented": "Implement", "switched to": "Switch to", "moved to": "Move to",
}  # fmt: skip
_USED = re.compile(rf"(?i)^(?:i|we)(?:'ve| have)? ({'|'.join(_ORDERS)}) ")
_ASIDE = re.compile(r"\s*\([^)]*\)")
_FEWEST_WORDS = 5
"""Words of a question that can be read without what stands before it."""
_LONGEST_LEAD = 5
"""Words before a colon that are told: of what is asked."""


def choice_signal(choice: StatedDecision) -> Signal:
    """What a stated decision speaks for."""
    return Signal(
        "decision", "decision_with_reason" if choice.reason else "decision_with_alternative"
    )


def from_choice(choice: StatedDecision, scene: Scene) -> Draft:
    """Options, choice and rationale of a stated decision."""
    said = choice.sentence
    text = scene.neutral(statement(said.plain))
    order = scene.neutral(imperative(said.plain)) or text
    request = scene.request(said.turn.seq)
    reason = choice.reason.plain if choice.reason and choice.reason != said else ""
    content = labelled(
        ("Asked", plain(request.text) if request and request.turn != said.turn else ""),
        ("Choice", order),
        ("Instead of", choice.alternative),
        (
            "Rationale",
            scene.neutral(reason) or ("as stated in the choice" if choice.reason else ""),
        ),
    )
    linked = [*([request.turn] if request else []), said.turn]
    if choice.reason:
        linked.append(choice.reason.turn)
    grounds = DraftGrounds(
        steps=bool(choice.alternative and choice.reason),
        guidance=True,
        changed=False,
        parts=1 + bool(choice.alternative) + bool(choice.reason),
        stands_alone=stands_alone(order),
        linked=len(linked),
        proofs=1,
    )
    spans = [QuoteSpan(*said)]
    if choice.reason and choice.reason != said:
        spans.append(QuoteSpan(*choice.reason))
    if request and request.turn != said.turn:
        spans.append(QuoteSpan(*request))
    decided = said.turn.origin == "human" or scene.hearsay.approved(said.turn, said.plain)
    # That it works, or that its reason is so, is no word of a person's on what to do.
    outside = scene.trust(said, choice.reason) == OUTSIDE
    return draft(
        choice_signal(choice),
        headline(order),
        content,
        [],
        factors=factors(grounds, order, scene.names),
        evidence=linked,
        spans=spans,
        extractor="learning.stated_decision@4",
        trust=PERSON if decided else OUTSIDE if outside else AGENT,
    )


def answer_signal(answer: AnsweredQuestion) -> Signal:
    """What an answered question speaks for."""
    return Signal("decision", "question_answered" if answer.explained else "question_settled")


def from_answer(answer: AnsweredQuestion, scene: Scene) -> Draft:
    """Options, choice and rationale of a question that a person answered."""
    result = answer.step.result
    question = scene.neutral(plain(answer.question))
    options = "; ".join(
        f"{label} ({about})" if about and about != label else label
        for label, about in answer.options
    )
    linked = [answer.step.call, *([result] if result else [])]
    request = scene.request(answer.step.call.seq)
    if request:
        linked.insert(0, request.turn)
    grounds = DraftGrounds(
        steps=False,
        guidance=True,
        changed=False,
        parts=1 + (len(answer.options) > 1) + answer.explained,
        # A choice without a reason tells nothing to those who are not in this project.
        stands_alone=answer.explained or scope(question, scene.names) > PROJECT,
        linked=len(linked),
        proofs=1,
    )
    spans: list[QuoteSpan] = []
    if result and (at := result.text.find(f'"{answer.question}"="')) >= 0:
        spans.append(QuoteSpan(result, at, at + len(answer.question) + len(answer.answer) + 5))
    if request:
        spans.append(QuoteSpan(*request))
    choice = RECOMMENDED.sub("", answer.answer)
    said = f"{plain(choice)}{meaning(question, choice, answer.why)}"
    short = headline(f"{answer.topic}{_asked(question)}", max(40, 96 - len(said)))
    return draft(
        answer_signal(answer),
        headline(f"{short}? {said}"),
        labelled(
            ("Question", question),
            ("Options", options),
            ("Choice", choice),
            ("Rationale", answer.why),
        ),
        [],
        factors=factors(grounds, question, scene.names),
        evidence=linked,
        spans=spans,
        extractor="learning.answered_question@7",
        trust=PERSON,
    )


def _asked(question: str) -> str:
    """The sentence that asks, without what leads up to it and without its mark."""
    text = _ASIDE.sub("", question)
    told = [text[start:end] for start, end in sentences(text)]
    at = next((at for at in range(len(told))[::-1] if told[at].endswith("?")), None)
    asked = text if at is None else told[at]
    if at and len(asked.split()) < _FEWEST_WORDS:
        asked = f"{told[at - 1]} {asked}"
    asked = asked.rstrip("? ")
    lead, _, rest = asked.rpartition(": ")
    long = len(lead.split()) > _LONGEST_LEAD and len(rest.split()) >= _FEWEST_WORDS
    return read_alone(rest if long else asked)


def from_pattern(pattern: StatedPattern, scene: Scene) -> Draft:
    """What pattern was put to use, and why: a person's word, or one that a person agreed to."""
    said, why = pattern.sentence, pattern.reason
    text = scene.neutral(statement(said.plain))
    text = _USED.sub(lambda verb: f"{_ORDERS[verb[1].casefold()]} ", text).replace(" here ", " ")
    request = scene.request(said.turn.seq)
    asked = request if request and request.turn != said.turn else None
    linked = [*([asked.turn] if asked else []), said.turn]
    grounds = DraftGrounds(
        steps=False, guidance=True, changed=False, parts=2 + bool(asked),
        stands_alone=stands_alone(text), linked=len(linked), proofs=1,
    )  # fmt: skip
    spans = [said, *([why] if why != said else []), *([asked] if asked else [])]
    return draft(
        Signal("pattern", "pattern_with_reason"),
        headline(text),
        labelled(
            ("Pattern", text),
            ("Why", scene.neutral(why.plain) if why != said else ""),
            ("Asked", scene.neutral(plain(asked.text)) if asked else ""),
        ),
        [],
        factors=factors(grounds, text, scene.names),
        evidence=linked,
        spans=[QuoteSpan(*span) for span in spans],
        extractor="learning.stated_pattern@1",
        trust=scene.trust(said, why),
    )


def from_gain(gain: Gain, scene: Scene) -> Draft:
    """Before, after, how it was done, and what it costs."""
    said, how = gain.sentence, gain.how
    text = scene.neutral(statement(said.plain.rstrip(":")))
    files = file_names(gain.edits)
    code, change = changed(gain.edits, f"{text} {how.plain if how else ''}")
    told = scene.neutral(how.plain) if how and how != said else ""
    request = scene.request(said.turn.seq)
    linked = [said.turn, *([how.turn] if how else []), *([gain.cost.turn] if gain.cost else [])]
    spans = [QuoteSpan(*said), *([QuoteSpan(*how)] if how and how != said else [])]
    if request and request.turn != said.turn:
        linked.append(request.turn)
        spans.append(QuoteSpan(*request))
    grounds = DraftGrounds(
        steps=code,
        guidance=True,
        changed=bool(files),
        parts=2 + bool(told or how == said),
        stands_alone=stands_alone(text),
        linked=len(linked),
        proofs=bool(gain.measured) + (said.turn.origin == "human"),
    )
    return draft(
        Signal("optimization", "gain_in_numbers"),
        headline(text),
        labelled(
            ("Before", gain.before),
            ("After", gain.after),
            ("Measured", text),
            ("How", " ".join(part for part in (told, change) if part)),
            ("Trade-off", gain.cost.plain if gain.cost and gain.cost != said else ""),
        ),
        languages(files),
        factors=factors(grounds, text, scene.names | stems(files)),
        evidence=[*linked, *gain.measured, *(edit.call for edit in gain.edits)],
        spans=spans,
        extractor="learning.gain@4",
        trust=scene.trust(said, how, seen=bool(gain.measured)),
        steps=gain.edits,
    )
