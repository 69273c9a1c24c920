"""Drafts from faults that a person reported and called solved: symptom, root cause, solution."""

import re

from cairn.knowledge.dialogue.errors import clean
from cairn.knowledge.dialogue.fault_words import CORRECTS
from cairn.knowledge.dialogue.retries import file_names
from cairn.knowledge.dialogue.sentences import (
    capitalised,
    headline,
    imperative,
    lesson,
    stands_alone,
    statement,
)
from cairn.knowledge.dialogue.trust import PERSON
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
from cairn.knowledge.learnings.quotes import QuoteSpan, shorten
from cairn.knowledge.learnings.rules.reported_faults import ReportedFault
from cairn.knowledge.learnings.scoring import DraftGrounds, factors

_LABEL = re.compile(r"(?i)^(?:root )?cause:\s*")
SIGNAL = Signal("bug_fix", "report_confirmed")
"""What a report speaks for that the person called solved."""


def from_report(report: ReportedFault, scene: Scene) -> Draft | None:
    """Symptom, root cause and solution of a reported fault; None when nothing would name it."""
    told = report.told.sentence
    symptom = scene.neutral(clean(told.plain))
    cause = scene.neutral(statement(_LABEL.sub("", report.cause.plain))) if report.cause else ""
    order = scene.neutral(imperative(report.fix.plain)) if report.fix else ""
    required = capitalised(CORRECTS.sub("", told.plain)) if report.told.requires else ""
    named = (cause, scene.neutral(required), order)
    title = next((text for text in named if text and stands_alone(text)), "")
    if not title:
        return None
    files = file_names(report.edits)
    code, shown_change = changed(report.edits, f"{cause} {order} {symptom}")
    solution = [
        order.rstrip(".") + "." if order else "",
        shown_change,
        f'The person confirmed: "{shorten(report.confirmed.plain, 120)}"',
    ]
    said = [s for s in (report.cause, report.fix) if s]
    grounds = DraftGrounds(
        steps=bool(code),
        guidance=bool(order or report.told.requires),
        changed=True,
        parts=1 + bool(cause or report.told.requires) + bool(code or order),
        stands_alone=True,
        linked=2,
        proofs=1,
    )
    return draft(
        SIGNAL,
        headline(lesson(title)),
        labelled(
            ("Symptom", f'A person reported: "{shorten(symptom, 180)}"'),
            ("Root cause", cause),
            ("Solution", " ".join(part for part in solution if part)),
        ),
        languages(files),
        factors=factors(grounds, title, scene.names | stems(files), symptom),
        evidence=[
            told.turn,
            *(s.turn for s in said),
            *(edit.call for edit in report.edits),
            report.confirmed.turn,
        ],
        spans=[QuoteSpan(*s) for s in (told, *said[:1], report.confirmed)],
        extractor="learning.reported_fault@3",
        trust=PERSON,
        steps=report.within,
    )
