"""Who vouches for a lesson that a model wrote: a person, an outcome, or nobody but an agent."""

from collections.abc import Sequence

from cairn.knowledge.dialogue.hearsay import Hearsay, weighty
from cairn.knowledge.dialogue.sentences import is_question, parts
from cairn.knowledge.dialogue.trust import AGENT, OUTCOME, OUTSIDE, PERSON
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.rules.statements import ANSWERED, DECIDED, PREFERRED
from cairn.knowledge.nlp.text import sentences

SHOWN = frozenset({"bug_fix", "tool_usage", "optimization", "workflow"})
"""Categories of what was done: a check that works shows it. Of others it only shows that nothing
broke."""

SHARE = 0.5
"""Share of a title's words that a person's own sentence has who says so."""


def lesson_trust(
    category: str, title: str, content: str, evidence: Sequence[Turn], hearsay: Hearsay
) -> str:
    """Whose word a lesson is.

    `evidence` are the messages, calls and results that it rests on, in order.
    """
    if not evidence:
        return AGENT
    if category == "decision":
        decided = _said_by_person(title, evidence, 0.0)
        decided = decided or any(_decides(turn, title, hearsay) for turn in evidence)
        return PERSON if decided else AGENT
    if _said_by_person(title, evidence, SHARE):
        return PERSON
    if category in SHOWN and hearsay.works(evidence):
        return OUTCOME
    told = [title, *(content[slice(*span)] for span in sentences(content))]
    if any(hearsay.stood(evidence[-1], text) for text in told):
        return OUTSIDE
    if any(hearsay.assented(turn, *told) for turn in evidence if turn.origin == "agent"):
        return PERSON
    return AGENT


def _decides(turn: Turn, title: str, hearsay: Hearsay) -> bool:
    """Whether a person decides there, or agrees to what is said there."""
    if turn.origin == "human":
        return any(
            not is_question(one) and (DECIDED.search(one.plain) or PREFERRED.match(one.plain))
            for one in parts(turn)
        )
    if turn.kind == "tool_result":
        return ANSWERED.search(turn.text) is not None
    return turn.kind == "message" and hearsay.approved(turn, title)


def _said_by_person(title: str, evidence: Sequence[Turn], share: float) -> bool:
    """Whether a person's own sentence has that share of a title's words, and at least two."""
    sought = weighty(title)
    return any(
        len(sought & weighty(one.plain)) >= max(2, share * len(sought))
        for turn in evidence
        if turn.origin == "human"
        for one in parts(turn)
        if not is_question(one)
    )
