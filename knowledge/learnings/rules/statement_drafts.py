"""Drafts from what was stated: decisions, answers, advice, and routines that repeat."""

import re
from collections.abc import Sequence

from cairn.knowledge.dialogue.sentences import headline, imperative, plain, stands_alone, statement
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.trust import AGENT, OUTCOME, OUTSIDE, PERSON
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import (
    Scene,
    draft,
    labelled,
    languages,
    last_line,
    listed,
    shown,
    stems,
)
from cairn.knowledge.learnings.quotes import QuoteSpan
from cairn.knowledge.learnings.rules.error_fix_chains import file_names
from cairn.knowledge.learnings.rules.fix_drafts import changed
from cairn.knowledge.learnings.rules.improvements import Gain
from cairn.knowledge.learnings.rules.statements import (
    Advice,
    AnsweredQuestion,
    Routine,
    StatedDecision,
    advised,
)
from cairn.knowledge.learnings.scoring import PROJECT, DraftGrounds, factors, scope

_SOON = 12
_ORDERS = {
    "used": "Use", "use": "Use", "applied": "Apply", "introduced": "Introduce", "adopted": "Adopt",
    "implemented": "Implement", "switched to": "Switch to", "moved to": "Move to",
}  # fmt: skip
_USED = re.compile(rf"(?i)^(?:i|we)(?:'ve| have)? ({'|'.join(_ORDERS)}) ")
_ASIDE = re.compile(r"\s*\([^)]*\)")


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
        linked=len({turn.record_id for turn in linked}),
        verified=said.turn.origin == "human",
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
        extractor="learning.stated_decision@3",
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
        verified=True,
    )
    spans: list[QuoteSpan] = []
    if result and (at := result.text.find(f'"{answer.question}"="')) >= 0:
        spans.append(QuoteSpan(result, at, at + len(answer.question) + len(answer.answer) + 5))
    if request:
        spans.append(QuoteSpan(*request))
    asked = _ASIDE.sub("", question).rstrip("? ")
    short = headline(asked.rsplit(". ", 1)[0], max(40, 96 - len(answer.answer)))
    return draft(
        answer_signal(answer),
        headline(f"{short}? {plain(answer.answer)}"),
        labelled(
            ("Question", question),
            ("Options", options),
            ("Choice", answer.answer),
            ("Rationale", answer.why),
        ),
        [],
        factors=factors(grounds, question, scene.names),
        evidence=linked,
        spans=spans,
        extractor="learning.answered_question@3",
        trust=PERSON,
    )


def advice_signal(advice: Advice) -> Signal:
    """What a statement of advice, harm or pattern speaks for."""
    if advice.category == "anti_pattern":
        return Signal("anti_pattern", "harm_stated")
    if advice.category == "pattern":
        return Signal("pattern", "pattern_with_reason")
    if advice.sentence.turn.origin == "human":
        return Signal("best_practice", "advice_by_person")
    return Signal("best_practice", "advice_with_reason" if advice.reason else "advice")


