"""All that rules find in a conversation, what it speaks for, and the drafts made from it."""

from typing import NamedTuple

from cairn.knowledge.dialogue.hearsay import Hearsay
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.linking import Failure, failures_of
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import Scene
from cairn.knowledge.learnings.rules.failure_drafts import failure_signal, from_failure, teaches
from cairn.knowledge.learnings.rules.improvements import Gain, gains
from cairn.knowledge.learnings.rules.statement_drafts import (
    answer_signal,
    choice_signal,
    from_answer,
    from_choice,
    from_gain,
    from_pattern,
)
from cairn.knowledge.learnings.rules.statements import (
    AnsweredQuestion,
    StatedDecision,
    StatedPattern,
    answers,
    choices,
    patterns,
)


class Findings(NamedTuple):
    """What rules found in one conversation."""

    failures: list[Failure]
    """Errors that ended, so that it teaches something."""
    choices: list[StatedDecision]
    answers: list[AnsweredQuestion]
    patterns: list[StatedPattern]
    gains: list[Gain]


def findings(turns: list[Turn], every: list[ToolStep]) -> Findings:
    """What rules find in one conversation; the threads of sub-agents are read by themselves."""
    failed: list[Failure] = []
    for side in (False, True):
        thread = [turn for turn in turns if turn.sidechain == side]
        own = [step for step in every if step.call.sidechain == side]
        failed += [one for one in failures_of(thread, own) if teaches(one, own)]
    return Findings(
        failed,
        choices(turns),
        answers(turns, every),
        patterns(turns),
        gains(turns, every),
    )


def signals_of(found: Findings) -> list[Signal]:
    """What the findings speak for."""
    signals = [failure_signal(one) for one in found.failures]
    signals += [choice_signal(choice) for choice in found.choices]
    signals += [answer_signal(answer) for answer in found.answers]
    signals += [Signal("pattern", "pattern_with_reason") for _ in found.patterns]
    signals += [Signal("optimization", "gain_in_numbers") for _ in found.gains]
    return signals


def drafts(
    found: Findings, turns: list[Turn], every: list[ToolStep], wanted: list[str], hearsay: Hearsay
) -> list[Draft]:
    """Drafts in the wanted categories, in the order of the findings, each title once."""
    scene = Scene(turns, hearsay)
    made = [from_failure(one, every, scene) for one in found.failures]
    made += [from_choice(choice, scene) for choice in found.choices]
    made += [from_answer(answer, scene) for answer in found.answers]
    made += [from_pattern(pattern, scene) for pattern in found.patterns]
    made += [from_gain(gain, scene) for gain in found.gains]
    titled: dict[tuple[str, str], Draft] = {}
    for draft in made:
        if draft is not None and draft.category in wanted:
            titled.setdefault((draft.category, draft.title.casefold()), draft)
    return list(titled.values())
