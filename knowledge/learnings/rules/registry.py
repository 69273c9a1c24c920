"""All that rules find in a conversation, what it speaks for, and the drafts made from it."""

from typing import NamedTuple

from cairn.knowledge.dialogue.hearsay import Hearsay
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import Scene
from cairn.knowledge.learnings.rules.error_fix_chains import Chain, chains
from cairn.knowledge.learnings.rules.fault_drafts import from_report, report_signal
from cairn.knowledge.learnings.rules.fix_drafts import chain_signal, from_chain
from cairn.knowledge.learnings.rules.improvements import Gain, gains
from cairn.knowledge.learnings.rules.reported_faults import ReportedFault, reports
from cairn.knowledge.learnings.rules.statement_drafts import (
    advice_signal,
    answer_signal,
    choice_signal,
    from_advice,
    from_answer,
    from_choice,
    from_gain,
    from_routine,
)
from cairn.knowledge.learnings.rules.statements import (
    Advice,
    AnsweredQuestion,
    Routine,
    StatedDecision,
    advice,
    answers,
    choices,
    routine,
)


class Findings(NamedTuple):
    """What rules found in one conversation."""

    chains: list[Chain]
    reports: list[ReportedFault]
    choices: list[StatedDecision]
    answers: list[AnsweredQuestion]
    advice: list[Advice]
    gains: list[Gain]
    routine: Routine | None


def findings(turns: list[Turn], every: list[ToolStep]) -> Findings:
    """What rules find in one conversation; the threads of sub-agents are read by themselves."""
    solved: list[Chain] = []
    reported: list[ReportedFault] = []
    for side in (False, True):
        thread = [turn for turn in turns if turn.sidechain == side]
        own = [step for step in every if step.call.sidechain == side]
        solved += chains(thread, own)
        if not side:
            reported = reports(thread, own, solved)
    return Findings(
        solved, reported, choices(turns), answers(every), advice(turns), gains(turns, every),
        routine(every),
    )  # fmt: skip


def signals_of(found: Findings) -> list[Signal]:
    """What the findings speak for."""
    signals = [chain_signal(chain) for chain in found.chains]
    signals += [report_signal(report) for report in found.reports]
    signals += [choice_signal(choice) for choice in found.choices]
    signals += [answer_signal(answer) for answer in found.answers]
    signals += [advice_signal(said) for said in found.advice]
    signals += [Signal("optimization", "gain_in_numbers") for _ in found.gains]
    if found.routine:
        signals.append(Signal("workflow", "commands_repeated"))
    return signals


def drafts(
    found: Findings, turns: list[Turn], every: list[ToolStep], wanted: list[str], hearsay: Hearsay
) -> list[Draft]:
    """Drafts in the wanted categories, in the order of the findings, each title once."""
    scene = Scene(turns, hearsay)
    made = [from_chain(chain, scene) for chain in found.chains]
    made += [from_report(report, scene) for report in found.reports]
    made += [from_choice(choice, scene) for choice in found.choices]
    made += [from_answer(answer, scene) for answer in found.answers]
    made += [from_advice(said, every, scene) for said in found.advice]
    made += [from_gain(gain, scene) for gain in found.gains]
    if found.routine:
        made.append(from_routine(found.routine, scene))
    titled: dict[tuple[str, str], Draft] = {}
    for draft in made:
        if draft is not None and draft.category in wanted:
            titled.setdefault((draft.category, draft.title.casefold()), draft)
    return list(titled.values())