def from_advice(advice: Advice, steps: Sequence[ToolStep], scene: Scene) -> Draft:
    """What is said, why, and what to do about it.

    Args:
        advice: The statement.
        steps: Steps of the conversation. The first run that worked after an edit checks the
            statement; a pattern is stated before or after the edits that follow it.
        scene: The conversation.
    """
    said, follow = advice.sentence, advice.follow
    text = scene.neutral(statement(advised(said.plain)))
    begin = said.turn.seq
    if advice.category == "pattern":
        text = _USED.sub(lambda verb: f"{_ORDERS[verb[1].casefold()]} ", text).replace(
            " here ", " "
        )
        asked = scene.request(begin)
        begin = asked.turn.seq if asked else begin
    order = scene.neutral(imperative(follow.plain)) if follow else ""
    edits, check = _checked([step for step in steps if step.call.seq > begin])
    occasion, context = scene.context(said.turn)
    files = file_names(edits)
    way_out = order or (scene.neutral(follow.plain) if follow and advice.reason == follow else "")
    label = {"anti_pattern": "Problem", "pattern": "Pattern"}.get(advice.category, "Practice")
    action = "Better" if advice.category == "anti_pattern" else "Why"
    worked = scene.neutral(shown(check)) if check else ""
    content = labelled(
        (label, text),
        (action, way_out),
        ("Done", f"Changed {listed(files)}; after that, `{worked}` worked." if worked else ""),
        (occasion, scene.neutral(context.plain) if context else ""),
    )
    linked = [said.turn, *([check.result] if check and check.result else [])]
    if context:
        linked.insert(0, context.turn)
    grounds = DraftGrounds(
        steps=bool(worked) and bool(way_out or advice.category == "pattern"),
        guidance=bool(way_out) or advice.category == "best_practice",
        changed=bool(files),
        parts=1 + bool(way_out or advice.reason) + bool(worked or said.turn.origin == "human"),
        stands_alone=stands_alone(text),
        linked=len({turn.record_id for turn in linked}),
        verified=bool(worked) or said.turn.origin == "human",
    )
    spans = [QuoteSpan(*said)]
    if follow and way_out:
        spans.append(QuoteSpan(*follow))
    if check and check.result:
        spans.append(QuoteSpan(check.result, *last_line(check.result.text)))
    own = scene.names | stems(files)
    return draft(
        advice_signal(advice),
        headline(text),
        content,
        [*languages(files), *([check.actions[-1].key.split()[0]] if check else [])],
        factors=factors(grounds, text, own),
        evidence=[*linked, *(edit.call for edit in edits)],
        spans=spans,
        extractor="learning.stated_advice@3",
        trust=scene.trust(said, follow if way_out else None, seen=check is not None),
        steps=[*edits, *([check] if check else [])],
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
        linked=len({turn.record_id for turn in linked}) + len(gain.edits),
        verified=bool(gain.edits) or said.turn.origin == "human",
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
        evidence=[*linked, *(edit.call for edit in gain.edits)],
        spans=spans,
        extractor="learning.gain@2",
        trust=scene.trust(said, how, seen=bool(gain.edits)),
        steps=gain.edits,
    )


def from_routine(routine: Routine, scene: Scene) -> Draft:
    """Steps of a sequence of commands that is run again and again."""
    steps = [scene.neutral(shown(step, 80)) for step in routine.runs[0]]
    results = [step.result for run in routine.runs for step in run if step.result]
    count = len(routine.runs)
    content = labelled(
        ("When", f"a piece of work is finished; run {count} times in one session."),
        ("Steps", " ".join(f"{at}. {key}." for at, key in enumerate(routine.keys, 1))),
        ("Example", "; ".join(f"`{step}`" for step in dict.fromkeys(steps))),
    )
    grounds = DraftGrounds(
        steps=True, guidance=True, changed=False, parts=2, stands_alone=True,
        linked=len(results), verified=True,
    )  # fmt: skip
    title = headline(f"Routine: {', then '.join(routine.keys)}")
    return draft(
        Signal("workflow", "commands_repeated"),
        title,
        content,
        [key.split()[0] for key in routine.keys],
        factors=factors(grounds, f"{title} {' '.join(steps)}", scene.names),
        evidence=results,
        spans=[QuoteSpan(r, *last_line(r.text)) for r in results[:4]],
        extractor="learning.routine@2",
        trust=OUTCOME,
        steps=[step for run in routine.runs for step in run],
    )


def _checked(later: Sequence[ToolStep]) -> tuple[list[ToolStep], ToolStep | None]:
    """The edits that come next, and the run after them that worked; nothing where it failed."""
    edits: list[ToolStep] = []
    for step in later[:_SOON]:
        if step.kind == "edit" and step.worked:
            edits.append(step)
        elif step.kind == "run" and edits and step.worked is not None:
            return (edits, step) if step.worked else ([], None)
    return [], None
