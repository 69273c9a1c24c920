"""Drafts from faults that a person reported: symptom, root cause, solution, and what shows it."""

from cairn.knowledge.dialogue.errors import clean
from cairn.knowledge.dialogue.fault_words import CORRECTS
from cairn.knowledge.dialogue.sentences import (
    capitalised,
    headline,
    imperative,
    lesson,
    stands_alone,
    statement,
)
from cairn.knowledge.dialogue.trust import OUTCOME, PERSON
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import (
    Scene,
    draft,
    labelled,
    languages,
    last_line,
    shown,
    stems,
)
from cairn.knowledge.learnings.quotes import QuoteSpan, shorten
from cairn.knowledge.learnings.rules.error_fix_chains import file_names
from cairn.knowledge.learnings.rules.fix_drafts import changed
from cairn.knowledge.learnings.rules.reported_faults import ReportedFault
from cairn.knowledge.learnings.scoring import DraftGrounds, factors


def report_signal(report: ReportedFault) -> Signal:
    """What a solved report speaks for: bug_fix, the more so when somebody said why."""
    if report.cause or report.told.requires:
        return Signal("bug_fix", "report_explained_and_solved")
    return Signal("bug_fix", "report_confirmed" if report.confirmed else "report_solved")


def from_report(report: ReportedFault, scene: Scene) -> Draft | None:
    """Symptom, root cause and solution of a reported fault; None when nothing would name it."""
    told = report.told.sentence
    symptom = scene.neutral(clean(told.plain))
    cause = scene.neutral(statement(report.cause.plain)) if report.cause else ""
    order = scene.neutral(imperative(report.fix.plain)) if report.fix else ""
    required = capitalised(CORRECTS.sub("", told.plain)) if report.told.requires else ""
    named = (cause, scene.neutral(required), order)
    title = next((text for text in named if text and stands_alone(text)), "")
    if not title:
        return None
    files = file_names(report.edits)
    code, shown_change = changed(report.edits, f"{cause} {order} {symptom}")
    worked = scene.neutral(shown(report.check)) if report.check else ""
    solution = [
        order.rstrip(".") + "." if order else "",
        shown_change,
        f"After that, `{worked}` worked." if worked else "",
        f'The person confirmed: "{shorten(report.confirmed.plain, 120)}"'
        if report.confirmed
        else "",
    ]
    check = report.check.result if report.check else None
    said = [s for s in (report.cause, report.fix) if s]
    quoted = said[1:] if report.thought else said[:1]
    spans = [QuoteSpan(*told), *(QuoteSpan(*sentence) for sentence in quoted)]
    if report.confirmed:
        spans.append(QuoteSpan(*report.confirmed))
    if check:
        spans.append(QuoteSpan(check, *last_line(check.text)))
    linked = [told.turn, *(s.turn for s in said), *([check] if check else [])]
    if report.confirmed:
        linked.append(report.confirmed.turn)
    grounds = DraftGrounds(
        steps=bool(code),
        guidance=bool(order or report.told.requires),
        changed=True,
        parts=1 + bool(cause or report.told.requires) + bool(code or order),
        stands_alone=True,
        linked=len({turn.record_id for turn in linked}),
        verified=True,
    )
    return draft(
        report_signal(report),
        headline(lesson(title)),
        labelled(
            ("Symptom", f'A person reported: "{shorten(symptom, 180)}"'),
            ("Root cause", cause),
            ("Solution", " ".join(part for part in solution if part)),
        ),
        languages(files),
        factors=factors(grounds, title, scene.names | stems(files), symptom),
        evidence=[*linked, *(edit.call for edit in report.edits)],
        spans=spans,
        extractor="learning.reported_fault@2",
        trust=PERSON if report.confirmed else OUTCOME,
        steps=report.within,
    )
